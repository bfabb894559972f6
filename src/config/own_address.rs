//! Whether an address leads to this node, as far as that can be told without asking anybody.

use std::net::{IpAddr, Ipv4Addr, UdpSocket};

/// An address that no machine has (RFC 5737).
const NOBODYS: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));

/// Whether this machine has the address: nothing else can be bound to.
pub fn is_local(address: IpAddr) -> bool {
    let can_bind = |address| UdpSocket::bind((address, 0)).is_ok();
    // Some machines are set to bind anything; they know nothing of what is theirs.
    can_bind(address) && !can_bind(NOBODYS)
}

/// Whether a connection from here to this host arrives where a node listens that is bound to `bound`. Names other than
/// localhost do not count.
pub fn listens_at(bound: IpAddr, host: &str, is_local: impl Fn(IpAddr) -> bool) -> bool {
    if host == "localhost" {
        return bound.is_unspecified() || bound.is_loopback();
    }
    let Ok(address) = host.parse::<IpAddr>().map(|address| address.to_canonical()) else {
        return false;
    };
    if !bound.is_unspecified() {
        return address == bound.to_canonical();
    }
    let is_covered = bound.is_ipv6() || address.is_ipv4();
    let is_here = address.is_loopback() || address.is_unspecified();
    is_covered && (is_here || is_local(address))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_knows_its_own_addresses() {
        assert!(is_local(Ipv4Addr::LOCALHOST.into()));
        assert!(!is_local(NOBODYS));
    }
}
