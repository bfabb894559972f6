//! Clients that register and beat by themselves, and readers that look at the list all the time.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use super::client::Record;
use super::line::Args;
use super::{Outcome, Play, times};
use crate::cluster::{Cluster, age};
use crate::scene::rows;

/// How often a reader reads.
const READS_EVERY: Duration = Duration::from_millis(100);

/// A client's process.
pub struct Client {
    alive: Rc<Cell<bool>>,
}

/// What a reader has seen.
pub struct Reader {
    alive: Rc<Cell<bool>>,
    seen: Rc<RefCell<Seen>>,
}

#[derive(Default)]
struct Seen {
    lists: usize,
    missing: Option<String>,
}

impl Play {
    pub(super) async fn fleet_command(
        &mut self,
        node: &str,
        verb: &str,
        args: &mut Args<'_>,
    ) -> Outcome {
        match verb {
            "keep" => self.keep(node, args).await,
            "poll" => self.poll(node, args),
            _ => self.polled(node),
        }
    }

    /// Registers an instance and beats for it, at this node or, if that does not answer, at another.
    async fn keep(&mut self, node: &str, args: &mut Args<'_>) -> Outcome {
        let every = args
            .option("every")
            .map_or(Ok(Duration::from_secs(30)), times::duration)?;
        let also = args.option("also").unwrap_or_default();
        let servers = std::iter::once(node).chain(also.split(',').filter(|name| !name.is_empty()));
        let process = Process {
            cluster: self.cluster.clone(),
            servers: servers.map(str::to_string).collect(),
            record: Record::read(args)?,
            every,
        };
        args.done()?;
        let name = format!("{}/{}", process.record.app, process.record.id);
        let answer = process.register().await;
        let alive = Rc::new(Cell::new(true));
        let client = Client {
            alive: alive.clone(),
        };
        if let Some(old) = self.clients.insert(name, client) {
            old.alive.set(false);
        }
        actix::spawn(process.run(alive));
        let answer = answer.map(|status| status.to_string());
        Ok(Some(answer.unwrap_or_else(|| "refused".to_string())))
    }

    /// The client dies without a word.
    pub(super) fn kill(&mut self, name: &str) -> Result<(), String> {
        let client = self
            .clients
            .remove(name)
            .ok_or(format!("no client {name}"))?;
        client.alive.set(false);
        Ok(())
    }

    /// Begins to read a node's list all the time; these instances must be in each of them.
    fn poll(&mut self, node: &str, args: &mut Args<'_>) -> Outcome {
        let wanted: Vec<String> = args.rest().into_iter().map(str::to_string).collect();
        let reader = Reader {
            alive: Rc::new(Cell::new(true)),
            seen: Rc::default(),
        };
        let (alive, seen) = (reader.alive.clone(), reader.seen.clone());
        actix::spawn(read(
            self.cluster.clone(),
            node.to_string(),
            wanted,
            alive,
            seen,
        ));
        self.readers.insert(node.to_string(), reader);
        Ok(None)
    }

    /// Ends that, and says whether a list was without one of them.
    fn polled(&mut self, node: &str) -> Outcome {
        let reader = self
            .readers
            .remove(node)
            .ok_or(format!("nobody polls {node}"))?;
        reader.alive.set(false);
        let seen = reader.seen.borrow();
        Ok(Some(match (&seen.missing, seen.lists) {
            (Some(missing), _) => missing.clone(),
            (None, 0) => "no list at all".to_string(),
            (None, _) => "never partial".to_string(),
        }))
    }
}

async fn read(
    cluster: Rc<RefCell<Cluster>>,
    node: String,
    wanted: Vec<String>,
    alive: Rc<Cell<bool>>,
    seen: Rc<RefCell<Seen>>,
) {
    while alive.get() {
        let scene = cluster.borrow().client(&node);
        if let Ok(scene) = scene {
            let reply = scene.get("/eureka/apps").j().await;
            if reply.status == 200 {
                seen.borrow_mut().look(&rows(&reply.json()), &wanted);
            }
        }
        tokio::time::sleep(READS_EVERY).await;
    }
}

impl Seen {
    fn look(&mut self, rows: &[String], wanted: &[String]) {
        self.lists += 1;
        let is_there = |name: &String| rows.iter().any(|row| row.split(' ').next() == Some(name));
        if let Some(name) = wanted.iter().find(|name| !is_there(name)) {
            let seconds = age() as f64 / 1000.0;
            let missing = format!("{name} was missing at {seconds:.1}s");
            self.missing.get_or_insert(missing);
        }
    }
}

/// A client that beats and, where it is told that nobody knows it, registers again with the same stamp.
struct Process {
    cluster: Rc<RefCell<Cluster>>,
    servers: Vec<String>,
    record: Record,
    every: Duration,
}

impl Process {
    async fn run(self, alive: Rc<Cell<bool>>) {
        loop {
            tokio::time::sleep(self.every).await;
            if !alive.get() {
                return;
            }
            if self.beat().await == Some(404) {
                self.register().await;
            }
        }
    }

    async fn register(&self) -> Option<u16> {
        let scene = self.server()?;
        Some(self.record.register(&scene).await)
    }

    async fn beat(&self) -> Option<u16> {
        let scene = self.server()?;
        let name = format!("{}/{}", self.record.app, self.record.id);
        let query = format!("lastDirtyTimestamp={}", self.record.dirty);
        Some(scene.beat(&name, &query).await)
    }

    /// The first server that answers.
    fn server(&self) -> Option<Rc<crate::scene::Scene>> {
        let cluster = self.cluster.borrow();
        self.servers
            .iter()
            .find_map(|name| cluster.client(name).ok())
    }
}
