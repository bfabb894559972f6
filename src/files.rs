//! How many files the process may have open, each connection among them.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Fewer than this are too few for a large fleet: every client keeps one connection.
pub const ENOUGH: u64 = 65_536;

/// Raises the limit as far as the system allows; what it is then, or nothing where there is none.
pub fn raise_limit() -> Option<u64> {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    match setrlimit(Resource::Nofile, raised) {
        Ok(()) => limit.maximum,
        Err(_) => limit.current,
    }
}

/// How many of `files` may be connections: nearly all. The rest is for the node itself.
pub fn connections_of(files: u64) -> usize {
    let own = (files / 16).clamp(32, 1024);
    let connections = files.saturating_sub(own).max(1);
    usize::try_from(connections).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_as_high_as_it_may_be() {
        let raised = raise_limit();
        let limit = getrlimit(Resource::Nofile);
        assert_eq!((raised, limit.current), (limit.maximum, limit.maximum));
    }

    #[test]
    fn a_few_files_are_left_for_the_node_itself() {
        for (files, connections) in [
            (0, 1),
            (40, 8),
            (1024, 960),
            (20_000, 18_976),
            (1 << 20, (1 << 20) - 1024),
        ] {
            assert_eq!(connections_of(files), connections, "{files}");
        }
    }
}
