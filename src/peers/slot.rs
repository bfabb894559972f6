//! The net effect of what happened to one instance, as a peer must be told it: at most one cancellation, one
//! registration and one order, in the order in which they count.
//!
//! No record is in here, only what is to be done; the record is looked up when it is handed out.

use super::queue::Taken;
use crate::clock::Millis;
use crate::model::{Action, ChangeStamp, Ordered};
use crate::registry::UndeliveredNote;

/// One thing to be done at the peer.
#[derive(Debug)]
pub enum Op {
    /// Remove the instance.
    Cancel {
        /// When and where it ended.
        stamp: Option<ChangeStamp>,
        /// After this moment the peer's own lease of it has ended as well.
        keep_until: Millis,
        /// Keeps the registry from believing a peer that does not know of it.
        #[expect(dead_code, reason = "it does its work by being there")]
        note: UndeliveredNote,
    },
    /// Hold the record as it will be then.
    Register,
    /// Override the status, or take that back.
    Order {
        /// As it was ordered.
        what: Ordered,
        /// Whether the peer was given the record for it already.
        repeated: bool,
        /// Keeps the registry from believing a peer that does not know of the order.
        #[expect(dead_code, reason = "it does its work by being there")]
        wait: UndeliveredNote,
    },
}

impl Op {
    /// The action that it becomes.
    pub fn action(&self) -> Action {
        match self {
            Self::Cancel { .. } => Action::Cancel,
            Self::Register => Action::Register,
            Self::Order { what, .. } => match what {
                Ordered::Set(_) => Action::StatusUpdate,
                Ordered::Cleared(_) | Ordered::Ended => Action::DeleteStatusOverride,
            },
        }
    }

    /// Whether it makes a heartbeat needless: it says itself whether the instance is there.
    pub fn settles_presence(&self) -> bool {
        !matches!(self, Self::Order { .. })
    }

    /// Whether the peer was given the record for it already.
    pub fn is_repeated(&self) -> bool {
        matches!(self, Self::Order { repeated: true, .. })
    }

    /// The same, after the peer was given the record for it.
    pub fn repeated(mut self) -> Self {
        if let Self::Order { repeated, .. } = &mut self {
            *repeated = true;
        }
        self
    }

    /// Whether a peer hears of it only once: the record is shown to it again and again.
    pub fn is_said_once(&self) -> bool {
        !matches!(self, Self::Register)
    }

    /// Whether it is a cancellation and the peer's own lease has ended by now.
    pub fn is_outrun(&self, now: Millis) -> bool {
        matches!(self, Self::Cancel { keep_until, .. } if *keep_until < now)
    }

    fn is_cancel(&self) -> bool {
        matches!(self, Self::Cancel { .. })
    }

    fn is_like(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

/// What waits, or is on its way, for one instance.
#[derive(Debug)]
pub struct Part {
    /// When the first of it came, whatever has replaced it since (B-20).
    pub since: Millis,
    /// When the last of it came.
    pub latest: Millis,
    /// Its turn among all instances.
    pub turn: u64,
    /// The registry's revision from which on the record can be looked up.
    pub revision: u64,
    /// What to do, in this order.
    pub ops: Vec<Op>,
}

impl Part {
    /// Adds what happened last: it takes the place of what it makes needless.
    pub fn push(&mut self, op: Op, revision: u64) {
        match op {
            Op::Cancel { .. } => self.ops.clear(),
            _ => self.ops.retain(|older| !older.is_like(&op)),
        }
        self.ops.push(op);
        self.revision = self.revision.max(revision);
    }

    /// Adds what came while this was on its way.
    pub fn push_all(&mut self, later: Part) {
        self.latest = self.latest.max(later.latest);
        for op in later.ops {
            self.push(op, later.revision);
        }
    }

    /// Offers the ops to `take` and parts those that it took from those for which there was no room.
    pub fn split(self, mut take: impl FnMut(&Op) -> Taken) -> (Option<Part>, Option<Part>) {
        let (mut out, mut rest) = (Vec::new(), Vec::new());
        for op in self.ops {
            match take(&op) {
                Taken::Yes => out.push(op),
                Taken::Full => rest.push(op),
                Taken::Needless => {}
            }
        }
        let part = |ops: Vec<Op>| (!ops.is_empty()).then_some(Part { ops, ..self });
        (part(out), part(rest))
    }

    /// Whether a cancellation is in it.
    pub fn has_cancel(&self) -> bool {
        self.ops.iter().any(Op::is_cancel)
    }

    /// Whether a heartbeat after it would say nothing new.
    pub fn settles_presence(&self) -> bool {
        self.ops.iter().any(Op::settles_presence)
    }

    /// The instance is not held any more: only a cancellation still makes sense.
    pub fn forget_record(&mut self) {
        self.ops.retain(Op::is_cancel);
    }

    /// Drops the cancellation, if there is one.
    pub fn drop_cancel(&mut self) {
        self.ops.retain(|op| !op.is_cancel());
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::model::{InstanceKey, InstanceStatus};
    use crate::registry::Undelivered;

    #[test]
    fn what_comes_later_takes_the_place_of_what_it_makes_needless() {
        let waiting = Arc::new(Undelivered::default());
        let key = InstanceKey::new("A", "i");
        for (pushed, left) in [
            ("C", "C"),
            ("CR", "CR"),
            ("CRS", "CRS"),
            ("RSR", "SR"),
            ("RC", "C"),
            ("RSC", "C"),
            ("CRC", "C"),
            ("SS", "S"),
            ("CRSRS", "CRS"),
            ("CSR", "CSR"),
        ] {
            let mut part = Part {
                latest: 0,
                since: 5,
                turn: 1,
                revision: 0,
                ops: Vec::new(),
            };
            for (letter, revision) in pushed.chars().zip(1..) {
                let op = match letter {
                    'C' => Op::Cancel {
                        stamp: None,
                        keep_until: 0,
                        note: Arc::<Undelivered>::default().wait(&key),
                    },
                    'R' => Op::Register,
                    _ => Op::Order {
                        what: Ordered::Set(InstanceStatus::Down),
                        repeated: false,
                        wait: waiting.wait(&key),
                    },
                };
                part.push(op, revision);
            }
            let letters = part.ops.iter().map(|op| match op {
                Op::Cancel { .. } => 'C',
                Op::Register => 'R',
                Op::Order { .. } => 'S',
            });
            assert_eq!(letters.collect::<String>(), left, "{pushed}");
            assert_eq!((part.since, part.revision), (5, pushed.len() as u64));
            assert_eq!(waiting.contains(&key), left.contains('S'), "{pushed}");
        }
    }
}
