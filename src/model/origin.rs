//! Which side caused a change: a client of this node, or a peer that repeats what its client did.
//!
//! Peers never hear of what a peer caused; that one distinction is the loop prevention of the whole
//! cluster (server.md §13.1).

/// The side a change came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// A client or an operator acted on this node.
    Client,
    /// Another node passed on what happened there.
    Peer,
}

impl Origin {
    /// Both sides, in the order of [`Origin::index`].
    pub const ALL: [Origin; 2] = [Origin::Client, Origin::Peer];

    /// The word used as a label: `client` or `peer`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Peer => "peer",
        }
    }

    /// A small number for tables of counters.
    pub fn index(self) -> usize {
        self as usize
    }
}
