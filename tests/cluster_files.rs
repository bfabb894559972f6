//! The files of `cluster/` against the code and each other: settings that exist, ports, paths and names that agree.
//!
//! A wrong name in there would be silent: an environment variable that means nothing is no mistake to a node. The files
//! are read as lines of text. Whether Docker and Kubernetes take them is for `.ci/manifests` and `.ci/containers`.

#![cfg(feature = "server")]
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;

use heureka::config::{Config, Sources};

const NODES: [&str; 3] = ["node1", "node2", "node3"];

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// What stands behind `member:` in every line of YAML that has it, without quotes.
fn members<'a>(yaml: &'a str, member: &str) -> Vec<&'a str> {
    let lines = yaml.lines().map(str::trim);
    let values = lines.filter_map(|line| {
        let line = line.strip_prefix("- ").unwrap_or(line);
        line.strip_prefix(member)?.strip_prefix(": ")
    });
    values.map(|value| value.trim_matches('"')).collect()
}

/// The part of a Dockerfile that is about the finished image, from the user on.
fn how_it_runs(dockerfile: &str) -> &str {
    &dockerfile[dockerfile.find("\nUSER ").unwrap()..]
}

/// What the instruction of a Dockerfile is given.
fn instruction<'a>(dockerfile: &'a str, word: &str) -> &'a str {
    let mut lines = dockerfile.lines();
    lines
        .find_map(|line| line.strip_prefix(word)?.strip_prefix(' '))
        .unwrap_or_else(|| panic!("no {word}"))
}

/// Names and values of the lines that set something.
fn environment(file: &str) -> Vec<(&str, &str)> {
    let lines = file.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once('=')).collect()
}

/// Whether a variable of that name sets something: letters and digits as in a key, whatever stands between them. Of the
/// page with all keys `tests/repo.rs` knows that it has all and no others.
fn is_setting(variable: &str) -> bool {
    let bare = |name: &str| name.replace(['.', '-', '_'], "").to_lowercase();
    let variable = bare(variable);
    let page = read("docs/configuration.md");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `"));
    let mut keys = rows.filter_map(|row| row.split('`').next());
    keys.any(|key| match key.split_once('<') {
        Some((map, _)) => variable
            .strip_prefix(&bare(map))
            .is_some_and(|entry| !entry.is_empty()),
        None => bare(key) == variable,
    })
}

/// `8761` of `http://node1:8761/eureka/`, and of `node1:8761`.
fn ports(text: &str) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    for (at, _) in text.match_indices(':') {
        let rest = &text[at + 1..];
        let digits = rest.find(|c: char| !c.is_ascii_digit());
        let port = &rest[..digits.unwrap_or(rest.len())];
        if port.len() >= 4 {
            found.insert(port);
        }
    }
    found
}

#[test]
fn every_variable_that_a_node_is_given_is_a_setting() {
    let node_env = read("cluster/node.env");
    let statefulset = read("cluster/k8s/statefulset.yaml");
    let mut names: Vec<_> = environment(&node_env)
        .iter()
        .map(|(name, _)| *name)
        .collect();
    assert!(names.len() >= 3, "{names:?}");
    let upper = |name: &&str| name.contains('_') && !name.contains(|c: char| c.is_lowercase());
    let in_pods: Vec<_> = members(&statefulset, "name")
        .into_iter()
        .filter(upper)
        .collect();
    assert!(in_pods.len() >= 4, "{in_pods:?}");
    names.extend(in_pods);
    // Only there to be named in another variable's value.
    names.retain(|name| !statefulset.contains(&format!("$({name})")));
    let strange: Vec<_> = names.iter().filter(|name| !is_setting(name)).collect();
    assert!(strange.is_empty(), "no settings: {strange:?}");
    assert!(!is_setting("EUREKA_SERVER_WAITTIMEINMSWHENSYNCEMTPY"));
    assert!(!is_setting("EUREKA_CLIENT_SERVICEURL"));
}

#[test]
fn the_values_of_the_nodes_are_taken() {
    let node_env = read("cluster/node.env");
    let variables = environment(&node_env).into_iter();
    let pairs = variables.map(|(name, value)| (name.to_string(), value.to_string()));
    let config = Config::read(&Sources::new(pairs, [])).unwrap();
    assert_eq!(config.warnings, Vec::<String>::new());
}

#[test]
fn everybody_means_the_same_port() {
    let port = Config::read(&Sources::new([], []))
        .unwrap()
        .http
        .port
        .to_string();
    let only = BTreeSet::from([port.as_str()]);
    for path in ["cluster/Dockerfile", "cluster/Dockerfile.binary"] {
        assert_eq!(instruction(&read(path), "EXPOSE"), port, "{path}");
    }
    let statefulset = read("cluster/k8s/statefulset.yaml");
    assert_eq!(members(&statefulset, "containerPort"), [port.as_str()]);
    let services = read("cluster/k8s/services.yaml");
    assert_eq!(members(&services, "port"), [&port, &port]);
    let env = read("cluster/node.env");
    let urls = environment(&env)
        .into_iter()
        .filter(|(name, _)| name.contains("SERVICEURL"));
    let urls: Vec<_> = urls
        .map(|(_, value)| value)
        .chain(members(&statefulset, "value"))
        .collect();
    assert_eq!(ports(&urls.join(" ")), only);
    let compose = read("cluster/docker-compose.yml");
    for (node, published) in NODES.into_iter().zip(["8761", "8762", "8763"]) {
        let line = format!("ports: [\"${{PUBLISH:-127.0.0.1}}:{published}:{port}\"]");
        let service = compose.split(&format!("\n  {node}:\n")).nth(1).unwrap();
        assert!(
            service.lines().take(3).any(|l| l.trim() == line),
            "{node}: {line}"
        );
    }
}

#[test]
fn everybody_means_the_same_nodes() {
    let env = read("cluster/node.env");
    let compose = read("cluster/docker-compose.yml");
    let prometheus = read("cluster/prometheus.yml");
    let chaos = read("cluster/chaos.sh");
    assert!(chaos.contains(&format!("NODES=({})", NODES.join(" "))));
    assert_eq!(members(&compose, "hostname"), NODES);
    for node in NODES {
        assert!(env.contains(&format!("http://{node}:8761/eureka/")));
        assert!(prometheus.contains(&format!("{node}:8761")), "{node}");
    }
}

#[test]
fn metrics_and_probes_are_asked_for_where_the_node_has_them() {
    let operations = read("docs/operations.md");
    let statefulset = read("cluster/k8s/statefulset.yaml");
    let monitor = read("cluster/k8s/prometheus-operator/servicemonitor.yaml");
    let prometheus = read("cluster/prometheus.yml");
    assert_eq!(
        members(&statefulset, "path"),
        ["/health/live", "/health/ready"]
    );
    assert_eq!(members(&monitor, "path"), ["/metrics"]);
    // Nothing said is the same path; the nodes' job is the first.
    let scraped = members(&prometheus, "metrics_path");
    assert!(scraped.first().is_none_or(|path| *path == "/metrics"));
    for path in ["/health/live", "/health/ready", "/metrics"] {
        assert!(operations.contains(&format!("`{path}`")), "{path}");
    }
}

/// Two Services have the nodes' label; the monitor must pick one of them, or each node is scraped twice.
#[test]
fn the_service_monitor_finds_one_service_and_its_port() {
    let services = read("cluster/k8s/services.yaml");
    let monitor = read("cluster/k8s/prometheus-operator/servicemonitor.yaml");
    let selector = monitor.split("matchLabels:").nth(1).unwrap();
    let wanted: Vec<_> = selector
        .lines()
        .skip(1)
        .take_while(|line| line.starts_with("      "))
        .map(str::trim)
        .collect();
    assert_eq!(wanted.len(), 2, "{wanted:?}");
    let labels = |service: &str| service.split("spec:").next().unwrap_or("").to_string();
    let found = services
        .split("\n---\n")
        .filter(|service| wanted.iter().all(|label| labels(service).contains(label)))
        .count();
    assert_eq!(found, 1);
    let port = members(&monitor, "port");
    assert_eq!(port.len(), 1);
    assert!(members(&services, "name").contains(&port[0]));
    let job = members(&monitor, "jobLabel");
    assert!(wanted.contains(&format!("{}: heureka", job[0]).as_str()));
}

#[test]
fn both_images_run_alike_and_as_kubernetes_expects() {
    let built = read("cluster/Dockerfile");
    let outside = read("cluster/Dockerfile.binary");
    assert_eq!(how_it_runs(&built), how_it_runs(&outside));
    let statefulset = read("cluster/k8s/statefulset.yaml");
    let (user, group) = instruction(&built, "USER").split_once(':').unwrap();
    assert_eq!(members(&statefulset, "runAsUser"), [user]);
    assert_eq!(members(&statefulset, "runAsGroup"), [group]);
    let asked = instruction(&built, "HEALTHCHECK")
        .split_once("CMD [")
        .unwrap()
        .1;
    let compose = read("cluster/docker-compose.yml");
    assert_eq!(members(&compose, "test"), [format!("[\"CMD\", {asked}")]);
}

#[test]
fn scripts_can_be_run() {
    for path in [
        "cluster/chaos.sh",
        "cluster/image.sh",
        ".ci/containers",
        ".ci/fleet",
        ".ci/manifests",
    ] {
        let mode = fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode & 0o111, 0o111, "{path}");
    }
}

#[test]
fn what_the_image_is_built_from_is_there() {
    let let_through = read(".dockerignore");
    let paths: Vec<_> = let_through
        .lines()
        .filter_map(|line| line.strip_prefix('!'))
        .collect();
    for needed in ["Cargo.toml", "Cargo.lock", "src", "benches", "examples"] {
        assert!(paths.contains(&needed), "{needed}");
    }
    for path in paths {
        assert!(fs::exists(path).unwrap(), "{path}");
    }
}
