//! What an answer means (client.md §11.3, and what it says there should be mended).
//!
//! Two kinds of failure are kept apart: a *sick* server is avoided for a while; a server that *disagrees* is as well
//! as any other, only the request will not do.

use std::time::Duration;

use crate::client::backend::Response;
use crate::client::operation::Operation;

/// What to do about an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It is what was asked for.
    Accepted,
    /// Ask there instead.
    Elsewhere(String),
    /// The credentials do not do; newer ones may.
    Unauthorized,
    /// Others may be asked, too, but the server is well.
    Disagrees,
    /// The server cannot do it now.
    Sick(Option<Duration>),
}

/// The verdict on an answer to `operation`.
pub(crate) fn judge(operation: &Operation, answer: &Response) -> Verdict {
    match (answer.status, operation) {
        (200..=299, _) => Verdict::Accepted,
        // The lease is not there: for the heartbeat that is news, for the cancellation it is what it wanted.
        (404, Operation::Heartbeat { .. } | Operation::Cancel { .. }) => Verdict::Accepted,
        // No deltas here, and no instance of that VIP: both are answers (client.md §7.3).
        (403 | 404, Operation::Delta { .. }) | (404, Operation::Vip { .. }) => Verdict::Accepted,
        (301 | 302 | 307 | 308, _) => match &answer.location {
            Some(location) => Verdict::Elsewhere(location.clone()),
            None => Verdict::Sick(None),
        },
        (401, _) => Verdict::Unauthorized,
        (408 | 425 | 429, _) => Verdict::Sick(answer.retry_after),
        (400..=499, _) => Verdict::Disagrees,
        _ => Verdict::Sick(answer.retry_after),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{InstanceKey, InstanceStatus};

    #[test]
    fn a_status_is_good_bad_or_a_matter_of_opinion() {
        let key = InstanceKey::new("A", "i");
        let register = Operation::Register {
            app: "A".to_string(),
            body: "{}".into(),
        };
        let beat = Operation::Heartbeat {
            key: key.clone(),
            status: InstanceStatus::Up,
            dirty: 1,
        };
        let cancel = Operation::Cancel { key };
        let regions = Vec::new;
        let (all, delta) = (
            Operation::All { regions: regions() },
            Operation::Delta { regions: regions() },
        );
        let vip = Operation::Vip {
            vip: "v".to_string(),
            regions: regions(),
        };
        for (operation, status, expected) in [
            (&register, 204, Verdict::Accepted),
            (&register, 200, Verdict::Accepted),
            (&register, 404, Verdict::Disagrees),
            (&register, 400, Verdict::Disagrees),
            (&register, 401, Verdict::Unauthorized),
            (&register, 413, Verdict::Disagrees),
            (&register, 429, Verdict::Sick(None)),
            (&register, 302, Verdict::Sick(None)),
            (&register, 503, Verdict::Sick(None)),
            (&beat, 200, Verdict::Accepted),
            (&beat, 404, Verdict::Accepted),
            (&beat, 500, Verdict::Sick(None)),
            (&cancel, 404, Verdict::Accepted),
            (&cancel, 502, Verdict::Sick(None)),
            (&all, 403, Verdict::Disagrees),
            (&all, 503, Verdict::Sick(None)),
            (&delta, 403, Verdict::Accepted),
            (&delta, 404, Verdict::Accepted),
            (&vip, 404, Verdict::Accepted),
        ] {
            let answer = Response {
                status,
                ..Response::default()
            };
            assert_eq!(
                judge(operation, &answer),
                expected,
                "{operation:?} {status}"
            );
        }
        let moved = Response {
            status: 307,
            location: Some("/x".to_string()),
            ..Response::default()
        };
        assert_eq!(judge(&beat, &moved), Verdict::Elsewhere("/x".to_string()));
        let busy = Response {
            status: 503,
            retry_after: Some(Duration::from_secs(9)),
            ..Response::default()
        };
        let asked = Some(Duration::from_secs(9));
        assert_eq!(judge(&beat, &busy), Verdict::Sick(asked));
    }
}
