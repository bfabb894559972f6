//! TLS on real ports: certificates of nodes and of clients, and what they may do.

use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::rc::Rc;

use heureka::config::{Certificate, Config, Mode};
use heureka::model::{
    ClientAuth, ClientTls, Grant, KeySource, Pem, Role, Secret, ServerTls, TlsVersion, TrustSource,
};
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use reqwest::{Client, Identity, StatusCode, tls::Version};
use tokio::task::yield_now;
use tokio::time::Instant;

use crate::running::{Connection, Running};
use crate::{LONGEST, process, registration};

/// An authority that certifies whoever asks.
struct Authority {
    pem: String,
    issuer: Issuer<'static, KeyPair>,
}

/// A certificate and its key, in PEM.
#[derive(Clone)]
struct Certified {
    chain: String,
    key: String,
}

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let pem = params.self_signed(&key).unwrap().pem();
        let issuer = Issuer::new(params, key);
        Self { pem, issuer }
    }

    /// For a node or a client of this machine.
    fn certify(&self, name: &str) -> Certified {
        let hosts = ["127.0.0.1".to_string(), "localhost".to_string()];
        let mut params = CertificateParams::new(hosts).unwrap();
        params.distinguished_name.push(DnType::CommonName, name);
        let key = KeyPair::generate().unwrap();
        Certified {
            chain: params.signed_by(&key, &self.issuer).unwrap().pem(),
            key: key.serialize_pem(),
        }
    }

    fn trust(&self) -> TrustSource {
        TrustSource::Pem(text(&self.pem))
    }

    /// A client that trusts this authority and shows a certificate, if it has one.
    fn client(&self, own: Option<&Certified>) -> reqwest::ClientBuilder {
        _ = rustls::crypto::ring::default_provider().install_default();
        let root = reqwest::Certificate::from_pem(self.pem.as_bytes()).unwrap();
        let builder = Client::builder()
            .no_proxy()
            .tls_certs_only([root])
            .timeout(LONGEST);
        match own {
            None => builder,
            Some(own) => {
                let pem = format!("{}{}", own.key, own.chain);
                builder.identity(Identity::from_pem(pem.as_bytes()).unwrap())
            }
        }
    }
}

fn text(pem: &str) -> Pem {
    Pem::Text(Secret::new(pem))
}

fn shows(own: &Certified) -> KeySource {
    KeySource::Pem {
        chain: text(&own.chain),
        key: text(&own.key),
    }
}

/// A node that serves with TLS, and shows the same to other nodes.
fn secure(authority: &Authority, client_auth: ClientAuth) -> Config {
    let own = authority.certify("node");
    let mut config = Config::of(Mode::Modern);
    config.tls.server = Some(ServerTls {
        key: shows(&own),
        trust: Some(authority.trust()),
        client_auth,
        versions: vec![TlsVersion::V1_2, TlsVersion::V1_3],
        ciphers: Vec::new(),
    });
    config.tls.client = ClientTls {
        key: Some(shows(&own)),
        trust: Some(authority.trust()),
    };
    config
}

fn certificate(subject: &str, role: Role, applications: &[&str]) -> Certificate {
    Certificate {
        name: subject.to_string(),
        subject: subject.to_string(),
        grant: Grant {
            role,
            applications: applications.iter().map(ToString::to_string).collect(),
        },
    }
}

fn url(address: SocketAddr, path: &str) -> String {
    format!("https://{address}{path}")
}

#[tokio::test]
async fn both_versions_of_tls_and_both_of_http_are_spoken_beside_a_port_without() {
    let authority = Authority::new();
    let mut config = secure(&authority, ClientAuth::None);
    config.tls.plain_port = Some(0);
    let node = Running::start(config);
    for version in [Version::TLS_1_2, Version::TLS_1_3] {
        for http in [reqwest::Version::HTTP_11, reqwest::Version::HTTP_2] {
            let builder = authority
                .client(None)
                .tls_version_min(version)
                .tls_version_max(version);
            let client = match http {
                reqwest::Version::HTTP_11 => builder.http1_only(),
                _ => builder.http2_prior_knowledge(),
            };
            let request = client
                .build()
                .unwrap()
                .get(url(node.address, "/eureka/apps"));
            let answer = request.send().await.unwrap();
            assert_eq!((answer.status(), answer.version()), (StatusCode::OK, http));
        }
    }
    let mut plain = Connection::open(node.plain.unwrap()).await;
    assert_eq!(plain.ask("GET", "/eureka/apps", "", "").await.status, 200);
}

#[tokio::test]
async fn whoever_speaks_without_tls_is_told_so() {
    let node = Running::start(secure(&Authority::new(), ClientAuth::None));
    let mut connection = Connection::open(node.address).await;
    let answer = connection.ask("GET", "/eureka/apps", "", "").await;
    assert_eq!(answer.status, 400);
    assert_eq!(
        answer.text(),
        "this port speaks https only (server.ssl.enabled)"
    );
    assert!(connection.is_closed().await);
}

/// The settings of such a node, as a command is told them.
fn settings<'a>(
    port: &'a str,
    own: &'a Certified,
    authority: &'a Authority,
) -> [(&'a str, &'a str); 6] {
    [
        ("SERVER_ADDRESS", "127.0.0.1"),
        ("SERVER_PORT", port),
        ("SERVER_SSL_CERTIFICATE", &own.chain),
        ("SERVER_SSL_CERTIFICATEPRIVATEKEY", &own.key),
        ("SERVER_SSL_TRUSTCERTIFICATE", &authority.pem),
        ("SERVER_SSL_CLIENTAUTH", "need"),
    ]
}

#[tokio::test]
async fn commands_know_their_own_node_by_its_certificate_and_others_by_their_authority() {
    let authority = Authority::new();
    let own = authority.certify("node");
    let mut config = secure(&authority, ClientAuth::Need);
    config.tls.server.as_mut().unwrap().key = shows(&own);
    let node = Running::start(config);
    let port = node.address.port().to_string();
    for command in [["health", "--live"], ["apps", "--json"]] {
        let ran = process::ran_in(Path::new("."), &command, &settings(&port, &own, &authority));
        assert_eq!(ran.code, Some(0), "{ran:?}");
        // The authority is the same, but this is another node.
        let other = authority.certify("node");
        let settings = settings(&port, &other, &authority);
        let ran = process::ran_in(Path::new("."), &command, &settings);
        assert_eq!(ran.code, Some(1), "{ran:?}");
    }

    let node = Running::start(secure(&authority, ClientAuth::None));
    let url = url(node.address, "");
    let name = format!("heureka-{}-ca.pem", node.address.port());
    let file = std::env::temp_dir().join(name);
    std::fs::write(&file, &authority.pem).unwrap();
    let health = ["health", "--url", &url];
    assert_eq!(process::ran(&health).code, Some(1));
    let ca = file.display().to_string();
    let ran = process::ran(&[&health[..], &["--ca", &ca]].concat());
    std::fs::remove_file(&file).unwrap();
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.starts_with(&url), "{ran:?}");
}

#[tokio::test]
async fn a_certificate_is_asked_for_or_needed_and_must_be_trusted() {
    let (ours, theirs) = (Authority::new(), Authority::new());
    let (known, foreign) = (ours.certify("client"), theirs.certify("client"));
    for (client_auth, without, with_foreign) in [
        (ClientAuth::None, true, true),
        (ClientAuth::Want, true, false),
        (ClientAuth::Need, false, false),
    ] {
        let node = Running::start(secure(&ours, client_auth));
        for (own, is_let_in) in [
            (None, without),
            (Some(&known), true),
            (Some(&foreign), with_foreign),
        ] {
            let client = ours.client(own).build().unwrap();
            let answer = client.get(url(node.address, "/eureka/apps")).send().await;
            assert_eq!(answer.is_ok(), is_let_in, "{client_auth:?}");
        }
    }
}

/// The column of the matrix in `tests/contract/access.rs` that needs a socket.
#[tokio::test]
async fn a_certificate_may_do_what_it_is_bound_to() {
    let authority = Authority::new();
    let mut config = secure(&authority, ClientAuth::Want);
    config.security.certificates = vec![
        certificate("reader", Role::Read, &[]),
        certificate("orders", Role::Register, &["ORDERS"]),
        certificate("node", Role::Peer, &[]),
    ];
    let node = Running::start(config);
    let names = ["reader", "orders", "node", "stranger"];
    let certificates = names.map(|name| authority.certify(name));
    let shown = std::iter::once(None).chain(certificates.iter().map(Some));
    let clients: Vec<_> = shown
        .map(|own| authority.client(own).build().unwrap())
        .collect();
    //                              nobody, reader, orders, node, stranger
    for (method, path, expected) in [
        ("GET", "/eureka/apps", "401 200 200 200 401"),
        ("GET", "/", "401 200 200 200 401"),
        ("GET", "/metrics", "401 200 200 200 401"),
        ("GET", "/health/live", "200 200 200 200 200"),
        ("POST", "/eureka/apps/ORDERS", "401 403 204 204 401"),
        ("POST", "/eureka/apps/STOCK", "401 403 403 204 401"),
        ("PUT", "/eureka/apps/ORDERS/i", "401 403 200 200 401"),
        ("PUT", "/eureka/apps/STOCK/i", "401 403 403 200 401"),
        (
            "POST",
            "/eureka/peerreplication/batch/",
            "401 403 403 200 401",
        ),
    ] {
        let mut found = Vec::new();
        for client in &clients {
            let body = match path.rsplit_once("/apps/") {
                Some((_, app)) if method == "POST" => registration(app),
                _ if method == "POST" => r#"{"replicationList":[]}"#.to_string(),
                _ => String::new(),
            };
            let request = client.request(method.parse().unwrap(), url(node.address, path));
            let request = request
                .header("Content-Type", "application/json")
                .body(body);
            let answer = request.send().await.unwrap();
            found.push(answer.status().as_str().to_string());
        }
        assert_eq!(found.join(" "), expected, "{method} {path}");
    }
}

fn free_addresses() -> [SocketAddr; 3] {
    let listeners = [(); 3].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    listeners.map(|listener| listener.local_addr().unwrap())
}

#[tokio::test]
async fn three_nodes_know_each_other_by_their_certificates() {
    let authority = Authority::new();
    let addresses = free_addresses();
    let urls = addresses.map(|address| url(address, "/eureka/").parse().unwrap());
    let mut nodes = Vec::new();
    for address in addresses {
        let mut config = secure(&authority, ClientAuth::Need);
        config.security.certificates = vec![
            certificate("node", Role::Peer, &[]),
            certificate("orders", Role::Register, &["ORDERS"]),
        ];
        let zone = config.peers.zones[0].clone();
        config.peers.service_urls.insert(zone, urls.to_vec());
        config.peers.register = Some(false);
        config.peers.wait_when_empty = std::time::Duration::ZERO;
        nodes.push(Running::start_at(config, address).await);
    }
    let client = Rc::new(
        authority
            .client(Some(&authority.certify("orders")))
            .build()
            .unwrap(),
    );
    let began = Instant::now();
    let at = |node: usize, path: &str| url(addresses[node], path);
    let request = client.post(at(0, "/eureka/apps/ORDERS"));
    let request = request
        .header("Content-Type", "application/json")
        .body(registration("ORDERS"));
    assert_eq!(
        request.send().await.unwrap().status(),
        StatusCode::NO_CONTENT
    );
    for node in [1, 2] {
        loop {
            let shown = client
                .get(at(node, "/eureka/apps/ORDERS/i"))
                .send()
                .await
                .unwrap();
            if shown.status() == StatusCode::OK {
                break;
            }
            assert!(began.elapsed() < LONGEST, "node {node}: {}", shown.status());
            yield_now().await;
        }
    }
    let there = client
        .delete(at(2, "/eureka/apps/ORDERS/i"))
        .send()
        .await
        .unwrap();
    assert_eq!(there.status(), StatusCode::OK);
    while client
        .get(at(0, "/eureka/apps/ORDERS/i"))
        .send()
        .await
        .unwrap()
        .status()
        == StatusCode::OK
    {
        assert!(began.elapsed() < LONGEST);
        yield_now().await;
    }
    drop(nodes);
}
