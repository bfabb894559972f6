//! What may be asked for.

use clap::Args;

use super::server::Server;

/// What `heureka bench` may be told.
#[derive(Args, Clone, Debug)]
pub(in crate::command) struct BenchArguments {
    /// A node as its clients know it; several times for several, which clients share out among themselves
    #[arg(long = "url", default_value = "http://127.0.0.1:8761/eureka/")]
    pub(super) servers: Vec<Server>,
    /// How many clients there are, each with one instance
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(super) instances: u32,
    /// Among how many applications they are shared out
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) applications: u32,
    /// How many connections they share; as many as instances is as real clients have it
    #[arg(long, default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) connections: u32,
    /// How many addresses of this machine the connections come from, from 127.0.0.1 on; each is good for 28 000
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=250))]
    pub(super) addresses: u8,
    /// Seconds between two heartbeats of a client; its lease is three times as long
    #[arg(long, default_value_t = 30.0, value_parser = positive)]
    pub(super) beat: f64,
    /// Seconds between two reads of a client, the first of everything, the others of what changed; 0 for none
    #[arg(long, default_value_t = 30.0, value_parser = not_negative)]
    pub(super) read: f64,
    /// How many clients a minute leave and are replaced by new ones
    #[arg(long, default_value_t = 0.0, value_parser = not_negative)]
    pub(super) churn: f64,
    /// How long to measure once all are registered, in seconds
    #[arg(long, default_value_t = 60.0, value_parser = positive)]
    pub(super) seconds: f64,
    /// Leave the instances registered at the end
    #[arg(long)]
    pub(super) keep: bool,
}

fn not_negative(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(number) if (0.0..=1e9).contains(&number) => Ok(number),
        _ => Err("wanted a number from 0 on".to_string()),
    }
}

fn positive(text: &str) -> Result<f64, String> {
    match not_negative(text) {
        Ok(number) if number > 0.0 => Ok(number),
        _ => Err("wanted a number above 0".to_string()),
    }
}
