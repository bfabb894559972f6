//! From a path to what it means: the only router of Eureka's own surface. Pure.
//!
//! The same tree answers under `/eureka`, `/eureka/v2`, `/v2` and the bare root, with `v1` in the place of
//! `v2` for the old XML (foreign-clients.md P1), all below the context path. Runs of slashes collapse, one
//! at the end is nothing (P2, P3); segments are decoded once (P5); what follows a semicolon is a matrix
//! parameter and cut off (wire.md §1.3). It knows neither handlers nor what is registered.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use super::labels::{self, Label};

/// A path that means something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route<'p> {
    /// What it addresses.
    pub target: Target<'p>,
    /// Under `/v1`: XML shows three statuses only.
    pub v1: bool,
}

/// What a path addresses; names are decoded and otherwise as sent.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named after the paths")]
pub enum Target<'p> {
    Apps,
    Delta,
    App(Cow<'p, str>),
    Instance(Cow<'p, str>, Cow<'p, str>),
    InstanceStatus(Cow<'p, str>, Cow<'p, str>),
    InstanceMetadata(Cow<'p, str>, Cow<'p, str>),
    ById(Cow<'p, str>),
    Vip(Cow<'p, str>),
    Svip(Cow<'p, str>),
    Asg(Cow<'p, str>),
    Status,
    StatusOverrides,
    Batch,
    /// A page of what is held, for nodes of this kind.
    Registry,
}

impl Target<'_> {
    /// A small number and a name, for metrics.
    pub fn label(&self) -> Label {
        match self {
            Self::Apps => labels::APPS,
            Self::Delta => labels::DELTA,
            Self::App(_) => labels::APP,
            Self::Instance(..) => labels::INSTANCE,
            Self::InstanceStatus(..) => labels::INSTANCE_STATUS,
            Self::InstanceMetadata(..) => labels::INSTANCE_METADATA,
            Self::ById(_) => labels::BY_ID,
            Self::Vip(_) => labels::VIP,
            Self::Svip(_) => labels::SVIP,
            Self::Asg(_) => labels::ASG,
            Self::Status => labels::STATUS,
            Self::StatusOverrides => labels::STATUS_OVERRIDES,
            Self::Batch => labels::BATCH,
            Self::Registry => labels::REGISTRY,
        }
    }

    /// The methods it takes, as `Allow` lists them (wire.md §1.5); HEAD goes with GET.
    pub fn allow(&self) -> &'static str {
        match self {
            Self::App(_) => "POST,GET,OPTIONS",
            Self::Instance(..) => "DELETE,GET,OPTIONS,PUT",
            Self::InstanceStatus(..) => "DELETE,OPTIONS,PUT",
            Self::InstanceMetadata(..) | Self::Asg(_) => "OPTIONS,PUT",
            Self::Batch => "POST,OPTIONS",
            _ => "GET,OPTIONS",
        }
    }

    /// Whether it takes `method`.
    pub fn takes(&self, method: &str) -> bool {
        let method = if method == "HEAD" { "GET" } else { method };
        self.allow().split(',').any(|allowed| allowed == method)
    }
}

/// Why a path means nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoRoute {
    /// There is nothing there.
    Unknown,
    /// A segment is not UTF-8 once decoded.
    NotText,
}

/// The deepest path has a prefix of two and four segments after it.
const MAX_SEGMENTS: usize = 6;

/// Finds what `path` (as it came, still encoded) addresses below `context`.
pub fn find<'p>(context: &str, path: &'p str) -> Result<Route<'p>, NoRoute> {
    let path = below(context, path).ok_or(NoRoute::Unknown)?;
    let mut segments: [Cow<'p, str>; MAX_SEGMENTS] = [const { Cow::Borrowed("") }; MAX_SEGMENTS];
    let mut len = 0;
    for raw in path.split('/').filter(|raw| !raw.is_empty()) {
        let segment = decoded(raw)?;
        if segment.is_empty() {
            // Nothing but parameters names nothing.
            return Err(NoRoute::Unknown);
        }
        *segments.get_mut(len).ok_or(NoRoute::Unknown)? = segment;
        len += 1;
    }
    let (v1, rest) = strip_prefix(&mut segments[..len]);
    let target = target(rest).ok_or(NoRoute::Unknown)?;
    Ok(Route { target, v1 })
}

/// What is left of `path` after the context path.
fn below<'p>(context: &str, path: &'p str) -> Option<&'p str> {
    let mut rest = path;
    for wanted in context.split('/').filter(|segment| !segment.is_empty()) {
        rest = rest.trim_start_matches('/').strip_prefix(wanted)?;
        if !rest.is_empty() && !rest.starts_with('/') {
            return None;
        }
    }
    Some(rest)
}

/// A segment without its matrix parameters, decoded once; `+` is a plus.
fn decoded(raw: &str) -> Result<Cow<'_, str>, NoRoute> {
    let raw = raw.split(';').next().unwrap_or_default();
    percent_decode_str(raw)
        .decode_utf8()
        .map_err(|_| NoRoute::NotText)
}

/// Takes `eureka` and a version off the front; says whether the version is 1.
fn strip_prefix<'s, 'p>(segments: &'s mut [Cow<'p, str>]) -> (bool, &'s mut [Cow<'p, str>]) {
    // White space at the end of a prefix segment is a client's typing error (P4).
    let is = |segment: Option<&Cow<'_, str>>, word: &str| {
        segment.is_some_and(|segment| segment.trim_end() == word)
    };
    let mut taken = usize::from(is(segments.first(), "eureka"));
    let v1 = is(segments.get(taken), "v1") || is(segments.get(taken), "V1");
    let v2 = is(segments.get(taken), "v2") || is(segments.get(taken), "V2");
    taken += usize::from(v1 || v2);
    (v1, &mut segments[taken..])
}

fn target<'p>(segments: &mut [Cow<'p, str>]) -> Option<Target<'p>> {
    let [first, rest @ ..] = segments else {
        return None;
    };
    Some(match (&**first, rest) {
        ("apps", []) => Target::Apps,
        // Always the delta: an application of that name is found as DELTA only (wire.md §1.3).
        ("apps", [app]) if app == "delta" => Target::Delta,
        ("apps", [app]) => Target::App(take(app)),
        ("apps", [app, id]) => Target::Instance(take(app), take(id)),
        ("apps", [app, id, what]) if what == "status" => {
            Target::InstanceStatus(take(app), take(id))
        }
        ("apps", [app, id, what]) if what == "metadata" => {
            Target::InstanceMetadata(take(app), take(id))
        }
        ("instances", [id]) => Target::ById(take(id)),
        ("vips", [vip]) => Target::Vip(take(vip)),
        ("svips", [vip]) => Target::Svip(take(vip)),
        ("asg", [name, what]) if what == "status" => Target::Asg(take(name)),
        ("status", []) => Target::Status,
        ("serverinfo", [what]) if what == "statusoverrides" => Target::StatusOverrides,
        ("peerreplication", [what]) if what == "batch" => Target::Batch,
        ("peerreplication", [what]) if what == "registry" => Target::Registry,
        _ => return None,
    })
}

fn take<'p>(segment: &mut Cow<'p, str>) -> Cow<'p, str> {
    std::mem::take(segment)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text(target: &Target<'_>) -> String {
        match target {
            Target::App(a) => format!("app {a}"),
            Target::Instance(a, i) => format!("instance {a} {i}"),
            Target::InstanceStatus(a, i) => format!("status of {a} {i}"),
            Target::InstanceMetadata(a, i) => format!("metadata of {a} {i}"),
            Target::ById(i) => format!("by id {i}"),
            Target::Vip(v) => format!("vip {v}"),
            Target::Svip(v) => format!("svip {v}"),
            Target::Asg(n) => format!("asg {n}"),
            other => other.label().1.to_string(),
        }
    }

    fn found(context: &str, path: &str) -> String {
        match find(context, path) {
            Ok(route) if route.v1 => format!("{} (v1)", text(&route.target)),
            Ok(route) => text(&route.target),
            Err(NoRoute::Unknown) => "-".to_string(),
            Err(NoRoute::NotText) => "not text".to_string(),
        }
    }

    #[test]
    fn every_path_of_the_surface_is_found_under_every_prefix() {
        for (path, expected) in [
            ("/apps", "apps"),
            ("/apps/", "apps"),
            ("//apps", "apps"),
            ("/apps/delta", "delta"),
            ("//apps//delta/", "delta"),
            ("/apps/DELTA", "app DELTA"),
            ("/apps/delta/i-1", "instance delta i-1"),
            ("/apps/A", "app A"),
            ("/apps/A%20B", "app A B"),
            ("/apps/A+B", "app A+B"),
            ("/apps/A/host%3Aa%3A80", "instance A host:a:80"),
            ("/apps/A/host:a:80/", "instance A host:a:80"),
            (
                "/apps/A/svc::10.0.0.1::80$",
                "instance A svc::10.0.0.1::80$",
            ),
            ("/apps/A/x%2Fy", "instance A x/y"),
            ("/apps/A/i;v=1", "instance A i"),
            ("/apps/A/i%3Bv=1", "instance A i;v=1"),
            ("/apps/;v=1", "-"),
            ("/apps/A/100%25", "instance A 100%"),
            ("/apps/A/%zz", "instance A %zz"),
            ("/apps/A/%C3%A9", "instance A é"),
            ("/apps/A/%FF", "not text"),
            ("/apps/A/i/status", "status of A i"),
            ("/apps/A/i/status/", "status of A i"),
            ("/apps/A/i/metadata", "metadata of A i"),
            ("/apps/A/i/foo", "-"),
            ("/apps/A/i/status/x", "-"),
            ("/apps/A/i/status/x/y/z/w", "-"),
            ("/instances/i", "by id i"),
            ("/instances", "-"),
            ("/vips/v", "vip v"),
            ("/vips", "-"),
            ("/svips/v", "svip v"),
            ("/asg/g/status", "asg g"),
            ("/asg/g", "-"),
            ("/status", "status"),
            ("/serverinfo/statusoverrides", "status_overrides"),
            ("/peerreplication/batch/", "batch"),
            ("/peerreplication/registry", "registry_page"),
            ("/peerreplication", "-"),
            ("/Apps", "-"),
            ("/apps.json", "-"),
            ("/", "-"),
            ("", "-"),
        ] {
            for (context, prefix, suffix) in [
                ("", "/eureka", ""),
                ("", "/eureka/v2", ""),
                ("", "/eureka//v2/", ""),
                ("", "/eureka/v2%20", ""),
                ("", "/v2", ""),
                ("", "", ""),
                ("", "/eureka/v1", " (v1)"),
                ("", "/V1", " (v1)"),
                ("/ctx", "/ctx/eureka", ""),
                ("/ctx", "//ctx/eureka/v2", ""),
                ("/a/b", "/a/b", ""),
            ] {
                let is_found = expected != "-" && expected != "not text";
                let expected = if is_found {
                    format!("{expected}{suffix}")
                } else {
                    expected.into()
                };
                let path = format!("{prefix}{path}");
                assert_eq!(found(context, &path), expected, "{context} {path}");
            }
        }
    }

    #[test]
    fn nothing_is_found_beside_the_context_path() {
        for path in [
            "/eureka/apps",
            "/ctxx/eureka/apps",
            "/ct/eureka/apps",
            "/eureka/ctx/apps",
        ] {
            assert_eq!(found("/ctx", path), "-", "{path}");
        }
        assert_eq!(found("", "/eureka/eureka/apps"), "-");
        assert_eq!(found("", "/eureka/v3/apps"), "-");
    }

    #[test]
    fn methods_are_those_of_the_reference_and_head_goes_with_get() {
        let name = || Cow::Borrowed("x");
        for (target, taken) in [
            (Target::Apps, "GET HEAD OPTIONS"),
            (Target::App(name()), "GET HEAD POST OPTIONS"),
            (
                Target::Instance(name(), name()),
                "GET HEAD PUT DELETE OPTIONS",
            ),
            (Target::InstanceStatus(name(), name()), "PUT DELETE OPTIONS"),
            (Target::InstanceMetadata(name(), name()), "PUT OPTIONS"),
            (Target::Batch, "POST OPTIONS"),
            (Target::Asg(name()), "PUT OPTIONS"),
            (Target::StatusOverrides, "GET HEAD OPTIONS"),
        ] {
            for method in ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"] {
                let expected = taken.split(' ').any(|word| word == method);
                assert_eq!(target.takes(method), expected, "{target:?} {method}");
            }
        }
    }

    proptest! {
        #[test]
        fn no_path_ends_it_and_an_encoded_name_comes_back_whole(path in "\\PC*", name in "\\PC+") {
            let _ = find("", &path);
            let encoded = percent_encoding::utf8_percent_encode(&name, percent_encoding::NON_ALPHANUMERIC);
            let path = format!("/eureka/apps/A/{encoded}/status");
            let target = find("", &path).map(|route| text(&route.target));
            prop_assert_eq!(target, Ok(format!("status of A {name}")));
        }
    }
}
