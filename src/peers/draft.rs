//! A batch in the making: items are looked up and written one by one until there is no room.

use std::sync::Arc;

use bytes::Bytes;

use super::queue::Taken;
use super::slot::Op;
use crate::clock::Clock;
use crate::model::{Extra, InstanceKey, Ordered, Outgoing, OutgoingItem};
use crate::registry::{Held, Published};
use crate::transport::Call;
use crate::wire::gzip;
use crate::wire::outgoing::BatchWriter;

/// Batches longer than this are packed, for those who read that.
const WORTH_PACKING: usize = 2048;

/// How much a batch may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Items.
    pub items: usize,
    /// Bytes; a single item may be longer.
    pub bytes: usize,
}

impl Room {
    /// As much as the reference sends at once, and no more than a server takes for a request.
    pub const WHOLE: Self = Self {
        items: 250,
        bytes: 1_000_000,
    };

    /// One item.
    pub const ONE: Self = Self {
        items: 1,
        bytes: 1_000_000,
    };
}

/// The batch so far.
pub struct Draft {
    writer: BatchWriter,
    room: Room,
    for_our_kind: bool,
    full: bool,
    published: Arc<Published>,
    clock: Clock,
}

/// A batch as it goes out.
pub struct Written {
    /// The call.
    pub call: Call,
    /// Items in it.
    pub items: usize,
    /// Whether it is as long as it may be.
    pub full: bool,
    /// Whether there is something in or about it that only nodes of this kind read.
    pub dressed: bool,
}

impl Draft {
    /// An empty batch.
    pub fn new(room: Room, for_our_kind: bool, published: Arc<Published>, clock: Clock) -> Self {
        Self {
            writer: BatchWriter::new(for_our_kind),
            room,
            for_our_kind,
            full: false,
            published,
            clock,
        }
    }

    /// Items that it has room for.
    pub fn left(&self) -> usize {
        match self.full {
            true => 0,
            false => self.room.items - self.writer.items(),
        }
    }

    /// Adds a change, with the record as it is held now.
    pub fn op(&mut self, key: &InstanceKey, op: &Op) -> Taken {
        let ordered = match *op {
            Op::Cancel { stamp, .. } => {
                let extra = Extra {
                    stamp,
                    ..Extra::NONE
                };
                return self.add(key, Outgoing::Cancel, extra);
            }
            Op::Register => None,
            Op::Order { what, .. } => Some(what),
        };
        let Some(held) = self.published.index.get(key) else {
            return Taken::Needless;
        };
        // The order ended with the instance that it was given for; this is another one.
        if ordered.is_some() && held.version.order().is_none() {
            return Taken::Needless;
        }
        let last_dirty = held.info.last_dirty;
        let change = match ordered {
            None => Outgoing::Register(held.listed(self.clock.epoch())),
            Some(Ordered::Set(status)) => Outgoing::StatusUpdate { status, last_dirty },
            Some(Ordered::Cleared(status)) => Outgoing::DeleteStatusOverride { status, last_dirty },
            Some(Ordered::Ended) => Outgoing::DeleteStatusOverride {
                status: held.info.status,
                last_dirty,
            },
        };
        self.add(key, change, held.extra(self.clock.now()))
    }

    /// Adds a heartbeat.
    pub fn beat(&mut self, key: &InstanceKey, held: &Held) -> Taken {
        let info = &held.info;
        let change = Outgoing::Heartbeat {
            last_dirty: info.last_dirty,
            status: info.status,
            override_status: info.override_status,
        };
        self.add(key, change, held.extra(self.clock.now()))
    }

    fn add(&mut self, key: &InstanceKey, change: Outgoing<'_>, extra: Extra) -> Taken {
        if self.left() == 0 {
            return Taken::Full;
        }
        self.writer.push(&OutgoingItem { key, change, extra });
        let items = self.writer.items();
        if self.writer.bytes() > self.room.bytes {
            self.full = true;
            if items > 1 {
                self.writer.take_back();
                return Taken::Full;
            }
        }
        self.full |= items == self.room.items;
        Taken::Yes
    }

    /// The batch as it goes out, also an empty one.
    pub fn finish(self) -> Written {
        let items = self.writer.items();
        let body = self.writer.finish();
        let packed = match self.for_our_kind && body.len() > WORTH_PACKING {
            true => gzip::pack(&body).ok(),
            false => None,
        };
        let is_packed = packed.is_some();
        let body = Bytes::from(packed.unwrap_or(body));
        Written {
            items,
            full: self.full,
            dressed: self.for_our_kind && items > 0,
            call: Call::Batch {
                body,
                packed: is_packed,
            },
        }
    }
}
