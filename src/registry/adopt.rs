//! Adopt a peer's copy: it answered that it holds a newer one than ours (409).

use actix::{Context, Handler, Message};

use super::Registry;
use crate::model::PeerCopy;

/// Asks the registry to take a peer's copy for its own, where that is newer still.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct AdoptCopy {
    /// The record as the peer holds it.
    pub copy: PeerCopy,
}

impl Handler<AdoptCopy> for Registry {
    type Result = ();

    fn handle(&mut self, msg: AdoptCopy, _ctx: &mut Context<Self>) {
        let PeerCopy { info, extra } = msg.copy;
        self.begin("adopt", Some(&info.key()));
        // A copy that is refused is in the log; there is nobody to answer.
        self.register_from_peer(*info, extra);
    }
}
