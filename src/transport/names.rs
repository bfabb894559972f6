//! Addresses and texts of names, as the machine's own settings say to find them.
//!
//! Nothing is remembered between look-ups: who asks wants to see a node that came or went a moment ago, and a
//! change of the machine's settings shows at once. Who asks too often is slowed down by the network.

use std::io;
use std::net::IpAddr;

use hickory_resolver::TokioResolver;
use hickory_resolver::config::LookupIpStrategy;
use hickory_resolver::net::NetError;
use hickory_resolver::proto::rr::RData;

/// All addresses of a host, sorted; an address is its own.
pub(super) async fn addresses(host: &str) -> io::Result<Vec<IpAddr>> {
    if let Ok(address) = host.parse() {
        return Ok(vec![address]);
    }
    let found = resolver().map_err(|error| about(host, &error))?;
    let found = found.lookup_ip(host).await;
    let found = found.map_err(|error| about(host, &error))?;
    let mut addresses: Vec<_> = found.iter().collect();
    addresses.sort_unstable();
    addresses.dedup();
    Ok(addresses)
}

/// The TXT records of a name, each with its parts put together (RFC 1035 §3.3.14), sorted.
pub(super) async fn texts(name: &str) -> io::Result<Vec<String>> {
    let found = resolver().map_err(|error| about(name, &error))?;
    let found = found.txt_lookup(name).await;
    let found = found.map_err(|error| about(name, &error))?;
    let texts = found
        .answers()
        .iter()
        .filter_map(|record| match &record.data {
            RData::TXT(text) => Some(text.txt_data.concat()),
            _ => None,
        });
    let mut texts: Vec<_> = texts
        .map(|text| String::from_utf8_lossy(&text).into_owned())
        .collect();
    texts.sort_unstable();
    Ok(texts)
}

/// One resolver per look-up: it reads two short files.
fn resolver() -> Result<TokioResolver, NetError> {
    let mut builder = TokioResolver::builder_tokio()?;
    let options = builder.options_mut();
    options.ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
    options.cache_size = 0;
    builder.build()
}

/// The name is in the text, since whoever reads it did not ask.
fn about(name: &str, error: &NetError) -> io::Error {
    let kind = match error {
        NetError::Timeout => io::ErrorKind::TimedOut,
        _ if error.is_no_records_found() => io::ErrorKind::NotFound,
        _ => io::ErrorKind::Other,
    };
    io::Error::new(kind, format!("{name}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_address_is_its_own_and_a_name_of_the_hosts_file_needs_no_server() {
        for address in ["10.0.0.7", "fd00::7"] {
            let found = addresses(address).await.unwrap();
            assert_eq!(found, [address.parse::<IpAddr>().unwrap()]);
        }
        let found = addresses("localhost").await.unwrap();
        assert!(
            found.iter().all(IpAddr::is_loopback) && found.is_sorted(),
            "{found:?}"
        );
    }

    #[tokio::test]
    async fn an_error_says_which_name() {
        // No server is asked about a name that cannot be one.
        let name = format!("{}.example", "x".repeat(70));
        for error in [
            addresses(&name).await.unwrap_err(),
            texts(&name).await.unwrap_err(),
        ] {
            assert!(error.to_string().starts_with(&name), "{error}");
        }
    }
}
