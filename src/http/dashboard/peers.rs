//! The other nodes, as the table of replicas shows them.

use super::words::{ago, number, span};
use crate::clock::Moment;
use crate::peers::{PeerState, Replicas};

/// One of the other nodes.
#[derive(Debug, Default)]
pub(super) struct Peer {
    pub(super) url: String,
    /// An instance of it is registered here.
    pub(super) available: bool,
    /// It takes what it is sent.
    pub(super) up: bool,
    pub(super) kind: String,
    pub(super) contact: String,
    pub(super) waiting: String,
    /// How long it is behind.
    pub(super) behind: String,
    /// Instances that it holds, if it said so.
    pub(super) there: Option<usize>,
    pub(super) here: String,
    pub(super) difference: String,
}

impl Peer {
    pub(super) fn of(peer: &PeerState, replicas: &Replicas, here: usize, now: Moment) -> Self {
        let contact = peer
            .last_contact
            .map(|then| ago(now.wall.saturating_sub(then)));
        let there = peer.sign.as_ref().and_then(|sign| sign.instances);
        Self {
            url: peer.url.as_str().to_string(),
            available: replicas.available.contains(&peer.url),
            up: peer.up,
            kind: kind(peer),
            contact: contact.unwrap_or_else(|| "never".to_string()),
            waiting: match peer.queue_length {
                0 => "nothing".to_string(),
                changes => format!("{} changes", number(changes)),
            },
            behind: match peer.oldest {
                Some(age) => span(age.as_millis() as u64),
                None => "–".to_string(),
            },
            there,
            here: number(here),
            difference: difference(there, here),
        }
    }

    /// What it holds, in words.
    pub(super) fn there_in_words(&self) -> String {
        self.there.map_or("not told".to_string(), number)
    }
}

fn kind(peer: &PeerState) -> String {
    match &peer.sign {
        Some(sign) if sign.open => format!("heureka {}", sign.version),
        Some(sign) => format!("heureka {}, starting", sign.version),
        None if peer.last_contact.is_some() => "Eureka".to_string(),
        None => String::new(),
    }
}

fn difference(there: Option<usize>, here: usize) -> String {
    let distance = |there: usize| number(there.abs_diff(here));
    match there {
        None => "–".to_string(),
        Some(there) if there == here => "none".to_string(),
        Some(there) if there > here => format!("{} more there", distance(there)),
        Some(there) => format!("{} fewer there", distance(there)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_says_who_has_more() {
        for (there, expected) in [
            (None, "–"),
            (Some(10), "none"),
            (Some(12), "2 more there"),
            (Some(9), "1 fewer there"),
        ] {
            assert_eq!(difference(there, 10), expected);
        }
    }
}
