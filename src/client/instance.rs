//! The record that a program registers of itself, with the defaults of Spring (client.md §3, §17.3).
//!
//! Whatever is not given is found out from the machine or made from what is given. Texts go out as they are; the
//! application's name in upper case.

use std::collections::BTreeMap;
use std::time::Duration;

use super::error::StartError;
use crate::model::{InstanceInfo, InstanceStatus, LeaseTerms, Port, Text};
use crate::transport::own_address;

/// Spring's, where a program does not say on which port it listens.
const USUAL_PORT: u16 = 8080;
/// What `securePort` says where there is none.
const USUAL_SECURE_PORT: u16 = 443;

/// What a program registers of itself.
///
/// ```
/// use heureka::client::Instance;
///
/// let instance = Instance::new("orders").port(8080).metadata("zone", "eu-1a");
/// ```
#[derive(Clone, Debug)]
pub struct Instance {
    app: String,
    id: Option<String>,
    host_name: Option<String>,
    ip_addr: Option<String>,
    prefer_ip: bool,
    port: Option<u16>,
    plain_port: bool,
    secure_port: Option<u16>,
    vip: Option<String>,
    secure_vip: Option<String>,
    app_group: Option<String>,
    metadata: BTreeMap<Text, Text>,
    lease: LeaseTerms,
    status: Option<InstanceStatus>,
    home_page: String,
    status_page: String,
    health_check: String,
}

impl Instance {
    /// An instance of this application, on port 8080 of this machine.
    pub fn new(app: impl Into<String>) -> Self {
        Self {
            app: app.into(),
            id: None,
            host_name: None,
            ip_addr: None,
            prefer_ip: false,
            port: None,
            plain_port: true,
            secure_port: None,
            vip: None,
            secure_vip: None,
            app_group: None,
            metadata: BTreeMap::new(),
            lease: LeaseTerms::default(),
            status: None,
            home_page: "/".to_string(),
            status_page: "/actuator/info".to_string(),
            health_check: "/actuator/health".to_string(),
        }
    }

    pub(super) fn named(mut self, app: &str) -> Self {
        self.app = app.to_string();
        self
    }

    /// The port of plain requests.
    pub fn port(mut self, port: u16) -> Self {
        self.port = Some(port);
        self
    }

    /// The port of requests over TLS; there is none by default.
    pub fn secure_port(mut self, port: u16) -> Self {
        self.secure_port = Some(port);
        self
    }

    /// Only the secure port is in use.
    pub fn without_plain_port(mut self) -> Self {
        self.plain_port = false;
        self
    }

    /// The id; `host:application:port` by default. Two instances with one id are one.
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// The name under which others reach this machine; the machine's own name by default.
    pub fn host_name(mut self, name: impl Into<String>) -> Self {
        self.host_name = Some(name.into());
        self
    }

    /// The address of this machine; that of the interface of its default route by default.
    pub fn ip_addr(mut self, address: impl Into<String>) -> Self {
        self.ip_addr = Some(address.into());
        self
    }

    /// Others reach this machine by its address: that stands in the place of the host name, too.
    pub fn prefer_ip(mut self) -> Self {
        self.prefer_ip = true;
        self
    }

    /// The virtual host name, or several with commas between them; the application's name by default.
    pub fn vip(mut self, vip: impl Into<String>) -> Self {
        self.vip = Some(vip.into());
        self
    }

    /// The virtual host name of requests over TLS; the application's name by default.
    pub fn secure_vip(mut self, vip: impl Into<String>) -> Self {
        self.secure_vip = Some(vip.into());
        self
    }

    /// A group of applications.
    pub fn app_group(mut self, group: impl Into<String>) -> Self {
        self.app_group = Some(group.into());
        self
    }

    /// One pair of metadata. One with an empty key or value is left out, as Spring does.
    pub fn metadata(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        let (key, value) = (key.into(), value.into());
        if !key.is_empty() && !value.is_empty() {
            self.metadata.insert(key.into(), value.into());
        }
        self
    }

    /// How often to send heartbeats, and how long servers keep the instance without one; in whole seconds, 30 and 90
    /// by default. `duration` should be more than twice `renewal`.
    pub fn lease(mut self, renewal: Duration, duration: Duration) -> Self {
        self.lease = lease_terms(renewal, duration);
        self
    }

    /// The status to begin with. By default UP, or STARTING where there is a health check, which then decides.
    pub fn status(mut self, status: InstanceStatus) -> Self {
        self.status = Some(status);
        self
    }

    /// The path of the home page, `/` by default; like the two others it may be an absolute URL.
    pub fn home_page(mut self, path: impl Into<String>) -> Self {
        self.home_page = path.into();
        self
    }

    /// The path of the page about the instance, `/actuator/info` by default.
    pub fn status_page(mut self, path: impl Into<String>) -> Self {
        self.status_page = path.into();
        self
    }

    /// The path of the health check, `/actuator/health` by default.
    pub fn health_page(mut self, path: impl Into<String>) -> Self {
        self.health_check = path.into();
        self
    }

    pub(super) fn renewal_interval(mut self, renewal: Duration) -> Self {
        let duration = Duration::from_secs(self.lease.duration_secs.into());
        self.lease = lease_terms(renewal, duration);
        self
    }

    pub(super) fn lease_duration(mut self, duration: Duration) -> Self {
        let renewal = Duration::from_secs(self.lease.renewal_interval_secs.into());
        self.lease = lease_terms(renewal, duration);
        self
    }

    pub(super) fn usual_secure_port(mut self) -> Self {
        self.secure_port.get_or_insert(USUAL_SECURE_PORT);
        self
    }

    /// The whole record.
    pub(crate) fn into_info(self, has_health: bool) -> Result<InstanceInfo, StartError> {
        self.check()?;
        self.warn_of_short_lease();
        let ip_addr = self.ip_addr.clone();
        let ip_addr = ip_addr.unwrap_or_else(|| own_address().to_string());
        let machine = || gethostname::gethostname().to_string_lossy().into_owned();
        let host_name = match self.prefer_ip {
            true => ip_addr.clone(),
            false => self.host_name.clone().unwrap_or_else(machine),
        };
        let port = self.port.unwrap_or(USUAL_PORT);
        let id = self.id.clone();
        let id = id.unwrap_or_else(|| self.made_up_id(&host_name, port));
        let usual = match has_health {
            true => InstanceStatus::Starting,
            false => InstanceStatus::Up,
        };
        let vip = |given: &Option<String>| Some(given.as_ref().unwrap_or(&self.app).into());
        let mut info = InstanceInfo {
            instance_id: Some(id.into()),
            status: self.status.unwrap_or(usual),
            port: Port {
                number: port,
                enabled: self.plain_port,
            },
            secure_port: Port {
                number: self.secure_port.unwrap_or(USUAL_SECURE_PORT),
                enabled: self.secure_port.is_some(),
            },
            lease: self.lease,
            metadata: self.metadata.clone().into(),
            app_group_name: self
                .app_group
                .as_ref()
                .map(|group| group.to_uppercase().into()),
            vip_address: vip(&self.vip),
            secure_vip_address: vip(&self.secure_vip),
            ..InstanceInfo::new(&self.app.to_uppercase(), &host_name, &ip_addr)
        };
        self.add_pages(&mut info);
        Ok(info)
    }

    /// `host:application:port`, as Spring makes it.
    fn made_up_id(&self, host_name: &str, port: u16) -> String {
        let port = match self.plain_port {
            true => Some(port),
            false => self.secure_port,
        };
        match port {
            Some(port) => format!("{host_name}:{}:{port}", self.app),
            None => format!("{host_name}:{}", self.app),
        }
    }

    /// One lost heartbeat ends such a lease (foreign-clients.md §7).
    fn warn_of_short_lease(&self) {
        let (renewal, duration) = (self.lease.renewal_interval_secs, self.lease.duration_secs);
        if duration < renewal.saturating_mul(2) {
            tracing::warn!(
                renewal,
                duration,
                "a lease shorter than two intervals ends with the first lost heartbeat"
            );
        }
    }

    fn check(&self) -> Result<(), StartError> {
        let name = Some(self.app.clone());
        let is_empty = |text: &Option<String>| text.as_ref().is_some_and(|text| text.is_empty());
        // As a segment of a path, encoded or not, these climb instead of naming something.
        let climbs = |text: &str| matches!(text.trim(), "." | "..");
        first_of(&[
            (self.app.trim().is_empty(), "its application has no name"),
            (climbs(&self.app), "its application is called . or .."),
            (is_empty(&self.id), "its id is empty"),
            (self.id.as_deref().is_some_and(climbs), "its id is . or .."),
            (is_empty(&self.host_name), "its host name is empty"),
            (is_empty(&self.ip_addr), "its address is empty"),
            (has_control(&name), "its name is not one line"),
            (has_control(&self.id), "its id is not one line"),
            (
                has_control(&self.host_name),
                "its host name is not one line",
            ),
            (has_control(&self.ip_addr), "its address is not one line"),
        ])?;
        first_of(&[
            (
                self.plain_port && self.port == Some(0),
                "its port is 0: register when the listener is bound",
            ),
            (
                self.secure_port == Some(0),
                "its secure port is 0: register when the listener is bound",
            ),
        ])
    }

    fn add_pages(&self, info: &mut InstanceInfo) {
        let host = match info.host_name.parse::<std::net::Ipv6Addr>() {
            Ok(address) => format!("[{address}]"),
            Err(_) => info.host_name.to_string(),
        };
        let base = |scheme: &str, port: Port| {
            port.enabled
                .then(|| format!("{scheme}://{host}:{}", port.number))
        };
        let (plain, secure) = (base("http", info.port), base("https", info.secure_port));
        let page = |base: &Option<String>, path: &str| match base {
            _ if path.starts_with("http://") || path.starts_with("https://") => Some(path.into()),
            Some(base) => Some(format!("{base}{path}").into()),
            None => None,
        };
        let either = plain.clone().or_else(|| secure.clone());
        info.home_page_url = page(&either, &self.home_page);
        info.status_page_url = page(&either, &self.status_page);
        info.health_check_url = page(&plain, &self.health_check);
        info.secure_health_check_url = secure
            .is_some()
            .then(|| page(&secure, &self.health_check))
            .flatten();
    }
}

/// The first of these that is so is what is wrong.
fn first_of(faults: &[(bool, &'static str)]) -> Result<(), StartError> {
    match faults.iter().find(|(is_so, _)| *is_so) {
        Some((_, why)) => Err(StartError::BadInstance(why)),
        None => Ok(()),
    }
}

/// A line break or the like, which no header and no host name can have.
fn has_control(text: &Option<String>) -> bool {
    let text = text.as_deref();
    text.is_some_and(|text| text.contains(char::is_control))
}

/// Whole seconds, at least one, as the protocol has them.
pub(crate) fn lease_terms(renewal: Duration, duration: Duration) -> LeaseTerms {
    let seconds = |time: Duration| u32::try_from(time.as_secs()).unwrap_or(u32::MAX).max(1);
    LeaseTerms {
        renewal_interval_secs: seconds(renewal),
        duration_secs: seconds(duration),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn orders() -> Instance {
        Instance::new("Orders").host_name("h").ip_addr("10.0.0.7")
    }

    #[test]
    fn what_is_not_given_is_made_from_what_is() {
        let info = orders().port(9000).into_info(false).unwrap();
        assert_eq!(&*info.app, "ORDERS");
        assert_eq!(&**info.id(), "h:Orders:9000");
        assert_eq!(info.status, InstanceStatus::Up);
        assert_eq!(info.vip_address.as_deref(), Some("Orders"));
        assert_eq!(info.secure_vip_address.as_deref(), Some("Orders"));
        let urls = [
            &info.home_page_url,
            &info.status_page_url,
            &info.health_check_url,
            &info.secure_health_check_url,
        ];
        let urls = urls.map(|url| url.as_deref().unwrap_or("none"));
        let expected = [
            "http://h:9000/",
            "http://h:9000/actuator/info",
            "http://h:9000/actuator/health",
            "none",
        ];
        assert_eq!(urls, expected);
    }

    #[test]
    fn what_would_climb_through_a_path_is_no_name() {
        for dots in [".", "..", " .. "] {
            assert!(orders().id(dots).into_info(false).is_err(), "{dots}");
            let named = Instance::new(dots).host_name("h").ip_addr("10.0.0.7");
            assert!(named.into_info(false).is_err(), "{dots}");
        }
        assert!(orders().id("...").into_info(false).is_ok());
    }

    #[test]
    fn tls_alone_has_its_own_pages_and_an_address_of_six_has_brackets() {
        let instance = orders().secure_port(8443).without_plain_port();
        let info = instance
            .ip_addr("fd00::7")
            .prefer_ip()
            .into_info(true)
            .unwrap();
        assert_eq!(info.status, InstanceStatus::Starting);
        assert_eq!(&*info.host_name, "fd00::7");
        assert_eq!(
            info.home_page_url.as_deref(),
            Some("https://[fd00::7]:8443/")
        );
        assert_eq!(info.health_check_url, None);
        let health = info.secure_health_check_url.as_deref();
        assert_eq!(health, Some("https://[fd00::7]:8443/actuator/health"));
        assert!(info.secure_port.enabled && !info.port.enabled);
    }

    /// client.md §3: full upper-casing, without the rules of any language.
    #[test]
    fn names_are_upper_cased_as_java_does_it() {
        let info = Instance::new("Svc-ß-ı").into_info(false).unwrap();
        assert_eq!(&*info.app, "SVC-SS-I");
        assert!(!info.host_name.is_empty() && !info.ip_addr.is_empty());
    }

    #[test]
    fn a_record_that_no_server_would_take_is_refused_here() {
        for (instance, part) in [
            (Instance::new(" "), "no name"),
            (orders().id(""), "id"),
            (orders().host_name(""), "host name"),
            (orders().ip_addr(""), "address"),
            (Instance::new("or\nders"), "name"),
            (orders().id("a\r\nb"), "id"),
            (orders().host_name("h\n"), "host name"),
            (orders().ip_addr("10.0.0.7\n"), "address"),
            (orders().port(0), "port is 0"),
            (orders().secure_port(0), "secure port is 0"),
        ] {
            let error = instance.into_info(false).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn empty_metadata_are_left_out_and_leases_have_whole_seconds() {
        let instance = orders()
            .metadata("a", "")
            .metadata("", "b")
            .metadata("c", "d");
        let lease = |millis| Duration::from_millis(millis);
        let info = instance
            .lease(lease(10), lease(2500))
            .into_info(false)
            .unwrap();
        assert_eq!(info.metadata.len(), 1);
        let terms = (info.lease.renewal_interval_secs, info.lease.duration_secs);
        assert_eq!(terms, (1, 2));
    }
}
