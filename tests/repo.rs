//! The house rules, checked on the tree itself: who may import whom, how long a file may get, and
//! that the documents name what the code has.
//!
//! A rule is a function from a file to its offences, so that the end of this file can show each one a
//! bad sample; the tests above it only say which files a rule is for. Rust is read by a small scanner
//! of our own that knows comments and literals and nothing of macros or types: the tree is formatted
//! by rustfmt, and that is enough. Whether the code is right is asked elsewhere.

#![allow(clippy::unwrap_used)]

#[path = "repo/dashboards.rs"]
mod dashboards;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The rows of the architecture, lowest first; a module may import only from rows above its own here.
const LAYERS: &[&[&str]] = &[
    &["model"],
    &["wire", "clock", "metrics", "config", "files", "tls"],
    &["transport"],
    &["mailbox"],
    &["registry", "client"],
    &["preservation", "cache", "peers", "journal"],
    &["eviction"],
    &["http"],
    &["node"],
    &["command"],
];

/// The first row that may know actors, and `client`, further up, may not.
const FIRST_ACTOR_ROW: usize = 3;

/// Files of rules and data, wherever they are: no actors in them.
const PURE_FILES: &[&str] = &[
    "table",
    "lease",
    "index",
    "overrides",
    "queue",
    "outcome",
    "permit",
    "answers",
    "route",
    "catalog",
];

const FILE_LINES: usize = 400;
const FUNCTION_LINES: usize = 40;
const HANDLER_LINES: usize = 10;

// === the rules, on the whole tree ===

#[test]
fn imports_point_downwards() {
    let modules = top_modules();
    let offences = rust_files("src")
        .iter()
        .flat_map(|file| upward_imports(file, &modules))
        .collect();
    none(offences, "imports against the rows of ARCHITECTURE.md");
}

#[test]
fn actors_stay_out_of_the_lower_rows_and_the_pure_files_and_http_out_of_the_rest() {
    let offences = rust_files("src").iter().flat_map(misplaced_actix).collect();
    none(offences, "actix where it must not be");
}

#[test]
fn every_rust_file_opens_by_saying_what_it_is_for() {
    let offences = all_rust_files().iter().filter_map(headless).collect();
    none(offences, "files that do not open with `//!`");
}

#[test]
fn no_source_file_is_too_long_to_read_in_one_go() {
    let offences = rust_files("src").iter().filter_map(too_long).collect();
    none(offences, "split these by verb");
}

#[test]
fn no_function_is_too_long_to_see_at_once_and_handlers_only_hand_over() {
    let offences = all_rust_files().iter().flat_map(long_functions).collect();
    none(offences, "functions to split");
}

#[test]
fn a_mod_file_is_a_cover_page_without_functions() {
    let offences = rust_files("src")
        .iter()
        .flat_map(functions_on_a_cover_page)
        .collect();
    none(
        offences,
        "mod.rs has words, declarations and re-exports only; move these to a file of their own",
    );
}

#[test]
fn metrics_are_documented_and_documented_metrics_exist() {
    let code = spelt_in("src/metrics", metric_names);
    let docs = documented("docs/operations.md", metric_names);
    let offences = differences(&code, "src/metrics.rs", &docs, "docs/operations.md");
    none(offences, "metric names");
}

#[test]
fn configuration_keys_are_documented_and_documented_keys_exist() {
    let code = spelt_in("src/config/keys", configuration_keys);
    let docs = documented("docs/configuration.md", configuration_keys);
    let offences = differences(&code, "src/config/keys.rs", &docs, "docs/configuration.md");
    none(offences, "configuration keys");
}

#[test]
fn names_of_netflix_are_in_the_document_for_those_who_come_from_there() {
    let code = spelt_in("src/config/netflix", configuration_keys);
    let columns = read(Path::new("docs/migrating.md")).unwrap();
    let missing = code
        .iter()
        .filter(|name| !columns.text.contains(&format!("`{name}`")));
    let offences = missing.map(|name| format!("{name}: not in docs/migrating.md"));
    none(offences.collect(), "names of Netflix");
    assert!(code.len() > 50, "{code:?}");
}

#[test]
fn links_of_the_documents_lead_somewhere() {
    let offences = documents().iter().flat_map(dead_links).collect();
    none(offences, "links to nowhere");
}

#[test]
fn the_tree_speaks_of_the_project_only() {
    let offences = text_files().iter().flat_map(strange_words).collect();
    none(
        offences,
        "words about a machine or a place outside the repository",
    );
}

// === the rules, each on one file ===

/// One file of the tree, under the name by which a failure calls it.
struct Source {
    path: String,
    text: String,
}

impl Source {
    fn is_cover_page(&self) -> bool {
        self.path.ends_with("/mod.rs")
    }

    /// `src/registry/renew.rs` and `src/registry.rs` both belong to `registry`; the roots to nothing.
    fn top_module(&self) -> Option<&str> {
        let below = self.path.strip_prefix("src/")?;
        let name = below.split('/').next()?.trim_end_matches(".rs");
        (!matches!(name, "lib" | "main")).then_some(name)
    }

    /// How many times `super` leads from this file to the root of the crate.
    fn depth(&self) -> usize {
        let folders = self.path.matches('/').count();
        if self.is_cover_page() {
            folders - 1
        } else {
            folders
        }
    }

    /// What stands before the tests at the foot of the file.
    fn without_tests(&self) -> &str {
        let foot = "\n#[cfg(test)]\nmod tests";
        self.text
            .find(foot)
            .map_or(&self.text, |at| &self.text[..=at])
    }
}

fn row_of(module: &str) -> Option<usize> {
    LAYERS.iter().position(|row| row.contains(&module))
}

fn upward_imports(file: &Source, modules: &BTreeSet<String>) -> Vec<String> {
    let Some(importer) = file.top_module() else {
        return Vec::new();
    };
    let path = &file.path;
    let Some(own_row) = row_of(importer) else {
        return vec![format!(
            "{path}: `{importer}` has no row; give it one in tests/repo.rs"
        )];
    };
    let mut offences = root_by_super(file);
    for (line, imported) in crate_paths(&scan(&file.text).code) {
        let wrong = match row_of(&imported) {
            _ if imported == importer => None,
            Some(row) if row < own_row => None,
            Some(row) if row == own_row => Some("stands on the same row"),
            Some(_) => Some("stands on a higher row"),
            None if modules.contains(&imported) => Some("has no row; give it one in tests/repo.rs"),
            None => Some("is no module: name the module that has it"),
        };
        offences.extend(
            wrong.map(|why| format!("{path}:{line}: {importer} -> {imported}, which {why}")),
        );
    }
    offences
}

/// `super::super::cache` is an import of another module in a dress that the check above does not know.
fn root_by_super(file: &Source) -> Vec<String> {
    let own_lines = file.without_tests().lines().count();
    let code = scan(&file.text).code;
    let lines = code.lines().zip(1..);
    lines
        .filter(|(code, line)| {
            let inside_tests = usize::from(*line > own_lines);
            let chain = "super::".repeat(file.depth() + inside_tests);
            code.contains(&chain)
        })
        .map(|(_, line)| {
            format!(
                "{}:{line}: leads to the root by `super`; write `crate::`",
                file.path
            )
        })
        .collect()
}

fn misplaced_actix(file: &Source) -> Vec<String> {
    let module = file.top_module();
    let row = module.and_then(row_of);
    let is_pure = file
        .path
        .split('/')
        .any(|part| PURE_FILES.contains(&part.trim_end_matches(".rs")));
    let knows_http = matches!(module, Some("http" | "node"));
    let knows_actors = match row {
        _ if is_pure || module == Some("client") => false,
        Some(row) => row >= FIRST_ACTOR_ROW,
        None => true,
    };
    let mut offences = Vec::new();
    for (line, word) in words(&scan(&file.text).code) {
        let is_http = word.starts_with("actix_") && word != "actix_rt";
        if word.starts_with("actix") && (!knows_actors || is_http && !knows_http) {
            offences.push(format!("{}:{line}: {word}", file.path));
        }
    }
    offences
}

fn headless(file: &Source) -> Option<String> {
    (!file.text.starts_with("//!")).then(|| file.path.clone())
}

fn too_long(file: &Source) -> Option<String> {
    let lines = file.without_tests().lines().count();
    (lines > FILE_LINES).then(|| {
        format!(
            "{}: {lines} lines before its tests, {FILE_LINES} allowed",
            file.path
        )
    })
}

fn long_functions(file: &Source) -> Vec<String> {
    let mut offences = Vec::new();
    for Function { name, line, lines } in functions(&scan(&file.text).code) {
        let allowed = if name == "handle" {
            HANDLER_LINES
        } else {
            FUNCTION_LINES
        };
        if lines > allowed {
            offences.push(format!(
                "{}:{line}: `{name}` has {lines} lines, {allowed} allowed",
                file.path
            ));
        }
    }
    offences
}

fn functions_on_a_cover_page(file: &Source) -> Vec<String> {
    if !file.is_cover_page() {
        return Vec::new();
    }
    functions(&scan(&file.text).code)
        .into_iter()
        .map(|function| format!("{}:{}: `{}`", file.path, function.line, function.name))
        .collect()
}

/// The metric names among `texts`; labels after a name are left out. `process_…` comes from a library.
fn metric_names(texts: Vec<String>) -> BTreeSet<String> {
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    texts
        .into_iter()
        .map(|text| text.split('{').next().unwrap_or_default().to_string())
        .filter(|name| name.starts_with("eureka_") || name.starts_with("http_server_"))
        .filter(|name| name.chars().all(is_name))
        .collect()
}

/// The configuration keys among `texts`. One that ends with a point is a prefix, not a key.
fn configuration_keys(texts: Vec<String>) -> BTreeSet<String> {
    let is_key = |c: char| c.is_ascii_alphanumeric() || "-._*[]<>".contains(c);
    texts
        .into_iter()
        .filter(|key| {
            ["eureka.", "server.", "spring.", "management.", "logging."]
                .iter()
                .any(|first| key.starts_with(first))
        })
        .filter(|key| key.chars().all(is_key) && !key.ends_with('.'))
        .collect()
}

fn differences(
    code: &BTreeSet<String>,
    code_path: &str,
    docs: &BTreeSet<String>,
    docs_path: &str,
) -> Vec<String> {
    let undocumented = code
        .difference(docs)
        .map(|name| format!("{name}: not in a table of {docs_path}"));
    let invented = docs
        .difference(code)
        .map(|name| format!("{name}: in {docs_path} but not in {code_path}"));
    let mut offences: Vec<_> = undocumented.chain(invented).collect();
    let is_there = |path| Path::new(path).exists();
    if code.is_empty() && (is_there(code_path) || is_there(code_path.trim_end_matches(".rs"))) {
        offences.push(format!(
            "{code_path} spells none in one piece, so nothing was checked"
        ));
    }
    offences
}

fn dead_links(file: &Source) -> Vec<String> {
    links(&file.text)
        .into_iter()
        .filter(|(_, target)| !is_elsewhere(target))
        .filter_map(|(line, target)| {
            let why = dead(&file.path, &file.text, &target)?;
            Some(format!("{}:{line}: {target}: {why}", file.path))
        })
        .collect()
}

fn is_elsewhere(target: &str) -> bool {
    ["http://", "https://", "mailto:"]
        .iter()
        .any(|scheme| target.starts_with(scheme))
}

/// Why `target`, as written in the document at `from`, leads nowhere.
fn dead(from: &str, own_text: &str, target: &str) -> Option<&'static str> {
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let text = if file.is_empty() {
        own_text.to_string()
    } else {
        let Some(path) = beside(from, file) else {
            return Some("is outside the repository");
        };
        if !path.exists() {
            return Some("no such file");
        }
        fs::read_to_string(path).unwrap_or_default()
    };
    let is_document = file.is_empty() || file.ends_with(".md");
    (is_document && !anchor.is_empty() && !anchors(&text).contains(anchor))
        .then_some("no such heading")
}

/// `target` as seen from the folder of `from`; nothing where it climbs out of the tree.
fn beside(from: &str, target: &str) -> Option<PathBuf> {
    let mut path = PathBuf::from(from);
    path.pop();
    for part in Path::new(target).components() {
        match part {
            Component::ParentDir if !path.pop() => return None,
            Component::Normal(name) => path.push(name),
            Component::RootDir | Component::Prefix(_) => return None,
            _ => {}
        }
    }
    Some(Path::new(".").join(path)) // a link to the root itself must not become the empty path
}

fn strange_words(file: &Source) -> Vec<String> {
    // spelt in pieces, or this file would be its own first offence
    let anywhere = [concat!("/wo", "rk/"), concat!("/ro", "ot/")];
    let outside = concat!("..", "/shared");
    let may_look_outside = ["Makefile", "docs/testing.md"].contains(&file.path.as_str())
        || file.path.starts_with(".ci/");
    let mut offences = Vec::new();
    for (text, line) in file.text.lines().zip(1..) {
        let machine = anywhere.iter().find(|word| text.contains(**word));
        let place = (!may_look_outside && text.contains(outside)).then_some(&outside);
        for word in machine.into_iter().chain(place) {
            offences.push(format!("{}:{line}: {word}", file.path));
        }
    }
    offences
}

// === reading the tree ===

fn none(mut offences: Vec<String>, what: &str) {
    offences.sort();
    offences.dedup();
    assert!(
        offences.is_empty(),
        "{what}:\n  {}\n",
        offences.join("\n  ")
    );
}

/// Every file below `folder` that is ours to judge, in order; none where the folder is not there.
fn files(folder: &str) -> Vec<PathBuf> {
    let not_ours = ["target", "node_modules", "__pycache__"];
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::from(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let is_hidden = name.starts_with('.') && name != ".ci";
            if path.is_dir() && !is_hidden && !not_ours.contains(&name.as_str()) {
                folders.push(path);
            } else if path.is_file() && name != ".git" {
                // A linked work tree has a file of that name, with a path of this machine in it.
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Nothing for a file that is not text.
fn read(path: &Path) -> Option<Source> {
    let text = fs::read_to_string(path).ok()?;
    let path = path.strip_prefix(".").unwrap_or(path);
    Some(Source {
        path: path.display().to_string(),
        text,
    })
}

fn rust_files(folder: &str) -> Vec<Source> {
    let paths = files(folder).into_iter();
    let rust = paths.filter(|path| path.extension().is_some_and(|ending| ending == "rs"));
    rust.filter_map(|path| read(&path)).collect()
}

fn all_rust_files() -> Vec<Source> {
    ["src", "tests", "examples", "benches", "fuzz"]
        .into_iter()
        .flat_map(rust_files)
        .collect()
}

fn text_files() -> Vec<Source> {
    files(".").iter().filter_map(|path| read(path)).collect()
}

fn documents() -> Vec<Source> {
    let named = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(PathBuf::from);
    let below_docs = ["docs", "cluster", "grafana"]
        .into_iter()
        .flat_map(files)
        .filter(|path| path.extension().is_some_and(|e| e == "md"));
    named
        .into_iter()
        .chain(below_docs)
        .filter_map(|path| read(&path))
        .collect()
}

fn top_modules() -> BTreeSet<String> {
    rust_files("src")
        .iter()
        .filter_map(|file| file.top_module().map(String::from))
        .collect()
}

/// What `names` finds among the literals of a module, `module.rs` or the folder of that name.
fn spelt_in(module: &str, names: fn(Vec<String>) -> BTreeSet<String>) -> BTreeSet<String> {
    let file = read(Path::new(&format!("{module}.rs")));
    let literals = file
        .into_iter()
        .chain(rust_files(module))
        .flat_map(|file| scan(file.without_tests()).strings);
    names(literals.collect())
}

/// What `names` finds in the tables of a document; nothing where the document is not there.
fn documented(path: &str, names: fn(Vec<String>) -> BTreeSet<String>) -> BTreeSet<String> {
    names(
        read(Path::new(path))
            .map(|file| first_column(&file.text))
            .unwrap_or_default(),
    )
}

// === reading Rust ===

/// Rust without its comments and literals: `code` has blanks in their place and the same lines.
struct Scan {
    code: String,
    strings: Vec<String>,
}

fn scan(text: &str) -> Scan {
    let mut scanner = Scanner {
        left: text.chars().collect(),
        at: 0,
        code: String::new(),
        strings: Vec::new(),
    };
    while let Some(c) = scanner.peek(0) {
        match (c, scanner.peek(1)) {
            ('/', Some('/')) => scanner.line_comment(),
            ('/', Some('*')) => scanner.block_comment(),
            ('"', _) => scanner.string(),
            ('r', Some('"' | '#')) => scanner.raw_string(),
            ('\'', _) => scanner.char_or_lifetime(),
            _ => scanner.keep(),
        }
    }
    Scan {
        code: scanner.code,
        strings: scanner.strings,
    }
}

struct Scanner {
    left: Vec<char>,
    at: usize,
    code: String,
    strings: Vec<String>,
}

impl Scanner {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.left.get(self.at + ahead).copied()
    }

    fn keep(&mut self) {
        self.code.extend(self.peek(0));
        self.at += 1;
    }

    fn blank(&mut self, count: usize) {
        for _ in 0..count {
            let is_line_end = self.peek(0) == Some('\n');
            self.code.push(if is_line_end { '\n' } else { ' ' });
            self.at += 1;
        }
    }

    fn line_comment(&mut self) {
        while self.peek(0).is_some_and(|c| c != '\n') {
            self.blank(1);
        }
    }

    fn block_comment(&mut self) {
        let mut open = 0;
        while self.peek(0).is_some() {
            match (self.peek(0), self.peek(1)) {
                (Some('/'), Some('*')) => open += 1,
                (Some('*'), Some('/')) => open -= 1,
                _ => {
                    self.blank(1);
                    continue;
                }
            }
            self.blank(2);
            if open == 0 {
                return;
            }
        }
    }

    fn string(&mut self) {
        let mut literal = String::new();
        self.keep();
        while let Some(c) = self.peek(0) {
            match c {
                '"' => break,
                '\\' => self.blank(2),
                _ => {
                    literal.push(c);
                    self.blank(1);
                }
            }
        }
        self.keep();
        self.strings.push(literal);
    }

    fn raw_string(&mut self) {
        let hashes = self.left[self.at + 1..]
            .iter()
            .take_while(|c| **c == '#')
            .count();
        if self.peek(1 + hashes) != Some('"') {
            return self.keep(); // r#type
        }
        let body = self.at + hashes + 2;
        let end: Vec<char> = format!("\"{}", "#".repeat(hashes)).chars().collect();
        let length = self.left[body..]
            .windows(end.len())
            .position(|w| w == end)
            .unwrap_or(0);
        self.strings
            .push(self.left[body..body + length].iter().collect());
        self.blank(hashes + 2 + length + end.len());
    }

    fn char_or_lifetime(&mut self) {
        match (self.peek(1), self.peek(2)) {
            (Some('\\'), _) => {
                self.blank(3);
                while self.peek(0).is_some_and(|c| c != '\'') {
                    self.blank(1);
                }
                self.blank(1);
            }
            (_, Some('\'')) => self.blank(3),
            _ => self.keep(),
        }
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Every identifier, with its line.
fn words(code: &str) -> Vec<(usize, String)> {
    let lines = code.lines().zip(1..);
    lines
        .flat_map(|(text, line)| {
            text.split(|c| !is_word(c))
                .map(move |word| (line, word.to_string()))
        })
        .filter(|(_, word)| !word.is_empty())
        .collect()
}

/// What follows `crate::`, with its line; each member of `crate::{…}`. Macros have no module.
fn crate_paths(code: &str) -> Vec<(usize, String)> {
    let mut paths = Vec::new();
    for (at, start) in code.match_indices("crate::") {
        if code[..at].ends_with(is_word) {
            continue;
        }
        let line = code[..at].matches('\n').count() + 1;
        let rest = &code[at + start.len()..];
        let members = match rest.strip_prefix('{') {
            Some(group) => group_members(group),
            None => vec![rest],
        };
        for member in members {
            let name: String = member
                .trim_start()
                .chars()
                .take_while(|c| is_word(*c))
                .collect();
            let is_macro = member.trim_start()[name.len()..].starts_with('!');
            if !name.is_empty() && !is_macro {
                paths.push((line, name));
            }
        }
    }
    paths
}

/// The members of a group, from behind its opening brace on; groups inside a member stay in it.
fn group_members(group: &str) -> Vec<&str> {
    let mut members = Vec::new();
    let (mut open, mut start) = (0, 0);
    for (at, c) in group.char_indices() {
        match c {
            '{' => open += 1,
            '}' if open == 0 => {
                members.push(&group[start..at]);
                break;
            }
            '}' => open -= 1,
            ',' if open == 0 => {
                members.push(&group[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    members
}

struct Function {
    name: String,
    line: usize,
    /// Lines between the braces, comments and empty ones included.
    lines: usize,
}

/// Every function with a body that is no test; one inside another is counted in both.
fn functions(code: &str) -> Vec<Function> {
    let mut found = Vec::new();
    for (at, word) in code.match_indices("fn ") {
        let rest = &code[at + word.len()..];
        let name: String = rest.chars().take_while(|c| is_word(*c)).collect();
        if name.is_empty() || code[..at].ends_with(is_word) || is_test(&code[..at]) {
            continue;
        }
        if let Some(body) = body(rest) {
            let line = code[..at].matches('\n').count() + 1;
            let lines = body.matches('\n').count().saturating_sub(1);
            found.push(Function { name, line, lines });
        }
    }
    found
}

/// Tests are tables of cases more often than not, and a table may be as long as it has rows.
fn is_test(before: &str) -> bool {
    let attributes = before.split('\n').rev().skip(1).map(str::trim_start);
    attributes
        .take_while(|line| line.starts_with("#["))
        .any(|line| line.contains("test]") || line.contains("test("))
}

/// What stands between the braces of the function whose head `rest` begins with.
fn body(rest: &str) -> Option<&str> {
    let mut brackets = 0;
    let head = rest.find(|c| {
        brackets += i32::from(matches!(c, '(' | '[')) - i32::from(matches!(c, ')' | ']'));
        brackets == 0 && matches!(c, '{' | ';')
    })?;
    let inside = rest[head..].strip_prefix('{')?;
    let mut braces = 1;
    let end = inside.find(|c| {
        braces += i32::from(c == '{') - i32::from(c == '}');
        braces == 0
    })?;
    Some(&inside[..end])
}

// === reading Markdown ===

/// The lines outside fenced blocks, with their numbers.
fn prose(text: &str) -> Vec<(usize, &str)> {
    let mut fenced = false;
    let mut lines = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            lines.push((number, line));
        }
    }
    lines
}

/// What stands in backticks in the first column of the tables.
fn first_column(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (_, line) in prose(text) {
        let row = line.trim_start().strip_prefix('|').unwrap_or_default();
        let cell = row.split('|').next().unwrap_or_default();
        found.extend(cell.split('`').skip(1).step_by(2).map(String::from));
    }
    found
}

/// The targets of all links and pictures, with their lines, `[name]: target` lines included.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (line, text) in prose(text) {
        let spoken: String = text.split('`').step_by(2).collect();
        let inline = spoken
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next());
        let named = spoken
            .strip_prefix('[')
            .and_then(|rest| Some(rest.split_once("]: ")?.1));
        for target in inline.chain(named) {
            let target = target.split_whitespace().next().unwrap_or_default();
            found.push((line, target.trim_matches(['<', '>']).to_string()));
        }
    }
    found
}

/// The anchors that the headings of a document get when it is shown.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut seen = BTreeMap::new();
    let mut anchors = BTreeSet::new();
    for (_, line) in prose(text)
        .into_iter()
        .filter(|(_, line)| line.starts_with('#'))
    {
        let heading = line.trim_start_matches('#').trim().to_lowercase();
        let kept = heading
            .chars()
            .filter(|c| is_word(*c) || matches!(c, '-' | ' '));
        let slug: String = kept.map(|c| if c == ' ' { '-' } else { c }).collect();
        let times = seen
            .entry(slug.clone())
            .and_modify(|n| *n += 1)
            .or_insert(0);
        anchors.insert(if *times == 0 {
            slug
        } else {
            format!("{slug}-{times}")
        });
    }
    anchors
}

// === the rules can fail ===

fn source(path: &str, text: &str) -> Source {
    Source {
        path: path.into(),
        text: text.into(),
    }
}

#[test]
fn an_import_from_a_higher_or_the_same_row_is_caught() {
    let modules: BTreeSet<String> = ["cache", "ledger"].map(String::from).into();
    let caught = |path, text| upward_imports(&source(path, text), &modules).join("\n");

    for (path, text, offence) in [
        (
            "src/registry/renew.rs",
            "use crate::cache::Answers;",
            "registry -> cache, which stands on a higher row",
        ),
        (
            "src/wire/json.rs",
            "fn now() -> u64 {\n    crate::clock::now()\n}",
            ":2: wire -> clock, which stands on the same row",
        ),
        (
            "src/peers/queue.rs",
            "use crate::{\n    model::{Origin, Text},\n    http::Route,\n};",
            "peers -> http",
        ),
        (
            "src/cache/mod.rs",
            "use crate::ledger::Entry;",
            "ledger, which has no row",
        ),
        (
            "src/cache/mod.rs",
            "use crate::Registry;",
            "Registry, which is no module",
        ),
        ("src/ledger.rs", "", "`ledger` has no row"),
        (
            "src/registry/renew.rs",
            "use super::super::cache::Answers;",
            "leads to the root by `super`",
        ),
        (
            "src/clock.rs",
            "use super::http;",
            "leads to the root by `super`",
        ),
    ] {
        assert!(
            caught(path, text).contains(offence),
            "{path}: {text}: {}",
            caught(path, text)
        );
    }
}

#[test]
fn an_import_from_below_or_in_words_only_is_let_through() {
    let modules = BTreeSet::new();
    for (path, text) in [
        (
            "src/cache/mod.rs",
            "use crate::{model::Origin, wire::{Form, json}, registry::Registry};",
        ),
        (
            "src/cache/actor.rs",
            "use crate::cache::render::Block;\nuse super::render;\ncrate::count!(x);",
        ),
        (
            "src/model/mod.rs",
            "//! See crate::http.\n/* crate::http */ const A: &str = \"crate::http\";",
        ),
        (
            "src/clock.rs",
            "const A: char = '\"'; // \" crate::http\n#[cfg(test)]\nmod tests {\n    use super::*;\n}",
        ),
        ("src/main.rs", "use heureka::node;\nuse crate::http;"),
    ] {
        let offences = upward_imports(&source(path, text), &modules);
        assert!(offences.is_empty(), "{path}: {offences:?}");
    }
}

#[test]
fn actix_in_a_lower_row_a_pure_file_or_the_client_is_caught_and_so_is_its_http_elsewhere() {
    for (path, text, is_caught) in [
        ("src/wire/xml/read.rs", "use actix::Message;", true),
        ("src/client/mod.rs", "use actix_rt::spawn;", true),
        ("src/registry/lease.rs", "#[derive(actix::Message)]", true),
        ("src/http/route.rs", "use actix_web::http::Method;", true),
        ("src/cache/actor.rs", "#[actix_web::test]", true),
        ("src/main.rs", "#[actix_web::main]", true),
        ("src/cache/actor.rs", "use actix::Actor;", false),
        ("src/http/service.rs", "use actix_web::HttpRequest;", false),
        ("src/model/mod.rs", "// actix is not for here", false),
    ] {
        assert_eq!(
            !misplaced_actix(&source(path, text)).is_empty(),
            is_caught,
            "{path}: {text}"
        );
    }
}

#[test]
fn a_long_file_a_long_function_and_a_busy_handler_are_caught() {
    let body = |lines: usize| {
        format!(
            "(&mut self, _: [u8; 2]) -> char {{\n{}    '}}'\n}}\n",
            "    x(\"}\");\n".repeat(lines - 1)
        )
    };
    let lengths = |text: String| long_functions(&source("src/a.rs", &text)).len();
    assert_eq!(lengths(format!("fn rule{}", body(40))), 0);
    assert_eq!(lengths(format!("fn rule{}", body(41))), 1);
    assert_eq!(lengths(format!("fn handle{}", body(10))), 0);
    assert_eq!(
        lengths(format!("fn handle{}fn rule{}", body(11), body(41))),
        2
    );
    assert_eq!(
        lengths("trait A {\n    fn handle(&self);\n}\n".repeat(50)),
        0
    );

    let long = "// one line\n".repeat(400);
    let tests = "#[cfg(test)]\nmod tests {\n}\n";
    assert!(too_long(&source("src/a.rs", &format!("{long}{tests}"))).is_none());
    assert!(too_long(&source("src/a.rs", &format!("{long}\n{tests}"))).is_some());
    assert!(headless(&source("src/a.rs", "use std::fs;\n//! Late.")).is_some());

    let cover = "//! fn in words\nmod a;\npub use a::A;\n";
    assert!(functions_on_a_cover_page(&source("src/a/mod.rs", cover)).is_empty());
    assert_eq!(
        functions_on_a_cover_page(&source("src/a/mod.rs", "fn a() {}")),
        ["src/a/mod.rs:1: `a`"]
    );
}

#[test]
fn comments_and_literals_are_told_from_code() {
    let text = r##"let a = r#"x " crate::b"#; let b = '\''; let c = "\" // d"; 'e: loop {} /* /* */ f */ g(b"h", r#type)"##;
    let found = scan(text);
    assert_eq!(found.strings, [r#"x " crate::b"#, r#" // d"#, "h"]);
    assert_eq!(found.code.chars().count(), text.chars().count());
    let kept: Vec<_> = words(&found.code)
        .into_iter()
        .map(|(_, word)| word)
        .collect();
    assert_eq!(kept.join(" "), "let a let b let c e loop g b r type");
}

#[test]
fn a_name_that_only_the_code_or_only_the_document_has_is_caught() {
    let code = "const A: &str = \"eureka_leases\"; // \"eureka_told\"\ncounter(\"eureka_lost_total\", \"eureka_\");";
    let page = "| Name | Kind |\n|---|---|\n| `eureka_leases{origin}`, `process_cpu` | `eureka_other` |\n| `eureka_gone` | |\n`eureka_words`";
    let code = metric_names(scan(code).strings);
    let page = metric_names(first_column(page));
    let offences = differences(&code, "no-such.rs", &page, "page.md");
    assert_eq!(
        offences,
        [
            "eureka_: not in a table of page.md",
            "eureka_lost_total: not in a table of page.md",
            "eureka_gone: in page.md but not in no-such.rs"
        ]
    );

    let keys = [
        "eureka.server.mode",
        "eureka.",
        "server.port",
        "eureka is",
        "log.level",
    ];
    let keys = configuration_keys(keys.map(String::from).into());
    assert_eq!(
        keys.into_iter().collect::<Vec<_>>(),
        ["eureka.server.mode", "server.port"]
    );
}

#[test]
fn a_link_to_a_missing_file_or_heading_or_out_of_the_tree_is_caught() {
    let text = "# A `b`, c!\n# A `b`, c!\n[x](#a-b-c) [x](#a-b-c-1) [x](../Cargo.toml) [x](https://x.y) `[x](z)`\n```\n[x](y)\n```\n";
    assert_eq!(dead_links(&source("docs/x.md", text)), [""; 0]);

    let text = "[x](gone.md \"title\") ![x](<#gone>)\n[x]: ../../secret\n[x](/etc)\n[`x`](../Cargo.toml#any)";
    let whys = [
        "no such file",
        "no such heading",
        "is outside the repository",
        "is outside the repository",
    ];
    let offences = dead_links(&source("docs/x.md", text));
    assert_eq!(offences.len(), whys.len(), "{offences:?}");
    for (offence, why) in offences.iter().zip(whys) {
        assert!(offence.ends_with(why), "{offence}: {why}");
    }
}

#[test]
fn a_machine_path_is_caught_everywhere_and_the_neighbour_folder_where_it_has_no_business() {
    let machine = ["see /wo", "rk/notes"].concat();
    let neighbour = ["see ..", "/shared/notes"].concat();
    assert_eq!(strange_words(&source("Makefile", &machine)).len(), 1);
    assert_eq!(strange_words(&source("README.md", &neighbour)).len(), 1);
    assert_eq!(
        strange_words(&source("docs/testing.md", &neighbour)).len(),
        0
    );
}
