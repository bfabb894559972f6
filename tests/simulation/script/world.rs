//! What happens to nodes and to the ways between them, what went over these, and time.

use std::collections::BTreeMap;
use std::time::Duration;

use heureka::config::{Config, HttpConfig, Sources};
use heureka::model::NodeUrl;
use heureka::transport::memory::{Faults, Kind};
use tokio::time::{Instant, sleep_until};

use super::client::joined;
use super::line::Args;
use super::{Outcome, Play, times};
use crate::cluster::{Plan, Rig, content, leave, usual};

impl Play {
    pub(super) async fn world_command(&mut self, verb: &str, args: &mut Args<'_>) -> Outcome {
        match verb {
            "wait" => self.wait(times::duration(args.word("a time")?)?).await,
            "wait-until-same" => return self.wait_until_same(args).await,
            "cluster" => self.start_all(args)?,
            "node" => self.node(args)?,
            "kill" => self.kill(args.word("a client")?)?,
            "forget" => self.cluster.borrow().world.forget(),
            "alias" => self.alias(args)?,
            "name" => self.name(args)?,
            "text" => self.text(args)?,
            "rig" => self.rig(args)?,
            "sent" | "log" | "batches" | "attempts" | "queue" | "ext" | "packed" => {
                return self.look(verb, args).await;
            }
            "start" | "crash" | "restart" | "revive" | "pause" | "resume" | "stop"
            | "step-clock" => {
                self.change_node(verb, args).await?;
            }
            _ => self.fault(verb, args)?,
        }
        Ok(None)
    }

    async fn wait(&mut self, time: Duration) {
        self.now = self.now.max(Instant::now()) + time;
        sleep_until(self.now).await;
    }

    /// Waits until all these nodes hold the same.
    async fn wait_until_same(&mut self, args: &mut Args<'_>) -> Outcome {
        let mut names = args.rest();
        let [.., "within", bound] = names[..] else {
            return Err("wait-until-same NODES within TIME".to_string());
        };
        names.truncate(names.len() - 2);
        let end = Instant::now() + times::duration(bound)?;
        loop {
            let difference = self.difference(&names).await?;
            self.now = self.now.max(Instant::now());
            match difference {
                None => return Ok(Some("same".to_string())),
                Some(difference) if Instant::now() >= end => return Ok(Some(difference)),
                Some(_) => self.wait(Duration::from_millis(10)).await,
            }
        }
    }

    /// How the content of two of these nodes differs, if it does.
    async fn difference(&self, names: &[&str]) -> Result<Option<String>, String> {
        let mut contents = Vec::new();
        for name in names {
            self.known(name)?;
            let scene = self.cluster.borrow().scene(name);
            let scene = scene.ok_or_else(|| format!("{name} is dead"))?;
            contents.push(content(&scene).await);
        }
        let pairs = contents.windows(2).zip(names.windows(2));
        for (content, name) in pairs {
            let only = |at: usize| {
                let other = &content[1 - at];
                let rows = content[at].iter().filter(|row| !other.contains(row));
                let rows: Vec<String> = rows.take(5).cloned().collect();
                format!("{} alone has {}", name[at], joined(rows.into_iter()))
            };
            if content[0] != content[1] {
                return Ok(Some(format!("{}; {}", only(0), only(1))));
            }
        }
        Ok(None)
    }

    fn known(&self, name: &str) -> Result<(), String> {
        match self.cluster.borrow().has(name) {
            true => Ok(()),
            false => Err(format!("no node {name}")),
        }
    }

    /// `cluster n1 n2 n3`, with the options of `node`, for all of them; starts them.
    fn start_all(&mut self, args: &mut Args<'_>) -> Result<(), String> {
        let options = Options::read(args)?;
        let names = args.rest();
        for name in &names {
            let plan = options.plan(name)?;
            self.cluster.borrow_mut().add(plan);
        }
        for name in &names {
            self.cluster.borrow_mut().start(name);
        }
        Ok(())
    }

    /// `node n1`: what it is to be once it is started; for a node that is there, from its next start on.
    fn node(&mut self, args: &mut Args<'_>) -> Result<(), String> {
        let options = Options::read(args)?;
        let name = args.word("a name")?;
        let plan = options.plan(name)?;
        let mut cluster = self.cluster.borrow_mut();
        match cluster.has(name) {
            true => *cluster.plan(name) = plan,
            false => cluster.add(plan),
        }
        Ok(())
    }

    async fn change_node(&mut self, verb: &str, args: &mut Args<'_>) -> Result<(), String> {
        let names = match verb {
            "step-clock" => vec![args.word("a node")?],
            _ => args.rest(),
        };
        for name in names {
            self.known(name)?;
            let mut cluster = self.cluster.borrow_mut();
            match verb {
                "start" => cluster.start(name),
                "crash" => cluster.crash(name),
                "restart" => {
                    cluster.crash(name);
                    cluster.start(name);
                }
                "revive" => cluster.revive(name),
                "pause" => cluster.pause(name, true),
                "resume" => cluster.pause(name, false),
                "stop" => {
                    drop(cluster);
                    self.stop(name).await?;
                }
                _ => cluster.step_clock(name, times::step(args.word("a step")?)?),
            }
        }
        Ok(())
    }

    /// Leaving takes time, in which others look at the cluster; but not for long.
    async fn stop(&mut self, name: &str) -> Result<(), String> {
        let scene = self.cluster.borrow().scene(name);
        let began = Instant::now();
        if let Some(scene) = scene {
            leave(&scene.node).await;
        }
        self.cluster.borrow_mut().crash(name);
        match began.elapsed() {
            late if late > HttpConfig::default().grace => {
                Err(format!("{name} took {late:?} to leave"))
            }
            _ => Ok(()),
        }
    }

    /// `alias URL NODES`.
    fn alias(&self, args: &mut Args<'_>) -> Result<(), String> {
        let url = url(args.word("a URL")?)?;
        let names = args.rest();
        let cluster = self.cluster.borrow();
        let targets: Vec<NodeUrl> = names.iter().map(|name| cluster.url(name)).collect();
        cluster.world.alias(&url, &targets);
        Ok(())
    }

    /// `name HOST ADDRESSES`.
    fn name(&self, args: &mut Args<'_>) -> Result<(), String> {
        let host = args.word("a host")?;
        let addresses = args.rest().into_iter().map(str::parse);
        let addresses: Result<_, _> = addresses.collect();
        let addresses = addresses.map_err(|_| "no address".to_string())?;
        self.cluster.borrow().world.name(host, addresses);
        Ok(())
    }

    /// `text NAME TEXTS`.
    fn text(&self, args: &mut Args<'_>) -> Result<(), String> {
        let name = args.word("a name")?;
        let texts = args.rest().into_iter().map(str::to_string).collect();
        self.cluster.borrow().world.text(name, texts);
        Ok(())
    }

    /// `rig n2 503 times=3 only=i1`: wrong answers to batches; `garbage` and `short` are 200 with a wrong body.
    fn rig(&self, args: &mut Args<'_>) -> Result<(), String> {
        let name = args.word("a node")?;
        self.known(name)?;
        let (status, body) = match args.word("an answer")? {
            "garbage" => (200, "<html>hello</html>"),
            "short" => (200, r#"{"responseList":[]}"#),
            status => (
                status.parse().map_err(|_| format!("no status: {status}"))?,
                "",
            ),
        };
        let times = args.option("times").unwrap_or("1000000");
        let rig = Rig {
            status,
            body,
            only: args.option("only").map(|id| format!("\"id\":\"{id}\"")),
            times: times.parse().map_err(|_| format!("no number: {times}"))?,
        };
        self.cluster.borrow().rig(name, rig);
        Ok(())
    }

    /// `A B` for both directions, `A to B` for one.
    fn fault(&mut self, verb: &str, args: &mut Args<'_>) -> Result<(), String> {
        let change = Change::read(verb, args)?;
        if let Change::Isolate | Change::Rejoin = change {
            return self.isolate(&change, args);
        }
        let (from, both) = (args.word("a node")?, !args.flag("to"));
        let to = args.word("another node")?;
        self.known(from)?;
        self.known(to)?;
        let cluster = self.cluster.borrow();
        cluster.fault(from, to, |faults| change.apply(faults));
        if both {
            cluster.fault(to, from, |faults| change.apply(faults));
        }
        Ok(())
    }

    /// Cuts a node off from all others, or takes it back.
    fn isolate(&self, change: &Change, args: &mut Args<'_>) -> Result<(), String> {
        let name = args.word("a node")?;
        self.known(name)?;
        let cluster = self.cluster.borrow();
        for other in cluster.names().iter().filter(|other| *other != name) {
            cluster.fault(name, other, |faults| change.apply(faults));
            cluster.fault(other, name, |faults| change.apply(faults));
        }
        Ok(())
    }

    /// What one node sent to another.
    async fn look(&self, verb: &str, args: &mut Args<'_>) -> Outcome {
        let from = args.word("a node")?;
        args.expect("to")?;
        let to = args.word("another node")?;
        self.known(from)?;
        self.known(to)?;
        if verb == "queue" {
            return self.queue(from, to).await;
        }
        let cluster = self.cluster.borrow();
        let (from, to) = (cluster.url(from), cluster.url(to));
        let traffic = cluster.world.traffic(&from, &to);
        let calls = cluster.world.calls(&from, &to);
        let batches = calls.iter().filter(|call| !call.items.is_empty());
        Ok(Some(match verb {
            "sent" => counted(&traffic.items),
            "log" => joined(
                batches
                    .flat_map(|batch| &batch.items)
                    .map(|item| format!("{} {}/{}", item.action, item.app_name, item.id)),
            ),
            "ext" => yes(calls.iter().any(|call| contains(&call.body, b"\"ext\":"))),
            "packed" => yes(calls.iter().any(|call| call.packed)),
            "batches" => joined(batches.map(|batch| batch.items.len().to_string())),
            _ => within(args, traffic.calls + traffic.unreached)?,
        }))
    }

    /// How many instances wait for a peer.
    async fn queue(&self, from: &str, to: &str) -> Outcome {
        let url = self.cluster.borrow().url(to);
        let scene = self
            .cluster
            .borrow()
            .scene(from)
            .ok_or("the node is dead")?;
        let page = scene.get("/metrics").await.text();
        let place = format!("{}:{}", url.host(), url.port());
        let line = page.lines().find_map(|line| {
            let rest = line.strip_prefix("eureka_replication_queue_length{")?;
            let (labels, value) = rest.split_once("} ")?;
            labels.contains(&place).then(|| value.to_string())
        });
        Ok(Some(line.unwrap_or_else(|| "no such queue".to_string())))
    }
}

fn counted(items: &BTreeMap<String, usize>) -> String {
    let items = items.iter().map(|(action, n)| format!("{action}={n}"));
    match items.collect::<Vec<_>>().join(" ") {
        none if none.is_empty() => "nothing".to_string(),
        some => some,
    }
}

fn yes(is_so: bool) -> String {
    if is_so { "yes" } else { "no" }.to_string()
}

fn contains(body: &[u8], word: &[u8]) -> bool {
    body.windows(word.len()).any(|part| part == word)
}

/// A number, or whether it is within the bounds that were given.
fn within(args: &mut Args<'_>, number: usize) -> Result<String, String> {
    let mut bound = |name: &str| {
        let text = args.option(name);
        text.map(|text| {
            text.parse::<usize>()
                .map_err(|_| format!("no number: {text}"))
        })
        .transpose()
    };
    Ok(match (bound("least")?, bound("most")?) {
        (None, None) => number.to_string(),
        (least, most) => {
            let fits =
                least.is_none_or(|least| least <= number) && most.is_none_or(|most| number <= most);
            if fits {
                "yes".to_string()
            } else {
                format!("no: {number}")
            }
        }
    })
}

/// A fault, or the end of all faults.
enum Change {
    Isolate,
    Rejoin,
    Heal,
    Cut,
    Delay(Duration, Duration),
    Loss(f64, f64),
    Duplicate(f64, Duration),
    Reorder(f64, Duration),
    Outlive(Duration),
}

impl Change {
    fn read(verb: &str, args: &mut Args<'_>) -> Result<Self, String> {
        let time = |args: &mut Args<'_>, name: &str| {
            args.option(name)
                .map_or(Ok(Duration::ZERO), times::duration)
        };
        let share = |args: &mut Args<'_>, name: &str, default: f64| {
            let text = args.option(name);
            text.map_or(Ok(default), |text| {
                text.parse().map_err(|_| format!("no share: {text}"))
            })
        };
        Ok(match verb {
            "isolate" => Self::Isolate,
            "rejoin" => Self::Rejoin,
            "heal" => Self::Heal,
            "cut" => Self::Cut,
            "delay" => Self::Delay(time(args, "by")?, time(args, "jitter")?),
            "loss" => Self::Loss(share(args, "requests", 0.0)?, share(args, "answers", 0.0)?),
            "duplicate" => Self::Duplicate(share(args, "share", 1.0)?, time(args, "after")?),
            "reorder" => Self::Reorder(share(args, "share", 1.0)?, time(args, "by")?),
            "outlive" => Self::Outlive(time(args, "by")?),
            _ => return Err(format!("unknown: {verb}")),
        })
    }

    fn apply(&self, faults: &mut Faults) {
        match *self {
            Self::Heal => *faults = usual(),
            Self::Rejoin => faults.cut = false,
            Self::Isolate | Self::Cut => faults.cut = true,
            Self::Delay(delay, jitter) => (faults.delay, faults.jitter) = (delay, jitter),
            Self::Loss(requests, answers) => {
                (faults.lose_requests, faults.lose_answers) = (requests, answers);
            }
            Self::Duplicate(share, after) => {
                (faults.duplicate, faults.duplicate_after) = (share, after);
            }
            Self::Reorder(share, by) => (faults.reorder, faults.reorder_by) = (share, by),
            Self::Outlive(by) => faults.outlive = Some(by),
        }
    }
}

/// What is said of a node: `java`, `classic`, `at=host:port`, `ahead=+5m`, `peers=n1,n2` and keys of the
/// configuration.
struct Options {
    kind: Kind,
    config: Config,
    at: Option<String>,
    ahead: i64,
    peers: Option<Vec<String>>,
}

impl Options {
    fn read(args: &mut Args<'_>) -> Result<Self, String> {
        let kind = if args.flag("java") {
            Kind::Java
        } else {
            Kind::Own
        };
        let mut keys: Vec<(String, String)> = Vec::new();
        if args.flag("classic") || kind == Kind::Java {
            keys.push(("eureka.server.mode".to_string(), "classic".to_string()));
        }
        for (key, value) in args.options("eureka.") {
            keys.push((format!("eureka.{key}"), value.to_string()));
        }
        let sources = Sources::new([], keys);
        if let Some(warning) = sources.unknown().first() {
            return Err(warning.clone());
        }
        let mut config = Config::read(&sources).map_err(|mistakes| format!("{mistakes:?}"))?;
        config.peers.register = Some(args.option("register") == Some("true"));
        if let Some(time) = args.option("wait-when-empty") {
            config.peers.wait_when_empty = times::duration(time)?;
        }
        let peers = args.option("peers");
        let peers = peers.map(|list| list.split(',').map(str::to_string).collect());
        Ok(Self {
            kind,
            config,
            at: args.option("at").map(str::to_string),
            ahead: args.option("ahead").map_or(Ok(0), times::step)?,
            peers,
        })
    }

    fn plan(&self, name: &str) -> Result<Plan, String> {
        let at = self.at.clone().unwrap_or_else(|| format!("{name}:8761"));
        let to_url = |peer: &String| match peer.contains("://") {
            true => peer.clone(),
            false => format!("http://{peer}:8761/eureka/"),
        };
        let peers = self.peers.as_ref();
        Ok(Plan {
            name: name.to_string(),
            url: url(&format!("http://{at}/eureka/"))?,
            config: self.config.clone(),
            kind: self.kind,
            ahead: self.ahead,
            peers: peers.map(|peers| {
                let named = peers.iter().filter(|peer| *peer != "none");
                named.map(to_url).collect()
            }),
        })
    }
}

fn url(text: &str) -> Result<NodeUrl, String> {
    text.parse().map_err(|_| format!("no URL: {text}"))
}
