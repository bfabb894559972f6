//! Health in a sentence and a colour, from what is known of the node, its peers and what it holds. Pure.

use super::peers::Peer;
use super::survey::Survey;
use super::words::{counted, number};
use crate::model::InstanceStatus;
use crate::preservation::Standing;

/// How bad something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    /// As it should be.
    Good,
    /// Worth a look.
    Notice,
    /// Somebody has to do something.
    Bad,
}

impl Level {
    /// The name of its colour.
    pub(super) fn tone(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Notice => "notice",
            Self::Bad => "bad",
        }
    }

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Good => "All is well",
            Self::Notice => "Worth a look",
            Self::Bad => "Act now",
        }
    }
}

/// What the node says of itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// It serves lists.
    pub(super) is_open: bool,
    /// It was told to stop.
    pub(super) is_stopping: bool,
}

/// The verdict: the worst of what was found, and all of it.
#[derive(Debug)]
pub(super) struct Verdict {
    pub(super) level: Level,
    /// The worst first; never empty.
    pub(super) sentences: Vec<(Level, String)>,
}

impl Verdict {
    pub(super) fn of(node: Node, standing: &Standing, survey: &Survey, peers: &[Peer]) -> Self {
        let found = [
            of_node(node),
            of_protection(standing),
            of_peers(peers),
            of_difference(peers, survey.rows.len()),
            of_instances(survey),
            of_silence(survey),
            of_kept(survey),
        ];
        let mut sentences: Vec<(Level, String)> = found.into_iter().flatten().collect();
        sentences.sort_by_key(|(level, _)| std::cmp::Reverse(*level));
        if sentences.is_empty() {
            sentences.push((Level::Good, all_is_well(survey, peers)));
        }
        Self {
            level: sentences[0].0,
            sentences,
        }
    }
}

fn of_node(node: Node) -> Option<(Level, String)> {
    let text = match node {
        Node {
            is_stopping: true, ..
        } => "This node was told to stop and is on its way out.",
        Node { is_open: false, .. } => {
            "This node has just started and does not yet hold all that its peers hold. Lists are refused."
        }
        _ => return None,
    };
    Some((Level::Bad, text.to_string()))
}

/// Instances are kept that may be gone, or nothing would be kept.
fn of_protection(standing: &Standing) -> Option<(Level, String)> {
    match &standing.withheld {
        Some(reason) if standing.alarming => {
            let text = format!(
                "Self-preservation is active: {reason}. Some of the instances below may be gone."
            );
            Some((Level::Bad, text))
        }
        _ if !standing.enabled => {
            let text =
                "Self-preservation is switched off: a failing network empties this registry.";
            Some((Level::Notice, text.to_string()))
        }
        _ => None,
    }
}

fn of_peers(peers: &[Peer]) -> Option<(Level, String)> {
    let away: Vec<&str> = peers
        .iter()
        .filter(|peer| !peer.up)
        .map(|peer| &*peer.url)
        .collect();
    let level = match away.len() {
        0 => return None,
        n if n == peers.len() => Level::Bad,
        _ => Level::Notice,
    };
    let all = counted(peers.len(), "peer", "peers");
    let text = match &away[..] {
        [one] => format!("Of {all}, one does not take what it is sent: {one}."),
        several => format!(
            "Of {all}, {} do not take what they are sent: {}.",
            several.len(),
            several.join(", ")
        ),
    };
    Some((level, text))
}

/// Nodes that are told of a change a moment later differ for that moment, so a few are no reason for words.
fn of_difference(peers: &[Peer], here: usize) -> Option<(Level, String)> {
    let tolerated = (here / 100).max(2);
    let there = peers
        .iter()
        .filter(|peer| peer.up)
        .filter_map(|peer| Some((peer, peer.there?)));
    let (peer, there) = there.max_by_key(|(_, there)| there.abs_diff(here))?;
    if there.abs_diff(here) <= tolerated {
        return None;
    }
    let (here, there) = (number(here), number(there));
    let text = format!(
        "This node holds {here} instances, {} holds {there}.",
        peer.url
    );
    Some((Level::Notice, text))
}

fn of_instances(survey: &Survey) -> Option<(Level, String)> {
    let down = survey.count_of(InstanceStatus::Down) + survey.count_of(InstanceStatus::Unknown);
    let text = format!(
        "{} DOWN or UNKNOWN, of {}.",
        counted(down, "instance is", "instances are"),
        number(survey.rows.len())
    );
    (down > 0).then_some((Level::Notice, text))
}

fn of_silence(survey: &Survey) -> Option<(Level, String)> {
    let text = format!(
        "{} silent: no heartbeat for longer than there should be.",
        counted(survey.silent, "instance is", "instances are")
    );
    (survey.silent > 0).then_some((Level::Notice, text))
}

fn of_kept(survey: &Survey) -> Option<(Level, String)> {
    let text = format!(
        "{} kept by self-preservation although the lease has ended.",
        counted(survey.kept, "instance is", "instances are")
    );
    (survey.kept > 0).then_some((Level::Notice, text))
}

fn all_is_well(survey: &Survey, peers: &[Peer]) -> String {
    let peers = match peers.len() {
        0 => "this node stands alone".to_string(),
        n => format!("{} in touch", counted(n, "peer", "peers")),
    };
    match survey.rows.len() {
        0 => format!("Nobody has registered yet; {peers}."),
        n => format!(
            "{} in {}, none silent; {peers}.",
            counted(n, "instance", "instances"),
            counted(survey.by_app().len(), "application", "applications")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Moment;
    use crate::model::{InstanceInfo, samples};
    use crate::preservation::Figures;

    fn standing(enabled: bool, withheld: Option<&str>, alarming: bool) -> Standing {
        Standing {
            figures: Figures::default(),
            enabled,
            protection: "adaptive",
            withheld: withheld.map(str::to_string),
            alarming,
        }
    }

    fn survey(statuses: &[InstanceStatus], now: u64) -> Survey {
        let infos = statuses.iter().enumerate().map(|(n, status)| InstanceInfo {
            status: *status,
            ..samples::instance("A", &format!("i{n}"))
        });
        Survey::of_rows(
            infos.collect(),
            Moment {
                mono: now,
                wall: now,
            },
        )
    }

    fn peer(up: bool, there: Option<usize>) -> Peer {
        Peer {
            url: "http://b/eureka/".to_string(),
            up,
            there,
            ..Peer::default()
        }
    }

    #[test]
    fn the_verdict_is_the_worst_of_what_was_found_and_says_all_of_it() {
        use InstanceStatus::{Down, Up};
        let node = Node {
            is_open: true,
            is_stopping: false,
        };
        let starting = Node {
            is_open: false,
            is_stopping: false,
        };
        let well = || standing(true, None, false);
        let ten = [Up; 10];
        for (node, standing, survey, peers, level, beginnings) in [
            (
                node,
                well(),
                survey(&[], 0),
                vec![],
                Level::Good,
                vec!["Nobody has registered yet; this node"],
            ),
            (
                node,
                well(),
                survey(&ten, 0),
                vec![peer(true, Some(8))],
                Level::Good,
                vec!["10 instances in 1 app"],
            ),
            (
                node,
                well(),
                survey(&ten, 0),
                vec![peer(true, Some(7))],
                Level::Notice,
                vec!["This node holds 10"],
            ),
            (
                node,
                well(),
                survey(&[Up, Down], 0),
                vec![],
                Level::Notice,
                vec!["1 instance is DOWN"],
            ),
            (
                node,
                well(),
                survey(&[Up], 40_000),
                vec![],
                Level::Notice,
                vec!["1 instance is silent"],
            ),
            (
                node,
                well(),
                Survey {
                    kept: 2,
                    ..survey(&[Up, Up], 0)
                },
                vec![],
                Level::Notice,
                vec!["2 instances are kept"],
            ),
            (
                node,
                standing(false, None, false),
                survey(&[], 0),
                vec![],
                Level::Notice,
                vec!["Self-preservation is switched off"],
            ),
            (
                node,
                standing(true, Some("why"), true),
                survey(&[Down], 0),
                vec![],
                Level::Bad,
                vec!["Self-preservation is active: why.", "1 instance is DOWN"],
            ),
            (
                node,
                standing(true, Some("why"), false),
                survey(&[], 0),
                vec![],
                Level::Good,
                vec!["Nobody"],
            ),
            (
                starting,
                well(),
                survey(&[], 0),
                vec![],
                Level::Bad,
                vec!["This node has just started"],
            ),
            (
                node,
                well(),
                survey(&[], 0),
                vec![peer(false, None)],
                Level::Bad,
                vec!["Of 1 peer, one does not take"],
            ),
            (
                node,
                well(),
                survey(&[], 0),
                vec![peer(false, None), peer(true, None)],
                Level::Notice,
                vec!["Of 2 peers, one does not"],
            ),
        ] {
            let verdict = Verdict::of(node, &standing, &survey, &peers);
            let texts: Vec<&str> = verdict.sentences.iter().map(|(_, text)| &**text).collect();
            assert_eq!(verdict.level, level, "{texts:?}");
            assert_eq!(texts.len(), beginnings.len(), "{texts:?}");
            for (text, beginning) in texts.iter().zip(beginnings) {
                assert!(text.starts_with(beginning), "{text}");
            }
        }
    }
}
