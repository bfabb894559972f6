//! Scenarios that read aloud: one command a line, and after ` -> ` all that it answers.
//!
//! A script is played in a world of its own, in virtual time. Every answer is compared as text; an unknown word, an
//! answer too many or too few is a mistake in the script, named with its file and line. `docs/testing.md` has
//! the words.
//!
//! | file | has |
//! |---|---|
//! | `line.rs` | a line and its words |
//! | `times.rs` | times and stamps |
//! | `world.rs` | what happens to nodes and to the ways between them, and what went over these |
//! | `client.rs` | what clients and operators do and see |
//! | `peer.rs` | batches by hand |
//! | `fleet.rs` | clients that go on by themselves, and readers |

mod client;
mod fleet;
mod line;
mod operator;
mod peer;
mod times;
mod world;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use heureka::transport::memory::Sent;
use tokio::time::Instant;

use crate::cluster::Cluster;
use crate::scene::Scene;
use line::{Args, Line};

/// The answer to a command, if it is one that answers; or what is wrong with the command.
pub type Outcome = Result<Option<String>, String>;

/// A script on its way.
pub struct Play {
    cluster: Rc<RefCell<Cluster>>,
    clients: BTreeMap<String, fleet::Client>,
    readers: BTreeMap<String, fleet::Reader>,
    /// Where the clock of the script stands.
    now: Instant,
    began: Instant,
}

/// What came of a script.
pub struct Played {
    /// The script with every answer replaced by what really happened.
    pub text: String,
    /// The first line that did not answer as written, and why.
    pub failure: Option<(usize, String)>,
    /// All calls between nodes, for whoever looks for the reason.
    pub calls: Vec<String>,
}

/// Plays a script; the seed decides what happens by chance.
pub async fn play(script: &str, seed: u64) -> Played {
    let mut play = Play::new(seed);
    let mut text = String::new();
    let mut failure = None;
    for (number, line) in (1..).zip(script.lines()) {
        let line = Line::of(line);
        let outcome = match line.command {
            "" => Ok(None),
            command => play.timely(command, line.expected).await,
        };
        if let Err(why) = line.compare(&outcome) {
            failure.get_or_insert((number, why));
        }
        text += &line.with(outcome.ok().flatten());
        text.push('\n');
    }
    let world = play.cluster.borrow().world.clone();
    if let Some(refusal) = world.refusals().first() {
        failure.get_or_insert((
            0,
            format!("a Java node was sent what it refuses: {refusal}"),
        ));
    }
    let calls = world.all_calls();
    let calls = calls.iter().map(|sent| told(sent, play.began)).collect();
    Played {
        text,
        failure,
        calls,
    }
}

/// A call in one line.
fn told(sent: &Sent, began: Instant) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(&bytes[..bytes.len().min(1500)]).into_owned();
    let answer = match &sent.answer {
        None => "no answer".to_string(),
        Some((status, body)) => format!("{status} {}", text(body)),
    };
    let at = (sent.at - began).as_millis();
    let (from, to, body) = (&sent.from, &sent.to, text(&sent.body));
    let what = format!("{} {} {body}", sent.method, sent.path);
    format!("{at:>8} {from} -> {to} {what} => {answer}")
}

impl Play {
    pub fn new(seed: u64) -> Self {
        let cluster = Cluster::new(seed);
        // The world begins now.
        crate::cluster::age();
        Self {
            cluster: Rc::new(RefCell::new(cluster)),
            clients: BTreeMap::new(),
            readers: BTreeMap::new(),
            now: Instant::now(),
            began: Instant::now(),
        }
    }

    /// `within 5s COMMAND` asks until the answer is the expected one or the time is over; `perhaps COMMAND` takes any.
    async fn timely(&mut self, command: &str, expected: Option<&str>) -> Outcome {
        if let Some(command) = command.strip_prefix("perhaps ") {
            return self.command(command).await.map(|_| None);
        }
        let Some((bound, command)) = command
            .strip_prefix("within ")
            .and_then(|rest| rest.split_once(' '))
        else {
            return self.command(command).await;
        };
        let end = Instant::now() + times::duration(bound)?;
        loop {
            let outcome = self.command(command).await?;
            if outcome.as_deref() == expected || Instant::now() >= end {
                return Ok(outcome);
            }
            self.command("wait 10ms").await?;
        }
    }

    /// The node, whatever its state; `None` where it is dead.
    pub fn scene(&self, node: &str) -> Option<Rc<Scene>> {
        self.cluster.borrow().scene(node)
    }

    pub async fn command(&mut self, command: &str) -> Outcome {
        let mut args = Args::of(command);
        let first = args.word("a command")?;
        let is_node = self.cluster.borrow().has(first);
        let outcome = match is_node {
            true => {
                let verb = args.word("what the node is asked")?;
                self.node_command(first, verb, &mut args).await?
            }
            false => self.world_command(first, &mut args).await?,
        };
        args.done()?;
        Ok(outcome)
    }

    async fn node_command(&mut self, node: &str, verb: &str, args: &mut Args<'_>) -> Outcome {
        match verb {
            "keep" | "poll" | "polled" => self.fleet_command(node, verb, args).await,
            "batch" => self.batch(node, args).await,
            _ => self.client_command(node, verb, args).await,
        }
    }
}
