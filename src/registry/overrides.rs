//! Which status wins when an instance registers or renews (server.md §8.3, wire.md §11.2).

use crate::model::{InstanceStatus, Origin};

/// What the rules look at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    /// The status of the record in question.
    pub(super) status: InstanceStatus,
    /// The override in force for the instance.
    pub(super) override_status: Option<InstanceStatus>,
    /// The status on file before, if there was a lease.
    pub(super) existing: Option<InstanceStatus>,
    /// Who is asking.
    pub(super) origin: Origin,
    /// Whether the reference's LeaseExists rule holds (classic, B-07).
    pub(super) pin_status: bool,
}

/// The first rule that matches decides.
pub(super) fn resulting_status(candidate: Candidate) -> InstanceStatus {
    use InstanceStatus::{OutOfService, Up};
    // 1. What an instance says against itself is always believed.
    if !matches!(candidate.status, Up | OutOfService) {
        return candidate.status;
    }
    // 2. An override.
    if let Some(ordered) = candidate.override_status {
        return ordered;
    }
    // 4. A direct client does not change UP into OUT_OF_SERVICE or back by itself. (3 is AWS.)
    if candidate.pin_status
        && candidate.origin == Origin::Client
        && let Some(existing @ (Up | OutOfService)) = candidate.existing
    {
        return existing;
    }
    // 5. Its own word.
    candidate.status
}

#[cfg(test)]
mod tests {
    use super::*;
    use InstanceStatus::{Down, OutOfService, Starting, Unknown, Up};
    use Origin::{Client, Peer};

    #[test]
    fn the_first_rule_that_matches_decides_in_both_variants() {
        for (status, override_status, existing, origin, classic, modern) in [
            (Down, Some(OutOfService), Some(Up), Client, Down, Down),
            (Starting, Some(Up), None, Client, Starting, Starting),
            (Unknown, Some(Up), None, Client, Unknown, Unknown),
            (
                Up,
                Some(OutOfService),
                Some(Up),
                Client,
                OutOfService,
                OutOfService,
            ),
            (OutOfService, Some(Up), None, Peer, Up, Up),
            // Scenarios 22 and 23: pinned for direct clients in classic only.
            (OutOfService, None, Some(Up), Client, Up, OutOfService),
            (Up, None, Some(OutOfService), Client, OutOfService, Up),
            (Up, None, Some(OutOfService), Peer, Up, Up),
            (
                OutOfService,
                None,
                Some(Up),
                Peer,
                OutOfService,
                OutOfService,
            ),
            (Up, None, Some(Down), Client, Up, Up),
            (Up, None, None, Client, Up, Up),
        ] {
            for (pin_status, expected) in [(true, classic), (false, modern)] {
                let candidate = Candidate {
                    status,
                    override_status,
                    existing,
                    origin,
                    pin_status,
                };
                assert_eq!(resulting_status(candidate), expected, "{candidate:?}");
            }
        }
    }
}
