//! `heureka health`: asks a running node, so that a container needs no other program for its health check.
//!
//! Exit codes: 0 where the node answers 200, 1 where it answers anything else or nothing. One line says what.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use heureka::config::{Config, HttpConfig};
use reqwest::{Client, StatusCode, Url, redirect};
use rustls::crypto::{CryptoProvider, ring};
use thiserror::Error;

/// What `heureka health` may be told.
#[derive(Args)]
pub(super) struct HealthArguments {
    /// The node, as http://host:port, or a health path of it [default: this machine and the port in the settings]
    #[arg(long)]
    url: Option<Url>,
    /// Ask whether the process answers, not whether it serves lists
    #[arg(long)]
    live: bool,
    /// How long to wait for the answer, in seconds
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=600))]
    timeout: u64,
}

/// Asks, says what came, and makes an exit code of it.
pub(super) fn run(config: &Config, arguments: HealthArguments) -> ExitCode {
    let url = address(&config.http, arguments.url, arguments.live);
    match ask(&url, Duration::from_secs(arguments.timeout)) {
        Ok(body) => {
            println!("{url}: {body}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{url}: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Why a node is not well.
#[derive(Debug, Error)]
enum Unwell {
    #[error("nothing answers ({0})")]
    Silent(String),
    #[error("answered {0}: {1}")]
    Answered(StatusCode, String),
}

fn ask(url: &Url, timeout: Duration) -> Result<String, Unwell> {
    let silent = |error: &dyn std::error::Error| Unwell::Silent(innermost(error));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = runtime.map_err(|error| silent(&error))?;
    runtime.block_on(async {
        let client = client(timeout).map_err(|error| silent(&error))?;
        let answer = client.get(url.clone()).send().await;
        let answer = answer.map_err(|error| silent(&error))?;
        let status = answer.status();
        let body = answer.text().await.map_err(|error| silent(&error))?;
        // A page of something else that listens there is of no use here.
        let body = body.lines().next().unwrap_or_default();
        let body: String = body.chars().take(200).collect();
        match status {
            StatusCode::OK => Ok(body),
            _ => Err(Unwell::Answered(status, body)),
        }
    })
}

pub(super) fn client(timeout: Duration) -> reqwest::Result<Client> {
    // The client wants one even where it is not used; another may be there already.
    if CryptoProvider::get_default().is_none() {
        _ = ring::default_provider().install_default();
    }
    Client::builder()
        .timeout(timeout)
        .no_proxy()
        .redirect(redirect::Policy::none())
        .build()
}

/// Where to ask. Without an address of its own the node is the one that these settings would start.
fn address(http: &HttpConfig, given: Option<Url>, live: bool) -> Url {
    let path = if live {
        "/health/live"
    } else {
        "/health/ready"
    };
    let mut url = given.unwrap_or_else(|| own(http));
    if matches!(url.path(), "" | "/") {
        url.set_path(&format!("{}{path}", http.context_path));
    }
    url
}

/// The node that these settings would start.
pub(super) fn own(http: &HttpConfig) -> Url {
    // An address that stands for all of the machine's is none that one can ask.
    let ip = match http.address {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    let text = format!("http://{}", SocketAddr::new(ip, http.port));
    Url::parse(&text).expect("an address and a port are a URL")
}

/// The reason at the bottom of an error; those above it repeat the URL.
pub(super) fn innermost(error: &dyn std::error::Error) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_asks_the_node_of_the_settings_or_the_one_that_is_named() {
        let node = |address: &str, context: &str| HttpConfig {
            address: address.parse().unwrap(),
            port: 8762,
            context_path: context.to_string(),
            ..HttpConfig::default()
        };
        let cases = [
            (
                node("0.0.0.0", ""),
                None,
                false,
                "http://127.0.0.1:8762/health/ready",
            ),
            (
                node("::", "/r"),
                None,
                true,
                "http://[::1]:8762/r/health/live",
            ),
            (
                node("10.0.0.7", ""),
                None,
                false,
                "http://10.0.0.7:8762/health/ready",
            ),
            (
                node("0.0.0.0", ""),
                Some("https://node2:9"),
                false,
                "https://node2:9/health/ready",
            ),
            (
                node("0.0.0.0", ""),
                Some("http://n/x/health/live"),
                false,
                "http://n/x/health/live",
            ),
        ];
        for (http, given, live, wanted) in cases {
            let given = given.map(|url| Url::parse(url).unwrap());
            assert_eq!(address(&http, given, live).as_str(), wanted);
        }
    }
}
