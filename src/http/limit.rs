//! Who is turned away when more comes in than a worker can answer: what is needed least goes first.
//!
//! A worker is one thread with one queue. How long that queue is, a timer in it tells: while requests come
//! it is due every [`TICK`], and by how much it is overdue is what a request that comes now has waited, at
//! least. A request whose class may not wait that long is answered 503 at once, which costs next to nothing;
//! so the worker catches up, and whoever may wait longer never notices. A full read can be had a little
//! later, but a lost heartbeat may end a lease, and a lost batch parts two nodes.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use tokio::time::Instant;

use super::health::PROBES;
use super::route::Target;
use crate::metrics::ShedClass;
use crate::model::Origin;

/// How often a worker's timer is due. Reads that come within one turn of the queue are let in for this
/// long at least.
const TICK: Duration = Duration::from_millis(20);

/// What kind of request it is, for shedding. Methods that do nothing have a class too: it does not matter.
pub(super) fn class(target: &Target<'_>, method: &str, origin: Origin) -> ShedClass {
    let is_read = matches!(method, "GET" | "HEAD" | "OPTIONS");
    match target {
        Target::Batch | Target::Registry => ShedClass::Replication,
        _ if origin == Origin::Peer && !is_read => ShedClass::Replication,
        Target::Instance(..) if method == "PUT" => ShedClass::Renewal,
        _ if !is_read => ShedClass::Change,
        Target::Apps
        | Target::Vip(_)
        | Target::Svip(_)
        | Target::Status
        | Target::StatusOverrides => ShedClass::Full,
        _ => ShedClass::Delta,
    }
}

/// The same for paths that are not Eureka's: probes are answered as long as heartbeats, pages go first.
pub(super) fn class_of_others(context: &str, path: &str) -> ShedClass {
    let is_probe = path
        .strip_prefix(context)
        .is_some_and(|path| PROBES.contains(&path));
    match is_probe {
        true => ShedClass::Renewal,
        false => ShedClass::Full,
    }
}

/// How many times the configured lag a class may wait.
pub(super) fn patience(class: ShedClass) -> u32 {
    match class {
        ShedClass::Full => 1,
        ShedClass::Delta => 2,
        ShedClass::Change => 4,
        ShedClass::Renewal => 32,
        ShedClass::Replication => 64,
    }
}

/// Whether a request of this class is turned away by a worker that is so late.
pub(super) fn sheds(limit: Duration, class: ShedClass, lag: Duration) -> bool {
    is_late(limit, lag) && lag > limit * patience(class)
}

/// Whether a worker turns anything away at all; all that a heartbeat asks as long as all is well.
pub(super) fn is_late(limit: Duration, lag: Duration) -> bool {
    lag > limit && !limit.is_zero()
}

/// Seconds after which to try again: those that go first come back last.
pub(super) fn retry_after(class: ShedClass) -> u32 {
    match class {
        ShedClass::Full => 10,
        ShedClass::Delta => 5,
        ShedClass::Change | ShedClass::Renewal | ShedClass::Replication => 1,
    }
}

/// How late a worker is.
#[derive(Debug)]
pub(super) enum Lag {
    /// What the timer of the present thread says.
    Watched(Rc<Watch>),
    /// Always so much; for tests.
    Pretended(Duration),
}

/// The timer of a worker. It stops when no request comes, so that an idle worker sleeps.
#[derive(Debug, Default)]
pub(super) struct Watch {
    /// When it is due, if it runs.
    due: Cell<Option<Instant>>,
    /// Whether a request came since it was due last.
    asked: Cell<bool>,
}

impl Lag {
    pub(super) fn watch() -> Self {
        Self::Watched(Rc::default())
    }

    /// How late the worker is for a request that comes now.
    pub(super) fn at(&self, now: Instant) -> Duration {
        match self {
            Self::Watched(watch) => watch.at(now),
            Self::Pretended(lag) => *lag,
        }
    }
}

impl Watch {
    fn at(self: &Rc<Self>, now: Instant) -> Duration {
        self.asked.set(true);
        if let Some(due) = self.due.get() {
            return now.saturating_duration_since(due);
        }
        self.due.set(Some(now + TICK));
        actix_web::rt::spawn(tick(self.clone()));
        Duration::ZERO
    }
}

async fn tick(watch: Rc<Watch>) {
    while watch.asked.replace(false) {
        let next = Instant::now() + TICK;
        watch.due.set(Some(next));
        tokio::time::sleep_until(next).await;
    }
    watch.due.set(None);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::route;
    use ShedClass::{Change, Delta, Full, Renewal, Replication};

    #[test]
    fn every_request_has_its_class() {
        for (method, path, origin, expected) in [
            ("GET", "/apps", Origin::Client, Full),
            ("HEAD", "/apps", Origin::Client, Full),
            ("GET", "/apps", Origin::Peer, Full),
            ("GET", "/vips/v", Origin::Client, Full),
            ("GET", "/status", Origin::Client, Full),
            ("GET", "/apps/delta", Origin::Client, Delta),
            ("GET", "/apps/A", Origin::Client, Delta),
            ("GET", "/apps/A/i", Origin::Client, Delta),
            ("POST", "/apps/A", Origin::Client, Change),
            ("DELETE", "/apps/A/i", Origin::Client, Change),
            ("PUT", "/apps/A/i/status", Origin::Client, Change),
            ("PUT", "/apps/A/i", Origin::Client, Renewal),
            ("PUT", "/apps/A/i", Origin::Peer, Replication),
            ("POST", "/apps/A", Origin::Peer, Replication),
            (
                "POST",
                "/peerreplication/batch",
                Origin::Client,
                Replication,
            ),
        ] {
            let route = route::find("", path).unwrap();
            let found = class(&route.target, method, origin);
            assert_eq!(found, expected, "{method} {path} {origin:?}");
        }
    }

    #[test]
    fn probes_are_as_important_as_heartbeats_and_pages_are_not() {
        for (context, path, expected) in [
            ("", "/health/ready", Renewal),
            ("/ctx", "/ctx/actuator/health", Renewal),
            ("/ctx", "/health/ready", Full),
            ("", "/metrics", Full),
            ("", "/", Full),
            ("", "/eureka/%FF", Full),
        ] {
            let found = class_of_others(context, path);
            assert_eq!(found, expected, "{context} {path}");
        }
    }

    /// The later a worker is, the more it turns away, in this order.
    #[test]
    fn what_is_needed_least_goes_first() {
        let all = [Full, Delta, Change, Renewal, Replication];
        for (limit, lag, shed) in [
            (50, 0, 0),
            (50, 50, 0),
            (50, 51, 1),
            (50, 100, 1),
            (50, 101, 2),
            (50, 200, 2),
            (50, 201, 3),
            (50, 1_600, 3),
            (50, 1_601, 4),
            (50, 3_200, 4),
            (50, 3_201, 5),
            (10, 3_201, 5),
            (1_000, 900, 0),
            (0, 60_000, 0),
        ] {
            let (limit, lag) = (Duration::from_millis(limit), Duration::from_millis(lag));
            let found = all.map(|class| sheds(limit, class, lag));
            let expected = std::array::from_fn(|n| n < shed);
            assert_eq!(found, expected, "{lag:?} of {limit:?}");
        }
    }

    #[actix_web::test]
    async fn a_worker_is_late_by_what_its_timer_is_overdue_and_never_after_a_rest() {
        tokio::time::pause();
        let lag = Lag::watch();
        assert_eq!(lag.at(Instant::now()), Duration::ZERO);
        let later = Instant::now() + TICK + Duration::from_millis(70);
        assert_eq!(lag.at(later), Duration::from_millis(70));
        tokio::time::sleep(TICK / 2).await;
        assert_eq!(lag.at(Instant::now()), Duration::ZERO);
        tokio::time::sleep(5 * TICK).await;
        let rested = Instant::now() + Duration::from_secs(60);
        assert_eq!(lag.at(rested), Duration::ZERO);
    }
}
