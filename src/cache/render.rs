//! From the mirror to bytes.

use std::sync::Arc;

use super::answers::View;
use super::mirror::Mirror;
use crate::model::{EpochMillis, Listed, StatusCounts, Text};
use crate::registry::Held;
use crate::wire::{Form, encode};

/// `versions__delta` of a full list (wire.md §3.1).
const FULL_VERSION: &str = "1";
/// `versions__delta` of a VIP list (wire.md §3.9).
const VIP_VERSION: &str = "-1";

/// Writes a list; `None` for an application that has no instance.
pub(super) fn render(
    mirror: &Mirror,
    view: &View,
    form: Form,
    epoch: EpochMillis,
) -> Option<Vec<u8>> {
    Some(match view {
        View::All => {
            let hash_code = mirror.counts.hash_code();
            let apps = mirror.apps.iter().map(|(app, all)| (app, all.values()));
            list(form, FULL_VERSION, &hash_code, apps, epoch)
        }
        View::Delta => {
            // The hash is that of everything, so that a client can check itself after merging.
            let hash_code = mirror.counts.hash_code();
            let version = delta_version(mirror.revision());
            list(form, &version, &hash_code, mirror.delta.apps(), epoch)
        }
        View::App(app) => {
            let instances = mirror.apps.get(app)?.values();
            encode::application(form, app, listed(instances, epoch))
        }
        View::Vip(vip) => selection(mirror, vip, false, form, epoch),
        View::Svip(vip) => selection(mirror, vip, true, form, epoch),
    })
}

/// Moves with every change, so that a client that remembers it never takes two deltas for one; never
/// zero, which some clients read as absent.
fn delta_version(revision: u64) -> String {
    (revision + 1).to_string()
}

fn selection(mirror: &Mirror, vip: &str, secure: bool, form: Form, epoch: EpochMillis) -> Vec<u8> {
    let found = mirror.with_vip(vip, secure);
    let statuses = found.values().flatten().map(|held| held.info.status);
    let hash_code = statuses.collect::<StatusCounts>().hash_code();
    let apps = found.iter().map(|(app, all)| (*app, all.iter().copied()));
    list(form, VIP_VERSION, &hash_code, apps, epoch)
}

fn list<'m, I>(
    form: Form,
    version: &str,
    hash_code: &str,
    apps: impl Iterator<Item = (&'m Text, I)>,
    epoch: EpochMillis,
) -> Vec<u8>
where
    I: Iterator<Item = &'m Arc<Held>>,
{
    let apps = apps.map(|(app, all)| (&**app, listed(all, epoch)));
    encode::applications(form, version, hash_code, apps)
}

fn listed<'m>(
    instances: impl Iterator<Item = &'m Arc<Held>>,
    epoch: EpochMillis,
) -> impl Iterator<Item = Listed<'m>> {
    instances.map(move |held| held.listed(epoch))
}
