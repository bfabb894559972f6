//! The test vectors of config.md §8, by number.

use std::time::Duration;

use heureka::config::DEFAULT_ZONE;
use heureka::model::NodeUrl;
use heureka::peers::{Me, listed};

use crate::running::Connection;
use crate::world::{Folder, Pairs};

const THREE: &str = "\
eureka.client.region: common
eureka.environment: common
---
CONDITION peer1
eureka.client.region: one
---
CONDITION peer2
eureka.client.region: two
";

fn urls(folder: &Folder, environment: Pairs<'_>) -> Vec<String> {
    let config = folder.config(environment, &[]).unwrap();
    let urls = config.peers.service_urls.get(DEFAULT_ZONE);
    let shown = |url: &NodeUrl| url.to_string();
    urls.map_or(Vec::new(), |urls| urls.iter().map(shown).collect())
}

fn region(folder: &Folder, environment: Pairs<'_>) -> (String, usize) {
    let config = folder.config(environment, &[]).unwrap();
    (config.peers.region, config.warnings.len())
}

#[test]
fn c1_every_spelling_of_a_name_is_the_same() {
    for yml in [
        "eureka.server.enableSelfPreservation: false",
        "eureka:\n  server:\n    enable-self-preservation: off",
        "eureka: {server: {enable_self_preservation: \"no\"}}",
    ] {
        let config = Folder::with(yml).config(&[], &[]).unwrap();
        assert!(!config.preservation.enabled, "{yml}");
    }
    for name in [
        "EUREKA_SERVER_ENABLESELFPRESERVATION",
        "EUREKA_SERVER_ENABLE_SELF_PRESERVATION",
    ] {
        let config = Folder::new().config(&[(name, "false")], &[]).unwrap();
        assert!(!config.preservation.enabled, "{name}");
    }
}

#[test]
fn c2_the_default_zone_of_the_environment_counts_without_a_file() {
    let zone = (
        "EUREKA_CLIENT_SERVICEURL_DEFAULTZONE",
        "http://p:8761/eureka",
    );
    assert_eq!(urls(&Folder::new(), &[zone]), ["http://p:8761/eureka/"]);
}

#[test]
fn c3_another_spelling_of_the_default_zone_is_used_and_warned_of() {
    let folder = Folder::with("eureka.client.service-url.default-zone: http://x:1/eureka/");
    assert_eq!(urls(&folder, &[]), ["http://x:1/eureka/"]);
    let warnings = folder.config(&[], &[]).unwrap().warnings;
    assert_eq!(
        warnings,
        ["application.yml, line 1 is read as defaultZone; write that"]
    );
}

#[test]
fn c4_blanks_and_empty_items_of_a_list_do_not_matter() {
    let yml = "eureka.client.service-url:\n  defaultZone: \" http://a/e , http://b/e/ ,\"";
    assert_eq!(
        urls(&Folder::with(yml), &[]),
        ["http://a/e/", "http://b/e/"]
    );
    let yml = "eureka.client.service-url:\n  defaultZone:\n    - http://a/e\n    - http://b/e/\n";
    assert_eq!(
        urls(&Folder::with(yml), &[]),
        ["http://a/e/", "http://b/e/"]
    );
}

#[test]
fn c5_documents_count_under_their_profile() {
    let folder = Folder::with(&THREE.replace("CONDITION", "spring.config.activate.on-profile:"));
    let second = ("SPRING_PROFILES_ACTIVE", "peer2");
    assert_eq!(region(&folder, &[second]), ("two".to_string(), 0));
    assert_eq!(region(&folder, &[]), ("common".to_string(), 0));
    let config = folder.config(&[second], &[]).unwrap();
    assert_eq!(config.page.environment, "common");
}

#[test]
fn c6_the_old_way_to_name_a_profile_is_warned_of() {
    let folder = Folder::with(&THREE.replace("CONDITION", "spring.profiles:"));
    let second = ("SPRING_PROFILES_ACTIVE", "peer2");
    let (region, warnings) = region(&folder, &[second]);
    assert_eq!((region.as_str(), warnings), ("two", 1));
}

#[test]
fn c7_conditions_are_expressions() {
    let yml = "eureka.client.region: no\n---\n\
               spring.config.activate.on-profile: \"prod & !test\"\neureka.client.region: yes!";
    let folder = Folder::with(yml);
    for (active, wanted) in [("prod", "yes!"), ("prod,test", "false")] {
        let active = ("SPRING_PROFILES_ACTIVE", active);
        assert_eq!(region(&folder, &[active]), (wanted.to_string(), 0));
    }
}

#[test]
fn c8_a_list_that_names_the_node_itself_is_nobody() {
    let yml = "\
server.port: 8761
eureka.instance.hostname: localhost
eureka.client.service-url:
  defaultZone: http://${eureka.instance.hostname}:${server.port}/eureka/
";
    let folder = Folder::with(yml);
    assert_eq!(urls(&folder, &[]), ["http://localhost:8761/eureka/"]);
    let config = folder.config(&[], &[]).unwrap();
    let me = Me::new(&config, "localhost", "10.0.0.7", config.http.port);
    assert_eq!(listed(&config.peers, &me), []);
}

#[test]
fn c9_a_placeholder_has_a_value_or_its_default() {
    let folder = Folder::with("eureka.client.service-url.defaultZone: ${PEER:http://x:1/eureka/}");
    assert_eq!(urls(&folder, &[]), ["http://x:1/eureka/"]);
    assert_eq!(urls(&folder, &[("PEER", "http://p:2/")]), ["http://p:2/"]);
}

#[test]
fn c10_a_time_with_a_unit_is_refused_with_its_line_and_so_is_everything_else_at_once() {
    let yml = "\
server:
  port: 70000
eureka:
  server:
    eviction-interval-timer-in-ms: 5s
";
    let folder = Folder::with(yml).file(
        "config/application.properties",
        "\neureka.server.disable-delta=maybe\n",
    );
    assert_eq!(
        folder.refused(&[], &[("EUREKA_SERVER_MAX_INSTANCES", "many")]),
        [
            "heureka: server.port: wanted a number from 0 to 65535, got \"70000\" from application.yml, line 2",
            "heureka: eureka.server.max-instances: wanted a positive number, got \"many\" from the environment \
             variable EUREKA_SERVER_MAX_INSTANCES",
            "heureka: eureka.server.eviction-interval-timer-in-ms: wanted a positive number of milliseconds without a \
             unit, got \"5s\" from application.yml, line 5",
            "heureka: eureka.server.disable-delta: wanted true or false, got \"maybe\" from \
             config/application.properties, line 2",
        ]
    );
}

#[test]
fn c11_the_command_line_wins_over_the_environment_and_that_over_files() {
    let key = "eureka.client.region";
    let folder = Folder::with("eureka.client.region: file");
    let (environment, argument) = (("EUREKA_CLIENT_REGION", "environment"), (key, "argument"));
    for (folder, environment, arguments, wanted) in [
        (&folder, &[environment][..], &[argument][..], "argument"),
        (&folder, &[environment], &[], "environment"),
        (&folder, &[], &[], "file"),
        (&Folder::new(), &[], &[], "us-east-1"),
    ] {
        let config = folder.config(environment, arguments).unwrap();
        assert_eq!(config.peers.region, wanted);
    }
}

#[test]
fn c12_a_node_that_does_not_register_itself_does_not_try_again() {
    for (register, retries) in [("true", 5), ("false", 0)] {
        let yml = format!("eureka.client.register-with-eureka: {register}");
        let config = Folder::with(&yml).config(&[], &[]).unwrap();
        assert_eq!(config.peers.sync_retries, retries);
    }
}

#[test]
fn c13_the_newer_name_of_the_first_count_wins() {
    let yml = "\
eureka.instance.registry.default-open-for-traffic-count: 2
eureka.server.defaultOpenForTrafficCount: 0
";
    let config = Folder::with(yml).config(&[], &[]).unwrap();
    assert_eq!(
        (config.preservation.open_count, config.warnings.len()),
        (2, 0)
    );
}

#[test]
fn c14_credentials_are_decoded_and_never_shown() {
    let yml = "eureka.client.service-url.defaultZone: http://u:p%40q@127.0.0.1:1/eureka/";
    let folder = Folder::with(yml);
    let config = folder.config(&[], &[]).unwrap();
    let url = &config.peers.service_urls[DEFAULT_ZONE][0];
    assert_eq!(url.credentials(), Some(("u", "p@q")));
    let mut node = folder.start(&["--port=0"], &[("RUST_LOG", "debug")]);
    node.address();
    node.signal("TERM");
    let said = format!("{:?} {config:?}", node.end());
    assert!(
        said.contains("127.0.0.1:1") && !said.contains("p%40q") && !said.contains("p@q"),
        "{said}"
    );
}

#[test]
fn c15_a_key_of_aws_starts_with_one_warning() {
    let folder = Folder::with("eureka.server.binding-strategy: route53");
    let mut node = folder.start(&["--port=0"], &[]);
    node.address();
    node.signal("TERM");
    let end = node.end();
    assert_eq!(end.code, Some(0), "{end:?}");
    let warnings: Vec<_> = end
        .stdout
        .lines()
        .filter(|line| line.contains(" WARN "))
        .collect();
    let about = |line: &&&str| line.contains("eureka.server.binding-strategy has no effect");
    assert_eq!(warnings.iter().filter(about).count(), 1, "{warnings:?}");
}

#[test]
fn c16_peers_are_those_of_the_zones_in_their_order() {
    let yml = "\
eureka.client:
  region: eu
  availability-zones: {eu: \"z1, z2\"}
  service-url:
    z2: http://b:8761/eureka/,http://c:8761/eureka/
    z1: http://a:8761/eureka/
";
    let config = Folder::with(yml).config(&[], &[]).unwrap();
    let me = Me::new(&config, "me", "10.0.0.7", 8761);
    let peers: Vec<_> = listed(&config.peers, &me)
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        peers,
        ["a", "b", "c"].map(|host| format!("http://{host}:8761/eureka/"))
    );
}

#[tokio::test]
async fn c17_without_the_page_the_protocol_is_served_all_the_same() {
    let folder = Folder::with("eureka.dashboard.enabled: false\nserver.port: 0");
    let mut node = folder.start(&[], &[]);
    let mut connection = Connection::open(node.address()).await;
    for (path, status) in [("/", 404), ("/lastn", 404), ("/eureka/apps", 200)] {
        assert_eq!(
            connection.ask("GET", path, "", "").await.status,
            status,
            "{path}"
        );
    }
}

#[tokio::test]
async fn c18_with_a_password_nobody_reads_without() {
    let folder = Folder::with("spring.security.user.password: s3cret\nserver.port: 0");
    let mut node = folder.start(&[], &[]);
    let mut connection = Connection::open(node.address()).await;
    // user:s3cret, user:secret
    let right = "Authorization: Basic dXNlcjpzM2NyZXQ=\r\n";
    let wrong = "Authorization: Basic dXNlcjpzZWNyZXQ=\r\n";
    for path in ["/eureka/apps", "/"] {
        for (headers, status) in [("", 401), (wrong, 401), (right, 200)] {
            let got = connection.ask("GET", path, headers, "").await.status;
            assert_eq!(got, status, "{path} {headers}");
        }
    }
}

#[test]
fn c19_no_interval_at_all_is_the_usual_one() {
    let yml = "eureka.server.expected-client-renewal-interval-seconds: 0";
    let config = Folder::with(yml).config(&[], &[]).unwrap();
    let got = (config.preservation.expected_interval, config.warnings.len());
    assert_eq!(got, (Duration::from_secs(30), 1));
}

#[test]
fn c20_an_unknown_key_is_named_with_the_one_that_is_meant() {
    let folder = Folder::with("eureka.server.enable-self-preservations: true");
    let warnings = folder.config(&[], &[]).unwrap().warnings;
    let wanted = "\"eureka.server.enable-self-preservations\" is no setting of this version and has no effect, from \
                  application.yml, line 1; is eureka.server.enable-self-preservation meant?";
    assert_eq!(warnings, [wanted]);
}
