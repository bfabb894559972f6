//! How things stand with one address: whether somebody is there, who, and when to try again.
//!
//! Before anything is sent to an address that is new or has failed, an empty batch asks who is there. So a dead
//! peer costs one small call per pause, nobody is sent what only nodes of this kind understand, and a batch that
//! fails where an empty one does not has only itself to blame.

use std::collections::VecDeque;
use std::time::Duration;

use super::backoff::Backoff;
use super::outcome::Trouble;
use crate::clock::{Millis, Moment};
use crate::transport::NodeSign;

/// A peer that was away for longer is compared with from end to end.
const LONG: Millis = 30_000;
/// Nodes that are remembered, to tell news from what is known.
const REMEMBERED: usize = 16;
/// After a failure a peer is left alone for so long, whatever is heard of it.
const HASTE: Millis = 1000;

/// One address.
#[derive(Debug)]
pub struct Link {
    own_id: String,
    phase: Phase,
    backoff: Backoff,
    /// Who gave the last answer, if that was a node of this kind.
    sign: Option<NodeSign>,
    /// Who was met here before, the last one last.
    met: Vec<String>,
    balanced: bool,
    last_contact: Option<Moment>,
    /// When the peer last called this node.
    last_heard: Option<Moment>,
    last_failure: Millis,
    compare: bool,
    /// When this node and the peer were last in touch before they are compared.
    in_touch: Option<Moment>,
    /// Nodes that called this one lately.
    heard: VecDeque<String>,
}

/// Whether batches may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Not before this moment, and then an empty one first.
    Waiting(Millis),
    /// An empty one is on its way.
    Probing,
    /// Yes.
    Open,
}

/// Who was met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Met {
    /// Another node.
    Another,
    /// This node itself.
    Ourselves,
    /// One of several nodes that answer in turn; said once.
    OneOfSeveral,
}

impl Link {
    /// An address that nothing is known about, for the node `own_id`.
    pub fn new(own_id: String, seed: u64) -> Self {
        Self {
            own_id,
            phase: Phase::Waiting(0),
            backoff: Backoff::new(seed),
            sign: None,
            met: Vec::new(),
            balanced: false,
            last_contact: None,
            last_heard: None,
            last_failure: 0,
            compare: false,
            in_touch: None,
            heard: VecDeque::new(),
        }
    }

    /// Whether batches may go.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Whether the last thing heard of the peer was good.
    pub fn is_up(&self) -> bool {
        self.phase == Phase::Open
    }

    /// Who answers there, if that is a node of this kind.
    pub fn sign(&self) -> Option<&NodeSign> {
        self.sign.as_ref()
    }

    /// When a batch was last carried out there.
    pub fn last_contact(&self) -> Option<Moment> {
        self.last_contact
    }

    /// The length of the pauses between attempts; zero while all is well.
    pub fn pause(&self) -> Duration {
        self.backoff.step()
    }

    /// An empty batch goes out to ask who is there.
    pub fn probe(&mut self) {
        self.phase = Phase::Probing;
    }

    /// Somebody answered, whatever it was.
    pub fn meet(&mut self, sign: Option<&NodeSign>) -> Met {
        let Some(sign) = sign else {
            self.sign = None;
            return Met::Another;
        };
        let before = self.sign.replace(sign.clone());
        if before.is_some_and(|before| before.id == sign.id) {
            return Met::Another;
        }
        let known = self.met.iter().position(|id| *id == sign.id);
        let is_last = known.is_some_and(|at| at + 1 == self.met.len());
        if let Some(at) = known {
            self.met.remove(at);
        } else {
            self.compare = true;
            self.in_touch = self.in_touch();
        }
        if self.met.len() == REMEMBERED {
            self.met.remove(0);
        }
        self.met.push(sign.id.clone());
        if sign.id == self.own_id && self.met.len() == 1 {
            return Met::Ourselves;
        }
        // A restarted node never comes back under an earlier id.
        if known.is_some() && !is_last && !self.balanced {
            self.balanced = true;
            return Met::OneOfSeveral;
        }
        Met::Another
    }

    /// A batch was carried out there. `settled` if that proves that the peer takes what there is for it.
    pub fn succeed(&mut self, settled: bool, now: Moment) {
        let away = self.last_contact.map(|last| now.mono - last.mono);
        if away.is_some_and(|away| away > LONG) {
            self.compare = true;
            self.in_touch = self.in_touch();
        }
        self.last_contact = Some(now);
        if let Phase::Waiting(_) = self.phase {
            // It went out before something else failed, and does not shorten the pause for that.
            return;
        }
        self.phase = Phase::Open;
        if settled {
            self.backoff.reset();
        }
    }

    /// A call failed. Returns the pause until the next attempt, unless one is agreed on already.
    pub fn fail(&mut self, trouble: Trouble, was_probe: bool, now: Millis) -> Option<Duration> {
        let first = match self.phase {
            Phase::Open => true,
            Phase::Probing => was_probe,
            Phase::Waiting(_) => false,
        };
        if !first {
            return None;
        }
        self.last_failure = now;
        let pause = self.backoff.fail(trouble.retry_after);
        self.phase = Phase::Waiting(now + pause.as_millis() as Millis);
        Some(pause)
    }

    /// The node `id` called this one. If that is the peer, or may be because it was never heard of before, there is
    /// no reason to wait any longer, but for a moment if it was tried just now. Returns for how long to wait, if that
    /// is shorter than before.
    pub fn hear(&mut self, id: &str, now: Moment) -> Option<Duration> {
        let is_news = !self.heard.iter().any(|heard| heard == id);
        if is_news {
            self.heard.truncate(REMEMBERED - 1);
            self.heard.push_front(id.to_string());
        }
        let is_peer = self.sign.as_ref().is_some_and(|sign| sign.id == id);
        if is_peer {
            self.last_heard = Some(now);
        }
        let Phase::Waiting(until) = self.phase else {
            return None;
        };
        let soon = now.mono.max(self.last_failure + HASTE);
        if !(is_peer || is_news) || until <= soon {
            return None;
        }
        self.phase = Phase::Waiting(soon);
        Some(Duration::from_millis(soon - now.mono))
    }

    /// There will be no later: whoever is waited for is asked now.
    pub fn end_pause(&mut self, now: Millis) {
        if let Phase::Waiting(_) = self.phase {
            self.phase = Phase::Waiting(now);
        }
    }

    /// When this node and the peer were last in touch before they were compared; `None` if never.
    pub fn in_touch_before(&self) -> Option<Moment> {
        self.in_touch
    }

    fn in_touch(&self) -> Option<Moment> {
        let moments = [self.last_contact, self.last_heard];
        moments
            .into_iter()
            .flatten()
            .max_by_key(|moment| moment.mono)
    }

    /// Whether to compare everything with the peer now; said once for each reason to.
    pub fn takes_comparison(&mut self) -> bool {
        let open = self.sign.as_ref().is_some_and(|sign| sign.open);
        if self.sign.is_none() {
            self.compare = false;
        }
        open && std::mem::take(&mut self.compare)
    }
}

#[cfg(test)]
mod tests {
    use super::super::outcome::TroubleKind;
    use super::*;

    const TROUBLE: Trouble = Trouble {
        kind: TroubleKind::Unreachable,
        retry_after: None,
    };

    fn at(mono: Millis) -> Moment {
        Moment { mono, wall: mono }
    }

    fn sign(id: &str, open: bool) -> NodeSign {
        NodeSign {
            id: id.to_string(),
            version: "1".to_string(),
            open,
            instances: None,
        }
    }

    /// An address that was asked who is there.
    fn link() -> Link {
        let mut link = Link::new("me".to_string(), 1);
        link.probe();
        link
    }

    #[test]
    fn only_the_first_of_many_failures_lengthens_the_pause() {
        let mut link = link();
        link.succeed(true, at(0));
        assert!(link.fail(TROUBLE, false, 10).is_some());
        assert_eq!(link.fail(TROUBLE, false, 10), None);
        link.succeed(true, at(10));
        assert!(!link.is_up(), "that went out before the failure");
        link.probe();
        assert_eq!(
            link.fail(TROUBLE, false, 200),
            None,
            "sent before the probe"
        );
        assert!(link.fail(TROUBLE, true, 200).is_some());
        assert_eq!(link.pause(), Duration::from_millis(200));
    }

    #[test]
    fn the_pause_stays_long_until_something_was_delivered() {
        let mut link = link();
        link.succeed(true, at(0));
        link.fail(TROUBLE, false, 0);
        link.probe();
        link.succeed(false, at(100));
        assert_eq!(link.pause(), Duration::from_millis(100));
        link.succeed(true, at(100));
        assert_eq!(link.pause(), Duration::ZERO);
    }

    #[test]
    fn a_peer_of_our_kind_is_compared_with_when_new_restarted_or_long_away_and_open() {
        let mut link = link();
        let mut meet = |id, open, now| {
            link.meet(Some(&sign(id, open)));
            link.succeed(true, at(now));
            link.takes_comparison()
        };
        assert!(!meet("a", false, 0), "it is loading");
        assert!(meet("a", true, 1000));
        assert!(!meet("a", true, 2000), "once is enough");
        assert!(meet("b", true, 3000), "restarted");
        assert!(!meet("b", true, 33_000));
        assert!(meet("b", true, 63_001), "away for more than 30 s");
        link.meet(None);
        link.succeed(true, at(200_000));
        assert!(!link.takes_comparison(), "it is of another kind");
    }

    #[test]
    fn an_address_is_ourselves_only_if_nobody_else_was_met_there() {
        assert_eq!(link().meet(Some(&sign("me", true))), Met::Ourselves);
        let mut other = link();
        assert_eq!(other.meet(Some(&sign("a", true))), Met::Another);
        assert_eq!(other.meet(Some(&sign("me", true))), Met::Another);
        assert_eq!(other.meet(Some(&sign("a", true))), Met::OneOfSeveral);
    }

    #[test]
    fn a_load_balancer_is_told_from_a_restart_and_said_once() {
        let mut link = link();
        let met = ["a", "a", "b", "b", "a", "b"].map(|id| link.meet(Some(&sign(id, true))));
        use Met::*;
        assert_eq!(
            met,
            [Another, Another, Another, Another, OneOfSeveral, Another]
        );
        let mut java = super::Link::new("me".to_string(), 1);
        let met = [Some("a"), None, Some("a")].map(|id| {
            let sign = id.map(|id| sign(id, true));
            java.meet(sign.as_ref())
        });
        assert_eq!(met, [Another; 3]);
    }

    #[test]
    fn what_is_heard_of_a_peer_ends_the_pause_but_not_at_once_and_not_of_others() {
        let mut link = link();
        link.meet(Some(&sign("a", true)));
        link.succeed(true, at(0));
        assert_eq!(link.hear("a", at(0)), None, "it waits for nothing");
        assert_eq!(link.hear("b", at(0)), None);
        for _ in 0..6 {
            link.probe();
            link.fail(TROUBLE, true, 0);
        }
        for (id, now, hurries) in [
            ("b", 100, None),
            ("a", 100, Some(900)),
            ("a", 100, None),
            ("a", 1000, None),
        ] {
            let hurries = hurries.map(Duration::from_millis);
            assert_eq!(link.hear(id, at(now)), hurries, "{id} at {now}");
        }
        link.probe();
        link.fail(TROUBLE, true, 2000);
        let at_once = Some(Duration::ZERO);
        assert_eq!(
            link.hear("new", at(3000)),
            at_once,
            "it may have been restarted"
        );
        link.probe();
        link.fail(TROUBLE, true, 4000);
        assert_eq!(link.hear("new", at(5000)), None, "it was somebody else");
    }
}
