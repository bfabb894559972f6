//! Eureka's own limiter of reads (server.md §17).

use super::keys;
use super::read::Reader;

/// Knobs of the limiter; the keys of the Java server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchLimitConfig {
    /// Whether anything of it is set: if not, nothing is counted either.
    pub is_set: bool,
    /// Whether reads are refused; else they are counted only. Default false.
    pub refuses: bool,
    /// Reads that may come at once, of each of the two kinds; default 10. 0 is no limit.
    pub burst: u64,
    /// Lists per second; default 500. 0 is no limit.
    pub fetch_rate: u64,
    /// Full lists per second; default 100. 0 is no limit.
    pub full_rate: u64,
    /// Whether nobody is exempt; default false.
    pub throttle_standard: bool,
    /// Names of further clients that are exempt; default none.
    pub privileged: Vec<String>,
}

impl Default for FetchLimitConfig {
    fn default() -> Self {
        Self {
            is_set: false,
            refuses: false,
            burst: 10,
            fetch_rate: 500,
            full_rate: 100,
            throttle_standard: false,
            privileged: Vec::new(),
        }
    }
}

impl FetchLimitConfig {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let default = Self::default();
        let wanted = "a number of reads";
        let is_set = [
            keys::LIMIT_ENABLED,
            keys::LIMIT_BURST,
            keys::LIMIT_FETCH,
            keys::LIMIT_FULL,
        ]
        .into_iter()
        .any(|key| reader.is_set(key));
        Self {
            is_set,
            refuses: reader.flag(keys::LIMIT_ENABLED, default.refuses),
            burst: reader.number(keys::LIMIT_BURST, wanted, default.burst),
            fetch_rate: reader.number(keys::LIMIT_FETCH, wanted, default.fetch_rate),
            full_rate: reader.number(keys::LIMIT_FULL, wanted, default.full_rate),
            throttle_standard: reader.flag(keys::LIMIT_STANDARD, default.throttle_standard),
            privileged: reader.list(keys::LIMIT_PRIVILEGED),
        }
    }
}
