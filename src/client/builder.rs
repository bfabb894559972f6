//! Every setting of a client. What is made of them is in `start.rs`.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::backend::Backend;
use super::balance::{BalanceOptions, Policy};
use super::discovery::{DiscoveryOptions, Filter};
use super::handle::EurekaClient;
use super::http::HttpOptions;
use super::instance::Instance;
use super::registration::{HealthCheck, RegistrarOptions};
use super::servers::{Credentials, Place, Sources, SrvName, Tokens, TxtTree};
use crate::clock::Clock;

/// Where a server's zone is not given.
const DEFAULT_ZONE: &str = "defaultZone";

/// What stands around a host's name in the service URLs of servers that are looked up.
#[derive(Clone, Debug)]
pub struct ServerPlace(Place);

impl ServerPlace {
    /// `http://host:port/path/`.
    pub fn http(port: u16, path: impl Into<String>) -> Self {
        Self::new("http", port, path.into())
    }

    /// `https://host:port/path/`.
    pub fn https(port: u16, path: impl Into<String>) -> Self {
        Self::new("https", port, path.into())
    }

    fn new(scheme: &str, port: u16, path: String) -> Self {
        Self(Place {
            scheme: scheme.to_string(),
            port,
            path,
        })
    }
}

/// Puts a client together; [`EurekaClient::builder`] makes one.
#[must_use = "nothing happens before `start`"]
pub struct Builder {
    pub(super) servers: Vec<(String, String)>,
    pub(super) sources: Sources,
    pub(super) look_up_every: Duration,
    pub(super) is_enabled: bool,
    pub(super) registers: bool,
    pub(super) instance: Option<Instance>,
    pub(super) health: Option<Arc<dyn HealthCheck>>,
    pub(super) credentials: Credentials,
    pub(super) follow_redirects: bool,
    pub(super) http: HttpOptions,
    pub(super) request_timeout: Duration,
    pub(super) session_life: Duration,
    pub(super) registrar: RegistrarOptions,
    pub(super) fetches: bool,
    pub(super) discovery: DiscoveryOptions,
    pub(super) balance: BalanceOptions,
    pub(super) prefer_near: bool,
    pub(super) shutdown_timeout: Duration,
    pub(super) wait_registered: Option<Duration>,
    pub(super) wait_fetched: Option<Duration>,
    pub(super) backend: Option<Arc<dyn Backend>>,
    pub(super) clock: Option<Clock>,
    pub(super) seed: Option<u64>,
}

impl EurekaClient {
    /// A client with the defaults of Spring, of no server yet.
    pub fn builder() -> Builder {
        Builder {
            servers: Vec::new(),
            sources: Sources {
                prefer_own: true,
                ..Sources::default()
            },
            look_up_every: Duration::from_secs(300),
            is_enabled: true,
            registers: true,
            instance: None,
            health: None,
            credentials: Credentials::default(),
            follow_redirects: true,
            http: HttpOptions {
                connect_timeout: Duration::from_secs(5),
                ..HttpOptions::default()
            },
            request_timeout: Duration::from_secs(8),
            session_life: Duration::from_secs(20 * 60),
            registrar: RegistrarOptions {
                replication_interval: Duration::from_secs(30),
                push_at_once: true,
                unregister: true,
            },
            fetches: true,
            discovery: DiscoveryOptions::default(),
            balance: BalanceOptions::default(),
            prefer_near: true,
            shutdown_timeout: Duration::from_secs(10),
            wait_registered: None,
            wait_fetched: None,
            backend: None,
            clock: None,
            seed: None,
        }
    }
}

impl Builder {
    /// A server's service URL, or several with commas between them: `http://user:password@host:8761/eureka/`. User and
    /// password may be percent-encoded, the slash at the end may be left out.
    pub fn server(self, url: impl AsRef<str>) -> Self {
        self.server_in_zone(DEFAULT_ZONE, url)
    }

    /// The same for servers in a zone.
    pub fn server_in_zone(mut self, zone: impl Into<String>, url: impl AsRef<str>) -> Self {
        self.servers.push((zone.into(), url.as_ref().to_string()));
        self
    }

    /// The zone of this program: its servers are asked first. Without it the first zone given counts as the own.
    pub fn zone(mut self, zone: impl Into<String>) -> Self {
        self.sources.own_zone = Some(zone.into());
        self
    }

    /// Whether servers of the own zone are asked first (the default) or last.
    pub fn prefer_own_zone(mut self, prefer: bool) -> Self {
        self.sources.prefer_own = prefer;
        self
    }

    /// Finds servers by a tree of TXT records, as Netflix does: `txt.{region}.{domain}` lists zones, and
    /// `txt.{zone}` for each of these the hosts. `place` is what stands around a host in a service URL.
    pub fn servers_by_txt(
        mut self,
        region: impl Into<String>,
        domain: impl Into<String>,
        place: ServerPlace,
    ) -> Self {
        self.sources.tree = Some(TxtTree {
            region: region.into(),
            domain: domain.into(),
            place: place.0,
        });
        self
    }

    /// Finds servers by SRV records, `_eureka._tcp.example.org`. Their ports take the place of that of `place`.
    pub fn servers_by_srv(mut self, name: impl Into<String>, place: ServerPlace) -> Self {
        self.sources.services.push(SrvName {
            name: name.into(),
            zone: DEFAULT_ZONE.to_string(),
            place: place.0,
        });
        self
    }

    /// Takes each address of a server's host name for a server, as headless services have them. Servers over TLS stay
    /// as they are: certificates are for names.
    pub fn each_address_is_a_server(mut self) -> Self {
        self.sources.by_address = true;
        self
    }

    /// How often names of servers are looked up; 5 min by default.
    pub fn look_up_servers_every(mut self, interval: Duration) -> Self {
        self.look_up_every = interval;
        self
    }

    /// Registers this instance, unless settings say that nothing is to be registered. Without one the client only reads.
    pub fn register(mut self, instance: Instance) -> Self {
        self.instance = Some(instance);
        self
    }

    /// Asks how the instance is, once per replication interval; the answer becomes its status. The instance is
    /// STARTING until the first answer, unless [`Instance::status`] says otherwise.
    pub fn health_check(mut self, check: impl HealthCheck) -> Self {
        self.health = Some(Arc::new(check));
        self
    }

    /// User and password for servers whose URLs have none.
    pub fn basic_auth(mut self, user: impl Into<String>, password: impl Into<String>) -> Self {
        self.credentials = Credentials::Basic(user.into(), password.into());
        self
    }

    /// Bearer tokens for all servers. When one is refused, a fresh one is asked for, once per request.
    pub fn bearer_tokens(mut self, tokens: impl Tokens) -> Self {
        self.credentials = Credentials::Bearer(Arc::new(tokens));
        self
    }

    /// Trusts these certificates, too; PEM.
    pub fn root_certificates(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.http.roots.push(pem.into());
        self
    }

    /// Shows this certificate to servers; PEM with the certificate and its key.
    pub fn client_certificate(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.http.identity = Some(pem.into());
        self
    }

    /// Asks servers through this proxy, `http://user:password@host:port`; by default none is used, whatever the
    /// environment says.
    pub fn proxy(mut self, url: impl Into<String>) -> Self {
        self.http.proxy = Some(url.into());
        self
    }

    /// Whether to go where a server sends one by 301, 302, 307 or 308 (the default).
    pub fn follow_redirects(mut self, follow: bool) -> Self {
        self.follow_redirects = follow;
        self
    }

    /// How long a connection may take to come about; 5 s by default.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.http.connect_timeout = timeout;
        self
    }

    /// How long one server may take for a short answer; 8 s by default. All servers together have less than half a
    /// lease, which is shared out among them.
    pub fn request_timeout(mut self, timeout: Duration) -> Self {
        self.request_timeout = timeout;
        self
    }

    /// How long to stay with a server that answers, on average; 20 min by default. Half of it is chance.
    pub fn session_life(mut self, life: Duration) -> Self {
        self.session_life = life;
        self
    }

    /// How often changes of the own record are pushed at most, after the first two; also how often the health check is
    /// asked. 30 s by default.
    pub fn replication_interval(mut self, interval: Duration) -> Self {
        self.registrar.replication_interval = interval;
        self
    }

    /// Whether a change is pushed at once (the default) or when the replication interval is over.
    pub fn push_at_once(mut self, at_once: bool) -> Self {
        self.registrar.push_at_once = at_once;
        self
    }

    /// Whether the registration is taken back at the end (the default), or left to run out.
    pub fn unregister_on_shutdown(mut self, unregister: bool) -> Self {
        self.registrar.unregister = unregister;
        self
    }

    /// Whether to follow the registry (the default), or only to register.
    pub fn fetch_registry(mut self, fetch: bool) -> Self {
        self.fetches = fetch;
        self
    }

    /// How often the registry is read; 30 s by default.
    pub fn fetch_interval(mut self, interval: Duration) -> Self {
        self.discovery.interval = interval;
        self
    }

    /// Whether only changes are asked for after the first list (the default).
    pub fn deltas(mut self, deltas: bool) -> Self {
        self.discovery.deltas = deltas;
        self
    }

    /// How often the whole list is read though the changes add up: hash codes count instances by status and miss one
    /// that took the place of another. 10 min by default.
    pub fn full_fetch_every(mut self, interval: Duration) -> Self {
        self.discovery.full_every = interval;
        self
    }

    /// How long instances are kept that are missing in a list which has suddenly less than half; 90 s by default,
    /// zero believes every list at once. Where there are no deltas, less than ten are believed to be gone at once unless
    /// the list is empty: there a few that leave in good order look like a loss.
    pub fn doubt_short_lists_for(mut self, time: Duration) -> Self {
        self.discovery.patience = time;
        self
    }

    /// Which instances are handed out; those with status UP by default.
    pub fn filter(mut self, filter: Filter) -> Self {
        self.discovery.filter = filter;
        self
    }

    /// Reads only the instances of this virtual host name, as a whole each time. An empty name is none.
    pub fn only_vip(mut self, vip: impl Into<String>) -> Self {
        self.discovery.only_vip = Some(vip.into()).filter(|vip| !vip.is_empty());
        self
    }

    /// Asks for the instances of these regions, too. They are listed with those of the own region: look-ups and
    /// [`EurekaClient::pick`] return both, other than Java's clients.
    pub fn remote_regions<R: Into<String>>(mut self, regions: impl IntoIterator<Item = R>) -> Self {
        self.discovery.regions = regions.into_iter().map(Into::into).collect();
        self
    }

    /// Keeps a copy of the registry in this file, at most once a minute, and shows it after a start until a server
    /// answers.
    pub fn copy_on_disk(mut self, file: impl AsRef<Path>) -> Self {
        self.discovery.file = Some(file.as_ref().to_path_buf());
        self
    }

    /// The start fails unless a server has told what instances there are within this time.
    pub fn wait_fetched(mut self, within: Duration) -> Self {
        self.wait_fetched = Some(within);
        self
    }

    /// How [`EurekaClient::pick`] chooses; one after the other by default.
    pub fn policy(mut self, policy: Policy) -> Self {
        self.balance.policy = policy;
        self
    }

    /// Whether instances of the own zone are picked as long as there is one (the default). The own zone is
    /// [`Builder::zone`], else `zone` in the metadata of the own instance.
    pub fn prefer_instances_of_own_zone(mut self, prefer: bool) -> Self {
        self.prefer_near = prefer;
        self
    }

    /// After how many failures in a row an instance is left alone, and how long the first time; 3 and 10 s by default,
    /// and at most 5 min. 0 leaves nobody alone.
    pub fn eject(mut self, failures: u32, first: Duration) -> Self {
        self.balance.eject_after = failures;
        self.balance.eject_for = first;
        self
    }

    /// How long [`EurekaClient::shutdown`] may take; 10 s by default.
    pub fn shutdown_timeout(mut self, timeout: Duration) -> Self {
        self.shutdown_timeout = timeout;
        self
    }

    /// The start fails unless a server has the registration within this time. Without this the client starts at once
    /// and goes on trying.
    pub fn wait_registered(mut self, within: Duration) -> Self {
        self.wait_registered = Some(within);
        self
    }

    /// Another way to the servers than HTTP by this library. Certificates, proxy and connect time-out are its
    /// matter then.
    pub fn backend(mut self, backend: impl Backend) -> Self {
        self.backend = Some(Arc::new(backend));
        self
    }

    /// Another clock; for simulations.
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = Some(clock);
        self
    }

    /// What chance begins with; for simulations.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }
}
