//! Settings from the files of a Spring application, as Spring reads them: `application.yml`, `.yaml` and `.properties` with
//! profiles, documents, imports and placeholders, and over them the environment.
//!
//! What comes out is pairs, for `with_settings` of the builder and of the instance. The reading is the server's own.

use std::env;
use std::path::Path;

use super::error::StartError;
use crate::config::{Disk, Files, Given, Sources};
use crate::transport::own_address;

/// Names of settings that the client knows begin with these.
const OURS: [&str; 4] = [
    "eureka.client.",
    "eureka.instance.",
    "server.port",
    "spring.application.name",
];

/// What the files in `folder` and the environment say of the client and its instance, in the order in which it counts: for
/// [`Builder::with_settings`](super::Builder::with_settings) and [`Instance::with_settings`](super::Instance::with_settings).
///
/// Files are those that a Spring application started in that folder would read: `application.yml`, `.yaml`,
/// `.properties`, the same below `config/`, those of active profiles, and what they import.
pub fn spring_settings(folder: impl AsRef<Path>) -> Result<Vec<(String, String)>, StartError> {
    let texts = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    let environment = env::vars_os().filter_map(texts).collect();
    gathered(environment, &Disk::below(folder.as_ref()))
}

fn gathered(
    environment: Vec<(String, String)>,
    files: &dyn Files,
) -> Result<Vec<(String, String)>, StartError> {
    let name = gethostname::gethostname().to_string_lossy().into_owned();
    let facts = [
        ("spring.cloud.client.hostname", name),
        ("spring.cloud.client.ip-address", own_address().to_string()),
    ];
    let given = Given {
        environment,
        facts: facts.map(|(name, text)| (name.to_string(), text)).to_vec(),
        ..Given::default()
    };
    let sources = Sources::gather(&given, files);
    let pairs = sources.pairs(&OURS);
    pairs.map_err(|mistake| StartError::BadSource(mistake.to_string()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::io;

    use super::*;
    use crate::client::{EurekaClient, Instance};

    struct InMemory(BTreeMap<&'static str, &'static str>);

    impl Files for InMemory {
        fn read(&self, path: &Path) -> io::Result<String> {
            let name = path.to_string_lossy();
            let text = self.0.get(name.trim_start_matches("./"));
            text.map(ToString::to_string)
                .ok_or_else(|| io::ErrorKind::NotFound.into())
        }

        fn list(&self, _folder: &Path) -> io::Result<Vec<String>> {
            Ok(Vec::new())
        }
    }

    fn environment(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        let owned = |(name, value): &(&str, &str)| (name.to_string(), value.to_string());
        pairs.iter().map(owned).collect()
    }

    #[test]
    fn a_client_is_what_the_files_of_a_spring_application_say() {
        let files = InMemory(BTreeMap::from([
            (
                "application.yml",
                "spring:
  application:
    name: orders
server:
  port: 9000
eureka:
  instance:
    prefer-ip-address: true
    metadata-map:
      zone: z1
      startedBy: ${USER:nobody}
  client:
    region: eu
    availability-zones:
      eu: [z1, z2]
    service-url:
      z1: http://one:8761/eureka/
      z2: http://two:8761/eureka/
---
spring.config.activate.on-profile: quick
eureka.instance.lease-renewal-interval-in-seconds: 3
",
            ),
            (
                "application-quick.properties",
                "eureka.client.registry-fetch-interval-seconds=2\n",
            ),
        ]));
        let variables = environment(&[
            ("SPRING_PROFILES_ACTIVE", "quick"),
            ("EUREKA_INSTANCE_HOSTNAME", "not-used"),
            ("SERVER_PORT", "9001"),
            ("USER", "me"),
        ]);
        let settings = gathered(variables, &files).unwrap();
        let builder = EurekaClient::builder();
        let builder = builder.with_settings(settings.clone()).unwrap();
        let server = |zone: &str, url: &str| (zone.to_string(), url.to_string());
        assert_eq!(
            builder.servers,
            [
                server("z1", "http://one:8761/eureka/"),
                server("z2", "http://two:8761/eureka/")
            ]
        );
        assert_eq!(builder.discovery.interval.as_secs(), 2);
        let instance = Instance::new("unnamed").ip_addr("10.0.0.7");
        let info = instance.with_settings(settings).unwrap();
        let info = info.into_info(false).unwrap();
        assert_eq!((&*info.app, info.port.number), ("ORDERS", 9001));
        assert_eq!(&*info.host_name, "10.0.0.7");
        assert_eq!(info.lease.renewal_interval_secs, 3);
        let metadata: Vec<_> = info.metadata.iter().map(|(k, v)| (&**k, &**v)).collect();
        assert_eq!(metadata, [("startedBy", "me"), ("zone", "z1")]);
    }

    #[test]
    fn a_file_that_cannot_be_read_is_told_with_its_name() {
        let files = InMemory(BTreeMap::from([("application.yml", "eureka: [")]));
        let error = gathered(Vec::new(), &files).unwrap_err().to_string();
        assert!(error.contains("application.yml"), "{error}");
        let nothing = InMemory(BTreeMap::new());
        assert_eq!(gathered(Vec::new(), &nothing), Ok(Vec::new()));
    }
}
