//! A random schedule: lines of a script, drawn from a seed.
//!
//! Clients have one server at a time, beat each at a phase of its own, register again where they are told to, change,
//! move to another node and leave; operators order statuses and change metadata anywhere; meanwhile nodes and the ways
//! between them fail. Whoever draws knows which nodes are up, so that clients ask those. At the end everything is mended,
//! and the clients that are left go on beating.

use std::collections::BTreeSet;
use std::ops::Range;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::faults::Fault;

/// Clients beat this often, in milliseconds.
const BEATS_EVERY: u64 = 30_000;
/// What clients and operators do, at least.
pub const LEAST_ACTIONS: usize = 40;
/// What goes wrong, at least.
pub const LEAST_FAULTS: usize = 3;
/// Instances, at most.
pub const MOST_CLIENTS: usize = 7;
/// How long nodes have to find each other again after the last fault.
const MENDED: &str = "wait 4s";

/// One line, and whether a schedule is none without it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub text: String,
    pub fixed: bool,
}

/// What is played.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// What decides in the world in which it is played.
    pub seed: u64,
    pub nodes: Vec<String>,
    pub lines: Vec<Line>,
    pub actions: usize,
    pub faults: usize,
}

/// A node as whoever draws knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stands {
    Up,
    Paused,
    Down,
}

struct Client {
    name: String,
    home: usize,
    status: &'static str,
    dirty: String,
    mark: usize,
    registered: bool,
    next_beat: u64,
}

/// Draws a schedule.
pub struct Maker {
    pub rng: StdRng,
    pub nodes: Vec<Stands>,
    clients: Vec<Client>,
    now: u64,
    /// What happens later by itself: how faults end.
    pub due: Vec<(u64, String)>,
    lines: Vec<Line>,
    marks: usize,
    actions: usize,
}

impl Schedule {
    pub fn of(seed: u64) -> Self {
        let mut rng = StdRng::seed_from_u64(seed);
        let nodes = match rng.random_range(0..20) {
            0 => 2,
            1..11 => 3,
            11..15 => 4,
            15..18 => 5,
            18 => 6,
            _ => 7,
        };
        let mut maker = Maker::new(rng, nodes);
        let faults = maker.draw();
        Self {
            seed,
            nodes: (0..nodes).map(name).collect(),
            lines: maker.lines,
            actions: maker.actions,
            faults,
        }
    }

    /// The same without some of its lines, but for those without which it is none.
    pub fn without(&self, range: Range<usize>) -> Self {
        let lines = self.lines.iter().enumerate();
        let left = lines.filter(|(n, line)| line.fixed || !range.contains(n));
        Self {
            lines: left.map(|(_, line)| line.clone()).collect(),
            ..self.clone()
        }
    }

    /// The same without all that is about this instance.
    pub fn without_instance(&self, name: &str) -> Self {
        let mut left = self.clone();
        left.lines
            .retain(|line| line.text.split(' ').all(|word| word != name));
        left
    }

    /// The instances whose clients beat to the end.
    pub fn kept(&self) -> BTreeSet<String> {
        let lines = self.lines.iter().rev();
        let last = lines.take_while(|line| line.text != MENDED);
        last.filter_map(|line| match line.text.split(' ').collect::<Vec<_>>()[..] {
            [_, "beat-or-register", name, ..] => Some(name.to_string()),
            _ => None,
        })
        .collect()
    }

    /// As a script, without answers.
    pub fn script(&self) -> String {
        self.lines
            .iter()
            .map(|line| match line.text.split_whitespace().next() {
                Some(word) if self.nodes.iter().any(|node| node == word) => {
                    format!("perhaps {}\n", line.text)
                }
                _ => format!("{}\n", line.text),
            })
            .collect()
    }
}

/// The name of a node.
pub fn name(node: usize) -> String {
    format!("n{}", node + 1)
}

/// The name of a client's instance.
pub fn instance(client: usize) -> String {
    format!("A/i{client}")
}

impl Maker {
    fn new(mut rng: StdRng, nodes: usize) -> Self {
        let client = |n: usize, rng: &mut StdRng| Client {
            name: instance(n),
            home: rng.random_range(0..nodes),
            status: "UP",
            dirty: String::new(),
            mark: 0,
            registered: false,
            next_beat: 0,
        };
        let clients = (0..rng.random_range(3..=MOST_CLIENTS))
            .map(|n| client(n, &mut rng))
            .collect();
        Self {
            rng,
            nodes: vec![Stands::Up; nodes],
            clients,
            now: 0,
            due: Vec::new(),
            lines: Vec::new(),
            marks: 0,
            actions: 0,
        }
    }

    /// Draws all lines; says how many faults there are.
    fn draw(&mut self) -> usize {
        let all: Vec<String> = (0..self.nodes.len()).map(name).collect();
        self.fixed(format!("cluster {} wait-when-empty=1s", all.join(" ")));
        self.fixed("wait 3s".to_string());
        self.now = 3000;
        let actions = self.rng.random_range(LEAST_ACTIONS..LEAST_ACTIONS + 25);
        let faults = self.rng.random_range(LEAST_FAULTS..9);
        let at: Vec<usize> = (0..faults)
            .map(|_| self.rng.random_range(4..actions - 4))
            .collect();
        while self.actions < actions {
            let now = at.iter().filter(|at| **at == self.actions).count();
            for _ in 0..now {
                Fault::draw(self);
            }
            self.act();
            let wait = match self.rng.random_range(0..10) {
                0..3 => 0,
                3..6 => self.rng.random_range(1..50),
                6..9 => self.rng.random_range(50..1200),
                _ => self.rng.random_range(1200..4000),
            };
            self.pause(wait);
        }
        self.mend();
        faults
    }

    /// Everything is mended and the clients go on.
    fn mend(&mut self) {
        let nodes = self.nodes.len();
        for a in 0..nodes {
            for b in a + 1..nodes {
                self.fixed(format!("heal {} {}", name(a), name(b)));
            }
        }
        let all: Vec<String> = (0..nodes).map(name).collect();
        self.fixed(format!("revive {}", all.join(" ")));
        self.nodes.fill(Stands::Up);
        self.due.clear();
        for _ in 0..2 {
            self.fixed(MENDED.to_string());
            for client in 0..self.clients.len() {
                if self.clients[client].registered {
                    self.beat(client);
                    self.lines.last_mut().unwrap().fixed = true;
                }
            }
            self.fixed(format!("wait-until-same {} within 16s", all.join(" ")));
        }
    }

    fn fixed(&mut self, text: String) {
        self.lines.push(Line { text, fixed: true });
    }

    pub fn say(&mut self, text: String) {
        self.lines.push(Line { text, fixed: false });
    }

    /// What happens after so many milliseconds more.
    pub fn later(&mut self, millis: u64, text: String) {
        self.due.push((self.now + millis, text));
    }

    /// Lets time pass; what is due meanwhile happens in its turn.
    fn pause(&mut self, millis: u64) {
        let end = self.now + millis;
        loop {
            let beats = self.clients.iter().enumerate();
            let beat = beats
                .filter(|(_, client)| client.registered)
                .map(|(n, client)| (client.next_beat, n))
                .min()
                .filter(|(at, _)| *at <= end);
            let first = (0..self.due.len()).min_by_key(|n| self.due[*n].0);
            let first = first.filter(|n| self.due[*n].0 <= end);
            match (first, beat) {
                (Some(n), beat) if beat.is_none_or(|(at, _)| self.due[n].0 <= at) => {
                    let (at, text) = self.due.remove(n);
                    self.pass(at);
                    Fault::end(self, text);
                }
                (_, Some((at, client))) => {
                    self.pass(at);
                    self.beat(client);
                }
                _ => break,
            }
        }
        self.pass(end);
    }

    fn pass(&mut self, to: u64) {
        if to > self.now {
            self.say(format!("wait {}ms", to - self.now));
            self.now = to;
        }
    }

    /// One of the nodes that can be asked.
    pub fn any_up(&mut self) -> Option<usize> {
        let up: Vec<usize> = (0..self.nodes.len())
            .filter(|node| self.nodes[*node] == Stands::Up)
            .collect();
        (!up.is_empty()).then(|| up[self.rng.random_range(0..up.len())])
    }

    /// The server of a client: another one where its own does not answer.
    fn home(&mut self, client: usize) -> Option<usize> {
        if self.nodes[self.clients[client].home] != Stands::Up {
            self.clients[client].home = self.any_up()?;
        }
        Some(self.clients[client].home)
    }

    fn record(&self, client: usize) -> String {
        let client = &self.clients[client];
        format!(
            "{} {} dirty={} m.w={}",
            client.name, client.status, client.dirty, client.mark
        )
    }

    fn beat(&mut self, client: usize) {
        self.clients[client].next_beat = self.now + BEATS_EVERY;
        if let Some(home) = self.home(client) {
            let record = self.record(client);
            self.say(format!("{} beat-or-register {record}", name(home)));
        }
    }

    fn act(&mut self) {
        let client = self.rng.random_range(0..self.clients.len());
        let Some(home) = self.home(client) else {
            // Nobody is there; time goes on.
            self.actions += 1;
            return;
        };
        self.actions += 1;
        if !self.clients[client].registered {
            let phase = self.rng.random_range(1..=BEATS_EVERY);
            self.clients[client].next_beat = self.now + phase;
            // Not with a clock that was set back: nodes that have not heard of the cancellation hold what is newer by Eureka's
            // stamp, and bring that back.
            return self.register(client, home, true);
        }
        let elsewhere = self.any_up().unwrap_or(home);
        match self.rng.random_range(0..100) {
            0..18 => self.beat(client),
            18..34 => self.register(client, home, true),
            34..41 => self.register(client, elsewhere, false),
            41..48 => self.register(client, elsewhere, true),
            48..55 => {
                self.clients[client].home = elsewhere;
                self.beat(client);
            }
            55..56 => self.register_with_a_clock_set_back(client, home),
            56..94 => self.operate(client, elsewhere),
            _ => {
                self.clients[client].registered = false;
                let node = if self.rng.random_bool(0.7) {
                    home
                } else {
                    elsewhere
                };
                self.say(format!(
                    "{} cancel {}",
                    name(node),
                    self.clients[client].name
                ));
            }
        }
    }

    /// Registers with what is new about it and a newer stamp, or once more as it is.
    fn register(&mut self, client: usize, node: usize, newer: bool) {
        if newer {
            self.marks += 1;
            let status = match self.rng.random_range(0..10) {
                0 => "DOWN",
                1 => "STARTING",
                2 => "OUT_OF_SERVICE",
                _ => "UP",
            };
            let client = &mut self.clients[client];
            (client.status, client.mark) = (status, self.marks);
            client.dirty = format!("@{}", self.now);
        }
        let it = &mut self.clients[client];
        (it.registered, it.home) = (true, node);
        let record = self.record(client);
        self.say(format!("{} register {record}", name(node)));
    }

    fn register_with_a_clock_set_back(&mut self, client: usize, node: usize) {
        self.marks += 1;
        self.clients[client].mark = self.marks;
        self.clients[client].dirty = format!("{}", 100 + self.marks);
        self.register(client, node, false);
    }

    /// What an operator does, anywhere.
    fn operate(&mut self, client: usize, node: usize) {
        let (node, instance) = (name(node), self.clients[client].name.clone());
        let statuses = ["OUT_OF_SERVICE", "OUT_OF_SERVICE", "DOWN", "UP", "STARTING"];
        let status = statuses[self.rng.random_range(0..statuses.len())];
        match self.rng.random_range(0..12) {
            0..5 => {
                self.marks += 1;
                self.say(format!("{node} metadata {instance} o={}", self.marks));
            }
            5..9 => self.say(format!("{node} order {instance} {status}")),
            9..11 => self.say(format!("{node} clear {instance} UP")),
            _ => self.say(format!("{node} clear {instance}")),
        }
    }
}
