//! Who caused a change, for the journal and the log; nothing is decided by it but what [`Origin`] says.

use std::net::IpAddr;

use super::{Origin, Text};

/// The kinds of those who cause changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// A client by Eureka's own calls.
    Client,
    /// Somebody by the calls that are for operators.
    Operator,
    /// Another node that passed on what happened there.
    Peer,
    /// This node itself: a time was over.
    Node,
}

impl Who {
    /// Who speaks Eureka from that side.
    pub const fn of(origin: Origin) -> Self {
        match origin {
            Origin::Client => Self::Client,
            Origin::Peer => Self::Peer,
        }
    }

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Operator => "operator",
            Self::Peer => "peer",
            Self::Node => "node",
        }
    }
}

/// Somebody, as far as this node was told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct By {
    /// What they are.
    pub who: Who,
    /// Where the request came from.
    pub address: Option<IpAddr>,
    /// What the settings call them.
    pub user: Option<Text>,
    /// Why, in the words of an operator.
    pub reason: Option<Text>,
}

impl By {
    /// Of whom nothing more is known.
    pub const fn only(who: Who) -> Self {
        Self {
            who,
            address: None,
            user: None,
            reason: None,
        }
    }

    /// The side that it comes from; what a node does by itself counts as done here.
    pub fn origin(&self) -> Origin {
        match self.who {
            Who::Peer => Origin::Peer,
            Who::Client | Who::Operator | Who::Node => Origin::Client,
        }
    }
}

impl From<Origin> for By {
    fn from(origin: Origin) -> Self {
        Self::only(Who::of(origin))
    }
}
