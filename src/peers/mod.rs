//! Telling the others what clients do here, and asking them what they hold.
//!
//! | file | what |
//! |---|---|
//! | `gate.rs` | whether lists are served yet |
//! | `own.rs` | the node as an instance of its own registry |
//! | `resolve.rs` | who the peers are |
//! | `sync_up.rs` | what peers hold, copied when the node starts |

mod gate;
mod own;
mod resolve;
mod sync_up;

pub use gate::Gate;
pub use own::OwnInstance;
pub use resolve::{Me, Unresolved, listed, refresh_interval, resolve};
pub use sync_up::SyncUp;

use std::rc::Rc;

use crate::model::NodeUrl;
use crate::transport::Awaited;

/// Who the peers are, looked up anew each time.
pub type Lookup = Rc<dyn Fn() -> Awaited<Result<Vec<NodeUrl>, String>>>;
