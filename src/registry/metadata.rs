//! Update metadata: pairs are added or replaced; the client's next registration replaces them all.
//!
//! As in the reference it is a registration of the same record (server.md §8.4): a new lease, ADDED in
//! the delta, `lastDirtyTimestamp` as it was.

use std::sync::Arc;

use actix::{Context, Handler, Message};

use super::lease::Began;
use super::{Held, LeaseTable, Registry, UnknownInstance, Version, What};
use crate::clock::Moment;
use crate::model::{ActionType, By, InstanceKey, InstanceStatus, Text, TooMuch};

/// Asks the registry to merge `pairs` into an instance's metadata.
#[derive(Clone, Debug, Message)]
#[rtype(result = "Result<(), MetadataRefused>")]
pub struct UpdateMetadata {
    /// Which instance.
    pub key: InstanceKey,
    /// Keys are not empty and differ from each other.
    pub pairs: Vec<(Text, Text)>,
    /// Who changes them.
    pub by: By,
}

/// Why metadata were not merged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MetadataRefused {
    /// The registry holds no such instance.
    #[error(transparent)]
    Unknown(#[from] UnknownInstance),
    /// The instance would have too much of them.
    #[error(transparent)]
    TooMuch(#[from] TooMuch),
}

// === the rule ===

impl LeaseTable {
    /// Merges the pairs; without any there is nothing to see afterwards.
    pub(super) fn update_metadata(
        &mut self,
        update: &UpdateMetadata,
        now: Moment,
    ) -> Result<Option<Arc<Held>>, MetadataRefused> {
        let held = self.present(&update.key, now).cloned();
        let held = held.ok_or_else(|| UnknownInstance(update.key.clone()))?;
        if update.pairs.is_empty() {
            // Nobody else changes the word's generation, so this cannot fail.
            let _ = held.lease.renew(held.generation, now);
            return Ok(None);
        }
        let mut info = (*held.info).clone();
        info.metadata = info.metadata.with(update.pairs.iter().cloned());
        self.config.limits.metadata.allow(&info.metadata)?;
        info.action = ActionType::Added;
        info.last_updated = now.wall;
        // The record is another one, and its status what the last order makes of it: nothing new from the instance.
        let status = held.version.visible();
        let said = held.version.said_after_change();
        let version = Version {
            stamp: self.stamps.next(now.wall),
            said,
            order: held.version.order.clone(),
        };
        info.status = status;
        let held = self.put(&update.key, info, version, Began::Now, now);
        if status == InstanceStatus::Up {
            held.lease.service_up(now);
        }
        Ok(Some(held))
    }
}

// === the handler ===

impl Handler<UpdateMetadata> for Registry {
    type Result = Result<(), MetadataRefused>;

    fn handle(&mut self, msg: UpdateMetadata, _ctx: &mut Context<Self>) -> Self::Result {
        self.update_metadata(&msg)
    }
}

impl Registry {
    fn update_metadata(&mut self, update: &UpdateMetadata) -> Result<(), MetadataRefused> {
        self.begin("update the metadata of", Some(&update.key));
        let before = self.table.get(&update.key);
        let before = before.map(|entry| entry.held.clone());
        let changed = self.table.update_metadata(update, self.clock.now())?;
        let origin = update.by.origin();
        if let Some(held) = changed {
            self.metrics.metadata_updated(origin);
            let pairs = update.pairs.len();
            tracing::info!(instance = ?update.key, pairs, "metadata updated");
            self.publish(What::MetadataChanged, update.by.clone(), before, &held);
        } else {
            self.note_renewal(&update.key, origin);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Mode, RegistryConfig};
    use crate::model::Origin;
    use crate::model::{Limit, samples};
    use crate::registry::register::Newcomer;

    /// server.md scenario 27, wire.md row 50.
    #[test]
    fn pairs_are_merged_with_a_new_lease_and_the_same_stamp() {
        let at = |mono| Moment { mono, wall: mono };
        let mut table = LeaseTable::new(RegistryConfig::of(Mode::Modern));
        let mut info = samples::instance("A", "i");
        info.metadata = [("a".into(), "0".into()), ("z".into(), "9".into())].into();
        table.register(Newcomer::of(info, Origin::Client), at(0));
        let update = |id: &str, pairs: &[(&str, &str)]| UpdateMetadata {
            key: InstanceKey::new("A", id),
            pairs: pairs
                .iter()
                .map(|(k, v)| ((*k).into(), (*v).into()))
                .collect(),
            by: Origin::Client.into(),
        };

        let update_a = update("i", &[("a", "1"), ("b", "3")]);
        let held = table
            .update_metadata(&update_a, at(30_000))
            .unwrap()
            .unwrap();
        let pairs: Vec<_> = held
            .info
            .metadata
            .iter()
            .map(|(k, v)| (&**k, &**v))
            .collect();
        assert_eq!(pairs, [("a", "1"), ("b", "3"), ("z", "9")]);
        assert_eq!(
            (held.info.last_dirty, held.info.action),
            (1000, ActionType::Added)
        );
        assert_eq!(held.lease.times(0).registered, 30_000);
        assert_eq!(held.lease.deadline(), 120_000);

        assert!(
            table
                .update_metadata(&update("i", &[]), at(40_000))
                .unwrap()
                .is_none()
        );
        assert!(
            table
                .update_metadata(&update("none", &[]), at(40_000))
                .is_err()
        );
    }

    #[test]
    fn metadata_cannot_grow_beyond_the_limits_by_updates() {
        let at = |mono| Moment { mono, wall: mono };
        let mut config = RegistryConfig::of(Mode::Modern);
        config.limits.metadata.keys = Limit::new(3, "keys");
        config.limits.metadata.bytes = Limit::new(12, "bytes");
        let mut table = LeaseTable::new(config);
        table.register(
            Newcomer::of(samples::instance("A", "i"), Origin::Client),
            at(0),
        );
        let key = InstanceKey::new("A", "i");
        for (name, value, refused) in [
            ("a", "1", None),
            ("b", "1", None),
            ("c", "1", None),
            ("d", "1", Some("keys")),
            ("c", "1234567890", Some("bytes")),
            ("c", "12345", None),
        ] {
            let before = table.get(&key).unwrap().held.clone();
            let update = UpdateMetadata {
                key: key.clone(),
                pairs: vec![(name.into(), value.into())],
                by: Origin::Client.into(),
            };
            let got = match table.update_metadata(&update, at(1)) {
                Err(MetadataRefused::TooMuch(too_much)) => Some(too_much.limit.key),
                other => {
                    assert!(other.unwrap().is_some());
                    None
                }
            };
            assert_eq!(got, refused, "{update:?}");
            let after = &table.get(&key).unwrap().held;
            assert_eq!(Arc::ptr_eq(&before, after), refused.is_some());
        }
    }
}
