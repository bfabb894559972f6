//! Why something failed, of all that an error says.

use std::error::Error;

/// The cause that has no other; what is around it only says that there was an error, and repeats the URL.
pub fn innermost(error: &dyn Error) -> String {
    let mut inner = error;
    while let Some(source) = inner.source() {
        inner = source;
    }
    inner.to_string()
}
