//! Plays a schedule and looks, after each thing that is done, whether what must hold does.

use std::collections::{BTreeMap, BTreeSet};

use super::book::{Book, Told};
use super::look::{Content, View, content, list_is_wrong, total};
use super::schedule::{MOST_CLIENTS, Schedule};
use super::ways::Troubles;
use crate::script::Play;

/// What went wrong.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Of which kind, so that a shorter schedule can be told to fail alike.
    pub kind: &'static str,
    pub why: String,
    /// At which line; beyond the last one, when all was over.
    pub line: usize,
}

/// One in so many schedules goes on until all tombstones are gone.
const LONG_AFTER: u64 = 16;

type Checked = Result<(), (&'static str, String)>;

/// A schedule on its way.
struct Run<'s> {
    schedule: &'s Schedule,
    play: Play,
    book: Book,
    /// The instances whose clients beat to the end.
    kept: BTreeSet<String>,
    /// How often the clients that are left have beaten since all was mended.
    beaten: usize,
    troubles: Troubles,
}

/// Plays it all.
pub async fn run(schedule: &Schedule) -> Result<(), Failure> {
    let mut run = Run {
        schedule,
        play: Play::new(schedule.seed),
        book: Book::default(),
        kept: schedule.kept(),
        beaten: 0,
        troubles: Troubles::default(),
    };
    for (number, line) in (1..).zip(&schedule.lines) {
        let done = run.line(&line.text, number).await;
        done.map_err(|(kind, why)| Failure {
            kind,
            why,
            line: number,
        })?;
    }
    let end = run.after_all().await;
    end.map_err(|(kind, why)| Failure {
        kind,
        why,
        line: schedule.lines.len() + 1,
    })
}

impl Run<'_> {
    async fn line(&mut self, text: &str, number: usize) -> Checked {
        let words: Vec<&str> = text.split(' ').collect();
        match words[..] {
            [node, verb, name, ..] if self.is_node(node) => {
                self.action(text, [node, verb, name], number).await
            }
            ["wait-until-same", .., bound] => self.wait_until_same(bound).await,
            [verb, ..] => {
                self.troubles.note(&words);
                let is_new = |name: &&str| match verb {
                    "restart" => true,
                    "revive" => self.play.scene(name).is_none(),
                    _ => false,
                };
                let new: Vec<&str> = words[1..].iter().copied().filter(is_new).collect();
                self.command(text).await?;
                if let ["crash" | "restart" | "stop", node] = words[..] {
                    let mut others = self.contents().await;
                    others.remove(node);
                    let count = self.schedule.nodes.len() - 1;
                    self.book.died(node, &others, count);
                }
                self.started(&new).await
            }
            [] => Ok(()),
        }
    }

    /// Some nodes started anew: whoever answers a list already has what all others have.
    async fn started(&mut self, names: &[&str]) -> Checked {
        if !names.is_empty() && !self.troubles.are_over() {
            self.book.started_apart();
        }
        for name in names {
            let Some(scene) = self.play.scene(name) else {
                continue;
            };
            let mine = content(&scene).await;
            let status = scene.get("/eureka/apps").j().await.status;
            if !mine.is_empty() || status != 200 {
                continue;
            }
            let mut others = self.contents().await;
            others.remove(*name);
            let all: Vec<&Content> = others.values().collect();
            let common = all.first().into_iter().flat_map(|first| first.keys());
            let missing = common.filter(|key| all.iter().all(|content| content.contains_key(*key)));
            if let Some(missing) = missing.min() {
                return Err((
                    "partial list",
                    format!("{name} lists nothing, not even {missing}"),
                ));
            }
        }
        Ok(())
    }

    fn is_node(&self, name: &str) -> bool {
        self.schedule.nodes.iter().any(|node| node == name)
    }

    async fn command(&mut self, text: &str) -> Result<Option<String>, (&'static str, String)> {
        let outcome = self.play.command(text).await;
        outcome.map_err(|why| ("script", why))
    }

    /// What all nodes hold that are alive.
    async fn contents(&self) -> BTreeMap<String, Content> {
        let mut all = BTreeMap::new();
        for node in &self.schedule.nodes {
            let scene = self.play.scene(node);
            if let Some(scene) = scene {
                all.insert(node.clone(), content(&scene).await);
            }
        }
        all
    }

    async fn content(&self, node: &str) -> Content {
        match self.play.scene(node) {
            Some(scene) => content(&scene).await,
            None => Content::new(),
        }
    }

    /// Something that a client or an operator does.
    async fn action(&mut self, text: &str, words: [&str; 3], number: usize) -> Checked {
        let [node, verb, name] = words;
        for (node, content) in self.contents().await {
            self.book.saw(&node, &content);
        }
        let before = self.content(node).await.remove(name);
        let answer = self.command(text).await?.unwrap_or_default();
        let now = self.content(node).await;
        let after = now.get(name);
        match (verb, answer.as_str()) {
            (_, "refused" | "no answer" | "404") => return Ok(()),
            ("cancel", "200") => self.book.cancelled(node, name, number, before.as_ref()),
            (_, "200" | "204") => {
                let told = Told {
                    node,
                    verb,
                    name,
                    line: number,
                };
                if let Some(after) = after {
                    self.book.took(told, before.as_ref(), after);
                }
            }
            _ => return Err(("answer", format!("{text} -> {answer}"))),
        }
        self.book.saw(node, &now);
        shows(text, &answer, before.as_ref(), after)?;
        let scene = self.play.scene(node);
        let wrong = match scene {
            Some(scene) => list_is_wrong(&scene).await,
            None => None,
        };
        wrong.map_or(Ok(()), Err)
    }

    /// Until all nodes hold the same, but for what may be torn and is kept up by nobody.
    async fn wait_until_same(&mut self, bound: &str) -> Checked {
        self.beaten += 1;
        let seconds: u64 = bound.trim_end_matches('s').parse().unwrap();
        for _ in 0..seconds * 5 {
            if self.difference().await.is_none() {
                return Ok(());
            }
            self.command("wait 200ms").await?;
        }
        let difference = self.difference().await;
        difference.map_or(Ok(()), |why| Err(("not the same", why)))
    }

    async fn difference(&self) -> Option<String> {
        let mut all = self.contents().await.into_iter();
        let (first, mine) = all.next()?;
        let mine = self.sure(mine);
        for (node, theirs) in all {
            let theirs = self.sure(theirs);
            let names: BTreeSet<&String> = mine.keys().chain(theirs.keys()).collect();
            let text = |view: Option<&View>| view.map_or("nothing".to_string(), View::text);
            let differs = |name: &&String| mine.get(*name) != theirs.get(*name);
            if let Some(name) = names.into_iter().find(differs) {
                let (mine, theirs) = (text(mine.get(name)), text(theirs.get(name)));
                return Some(format!("{name}: {first} has {mine}\n  {node} has {theirs}"));
            }
        }
        None
    }

    fn sure(&self, mut content: Content) -> Content {
        content.retain(|name, _| match self.kept.contains(name) {
            true => self.beaten >= 2 || !self.book.needs_beats(name),
            false => !self.book.needs_beats(name),
        });
        content
    }

    /// All is quiet.
    async fn after_all(&mut self) -> Checked {
        let all = self.contents().await;
        for content in all.values() {
            let verdict = self.book.verdict(content, &self.kept);
            verdict.map_err(|why| ("not the last word", why))?;
        }
        for node in &self.schedule.nodes {
            let Some(scene) = self.play.scene(node) else {
                continue;
            };
            let page = scene.get("/metrics").await.text();
            let waits = total(&page, "eureka_replication_queue_length");
            let stones = total(&page, "eureka_tombstones");
            if waits > 0.0 || stones > MOST_CLIENTS as f64 {
                let why = format!("{waits} instances wait at {node}, {stones} tombstones");
                return Err(("not bounded", why));
            }
            if let Some(wrong) = list_is_wrong(&scene).await {
                return Err(wrong);
            }
        }
        self.nothing_is_passed_on().await?;
        match self.schedule.seed % LONG_AFTER {
            0 => self.tombstones_go().await,
            _ => Ok(()),
        }
    }

    /// One more change is told once by the node that took it, and by nobody else.
    async fn nothing_is_passed_on(&mut self) -> Checked {
        let (Some(name), nodes) = (self.kept.first().cloned(), &self.schedule.nodes) else {
            return Ok(());
        };
        let first = &nodes[0];
        // A heartbeat on its way may find a peer that has not heard of the change, and tell it.
        self.play.command("wait 2s").await.unwrap();
        self.play.command("forget").await.unwrap();
        let change = format!("{first} metadata {name} last=1");
        let answer = self.play.command(&change).await.unwrap();
        self.play.command("wait 300ms").await.unwrap();
        for (from, to) in pairs(nodes) {
            let sent = self.play.command(&format!("sent {from} to {to}")).await;
            let sent = sent.unwrap().unwrap_or_default();
            let changes: Vec<&str> = sent
                .split(' ')
                .filter(|items| *items != "nothing" && !items.starts_with("Heartbeat"))
                .collect();
            let wanted: &[&str] = match from == first {
                true => &["Register=1"],
                false => &[],
            };
            if changes != wanted {
                let why = format!("{change} -> {answer:?}: {from} told {to} {changes:?}");
                return Err(("passed on", why));
            }
        }
        match self.difference().await {
            None => Ok(()),
            Some(why) => Err(("not the same", why)),
        }
    }

    /// What was cancelled is forgotten after a while.
    async fn tombstones_go(&mut self) -> Checked {
        self.command("wait 130s").await?;
        for node in &self.schedule.nodes {
            let scene = self.play.scene(node).unwrap();
            let page = scene.get("/metrics").await.text();
            let stones = total(&page, "eureka_tombstones");
            if stones > 0.0 {
                return Err(("not bounded", format!("{node} keeps {stones} tombstones")));
            }
        }
        Ok(())
    }
}

/// Each node with each other one.
fn pairs(nodes: &[String]) -> Vec<(&String, &String)> {
    let all = nodes.iter().flat_map(|a| nodes.iter().map(move |b| (a, b)));
    all.filter(|(a, b)| a != b).collect()
}

/// Whether the node shows what it acknowledged.
fn shows(text: &str, answer: &str, before: Option<&View>, after: Option<&View>) -> Checked {
    let words: Vec<&str> = text.split(' ').collect();
    let shown = after.map_or("nothing".to_string(), View::text);
    let hidden = || Err(("hidden", format!("{text}\n  shows {shown}")));
    let is_so = match (words[1], answer) {
        ("cancel", _) => after.is_none(),
        ("order", _) => after.is_some_and(|view| view.status.as_str() == words[3]),
        ("clear", _) => after.is_some_and(|view| view.override_status.is_none()),
        ("metadata", _) => after.is_some_and(|view| has(view, words[3])),
        ("register", _) | ("beat-or-register", "204") => registered(&words, before, after),
        _ => after.is_some(),
    };
    if is_so { Ok(()) } else { hidden() }
}

/// A registration counts, unless a newer one does.
fn registered(words: &[&str], before: Option<&View>, after: Option<&View>) -> bool {
    let (dirty, mark) = (words[4], words[5].trim_start_matches("m."));
    let Some(after) = after else {
        return false;
    };
    let is_mine = has(after, mark) && after.metadata.len() == 1 && after.said.as_str() == words[3];
    let is_kept =
        before.is_some_and(|before| before.dirty == after.dirty && before.made == after.made);
    let has_stamp = format!("dirty={}", after.dirty_text()) == dirty;
    let is_raised = before.is_some_and(|before| after.dirty == before.dirty + 1);
    (is_mine && (has_stamp || is_raised)) || (is_kept && !has_stamp)
}

fn has(view: &View, pair: &str) -> bool {
    let (key, value) = pair.split_once('=').unwrap();
    view.metadata.get(key).is_some_and(|held| held == value)
}
