//! A running node, as the commands for operators ask it: its address, credentials, and what comes back.

use std::fmt;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use heureka::config::Config;
use heureka::transport::innermost;
use reqwest::{Method, RequestBuilder, StatusCode, Url};
use serde_json::Value;

use super::reach::Reach;

/// Which node, and who asks.
#[derive(Args)]
pub(super) struct Remote {
    #[command(flatten)]
    reach: Reach,
    /// Name and password; better given in the environment, since others see arguments
    #[arg(
        long,
        env = "HEUREKA_USER",
        hide_env_values = true,
        value_name = "NAME:PASSWORD"
    )]
    user: Option<String>,
    /// A token, in place of name and password
    #[arg(long, env = "HEUREKA_TOKEN", hide_env_values = true)]
    token: Option<String>,
    /// How long to wait for the answer, in seconds
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=600))]
    timeout: u64,
    /// Print the answer as JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// One request below `/api/v1`.
pub(super) struct Asked<'a> {
    pub(super) method: Method,
    /// Segments of the path, as they are.
    pub(super) path: Vec<&'a str>,
    pub(super) query: Vec<(&'a str, String)>,
    pub(super) body: Option<Value>,
}

/// Why there is no answer to show.
pub(super) enum Failed {
    /// There is no way to it.
    Unasked(String),
    /// Nobody answered.
    Silent(String),
    /// What answered is no node.
    Foreign(StatusCode),
    /// It refused.
    Refused(StatusCode, String),
}

impl Failed {
    /// 1 where nothing useful came, 3 where there is no such thing, 4 where one may not, 5 where the request was wrong.
    pub(super) fn code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::Refused(StatusCode::NOT_FOUND, _) => 3,
            Self::Refused(StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN, _) => 4,
            Self::Refused(status, _) if status.is_client_error() => 5,
            Self::Refused(..) | Self::Silent(_) | Self::Foreign(_) | Self::Unasked(_) => 1,
        })
    }
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unasked(why) => write!(f, "cannot ask: {why}"),
            Self::Foreign(status) => {
                write!(
                    f,
                    "answered {status}, and not as a node does: see the path of --url"
                )
            }
            Self::Silent(why) => write!(f, "nothing answers ({why})"),
            Self::Refused(status, said) => write!(f, "answered {status}: {said}"),
        }
    }
}

impl Remote {
    /// Asks, and waits for the answer.
    pub(super) fn ask(&self, config: &Config, asked: Asked<'_>) -> Result<Value, Failed> {
        let silent = |error: &dyn std::error::Error| Failed::Silent(innermost(error));
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        runtime.map_err(|error| silent(&error))?.block_on(async {
            let client = self.reach.client(config, Duration::from_secs(self.timeout));
            let client = client.map_err(|error| Failed::Unasked(error.to_string()))?;
            let url = self.address(config, &asked);
            let mut request = self.identified(client.request(asked.method, url));
            if let Some(body) = asked.body {
                let json = "application/json";
                request = request.header("Content-Type", json).body(body.to_string());
            }
            let answer = request.send().await.map_err(|error| silent(&error))?;
            let status = answer.status();
            let text = answer.text().await.map_err(|error| silent(&error))?;
            let document = serde_json::from_str::<Value>(&text);
            match (status, document) {
                (StatusCode::OK, Ok(document)) => Ok(document),
                (StatusCode::OK | StatusCode::NOT_FOUND, Err(_)) => Err(Failed::Foreign(status)),
                (status, document) => {
                    // A proxy, or a port that wants TLS, says something of its own.
                    let said = match &document {
                        Ok(document) => document["error"].as_str().unwrap_or_default(),
                        Err(_) => text.lines().next().unwrap_or_default(),
                    };
                    let said: String = said.chars().take(200).collect();
                    Err(Failed::Refused(status, heureka::wire::one_line(&said)))
                }
            }
        })
    }

    fn identified(&self, request: RequestBuilder) -> RequestBuilder {
        match (
            &self.token,
            self.user.as_deref().map(|user| user.split_once(':')),
        ) {
            (Some(token), _) => request.bearer_auth(token),
            (None, Some(Some((name, password)))) => request.basic_auth(name, Some(password)),
            (None, Some(None)) => {
                request.basic_auth(self.user.as_deref().unwrap_or_default(), None::<&str>)
            }
            (None, None) => request,
        }
    }

    fn address(&self, config: &Config, asked: &Asked<'_>) -> Url {
        let mut url = self.reach.address(config);
        // What clients are told leads to the same node.
        let path = url.path().trim_end_matches('/');
        let path = path.strip_suffix("/v2").unwrap_or(path);
        let path = path.strip_suffix("/eureka").unwrap_or(path).to_string();
        url.set_path(&path);
        url.set_query(None);
        if let Ok(mut segments) = url.path_segments_mut() {
            segments
                .pop_if_empty()
                .extend(["api", "v1"])
                .extend(&asked.path);
        }
        if !asked.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&asked.query);
        }
        url
    }
}

/// A name that can stand in a path.
pub(super) fn name(text: &str) -> Result<String, &'static str> {
    match text {
        "" | "." | ".." => Err("no name of an application or instance"),
        _ => Ok(text.to_string()),
    }
}
