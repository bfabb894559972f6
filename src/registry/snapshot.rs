//! Questions about what is held. None of them changes anything (I12).

use std::collections::BTreeMap;
use std::sync::Arc;

use actix::{Context, Handler, Message, MessageResult};

use super::{Held, Registry};
use crate::model::{InstanceStatus, Text};

/// Asks for all instances, sorted by application and id.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "Vec<Arc<Held>>")]
pub struct TakeSnapshot;

/// Asks for the instances of an application, sorted by id.
#[derive(Clone, Debug, Message)]
#[rtype(result = "Vec<Arc<Held>>")]
pub struct TakeApp {
    /// The application, in upper case.
    pub app: Text,
}

/// Asks for the first instance with this id, whatever its application.
#[derive(Clone, Debug, Message)]
#[rtype(result = "Option<Arc<Held>>")]
pub struct FindById {
    /// The effective instance id.
    pub id: Text,
}

/// Asks for all overrides by instance id, as the reference lists them.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "BTreeMap<Text, InstanceStatus>")]
pub struct TakeOverrides;

impl Handler<TakeSnapshot> for Registry {
    type Result = MessageResult<TakeSnapshot>;

    fn handle(&mut self, _: TakeSnapshot, _ctx: &mut Context<Self>) -> Self::Result {
        MessageResult(self.table.iter().cloned().collect())
    }
}

impl Handler<TakeApp> for Registry {
    type Result = MessageResult<TakeApp>;

    fn handle(&mut self, msg: TakeApp, _ctx: &mut Context<Self>) -> Self::Result {
        MessageResult(self.table.all_of(&msg.app).cloned().collect())
    }
}

impl Handler<FindById> for Registry {
    type Result = Option<Arc<Held>>;

    fn handle(&mut self, msg: FindById, _ctx: &mut Context<Self>) -> Self::Result {
        self.table.find_by_id(&msg.id, self.clock.now()).cloned()
    }
}

impl Handler<TakeOverrides> for Registry {
    type Result = MessageResult<TakeOverrides>;

    fn handle(&mut self, _: TakeOverrides, _ctx: &mut Context<Self>) -> Self::Result {
        let ordered = |held: &Arc<Held>| Some((held.info.id().clone(), held.info.override_status?));
        MessageResult(self.table.iter().filter_map(ordered).collect())
    }
}
