//! Why an instance has its status, and what will become of its lease, in sentences. Pure.

use super::row::{Row, ends};
use super::words::{ago, span};
use crate::clock::{Millis, Moment};
use crate::http::system::utc;
use crate::model::{EpochMillis, InstanceStatus, Order, Ordered};

/// Why the status is what it is.
pub(super) fn why_status(row: &Row, now: Moment) -> String {
    let extra = row.held.extra(now);
    let said = extra.said.unwrap_or(row.info().status);
    match extra.order {
        None => "The instance says so itself.".to_string(),
        Some(order) => by_order(row.info().status, said, &order, now),
    }
}

fn by_order(shown: InstanceStatus, said: InstanceStatus, order: &Order, now: Moment) -> String {
    let given = moment(order.stamp.millis(), now);
    match order.what {
        Ordered::Set(ordered) => {
            let (until, whose) = (until(order), whose(order));
            let what = format!("An override orders {ordered}{until}, given {given}{whose};");
            match ordered == shown {
                true => format!("{what} the instance itself says {said}."),
                false => format!(
                    "{what} but the instance itself said {said} after that, and what it says against itself is \
                     believed."
                ),
            }
        }
        Ordered::Ended => match order.until {
            Some(end) => {
                let over = moment(end, now);
                format!("The instance says so itself; the time of an override was over {over}.")
            }
            None => format!(
                "The instance says so itself; an override was taken back {given}{}.",
                whose(order)
            ),
        },
        Ordered::Cleared(_) if said == shown => {
            format!("The instance says so itself; an override was taken back {given}.")
        }
        Ordered::Cleared(_) => format!(
            "An override was taken back {given}, and {shown} holds until the instance registers again; the last \
             that it said itself was {said}."
        ),
    }
}

/// Who gave the order, and why.
fn whose(order: &Order) -> String {
    let Some(owner) = &order.owner else {
        return String::new();
    };
    match &owner.reason {
        None => format!(" by {}", owner.name),
        Some(reason) => format!(" by {} ({reason})", owner.name),
    }
}

/// When it ends by itself.
fn until(order: &Order) -> String {
    let until = order.until.map(|until| format!(" until {}", utc(until)));
    until.unwrap_or_default()
}

/// How the lease stands.
pub(super) fn why_held(row: &Row, now: Moment, epoch: EpochMillis) -> String {
    let (beat, end) = (ago(row.idle), ends(row.deadline, now));
    let interval = span(Millis::from(row.info().lease.renewal_interval_secs) * 1000);
    if let Some(since) = row.kept_since {
        return format!(
            "Its lease ended {end}. Self-preservation keeps it since {}: too many fell silent at once for all of \
             them to be gone.",
            utc(epoch.saturating_add(since))
        );
    }
    if now.mono > row.deadline {
        return format!("Its lease ended {end}; it goes with the next sweep.");
    }
    if row.is_silent {
        return format!(
            "Silent: the last heartbeat came {beat}, and there should be one every {interval}. Unless one comes, its \
             lease ends {end}."
        );
    }
    format!(
        "It beats every {interval}, last {beat}. Unless another one comes, its lease ends {end}."
    )
}

fn moment(at: EpochMillis, now: Moment) -> String {
    format!("{} ({})", ago(now.wall.saturating_sub(at)), utc(at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ChangeStamp, StampClock, samples};
    use crate::registry::Held;
    use InstanceStatus::{Down, OutOfService, Up};

    fn at(mono: Millis) -> Moment {
        Moment {
            mono,
            wall: 1_800_000_000_000 + mono,
        }
    }

    fn stamp() -> ChangeStamp {
        StampClock::of(1).next(1_800_000_000_000)
    }

    #[test]
    fn the_status_is_explained_by_the_order_and_by_what_the_instance_says() {
        for (shown, said, what, parts) in [
            (
                OutOfService,
                Up,
                Ordered::Set(OutOfService),
                vec![
                    "orders OUT_OF_SERVICE, given 60 s ago (2027-",
                    "itself says UP",
                ],
            ),
            (
                Down,
                Down,
                Ordered::Set(Up),
                vec!["orders UP", "said DOWN after that"],
            ),
            (
                Up,
                Up,
                Ordered::Cleared(Up),
                vec!["says so itself; an override was taken back 60 s ago"],
            ),
            (
                Up,
                OutOfService,
                Ordered::Cleared(Up),
                vec!["UP holds until", "itself was OUT_OF_SERVICE"],
            ),
        ] {
            let text = by_order(shown, said, &Order::plain(stamp(), what), at(60_000));
            for part in parts {
                assert!(text.contains(part), "{text}");
            }
        }
    }

    #[test]
    fn the_lease_is_explained_by_its_heartbeats() {
        let held = Held::sample(samples::instance("A", "i"));
        for (now, beginning) in [
            (
                12_000,
                "It beats every 30 s, last 12 s ago. Unless another one comes, its lease ends in 78 s.",
            ),
            (
                50_000,
                "Silent: the last heartbeat came 50 s ago, and there should be one every 30 s.",
            ),
            (95_000, "Its lease ended 5 s ago; it goes"),
        ] {
            let row = Row::of(held.clone(), at(now));
            let text = why_held(&row, at(now), 0);
            assert!(text.starts_with(beginning), "{text}");
            assert_eq!(why_status(&row, at(now)), "The instance says so itself.");
        }
    }
}
