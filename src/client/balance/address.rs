//! Where an instance is reached, and which answers say that it does not do.

#[cfg(any(feature = "reqwest-middleware", feature = "tower"))]
use super::picked::Picked;
#[cfg(any(feature = "reqwest-middleware", feature = "tower"))]
use crate::client::handle::EurekaClient;
use crate::model::InstanceInfo;
#[cfg(any(feature = "reqwest-middleware", feature = "tower"))]
use crate::model::InstanceKey;

/// Scheme, host with brackets where it needs them, and port. As Spring has it, the secure port counts where it is in
/// use.
pub(super) fn reached_at(info: &InstanceInfo) -> (&'static str, String, u16) {
    let (scheme, port) = match info.secure_port.enabled {
        true => ("https", info.secure_port.number),
        false => ("http", info.port.number),
    };
    let host = match info.host_name.contains(':') {
        true => format!("[{}]", info.host_name),
        false => info.host_name.to_string(),
    };
    (scheme, host, port)
}

/// Whether a status is an answer of the application: other instances would give it, too.
#[cfg(any(feature = "reqwest-middleware", feature = "tower"))]
pub(super) fn is_answer(status: http::StatusCode) -> bool {
    !matches!(status.as_u16(), 502..=504)
}

/// The next instance for a request to a name; of one that is to be secure only those that are reached so, since whoever
/// asked for that has something to hide. Who was looked at is in `tried`.
#[cfg(any(feature = "reqwest-middleware", feature = "tower"))]
pub(super) fn pick_for(
    client: &EurekaClient,
    name: &str,
    secure: bool,
    tried: &mut Vec<InstanceKey>,
) -> Option<Picked> {
    loop {
        let picked = client.pick_but(name, tried).ok()?;
        tried.push(picked.key());
        if !secure || reached_at(&picked).0 == "https" {
            return Some(picked);
        }
    }
}

/// Whether a host may be the name of an application. One with a dot is somebody else's as well: any instance could announce
/// it as its VIP address, and would be sent what is meant for them.
#[cfg(any(feature = "reqwest-middleware", feature = "tower"))]
pub(super) fn is_name(host: &str) -> bool {
    !host.contains(['.', ':'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Port, samples};

    #[test]
    fn the_secure_port_counts_where_it_is_in_use_and_addresses_of_six_have_brackets() {
        let mut info = samples::instance("A", "i");
        assert_eq!(reached_at(&info), ("http", "host-1".to_string(), 8080));
        info.host_name = "fd00::7".into();
        info.secure_port = Port {
            number: 8443,
            enabled: true,
        };
        assert_eq!(reached_at(&info), ("https", "[fd00::7]".to_string(), 8443));
    }
}
