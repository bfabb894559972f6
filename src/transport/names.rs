//! Addresses and texts of names, as the machine's own settings say to find them.
//!
//! Nothing is remembered between look-ups: who asks wants to see a node that came or went a moment ago, and a
//! change of the machine's settings shows at once. Who asks too often is slowed down by the network.

use std::io;
use std::net::{IpAddr, Ipv4Addr, UdpSocket};

use hickory_resolver::config::LookupIpStrategy;
use hickory_resolver::net::NetError;
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::proto::rr::RData;
#[cfg(feature = "client")]
use hickory_resolver::proto::rr::rdata::SRV;
use hickory_resolver::{ResolverBuilder, TokioResolver};

/// All addresses of a host, sorted; an address is its own.
pub(crate) async fn addresses(host: &str) -> io::Result<Vec<IpAddr>> {
    if let Ok(address) = host.parse() {
        return Ok(vec![address]);
    }
    let found = async { addresses_from(&resolver()?, host).await };
    found.await.map_err(|error| about(host, &error))
}

async fn addresses_from(resolver: &TokioResolver, host: &str) -> Result<Vec<IpAddr>, NetError> {
    let found = resolver.lookup_ip(host).await?;
    let mut addresses: Vec<_> = found.iter().collect();
    addresses.sort_unstable();
    addresses.dedup();
    Ok(addresses)
}

/// The TXT records of a name, each with its parts put together (RFC 1035 §3.3.14), sorted.
pub(crate) async fn texts(name: &str) -> io::Result<Vec<String>> {
    let found = async { texts_from(&resolver()?, name).await };
    found.await.map_err(|error| about(name, &error))
}

async fn texts_from(resolver: &TokioResolver, name: &str) -> Result<Vec<String>, NetError> {
    let found = resolver.txt_lookup(name).await?;
    let texts = found.answers().iter();
    let texts = texts.filter_map(|record| match &record.data {
        RData::TXT(text) => Some(text.txt_data.concat()),
        _ => None,
    });
    let texts = texts.map(|text| String::from_utf8_lossy(&text).into_owned());
    let mut texts: Vec<_> = texts.collect();
    texts.sort_unstable();
    Ok(texts)
}

/// The SRV records of a name: priority, host and port, by priority and then by weight, the heavier first (RFC 2782).
#[cfg(feature = "client")]
pub(crate) async fn services(name: &str) -> io::Result<Vec<(u16, String, u16)>> {
    let found = async { services_from(&resolver()?, name).await };
    found.await.map_err(|error| about(name, &error))
}

#[cfg(feature = "client")]
async fn services_from(
    resolver: &TokioResolver,
    name: &str,
) -> Result<Vec<(u16, String, u16)>, NetError> {
    let found = resolver.srv_lookup(name).await?;
    let records = found.answers().iter();
    let mut services: Vec<_> = records
        .filter_map(|record| match &record.data {
            RData::SRV(service) => Some(service),
            _ => None,
        })
        .collect();
    services.sort_by_key(|service| (service.priority, std::cmp::Reverse(service.weight)));
    let place = |service: &SRV| {
        let host = service.target.to_ascii();
        let host = host.trim_end_matches('.').to_string();
        (service.priority, host, service.port)
    };
    Ok(services.into_iter().map(place).collect())
}

/// One resolver per look-up: it reads two short files.
fn resolver() -> Result<TokioResolver, NetError> {
    resolver_of(TokioResolver::builder_tokio()?)
}

fn resolver_of(
    mut builder: ResolverBuilder<TokioRuntimeProvider>,
) -> Result<TokioResolver, NetError> {
    let options = builder.options_mut();
    options.ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
    options.cache_size = 0;
    builder.build()
}

/// The address of the interface that the default route uses; no packet is sent to find out.
pub(crate) fn own_address() -> IpAddr {
    let asked = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).and_then(|socket| {
        socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9))?;
        socket.local_addr()
    });
    asked.map_or(Ipv4Addr::LOCALHOST.into(), |address| address.ip())
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
    use std::net::SocketAddr;

    use hickory_resolver::config::{ConnectionConfig, NameServerConfig, ResolverConfig};
    use hickory_resolver::proto::op::{Message, ResponseCode};
    use hickory_resolver::proto::rr::rdata::{A, AAAA, SRV, TXT};
    use hickory_resolver::proto::rr::{Record, RecordType};
    use tokio::net::UdpSocket;

    use super::*;

    /// A server that knows `nodes.example`, and answers only so many questions about it.
    async fn server(knows: usize) -> SocketAddr {
        let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let address = socket.local_addr().unwrap();
        tokio::spawn(async move {
            let (mut question, mut left) = ([0; 512], knows);
            loop {
                let (length, from) = socket.recv_from(&mut question).await.unwrap();
                let mut message = Message::from_vec(&question[..length]).unwrap();
                let asked = message.queries[0].clone();
                message = message.into_response();
                let name = asked.name().clone();
                let known = name.to_ascii() == "nodes.example." && left > 0;
                left = left.saturating_sub(1);
                let data = match asked.query_type() {
                    RecordType::A if known => vec![
                        RData::A(A::new(10, 0, 0, 9)),
                        RData::A(A::new(10, 0, 0, 7)),
                        RData::A(A::new(10, 0, 0, 9)),
                    ],
                    RecordType::AAAA if known => {
                        vec![RData::AAAA(AAAA::new(0xfd00, 0, 0, 0, 0, 0, 0, 7))]
                    }
                    RecordType::SRV if known => srv_records(),
                    RecordType::TXT if known => [vec!["z2.a z3.", "a"], vec!["z1.a"]]
                        .map(|parts| parts.into_iter().map(String::from).collect())
                        .map(|parts| RData::TXT(TXT::new(parts)))
                        .into(),
                    _ => {
                        message.metadata.response_code = ResponseCode::NXDomain;
                        Vec::new()
                    }
                };
                for data in data {
                    message.add_answer(Record::from_rdata(name.clone(), 300, data));
                }
                let answer = message.to_vec().unwrap();
                socket.send_to(&answer, from).await.unwrap();
            }
        });
        address
    }

    fn srv_records() -> Vec<RData> {
        let record = |(priority, weight, host)| {
            let host = format!("{host}.example.").parse().unwrap();
            RData::SRV(SRV::new(priority, weight, 8761, host))
        };
        [(2, 9, "c"), (1, 1, "b"), (1, 5, "a")].map(record).into()
    }

    fn asking(server: SocketAddr) -> TokioResolver {
        let mut udp = ConnectionConfig::udp();
        udp.port = server.port();
        let mut names = NameServerConfig::udp(server.ip());
        names.connections = vec![udp];
        let mut config = ResolverConfig::default();
        config.name_servers.push(names);
        let provider = TokioRuntimeProvider::default();
        resolver_of(TokioResolver::builder_with_config(config, provider)).unwrap()
    }

    #[tokio::test]
    async fn all_addresses_and_whole_texts_come_in_a_stable_order() {
        let resolver = asking(server(usize::MAX).await);
        let addresses = addresses_from(&resolver, "nodes.example").await.unwrap();
        let addresses: Vec<_> = addresses.iter().map(ToString::to_string).collect();
        assert_eq!(addresses, ["10.0.0.7", "10.0.0.9", "fd00::7"]);
        let texts = texts_from(&resolver, "nodes.example").await.unwrap();
        assert_eq!(texts, ["z1.a", "z2.a z3.a"]);
        #[cfg(feature = "client")]
        {
            let services = services_from(&resolver, "nodes.example").await.unwrap();
            let expected = [
                (1, "a.example", 8761),
                (1, "b.example", 8761),
                (2, "c.example", 8761),
            ];
            assert_eq!(
                services,
                expected.map(|(priority, host, port)| (priority, host.into(), port))
            );
        }
    }

    #[tokio::test]
    async fn what_is_gone_is_not_remembered_though_it_said_to_be_good_for_long() {
        // One question for each family.
        let resolver = asking(server(2).await);
        assert!(addresses_from(&resolver, "nodes.example").await.is_ok());
        let gone = addresses_from(&resolver, "nodes.example")
            .await
            .unwrap_err();
        assert_eq!(
            about("nodes.example", &gone).kind(),
            io::ErrorKind::NotFound
        );
    }

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
