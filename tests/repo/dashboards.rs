//! What Prometheus and Grafana load: dashboards that Grafana can lay out, for every panel a description and a
//! unit, for every alert words and a place in the documents, and nowhere a metric that the code does not have.
//!
//! Whether expressions mean something is asked by `.ci/prometheus`, with promtool and with a living cluster.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::{Source, anchors, files, metric_names, none, prose, read, spelt_in};

const BOARDS: &str = "grafana/dashboards";
const ALERTS: &str = "cluster/alerts.yml";
const OPERATIONS: &str = "docs/operations.md";
/// Columns of Grafana's grid.
const COLUMNS: u64 = 24;
/// The data source is chosen at the top of the page.
const CHOSEN: &str = "${datasource}";

// === the rules, on the whole tree ===

#[test]
fn dashboards_can_be_laid_out_and_explain_every_panel() {
    let boards = boards();
    let uids: BTreeSet<String> = boards.iter().map(|(_, board)| text(board, "uid")).collect();
    assert_eq!(
        uids,
        ["heureka-overview", "heureka-replication"]
            .map(String::from)
            .into()
    );
    let offences = boards.iter().flat_map(|(path, board)| {
        let offences = frame_offences(board, &uids).into_iter();
        let panels = panel_offences(board);
        offences
            .chain(panels)
            .chain(layout_offences(board))
            .map(move |offence| format!("{path}: {offence}"))
    });
    none(offences.collect(), "dashboards");
}

#[test]
fn every_panel_is_explained_in_the_documents() {
    let page = read(Path::new(OPERATIONS)).unwrap();
    let rows: BTreeSet<&str> = prose(&page.text)
        .into_iter()
        .filter_map(|(_, line)| line.strip_prefix("| ")?.split(" | ").next())
        .collect();
    let offences = boards()
        .iter()
        .flat_map(|(_, board)| panels(board))
        .filter(|panel| !is_row(panel))
        .map(|panel| text(&panel, "title"))
        .filter(|title| !rows.contains(title.as_str()))
        .collect();
    none(offences, "panels without a row in docs/operations.md");
}

#[test]
fn dashboards_and_alerts_ask_for_metrics_that_exist() {
    let known = spelt_in("src/metrics", metric_names);
    let offences = ["cluster", "grafana"]
        .into_iter()
        .flat_map(files)
        .filter_map(|path| read(&path))
        .flat_map(|file| unknown_metrics(&file, &known));
    none(offences.collect(), "metrics that nobody has");
}

#[test]
fn every_alert_says_how_bad_it_is_what_it_means_and_where_to_read_on() {
    let page = read(Path::new(OPERATIONS)).unwrap();
    let alerts = read(Path::new(ALERTS)).unwrap();
    none(alert_offences(&alerts.text, &page.text), "alerts");
}

// === the rules, each on one file ===

fn boards() -> Vec<(String, Value)> {
    files(BOARDS)
        .iter()
        .filter_map(|path| read(path))
        .map(|file| {
            let board = serde_json::from_str(&file.text);
            let board = board.unwrap_or_else(|error| panic!("{}: {error}", file.path));
            (file.path, board)
        })
        .collect()
}

fn text(value: &Value, member: &str) -> String {
    value[member].as_str().unwrap_or_default().to_string()
}

fn list<'v>(value: &'v Value, member: &str) -> &'v [Value] {
    value[member].as_array().map_or(&[], Vec::as_slice)
}

/// The panels of a board, those of collapsed rows included.
fn panels(board: &Value) -> Vec<Value> {
    let mut found = Vec::new();
    for panel in list(board, "panels") {
        found.push(panel.clone());
        found.extend(list(panel, "panels").iter().cloned());
    }
    found
}

fn is_row(panel: &Value) -> bool {
    text(panel, "type") == "row"
}

/// What is wrong around the panels: version, links, variables, annotations.
fn frame_offences(board: &Value, uids: &BTreeSet<String>) -> Vec<String> {
    let mut offences = Vec::new();
    let version = board["schemaVersion"].as_u64().unwrap_or_default();
    if !(39..=41).contains(&version) {
        offences.push(format!("schemaVersion {version}"));
    }
    for link in list(board, "links") {
        let url = text(link, "url");
        if !url
            .strip_prefix("/d/")
            .is_some_and(|uid| uids.contains(uid))
        {
            offences.push(format!("a link to {url}"));
        }
    }
    let variables = list(&board["templating"], "list").iter();
    let annotations = list(&board["annotations"], "list").iter();
    let queries = variables.filter(|variable| text(variable, "type") == "query");
    for asking in queries.chain(annotations.filter(|one| one["builtIn"] != 1)) {
        if text(&asking["datasource"], "uid") != CHOSEN {
            offences.push(format!("`{}` names a data source", text(asking, "name")));
        }
    }
    offences
}

fn panel_offences(board: &Value) -> Vec<String> {
    let variables: BTreeSet<String> = list(&board["templating"], "list")
        .iter()
        .map(|variable| text(variable, "name"))
        .collect();
    let mut offences = Vec::new();
    for panel in panels(board) {
        let title = text(&panel, "title");
        let mut complain = |what: &str| offences.push(format!("panel `{title}`: {what}"));
        if title.is_empty() {
            complain("no title");
        }
        if is_row(&panel) {
            continue;
        }
        if text(&panel, "description").len() < 20 {
            complain("no description");
        }
        if text(&panel["fieldConfig"]["defaults"], "unit").is_empty() {
            complain("no unit");
        }
        if list(&panel, "targets").is_empty() {
            complain("asks for nothing");
        }
        for asking in [&panel].into_iter().chain(list(&panel, "targets")) {
            if text(&asking["datasource"], "uid") != CHOSEN {
                complain("names a data source");
            }
        }
        for target in list(&panel, "targets") {
            let strange = used_variables(&text(target, "expr"));
            strange
                .difference(&variables)
                .for_each(|name| complain(&format!("no variable `{name}`")));
        }
    }
    offences
}

/// The names after `$`, Grafana's own left out.
fn used_variables(expression: &str) -> BTreeSet<String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    expression
        .split('$')
        .skip(1)
        .map(|rest| rest.split(|c| !is_name(c)).next().unwrap_or_default())
        .filter(|name| !name.starts_with("__"))
        .map(String::from)
        .collect()
}

/// Ids that are there twice, and panels that leave the grid or lie on each other.
fn layout_offences(board: &Value) -> Vec<String> {
    let mut offences = Vec::new();
    let mut ids = BTreeSet::new();
    let mut taken = BTreeSet::new();
    for panel in panels(board) {
        let title = text(&panel, "title");
        let id = panel["id"].as_u64().unwrap_or_default();
        if id == 0 || !ids.insert(id) {
            offences.push(format!("panel `{title}`: id {id} again"));
        }
        let [x, y, w, h] =
            ["x", "y", "w", "h"].map(|edge| panel["gridPos"][edge].as_u64().unwrap_or(99));
        if w == 0 || h == 0 || x + w > COLUMNS {
            offences.push(format!("panel `{title}`: outside of the grid"));
            continue;
        }
        let cells = (x..x + w).flat_map(|x| (y..y + h).map(move |y| (x, y)));
        let shared = cells.filter(|cell| !taken.insert(*cell));
        if shared.count() > 0 {
            offences.push(format!("panel `{title}`: lies on another"));
        }
    }
    offences
}

/// Names that look like ours and are none; a histogram has three of its name.
fn unknown_metrics(file: &Source, known: &BTreeSet<String>) -> Vec<String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let names: BTreeSet<&str> = file.text.split(|c| !is_name(c)).collect();
    let is_known = |name: &str| {
        let parts = ["_bucket", "_sum", "_count"].into_iter();
        let mut bases = parts.filter_map(|part| name.strip_suffix(part));
        known.contains(name) || bases.any(|base| known.contains(base))
    };
    names
        .into_iter()
        .filter(|name| name.starts_with("eureka_") || name.starts_with("http_server_"))
        .filter(|name| !PROMETHEUS_OWN.contains(name) && !is_known(name))
        .map(|name| format!("{}: {name}", file.path))
        .collect()
}

/// A word of Prometheus' own configuration.
const PROMETHEUS_OWN: [&str; 1] = ["eureka_sd_configs"];

fn alert_offences(rules: &str, page: &str) -> Vec<String> {
    let anchors = anchors(page);
    let mut offences = Vec::new();
    let mut own = BTreeSet::new();
    for rule in rules.split("- alert: ").skip(1) {
        let name = rule.lines().next().unwrap_or_default();
        let said = |key: &str| {
            let lines = rule.lines().map(str::trim_start);
            let mut values = lines.filter_map(|line| line.strip_prefix(key)?.strip_prefix(": "));
            values.next().unwrap_or_default().to_string()
        };
        let anchor = name.to_lowercase();
        if !["critical", "warning"].contains(&said("severity").as_str()) {
            offences.push(format!("{name}: no severity"));
        }
        for key in ["summary", "description"] {
            if said(key).is_empty() {
                offences.push(format!("{name}: no {key}"));
            }
        }
        if said("runbook") != format!("{OPERATIONS}#{anchor}") || !anchors.contains(&anchor) {
            offences.push(format!("{name}: no heading of {OPERATIONS} under runbook"));
        }
        own.insert(anchor);
    }
    let stale = anchors
        .iter()
        .filter(|anchor| {
            anchor
                .strip_prefix("heureka")
                .is_some_and(|rest| !rest.is_empty())
        })
        .filter(|anchor| !own.contains(*anchor));
    offences.extend(stale.map(|anchor| format!("{OPERATIONS}#{anchor}: no such alert")));
    offences
}

// === the rules can fail ===

#[test]
fn a_board_that_grafana_cannot_lay_out_is_caught() {
    let panel = |id: u64, x: u64, w: u64| {
        serde_json::json!({
            "id": id, "title": format!("{id} at {x}"), "type": "stat", "description": "What it means, what to do.",
            "datasource": {"uid": CHOSEN}, "gridPos": {"x": x, "y": 1, "w": w, "h": 4},
            "fieldConfig": {"defaults": {"unit": "s"}},
            "targets": [{"datasource": {"uid": CHOSEN}, "expr": "x{a=\"$job\"}[$__range]"}],
        })
    };
    let board = |panels: Vec<Value>| {
        serde_json::json!({
            "schemaVersion": 39, "templating": {"list": [{"name": "job", "type": "custom"}]}, "panels": panels,
        })
    };
    let offences = |board: &Value| {
        [
            frame_offences(board, &BTreeSet::new()),
            panel_offences(board),
            layout_offences(board),
        ]
        .concat()
    };
    let good = board(vec![panel(1, 0, 12), panel(2, 12, 12)]);
    assert_eq!(offences(&good), [""; 0]);
    for (path, value, offence) in [
        ("/panels/1/id", 1.into(), "id 1 again"),
        ("/panels/1/gridPos/x", 11.into(), "lies on another"),
        ("/panels/1/gridPos/w", 13.into(), "outside of the grid"),
        ("/panels/0/title", "".into(), "no title"),
        ("/panels/0/description", "soon".into(), "no description"),
        ("/panels/0/fieldConfig/defaults/unit", "".into(), "no unit"),
        ("/panels/0/targets", Value::Null, "asks for nothing"),
        (
            "/panels/0/datasource/uid",
            "p".into(),
            "names a data source",
        ),
        (
            "/panels/0/targets/0/datasource/uid",
            "p".into(),
            "names a data source",
        ),
        (
            "/panels/0/targets/0/expr",
            "y{a=~\"${node}\"}".into(),
            "no variable `",
        ),
        (
            "/templating/list/0/type",
            "query".into(),
            "`job` names a data source",
        ),
        ("/schemaVersion", 17.into(), "schemaVersion 17"),
    ] {
        let mut bad = good.clone();
        *bad.pointer_mut(path).unwrap() = value;
        let found = offences(&bad).join("\n");
        assert!(found.contains(offence), "{path}: {found}");
    }
}

#[test]
fn a_metric_that_is_none_and_an_alert_without_words_are_caught() {
    let known = ["eureka_leases", "eureka_lag_seconds"]
        .map(String::from)
        .into();
    let file = Source {
        path: "a.yml".into(),
        text:
            "sum(eureka_leases) / eureka_lag_seconds_bucket, eureka_sd_configs, eureka_gone_total"
                .into(),
    };
    assert_eq!(unknown_metrics(&file, &known), ["a.yml: eureka_gone_total"]);

    let rule = "- alert: HeurekaA\n  severity: warning\n  summary: S\n  description: >-\n    D\n  runbook: docs/operations.md#heurekaa\n";
    assert_eq!(alert_offences(rule, "### HeurekaA\n"), [""; 0]);
    for (rule, page, offence) in [
        (
            rule.replace("warning", "bad"),
            "### HeurekaA",
            "no severity",
        ),
        (rule.replace("summary", "s"), "### HeurekaA", "no summary"),
        (
            rule.replace("description", "d"),
            "### HeurekaA",
            "no description",
        ),
        (
            rule.replace("#heurekaa", "#other"),
            "### HeurekaA\n### other",
            "no heading",
        ),
        (rule.to_string(), "### HeurekaB", "no heading"),
        (
            rule.to_string(),
            "### HeurekaA\n### HeurekaB",
            "heurekab: no such alert",
        ),
    ] {
        let found = alert_offences(&rule, page).join("\n");
        assert!(found.contains(offence), "{offence}: {found}");
    }
}
