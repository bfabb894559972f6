//! What an instance counts as having said, where a record comes without its own word (server.md §8.3, wire.md §11.2).
//!
//! Nodes of this kind hand that word on. A client's record is its word, and a Java peer's shows what holds there.

use super::Held;
use crate::model::{InstanceInfo, InstanceStatus, Origin};

/// The word in a record that came from `origin` while `held` was on file; `ordered` is the override in force.
pub(super) fn said(
    came: &InstanceInfo,
    origin: Origin,
    held: &Held,
    ordered: Option<InstanceStatus>,
    pin_status: bool,
) -> InstanceStatus {
    use InstanceStatus::{OutOfService, Up};
    let shows_order = ordered == Some(came.status) && came.override_status == ordered;
    match (came.status, held.version.said()) {
        // The order and not its word, which was one of those that an order hides.
        (Up | OutOfService, said @ (Up | OutOfService))
            if origin == Origin::Peer && shows_order =>
        {
            said
        }
        (Up | OutOfService, _) if origin == Origin::Peer && shows_order => Up,
        // The reference's LeaseExists rule: a client does not change one into the other by itself (classic, B-07).
        (Up | OutOfService, _) if origin == Origin::Client && pin_status && ordered.is_none() => {
            match held.info.status {
                pinned @ (Up | OutOfService) => pinned,
                _ => came.status,
            }
        }
        (status, _) => status,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Moment;
    use crate::config::{Mode, RegistryConfig};
    use crate::model::samples;
    use crate::registry::LeaseTable;
    use crate::registry::register::Newcomer;
    use InstanceStatus::{Down, OutOfService, Starting, Unknown, Up};
    use Origin::{Client, Peer};

    fn record(status: InstanceStatus, override_status: Option<InstanceStatus>) -> InstanceInfo {
        InstanceInfo {
            status,
            override_status,
            ..samples::instance("A", "i")
        }
    }

    fn holding(status: InstanceStatus) -> LeaseTable {
        let mut table = LeaseTable::new(RegistryConfig::of(Mode::Modern));
        let now = Moment { mono: 0, wall: 1 };
        table.register(Newcomer::of(record(status, None), Client), now);
        table
    }

    /// Scenarios 22 and 23.
    #[test]
    fn a_client_is_pinned_to_up_or_out_of_service_in_classic_only() {
        for (status, on_file, origin, classic, modern) in [
            (OutOfService, Up, Client, Up, OutOfService),
            (Up, OutOfService, Client, OutOfService, Up),
            (Up, OutOfService, Peer, Up, Up),
            (OutOfService, Up, Peer, OutOfService, OutOfService),
            (Up, Down, Client, Up, Up),
            (Down, Up, Client, Down, Down),
            (Unknown, Up, Client, Unknown, Unknown),
        ] {
            let table = holding(on_file);
            let held = &table.iter().next().unwrap();
            let came = record(status, None);
            for (pin_status, expected) in [(true, classic), (false, modern)] {
                let said = said(&came, origin, held, None, pin_status);
                assert_eq!(said, expected, "{status} {on_file} {origin:?} {pin_status}");
            }
        }
        let table = holding(OutOfService);
        let held = &table.iter().next().unwrap();
        let said = said(&record(Up, None), Client, held, Some(OutOfService), true);
        assert_eq!(said, Up, "an order holds anyway");
    }

    #[test]
    fn a_record_that_shows_the_order_does_not_tell_the_word() {
        for (on_file, ordered, came, with, origin, expected) in [
            (Up, OutOfService, OutOfService, Some(OutOfService), Peer, Up),
            (OutOfService, Up, Up, Some(Up), Peer, OutOfService),
            (
                Starting,
                OutOfService,
                OutOfService,
                Some(OutOfService),
                Peer,
                Up,
            ),
            // Nobody can tell whether it speaks against itself, so it is believed.
            (Up, Down, Down, Some(Down), Peer, Down),
            // It speaks against itself.
            (Up, OutOfService, Down, Some(OutOfService), Peer, Down),
            // The sender knows nothing of the order.
            (Up, OutOfService, OutOfService, None, Peer, OutOfService),
            (Up, OutOfService, OutOfService, Some(Up), Peer, OutOfService),
            // Its own word.
            (
                Up,
                OutOfService,
                OutOfService,
                Some(OutOfService),
                Client,
                OutOfService,
            ),
        ] {
            let table = holding(on_file);
            let held = &table.iter().next().unwrap();
            let said = said(&record(came, with), origin, held, Some(ordered), false);
            assert_eq!(said, expected, "{on_file} {ordered} {came} {with:?}");
        }
    }
}
