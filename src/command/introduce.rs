//! The first lines of the log: where the node listens, how, and what to open next.

use std::net::SocketAddr;

use heureka::config::{Config, Mode, Report, SecurityConfig};
use heureka::http::{Identity, Ports};
use heureka::peers::{self, Me};

/// Says it all.
pub(super) fn introduce(config: &Config, ports: &Ports, address: SocketAddr, identity: &Identity) {
    let scheme = if ports.secure.is_some() {
        "https"
    } else {
        "http"
    };
    let version = env!("CARGO_PKG_VERSION");
    let plain = ports.plain.as_ref().filter(|_| ports.secure.is_some());
    match plain.and_then(|plain| plain.local_addr().ok()) {
        None => tracing::info!("heureka {version} listening on {scheme}://{address}"),
        Some(plain) => {
            tracing::info!(
                "heureka {version} listening on {scheme}://{address} and http://{plain}"
            );
        }
    }
    let (mode, peers) = (mode_line(config.mode), peers_line(config, identity));
    let access = access_line(&config.security);
    tracing::info!("{mode}; {peers}; {access}");
    let base = format!(
        "{scheme}://localhost:{}{}",
        address.port(),
        config.http.context_path
    );
    let page = match config.page.enabled {
        true => format!("open {base}{}/ for the page; ", config.page.path),
        false => String::new(),
    };
    tracing::info!("{page}clients use {base}/eureka/");
}

/// Who may do what, in short.
fn access_line(security: &SecurityConfig) -> String {
    if !security.is_on() {
        return "open to everyone who reaches it".to_string();
    }
    let (users, tokens) = (security.users.len(), security.tokens.len());
    let certificates = security.certificates.len();
    let others = match security.anonymous_read {
        true => "everyone may read",
        false => "closed to everyone else",
    };
    format!("users: {users}, tokens: {tokens}, certificates: {certificates}, {others}")
}

/// What was set and where, in short, and advice. What is on the command line alone is in sight anyway.
pub(super) fn tell_settings(report: &Report) {
    let given = || report.given().filter_map(|setting| setting.from.as_deref());
    let of = |place: &str| given().filter(|from| from.starts_with(place)).count();
    let arguments = of("the argument");
    let environment = of("the environment variable");
    let files = given().count() - arguments - environment;
    if files + environment > 0 || !report.files.is_empty() {
        let files = match report.files.is_empty() {
            true => format!("{files} from elsewhere"),
            false => format!("{files} from {}", report.files.join(", ")),
        };
        tracing::info!(
            "settings: {files}, {environment} from the environment, {arguments} from the command line; \
             profiles: {}; heureka check-config shows them all",
            report.profiles.join(", ")
        );
    }
    for advice in &report.advice {
        tracing::info!("advice: {advice}");
    }
}

fn mode_line(mode: Mode) -> &'static str {
    match mode {
        Mode::Modern => "modern mode: reads show every acknowledged write, leases end on time",
        Mode::Classic => "classic mode: the Java server's cache, lease and eviction times",
    }
}

/// Who the other nodes are, as far as that is known without asking anybody.
fn peers_line(config: &Config, identity: &Identity) -> String {
    let Identity {
        host_name,
        ip_addr,
        port,
        ..
    } = identity;
    let me = Me::new(config, host_name, ip_addr, *port);
    let listed = peers::listed(&config.peers, &me).into_iter();
    let mut peers: Vec<_> = listed.map(|url| url.to_string()).collect();
    let names = config.peers.dns_hosts.iter();
    peers.extend(names.map(|url| format!("all addresses of {url}")));
    if let Some(lists) = &config.peers.dns_lists {
        peers.push(format!("what DNS lists under {}", lists.domain));
    }
    match peers.is_empty() {
        true => "one node".to_string(),
        false => format!("peers: {}", peers.join(", ")),
    }
}
