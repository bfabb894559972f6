//! `heureka health`: asks a running node, so that a container needs no other program for its health check.
//!
//! Exit codes: 0 where the node answers 200, 1 where it answers anything else or nothing. One line says what.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use heureka::config::Config;
use heureka::transport::innermost;
use reqwest::{Client, StatusCode, Url};
use thiserror::Error;

use super::print::print;
use super::reach::{Reach, shown};

/// What `heureka health` may be told.
#[derive(Args)]
pub(super) struct HealthArguments {
    #[command(flatten)]
    reach: Reach,
    /// Ask whether the process answers, not whether it serves lists
    #[arg(long)]
    live: bool,
    /// How long to wait for the answer, in seconds
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=600))]
    timeout: u64,
}

/// Asks, says what came, and makes an exit code of it.
pub(super) fn run(config: &Config, arguments: HealthArguments) -> ExitCode {
    let url = address(config, &arguments);
    let timeout = Duration::from_secs(arguments.timeout);
    let client = arguments.reach.client(config, timeout);
    let client = client.map_err(|error| Unwell::Unasked(error.to_string()));
    let (url, shown) = (&url, shown(&url));
    match client.and_then(|client| ask(&client, url)) {
        Ok(body) => {
            print(format_args!("{shown}: {body}\n"));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{shown}: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Why a node is not well.
#[derive(Debug, Error)]
enum Unwell {
    #[error("cannot be asked: {0}")]
    Unasked(String),
    #[error("nothing answers ({0})")]
    Silent(String),
    #[error("answered {0}: {1}")]
    Answered(StatusCode, String),
}

fn ask(client: &Client, url: &Url) -> Result<String, Unwell> {
    let silent = |error: &dyn std::error::Error| Unwell::Silent(innermost(error));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = runtime.map_err(|error| silent(&error))?;
    runtime.block_on(async {
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

/// Where to ask: a health path that is given, or that of the node.
fn address(config: &Config, arguments: &HealthArguments) -> Url {
    let path = match arguments.live {
        true => "/health/live",
        false => "/health/ready",
    };
    let context = &config.http.context_path;
    let mut url = arguments.reach.address(config);
    if ["", "/", context.as_str()].contains(&url.path()) {
        url.set_path(&format!("{context}{path}"));
    }
    url
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use heureka::config::Mode;
    use heureka::model::{KeySource, Pem, Secret, ServerTls};

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        arguments: HealthArguments,
    }

    fn node(address: &str, context: &str) -> Config {
        let mut config = Config::of(Mode::Modern);
        config.http.address = address.parse().unwrap();
        config.http.port = 8762;
        config.http.context_path = context.to_string();
        config
    }

    fn with_tls(mut config: Config) -> Config {
        let pem = || Pem::Text(Secret::new(String::new()));
        config.tls.server = Some(ServerTls {
            key: KeySource::Pem {
                chain: pem(),
                key: pem(),
            },
            trust: None,
            client_auth: Default::default(),
            versions: Vec::new(),
            ciphers: Vec::new(),
        });
        config
    }

    #[test]
    fn one_asks_the_node_of_the_settings_or_the_one_that_is_named() {
        let own = "http://127.0.0.1:8762";
        for (config, words, wanted) in [
            (node("0.0.0.0", ""), "", format!("{own}/health/ready")),
            (
                node("::", "/r"),
                "--live",
                "http://[::1]:8762/r/health/live".to_string(),
            ),
            (
                node("10.0.0.7", ""),
                "",
                "http://10.0.0.7:8762/health/ready".to_string(),
            ),
            (
                with_tls(node("0.0.0.0", "")),
                "",
                "https://127.0.0.1:8762/health/ready".to_string(),
            ),
            (
                node("0.0.0.0", ""),
                "--url https://node2:9",
                "https://node2:9/health/ready".to_string(),
            ),
            (
                node("0.0.0.0", ""),
                "--url http://n/x/health/live",
                "http://n/x/health/live".to_string(),
            ),
        ] {
            let line = ["heureka"].into_iter().chain(words.split_whitespace());
            let arguments = Line::parse_from(line).arguments;
            assert_eq!(address(&config, &arguments).as_str(), wanted);
        }
    }

    #[test]
    fn a_password_in_an_address_is_not_shown() {
        let url = Url::parse("http://ops:secret@node:8761/health/ready").unwrap();
        assert_eq!(shown(&url).as_str(), "http://node:8761/health/ready");
    }
}
