//! Picking an instance: who may be taken, and how it went with those that were.
//!
//! Ejected instances are left out, unless more than half would be: when most fail the fault is elsewhere, and to send
//! everything to the rest would break that, too. Instances of the own zone come before others, as long as there is one.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use foldhash::{HashMap, HashMapExt};
use tokio::time::Instant;

use super::load::{Ejection, Load};
use super::picked::Picked;
use super::policy::{Candidate, Policy, choose};
use crate::client::chance::Chance;
use crate::client::discovery::Instances;
use crate::model::{DataCenter, InstanceInfo, InstanceKey, Text};

/// So many loads are remembered before those of instances that are gone are looked for.
const ROOM: usize = 4096;

/// How a client chooses.
#[derive(Clone, Debug)]
pub(crate) struct BalanceOptions {
    pub(crate) policy: Policy,
    /// Prefer instances of this zone.
    pub(crate) zone: Option<String>,
    /// Failures in a row after which an instance is left alone; 0 leaves nobody alone.
    pub(crate) eject_after: u32,
    pub(crate) eject_for: Duration,
    pub(crate) eject_longest: Duration,
}

impl Default for BalanceOptions {
    fn default() -> Self {
        Self {
            policy: Policy::default(),
            zone: None,
            eject_after: 3,
            eject_for: Duration::from_secs(10),
            eject_longest: Duration::from_secs(300),
        }
    }
}

/// What one client knows of its own requests.
pub(crate) struct Balancer {
    options: BalanceOptions,
    chance: Arc<Chance>,
    state: Mutex<State>,
}

struct State {
    loads: HashMap<InstanceKey, Arc<Load>>,
    /// How many there may be before the next look.
    room: usize,
    /// Picks by name; they go on whatever the list does (client.md §20.10).
    turns: HashMap<Text, usize>,
}

impl Balancer {
    pub(crate) fn new(options: BalanceOptions, chance: Arc<Chance>) -> Self {
        Self {
            options,
            chance,
            state: Mutex::new(State {
                loads: HashMap::new(),
                room: ROOM,
                turns: HashMap::new(),
            }),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One of these instances, but none of `tried`; nothing where there is no other.
    pub(crate) fn pick(
        &self,
        name: &str,
        instances: &Instances,
        tried: &[InstanceKey],
    ) -> Option<Picked> {
        let now = Instant::now();
        let mut state = self.state();
        let mut known: Vec<_> = instances
            .iter()
            .filter(|info| tried.is_empty() || !tried.contains(&info.key()))
            .map(|info| (info, state.load(info)))
            .collect();
        let ejected = |load: &Arc<Load>| load.is_ejected(now);
        let bad = known.iter().filter(|(_, load)| ejected(load)).count();
        if bad * 2 <= known.len() && bad > 0 {
            known.retain(|(_, load)| !ejected(load));
        }
        let near = |info: &InstanceInfo| zone_of(info) == self.options.zone.as_deref();
        if self.options.zone.is_some() && known.iter().any(|(info, _)| near(info)) {
            known.retain(|(info, _)| near(info));
        }
        if known.is_empty() {
            return None;
        }
        let candidates: Vec<_> = known
            .iter()
            .map(|(info, load)| candidate(info, load))
            .collect();
        let turn = state.turn(name, &self.chance);
        let at = choose(self.options.policy, &candidates, turn, &self.chance);
        let (info, load) = known.swap_remove(at);
        let ejection = Ejection {
            after: self.options.eject_after,
            first: self.options.eject_for,
            longest: self.options.eject_longest,
        };
        Some(Picked::new(info.clone(), load, ejection))
    }
}

impl State {
    fn load(&mut self, info: &InstanceInfo) -> Arc<Load> {
        let key = info.key();
        if let Some(load) = self.loads.get(&key) {
            return load.clone();
        }
        if self.loads.len() >= self.room {
            // Whoever has nothing under way and is alive soon has another one.
            self.loads.retain(|_, load| Arc::strong_count(load) > 1);
            // More than these are in one list: looking again at each of them would take its square.
            self.room = ROOM.max(self.loads.len() * 2);
        }
        self.loads.entry(key).or_default().clone()
    }

    /// The number of this pick of a name. Every name begins anywhere.
    fn turn(&mut self, name: &str, chance: &Chance) -> usize {
        /// Far more names than a program calls.
        const NAMES: usize = 4096;
        if self.turns.len() >= NAMES && !self.turns.contains_key(name) {
            self.turns.clear();
        }
        let turn = match self.turns.get_mut(name) {
            Some(turn) => turn,
            None => self
                .turns
                .entry(name.into())
                .or_insert(chance.below(1 << 20)),
        };
        *turn = turn.wrapping_add(1);
        *turn
    }
}

fn candidate(info: &InstanceInfo, load: &Load) -> Candidate {
    let weight = info
        .metadata
        .get("weight")
        .and_then(|text| text.parse().ok());
    let is_sound = |weight: &f64| weight.is_finite() && *weight >= 0.0;
    Candidate {
        weight: weight.filter(is_sound).unwrap_or(1.0),
        takes: load.takes(),
        under_way: load.under_way(),
    }
}

/// The zone of an instance: Amazon's, or `zone` in its metadata (client.md §9).
fn zone_of(info: &InstanceInfo) -> Option<&str> {
    let amazon = match &info.data_center {
        DataCenter::Amazon(metadata) => metadata.get("availability-zone"),
        DataCenter::MyOwn | DataCenter::Netflix => None,
    };
    let zone = amazon.or_else(|| info.metadata.get("zone"));
    zone.map(|zone| &**zone)
}
