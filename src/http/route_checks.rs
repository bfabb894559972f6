//! What must hold of every path whatsoever: for the fuzzer, and for its seeds in the tests.
//!
//! What a path means does not depend on the context path, on doubled slashes, or on whether a name is
//! written as it is or escaped byte by byte; and a path that means something has a method that it takes.

use std::fmt::Write;

use super::route::{Route, Target, find};

/// Looks for what `path` means.
pub fn check_route(path: &[u8]) {
    let Ok(path) = std::str::from_utf8(path) else {
        return;
    };
    let found = find("", path);
    let doubled = path.replace('/', "//");
    assert_eq!(find("", &doubled), found);
    let inside = format!("/some/context/{path}");
    assert_eq!(find("/some/context", &inside), found);
    assert_eq!(find("some//context/", &inside), found);
    let Ok(route) = found else {
        return;
    };
    let slash = format!("{path}/");
    assert_eq!(find("", &slash), Ok(route.clone()));
    assert!(route.target.takes("OPTIONS"));
    check_escaped(&route);
}

/// Its meaning, written as a path again, means the same. A name that is empty has no such path.
fn check_escaped(route: &Route<'_>) {
    let names = names(&route.target);
    if names.iter().any(|name| name.is_empty()) {
        return;
    }
    let names: Vec<String> = names.into_iter().map(escaped).collect();
    let path = match (&route.target, &names[..]) {
        (Target::Apps, _) => "/apps".to_string(),
        (Target::Delta, _) => "/apps/delta".to_string(),
        (Target::App(_), [app]) => format!("/apps/{app}"),
        (Target::Instance(..), [app, id]) => format!("/apps/{app}/{id}"),
        (Target::InstanceStatus(..), [app, id]) => format!("/apps/{app}/{id}/status"),
        (Target::InstanceMetadata(..), [app, id]) => format!("/apps/{app}/{id}/metadata"),
        (Target::ById(_), [id]) => format!("/instances/{id}"),
        (Target::Vip(_), [vip]) => format!("/vips/{vip}"),
        (Target::Svip(_), [vip]) => format!("/svips/{vip}"),
        (Target::Asg(_), [name]) => format!("/asg/{name}/status"),
        (Target::Status, _) => "/status".to_string(),
        (Target::StatusOverrides, _) => "/serverinfo/statusoverrides".to_string(),
        (Target::Registry, _) => "/peerreplication/registry".to_string(),
        (Target::Batch, _) => "/peerreplication/batch".to_string(),
        (target, names) => panic!("{target:?} has not {} names", names.len()),
    };
    let prefixes = match route.v1 {
        true => ["/v1", "/eureka/v1", "/eureka/V1"],
        false => ["", "/eureka/v2", "/eureka"],
    };
    for prefix in prefixes {
        let path = format!("{prefix}{path}");
        assert_eq!(find("", &path).as_ref(), Ok(route), "{path}");
    }
}

fn names<'t>(target: &'t Target<'_>) -> Vec<&'t str> {
    match target {
        Target::App(name)
        | Target::ById(name)
        | Target::Vip(name)
        | Target::Svip(name)
        | Target::Asg(name) => vec![name],
        Target::Instance(app, id)
        | Target::InstanceStatus(app, id)
        | Target::InstanceMetadata(app, id) => vec![app, id],
        _ => vec![],
    }
}

fn escaped(name: &str) -> String {
    let mut path = String::new();
    for byte in name.bytes() {
        write!(path, "%{byte:02X}").expect("a String takes every write");
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::checks::replay;

    #[test]
    fn whatever_path_the_fuzzer_found_means_what_it_must() {
        assert!(replay("route", check_route) > 10);
    }
}
