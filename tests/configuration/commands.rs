//! `check-config` and `init`, as somebody would use them.

use serde_json::Value;

use crate::process::End;
use crate::world::{Folder, Pairs};

fn check(folder: &Folder, format: &str, environment: Pairs<'_>) -> End {
    folder.run(&["check-config", "--format", format], environment)
}

fn json(folder: &Folder, environment: Pairs<'_>) -> Value {
    let end = check(folder, "json", environment);
    assert_eq!((end.code, end.stderr.as_str()), (Some(0), ""), "{end:?}");
    serde_json::from_str(&end.stdout).unwrap()
}

fn setting<'v>(report: &'v Value, key: &str) -> &'v Value {
    let settings = report["settings"].as_array().unwrap();
    settings
        .iter()
        .find(|setting| setting["key"] == key)
        .unwrap()
}

#[test]
fn every_value_is_shown_with_its_place() {
    let yml =
        "eureka.server.mode: classic\n---\nspring.config.activate.on-profile: p\nserver.port: 7\n";
    let folder = Folder::with(yml);
    let report = json(
        &folder,
        &[
            ("SPRING_PROFILES_ACTIVE", "p"),
            ("EUREKA_CLIENT_REGION", "eu"),
        ],
    );
    for (key, value, from) in [
        ("eureka.server.mode", "classic", "application.yml, line 1"),
        ("server.port", "7", "application.yml, line 4"),
        (
            "eureka.client.region",
            "eu",
            "the environment variable EUREKA_CLIENT_REGION",
        ),
    ] {
        let setting = setting(&report, key);
        assert_eq!(
            (&setting["value"], &setting["from"]),
            (&value.into(), &from.into()),
            "{key}"
        );
    }
    let cache = setting(&report, "eureka.server.use-read-only-response-cache");
    assert_eq!(
        (&cache["value"], &cache["from"]),
        (&"true".into(), &Value::Null)
    );
    assert_eq!(report["profiles"], serde_json::json!(["p"]));
    assert_eq!(report["files"], serde_json::json!(["application.yml"]));

    let table = check(&folder, "table", &[("SPRING_PROFILES_ACTIVE", "p")]).stdout;
    let port = table
        .lines()
        .find(|line| line.starts_with("server.port "))
        .unwrap();
    let columns: Vec<_> = port
        .split("  ")
        .map(str::trim)
        .filter(|c| !c.is_empty())
        .collect();
    assert_eq!(columns, ["server.port", "7", "application.yml, line 4"]);
}

/// C14, design §13.
#[test]
fn secrets_are_in_none_of_the_forms() {
    let yml = "\
eureka.client.service-url.defaultZone: http://u:planted1@a:1/eureka/,http://b:1/eureka/
eureka.instance.metadata-map: {user.password: planted2}
spring.security.user: {name: admin, password: planted3}
eureka.server.a-w-s-secret-key: planted4
";
    let folder = Folder::with(yml);
    for format in ["table", "json", "yaml"] {
        let end = check(&folder, format, &[]);
        assert_eq!(end.code, Some(0), "{end:?}");
        assert!(end.stdout.contains("***@a:1"), "{format}: {}", end.stdout);
        assert!(!format!("{end:?}").contains("planted"), "{format}: {end:?}");
    }
}

#[test]
fn the_yaml_form_is_a_file_that_says_the_same() {
    let yml = "\
eureka:
  server: {mode: classic, max-instances: 77}
  instance:
    metadata-map: {a: 'x: \"y\" # z', '[odd/key]': \"1\"}
    home-page-url: http://${eureka.hostname}/
server.servlet.context-path: /ctx
";
    let one = Folder::with(yml);
    let written = check(&one, "yaml", &[]).stdout;
    let two = Folder::with(&written);
    let values = |folder: &Folder| {
        let report = json(folder, &[]);
        let settings = report["settings"].as_array().unwrap().clone();
        let pair = |setting: &Value| (setting["key"].clone(), setting["value"].clone());
        settings.iter().map(pair).collect::<Vec<_>>()
    };
    assert_eq!(values(&one), values(&two), "{written}");
}

#[test]
fn warnings_and_advice_are_there_and_mistakes_end_it() {
    let yml = "\
eureka.server.peer-node-read-timeout-ms: 200
eureka.client.service-url.defaultZone: http://a:1/eureka/
eureka.server.binding-strategy: eip
";
    let report = json(&Folder::with(yml), &[]);
    let texts = |name: &str| report[name].as_array().unwrap().len();
    assert_eq!((texts("warnings"), texts("advice")), (2, 1), "{report}");

    let wrong = check(&Folder::with("server.port: many"), "table", &[]);
    assert_eq!((wrong.code, wrong.stdout.as_str()), (Some(2), ""));
    assert!(
        wrong.stderr.contains("application.yml, line 1"),
        "{wrong:?}"
    );
}

#[test]
fn init_writes_the_defaults_and_never_over_a_file() {
    let folder = Folder::new();
    let written = folder.run(&["init"], &[]);
    assert_eq!(written.code, Some(0), "{written:?}");
    let report = json(&folder, &[]);
    assert_eq!(report["warnings"], serde_json::json!([]));
    assert_eq!(report["advice"], serde_json::json!([]));
    assert_eq!(folder.config(&[], &[]), Folder::new().config(&[], &[]));

    let folder = Folder::with("server.port: 7");
    let refused = folder.run(&["init"], &[]);
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(2), ""));
    assert!(
        refused.stderr.contains("application.yml is there already"),
        "{refused:?}"
    );
    assert_eq!(folder.config(&[], &[]).unwrap().http.port, 7);
    assert_eq!(folder.run(&["init", "other.yml"], &[]).code, Some(0));
}
