//! How log lines look, and how a failing part shows up among them.

use std::io::IsTerminal;

use clap::ValueEnum;
use heureka::config::LogConfig;
use heureka::registry::current_work;
use tracing_subscriber::EnvFilter;

/// `--log`.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum LogFormat {
    Text,
    Json,
}

/// Lines go to standard output from here on.
pub(super) fn start(format: Option<LogFormat>, config: &LogConfig) {
    let levels = match std::env::var(EnvFilter::DEFAULT_ENV) {
        Ok(levels) if !levels.is_empty() => levels,
        _ => config.levels.join(","),
    };
    let format = format.unwrap_or(match config.json {
        true => LogFormat::Json,
        false => LogFormat::Text,
    });
    let filter = EnvFilter::builder()
        .with_default_directive(tracing::level_filters::LevelFilter::INFO.into())
        .parse_lossy(levels)
        // What actix-server says at start and stop, this node says itself.
        .add_directive("actix_server=warn".parse().unwrap_or_default());
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_target(false)
        .with_ansi(std::io::stdout().is_terminal());
    match format {
        LogFormat::Text => log.init(),
        LogFormat::Json => log.json().flatten_event(true).init(),
    }
    std::panic::set_hook(Box::new(|panic| {
        let work = current_work().unwrap_or_else(|| "nothing".to_string());
        tracing::error!(%panic, registry_was_at = %work, "a part of the node failed");
    }));
}
