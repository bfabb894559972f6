//! How much is too much: a number, what it counts, and the key that sets it.
//!
//! Limits are chosen in `config` and held where the numbers are: what one record or body may have in it where
//! it is read, how many records there may be in the registry. Whoever exceeds one is told its key.

use super::Metadata;

/// A limit and the key that sets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The most that is allowed.
    pub max: usize,
    /// The key that sets it.
    pub key: &'static str,
}

impl Limit {
    /// A limit of `max` that `key` sets.
    pub const fn new(max: usize, key: &'static str) -> Self {
        Self { max, key }
    }

    /// No limit.
    pub const NONE: Self = Self::new(usize::MAX, "");

    /// The same limit, twice as high.
    pub fn doubled(self) -> Self {
        Self::new(self.max.saturating_mul(2), self.key)
    }

    /// Whether `what` of this many bytes may pass.
    pub fn allows_bytes(self, what: &'static str, bytes: usize) -> Result<(), TooMuch> {
        self.allows(bytes, what, "is longer than", "bytes")
    }

    /// Whether `what` with so many `things` in it may pass.
    pub fn allows_count(
        self,
        what: &'static str,
        count: usize,
        things: &'static str,
    ) -> Result<(), TooMuch> {
        self.allows(count, what, "has more than", things)
    }

    /// Whether `what` may be so many levels deep.
    pub fn allows_depth(self, what: &'static str, depth: usize) -> Result<(), TooMuch> {
        self.allows(depth, what, "nests deeper than", "levels")
    }

    fn allows(
        self,
        size: usize,
        what: &'static str,
        exceeds: &'static str,
        unit: &'static str,
    ) -> Result<(), TooMuch> {
        if size <= self.max {
            return Ok(());
        }
        Err(TooMuch {
            what,
            exceeds,
            limit: self,
            unit,
        })
    }
}

/// Something exceeds a limit: what, which, and the key that sets it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} {exceeds} {} {unit} ({})", .limit.max, .limit.key)]
pub struct TooMuch {
    what: &'static str,
    exceeds: &'static str,
    /// The limit.
    pub limit: Limit,
    unit: &'static str,
}

/// What one body, or one record in it, may have in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContentLimits {
    /// Levels of JSON or XML within each other.
    pub nesting: Limit,
    /// Members of one JSON object or array; elements and attributes of one XML body.
    pub members: Limit,
    /// Bytes of an application's name and of an instance's id.
    pub name: Limit,
    /// Bytes of any other single text.
    pub text: Limit,
    /// Of an instance, and of its data centre.
    pub metadata: MetadataLimits,
}

impl ContentLimits {
    /// No limits but one of depth, for bodies that one asked for oneself.
    pub const NONE: Self = Self {
        nesting: Limit::new(32, "no key"),
        members: Limit::NONE,
        name: Limit::NONE,
        text: Limit::NONE,
        metadata: MetadataLimits {
            bytes: Limit::NONE,
            keys: Limit::NONE,
        },
    };
}

/// How much metadata there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetadataLimits {
    /// Bytes of all keys and values.
    pub bytes: Limit,
    /// Pairs.
    pub keys: Limit,
}

impl MetadataLimits {
    /// Whether an instance may have this metadata.
    pub fn allow(self, metadata: &Metadata) -> Result<(), TooMuch> {
        let what = "metadata";
        self.keys.allows_count(what, metadata.len(), "keys")?;
        let bytes = metadata.iter().map(|(key, value)| key.len() + value.len());
        self.bytes.allows_bytes(what, bytes.sum())
    }
}

/// How much the registry holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegistryLimits {
    /// Applications.
    pub applications: Limit,
    /// Instances of one application.
    pub app_instances: Limit,
    /// Instances in all.
    pub instances: Limit,
    /// Of one instance; updates add to what is there.
    pub metadata: MetadataLimits,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_much_is_said_with_the_limit_and_its_key() {
        let limit = Limit::new(3, "some.key");
        assert_eq!(limit.allows_bytes("hostName", 3), Ok(()));
        for (refused, text) in [
            (
                limit.allows_bytes("hostName", 4),
                "hostName is longer than 3 bytes (some.key)",
            ),
            (
                limit.allows_count("metadata", 4, "keys"),
                "metadata has more than 3 keys (some.key)",
            ),
            (
                limit.doubled().allows_depth("the body", 7),
                "the body nests deeper than 6 levels (some.key)",
            ),
        ] {
            assert_eq!(refused.unwrap_err().to_string(), text);
        }
        assert_eq!(Limit::NONE.doubled().allows_bytes("x", usize::MAX), Ok(()));
    }

    #[test]
    fn metadata_are_measured_by_their_keys_and_all_their_bytes() {
        let limits = MetadataLimits {
            bytes: Limit::new(6, "bytes"),
            keys: Limit::new(2, "keys"),
        };
        for (pairs, key) in [
            (vec![("a", "12"), ("b", "12")], None),
            (vec![("a", "12"), ("b", "123")], Some("bytes")),
            (vec![("a", ""), ("b", ""), ("c", "")], Some("keys")),
        ] {
            let metadata: Metadata = pairs
                .iter()
                .map(|(k, v)| ((*k).into(), (*v).into()))
                .collect();
            let refused = limits.allow(&metadata).err();
            assert_eq!(refused.map(|refused| refused.limit.key), key, "{pairs:?}");
        }
    }
}
