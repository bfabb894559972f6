//! All sources in Spring's order: files < environment < `-D` < `SPRING_APPLICATION_JSON` < arguments (config.md §6.1).
//!
//! Files are read twice: first without profiles, to learn which are active, and then with them.

use std::collections::BTreeMap;

use super::files::{Files, from_json};
use super::load::load;
use super::mistake::ConfigError;
use super::profiles::{Profiles, Wishes, is_name};
use super::property::Property;
use super::relaxed::Name;
use super::sources::{from_arguments, from_environment};
use super::{HttpConfig, Sources, keys};

/// Variables that tell which platform a process is on.
const PLATFORMS: [(&str, &str); 5] = [
    ("KUBERNETES_SERVICE_HOST", "kubernetes"),
    ("VCAP_APPLICATION", "cloud-foundry"),
    ("VCAP_SERVICES", "cloud-foundry"),
    ("DYNO", "heroku"),
    ("WEBSITE_INSTANCE_ID", "azure-app-service"),
];

/// What a process is given, as pairs of a name and a value.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// The environment.
    pub environment: Vec<(String, String)>,
    /// Arguments `-Dname=value`, as for a Java server.
    pub system: Vec<(String, String)>,
    /// Arguments `--name=value`.
    pub arguments: Vec<(String, String)>,
    /// What placeholders may ask for although nobody set it: the host's name and address, defaults.
    pub facts: Vec<(String, String)>,
}

impl Sources {
    /// All that was given, over all that stands in `files`.
    pub fn gather(given: &Given, files: &dyn Files) -> Self {
        let above = Self::above(given);
        let platform = platform(given, &above);
        let platform = platform.as_deref();
        let mut first = load(files, &above, None, platform);
        first.append(&above);
        first.facts.clone_from(&above.facts);
        let profiles = Profiles::of(&wishes(&first));

        let mut all = load(files, &above, Some(&profiles), platform);
        all.append(&above);
        all.mistakes.extend(above.mistakes);
        all.mistakes.extend(
            profiles
                .names()
                .iter()
                .filter(|name| !is_name(name))
                .map(odd),
        );
        all.facts = above.facts;
        all.profiles = profiles.names().to_vec();
        all
    }

    /// What counts more than any file.
    fn above(given: &Given) -> Self {
        let arguments = || from_arguments(given.arguments.clone(), "--");
        let mut above = Self {
            facts: given.facts.clone(),
            ..Self::default()
        };
        // The one default that people's files ask for.
        let port = HttpConfig::default().port.to_string();
        above.facts.push((keys::PORT.to_string(), port));
        above.add(from_environment(given.environment.clone()));
        above.add(from_arguments(given.system.clone(), "-D"));
        let mut with_arguments = above.clone();
        with_arguments.add(arguments());
        if let Some(Ok(json)) = with_arguments.get(&keys::JSON.into()) {
            match from_json(&json.text) {
                Ok(document) => above.add(document.lines.into_iter().map(|line| {
                    let from = format!("{} in {}", line.name, json.from);
                    Property::new(Name::dotted(&line.name), line.text, from)
                })),
                Err(error) => above.mistakes.push(ConfigError::Source {
                    from: json.from,
                    problem: error.to_string(),
                }),
            }
        }
        above.add(arguments());
        above
    }
}

fn odd(name: &String) -> ConfigError {
    ConfigError::Source {
        from: format!("the profile {name:?}"),
        problem: "a name has letters, digits and -_.+@ in it".to_string(),
    }
}

/// What everything together says of profiles.
fn wishes(sources: &Sources) -> Wishes {
    let mut groups = BTreeMap::new();
    for name in sources.names(&[keys::PROFILE_GROUP]) {
        let members = sources.words_at(keys::PROFILE_GROUP, &name);
        groups.insert(name, members);
    }
    let default = sources.words(keys::DEFAULT_PROFILES);
    Wishes {
        active: sources.words(keys::ACTIVE),
        include: sources.words_of_all(keys::INCLUDE),
        default: (!default.is_empty()).then_some(default),
        groups,
    }
}

/// What the process runs on, as a setting or the environment says.
fn platform(given: &Given, above: &Sources) -> Option<String> {
    if let Some(named) = above.words(keys::PLATFORM).pop() {
        return Some(named);
    }
    let is_set = |name: &str| given.environment.iter().any(|(known, _)| known == name);
    let found = PLATFORMS.iter().find(|(name, _)| is_set(name));
    found.map(|(_, platform)| (*platform).to_string())
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::path::{Component, Path};

    use super::*;

    /// Files in memory, by path.
    struct Memory<'m>(&'m [(&'m str, &'m str)]);

    fn plain(path: &Path) -> String {
        let parts = path.components().filter(|part| *part != Component::CurDir);
        let parts: Vec<_> = parts
            .map(|part| part.as_os_str().to_string_lossy())
            .collect();
        parts.join("/")
    }

    impl Files for Memory<'_> {
        fn read(&self, path: &Path) -> io::Result<String> {
            let mut files = self.0.iter();
            let file = files.find(|(name, _)| *name == plain(path));
            file.map(|(_, text)| text.to_string())
                .ok_or(io::ErrorKind::NotFound.into())
        }

        fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
            let folder = plain(folder) + "/";
            let below = self.0.iter().filter_map(|(name, _)| match folder.as_str() {
                "/" => Some(*name),
                folder => name.strip_prefix(folder),
            });
            let mut names: Vec<_> = below
                .filter_map(|name| name.split('/').next())
                .map(String::from)
                .collect();
            names.dedup();
            match names.is_empty() {
                true => Err(io::ErrorKind::NotFound.into()),
                false => Ok(names),
            }
        }
    }

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        let owned = |(name, value): &(&str, &str)| (name.to_string(), value.to_string());
        pairs.iter().map(owned).collect()
    }

    fn gather(
        files: &[(&str, &str)],
        environment: &[(&str, &str)],
        arguments: &[(&str, &str)],
    ) -> Sources {
        let given = Given {
            environment: pairs(environment),
            arguments: pairs(arguments),
            ..Given::default()
        };
        Sources::gather(&given, &Memory(files))
    }

    fn text(sources: &Sources, key: &'static str) -> String {
        let found = sources.get(&key.into());
        found.map_or("none".to_string(), |found| found.unwrap().text)
    }

    fn from(sources: &Sources, key: &'static str) -> String {
        sources.get(&key.into()).unwrap().unwrap().from
    }

    /// C11, config.md §6.1: each of these wins over all before it.
    #[test]
    fn each_source_wins_over_the_one_below_it() {
        let files = [
            ("application.yaml", "v: application.yaml"),
            ("application.yml", "v: application.yml"),
            ("application.properties", "v=application.properties"),
            ("config/application.yml", "v: config/application.yml"),
            ("config/a/application.yml", "v: config/a/application.yml"),
            ("config/b/application.yml", "v: config/b/application.yml"),
            ("application-p.yml", "v: application-p.yml"),
            ("config/application-p.yml", "v: config/application-p.yml"),
            ("application-q.yml", "v: application-q.yml"),
        ];
        let profiles = ("spring.profiles.active", "p,q");
        for count in 1..=files.len() {
            let sources = gather(&files[..count], &[], &[profiles]);
            assert_eq!(text(&sources, "v"), files[count - 1].0);
        }
        let json = r#"{"v": "json"}"#;
        let mut given = Given {
            environment: pairs(&[("V", "environment")]),
            arguments: pairs(&[profiles]),
            ..Given::default()
        };
        let v = |given: &Given| text(&Sources::gather(given, &Memory(&files)), "v");
        assert_eq!(v(&given), "environment");
        given.system = pairs(&[("v", "-D")]);
        assert_eq!(v(&given), "-D");
        given
            .environment
            .extend(pairs(&[("SPRING_APPLICATION_JSON", json)]));
        assert_eq!(v(&given), "json");
        given.arguments.extend(pairs(&[("v", "argument")]));
        assert_eq!(v(&given), "argument");
        given.arguments.pop();
        given.arguments.extend(pairs(&[(
            "spring.application.json",
            r#"{"v": "json too"}"#,
        )]));
        assert_eq!(v(&given), "json too");
    }

    const THREE: &str = "\
v: common
w: common
---
spring.config.activate.on-profile: peer1
v: one
---
spring:
  config.activate.onProfile: [peer2, other]
v: two
";

    /// C5, C6.
    #[test]
    fn documents_count_under_their_profile() {
        let files = [("application.yml", THREE)];
        for (active, v) in [
            ("", "common"),
            ("peer1", "one"),
            ("peer2", "two"),
            ("peer1,peer2", "two"),
        ] {
            let sources = gather(&files, &[("SPRING_PROFILES_ACTIVE", active)], &[]);
            assert_eq!(
                (text(&sources, "v").as_str(), text(&sources, "w").as_str()),
                (v, "common")
            );
            assert!(sources.mistakes.is_empty() && sources.warnings.is_empty());
        }
        let old = THREE.replace(
            "spring.config.activate.on-profile: peer1",
            "spring:\n  profiles: peer1",
        );
        let sources = gather(
            &[("application.yml", &old)],
            &[("SPRING_PROFILES_ACTIVE", "peer1")],
            &[],
        );
        assert_eq!(text(&sources, "v"), "one");
        assert_eq!(sources.warnings.len(), 1, "{:?}", sources.warnings);
        assert_eq!(from(&sources, "v"), "application.yml, line 6");
    }

    /// config.md §6.3.
    #[test]
    fn profiles_are_named_in_files_too_and_the_highest_source_wins() {
        let yml = "spring.profiles: {active: a, include: [i], group.a: [g1, g2]}";
        let files = [
            ("application.yml", yml),
            ("application-a.yml", "v: a\nspring.profiles.active: x"),
            ("application-x.yml", "v: x"),
        ];
        let sources = gather(&files, &[], &[]);
        assert_eq!(sources.profiles, ["i", "a", "g1", "g2"]);
        assert_eq!(text(&sources, "v"), "a");
        assert_eq!(sources.warnings.len(), 1);
        let sources = gather(&files, &[("SPRING_PROFILES_ACTIVE", "${P:x}")], &[]);
        assert_eq!(sources.profiles, ["i", "x"]);
        let default = [(
            "application.yml",
            "v: 1\n---\nspring.config.activate.on-profile: default\nv: 2",
        )];
        assert_eq!(text(&gather(&default, &[], &[]), "v"), "2");
        let odd = gather(&[], &[("SPRING_PROFILES_ACTIVE", "a b")], &[]);
        assert_eq!(odd.mistakes.len(), 1);
    }

    #[test]
    fn places_may_be_named_and_must_be_there_unless_they_are_optional() {
        let files = [
            ("application.yml", "v: usual"),
            ("etc/application.yml", "v: etc"),
            ("etc/node.yml", "v: node"),
            ("etc/node-p.yml", "v: node-p"),
            ("more/application.yml", "v: more"),
        ];
        let location = "spring.config.location";
        for (arguments, v) in [
            (vec![(location, "etc/")], "etc"),
            (vec![(location, "file:etc/node.yml")], "node"),
            (
                vec![(location, "etc/node.yml"), ("spring.profiles.active", "p")],
                "node-p",
            ),
            (
                vec![(location, "etc/"), ("spring.config.name", "node")],
                "node",
            ),
            (vec![(location, "more/,etc/")], "etc"),
            (vec![("spring.config.additional-location", "more/")], "more"),
            (
                vec![(location, "optional:no/,optional:classpath:/")],
                "none",
            ),
            (vec![(location, "*/")], "more"),
        ] {
            let sources = gather(&files, &[], &arguments);
            assert_eq!(text(&sources, "v"), v, "{arguments:?}");
            assert_eq!(sources.mistakes, [], "{arguments:?}");
        }
        let missing = gather(&files, &[("SPRING_CONFIG_LOCATION", "no/")], &[]);
        let wanted = "no/: there is no such file or folder";
        assert_eq!(missing.mistakes[0].to_string(), wanted);
        let from_java = gather(&files, &[], &[(location, "classpath:/")]);
        assert_eq!((from_java.warnings.len(), from_java.mistakes.len()), (1, 0));
    }

    #[test]
    fn imports_count_more_than_who_imports_them_and_less_than_what_follows() {
        let main = "\
spring.config.import: [extra.yml, \"optional:${X:none}.yml\", \"optional:configserver:http://c\"]
v: main
w: main
x: main
---
w: second
";
        let files = [
            ("application.yml", main),
            (
                "extra.yml",
                "v: extra\nw: extra\nspring.config.import: application.yml",
            ),
            ("extra-p.yml", "x: extra-p"),
        ];
        let sources = gather(&files, &[("SPRING_PROFILES_ACTIVE", "p")], &[]);
        let got = ["v", "w", "x"].map(|key| text(&sources, key));
        assert_eq!(got, ["extra", "second", "extra-p"]);
        assert_eq!((sources.mistakes.len(), sources.warnings.len()), (0, 1));

        let tree = [
            (
                "conf/application.yml",
                "spring.config.import: configtree:secrets/",
            ),
            ("conf/secrets/spring.security.user.password", "s3cret\n"),
            ("conf/secrets/eureka/client/region", "eu"),
            ("conf/secrets/..data/x", "no"),
        ];
        let sources = gather(&tree, &[], &[("spring.config.location", "conf/")]);
        assert_eq!(text(&sources, "spring.security.user.password"), "s3cret");
        assert_eq!(text(&sources, keys::REGION), "eu");
        assert_eq!(text(&sources, "x"), "none");

        let missing = [("application.yml", "spring.config.import: no.yml")];
        assert_eq!(gather(&missing, &[], &[]).mistakes.len(), 1);
    }

    #[test]
    fn what_the_environment_and_the_command_line_import_counts_most_of_all_files() {
        let files = [
            (
                "application.yml",
                "spring.config.import: extra.yml\nv: main\nw: main",
            ),
            ("extra.yml", "v: extra\nw: extra"),
            ("tree/v", "tree"),
        ];
        let (name, variable) = ("spring.config.import", "SPRING_CONFIG_IMPORT");
        let import = "configtree:tree/";
        let json = [(
            "SPRING_APPLICATION_JSON",
            r#"{"spring.config.import":"configtree:tree/"}"#,
        )];
        for sources in [
            gather(&files, &[(variable, import)], &[]),
            gather(&files, &[], &[(name, import)]),
            gather(&files, &[], &[("spring.config.import[0]", import)]),
            gather(&files, &json, &[]),
        ] {
            let got = ["v", "w"].map(|key| text(&sources, key));
            assert_eq!(got, ["tree", "extra"], "what the file imports counts, too");
            assert_eq!(sources.mistakes, []);
        }
        let over = gather(&files, &[(variable, import), ("V", "environment")], &[]);
        assert_eq!(text(&over, "v"), "environment");
        let missing = gather(&files, &[(variable, "file:no.yml")], &[]);
        let wanted = "no.yml: there is no such file or folder";
        assert_eq!(missing.mistakes[0].to_string(), wanted);
    }

    /// config.md §7.3.
    #[test]
    fn netflix_files_count_less_than_spring_s_and_have_names_of_their_own() {
        let files = [
            (
                "eureka-server.properties",
                "eureka.region=low\neureka.port=8080\n\
                 eureka.serviceUrl.default=http://h:${eureka.port}/eureka/v2/\n@next=more.txt.properties",
            ),
            ("more.txt.properties", "eureka.server.region=no\n"),
            ("eureka-server-test.properties", "eureka.region=test"),
            ("eureka-server-prod.properties", "eureka.region=prod"),
            (
                "eureka-client.properties",
                "eureka.region=client\neureka.name=a",
            ),
            ("config/application.yml", "eureka.instance.appname: b"),
        ];
        for (count, environment, region) in [
            (1, "x", "low"),
            (3, "test", "test"),
            (3, "", "test"),
            (4, "prod", "prod"),
            (5, "prod", "client"),
        ] {
            let sources = gather(&files[..count], &[("EUREKA_ENVIRONMENT", environment)], &[]);
            assert_eq!(
                text(&sources, keys::REGION),
                region,
                "{count} {environment}"
            );
            let url = sources.entries(keys::SERVICE_URL).remove(0);
            assert_eq!(
                (url.0.as_str(), url.1.unwrap().text.as_str()),
                ("defaultZone", "http://h:8080/eureka/v2/")
            );
            assert_eq!(text(&sources, keys::PORT), "8080");
            assert_eq!(text(&sources, keys::NON_SECURE_PORT), "8080");
        }
        assert_eq!(text(&gather(&files, &[], &[]), keys::APP_NAME), "b");
        let missing = gather(&files[..1], &[], &[]).mistakes;
        assert_eq!(missing.len(), 1);
        let file = [("etc/eureka-client.properties", "eureka.name=x")];
        let alone = gather(
            &file,
            &[],
            &[("spring.config.location", "etc/eureka-client.properties")],
        );
        assert_eq!(text(&alone, keys::APP_NAME), "x");
        let elsewhere = gather(&[("application.properties", "eureka.name=x")], &[], &[]);
        assert_eq!(text(&elsewhere, keys::APP_NAME), "none");
        let argument = gather(&[], &[], &[("eureka.name", "y")]);
        assert_eq!(text(&argument, keys::APP_NAME), "y");
    }

    #[test]
    fn documents_may_be_for_a_platform() {
        let yml = "v: all\n---\nspring.config.activate.on-cloud-platform: kubernetes\nv: k8s";
        let files = [("application.yml", yml)];
        assert_eq!(text(&gather(&files, &[], &[]), "v"), "all");
        let kubernetes = ("KUBERNETES_SERVICE_HOST", "10.0.0.1");
        assert_eq!(text(&gather(&files, &[kubernetes], &[]), "v"), "k8s");
        let none = [("spring.main.cloud-platform", "none")];
        assert_eq!(text(&gather(&files, &[kubernetes], &none), "v"), "all");
    }

    /// C8, C9.
    #[test]
    fn placeholders_see_all_sources_and_what_the_machine_is() {
        let yml = "\
eureka.instance.hostname: localhost
a: http://${eureka.instance.hostname}:${server.port}/eureka/
b: ${PEER:http://x:1/eureka/}
c: ${spring.cloud.client.hostname}
";
        let mut given = Given {
            facts: pairs(&[("spring.cloud.client.hostname", "h")]),
            ..Given::default()
        };
        let files = [("application.yml", yml)];
        let got = |given: &Given| {
            let sources = Sources::gather(given, &Memory(&files));
            ["a", "b", "c"].map(|key| text(&sources, key))
        };
        let wanted = ["http://localhost:8761/eureka/", "http://x:1/eureka/", "h"];
        assert_eq!(got(&given), wanted);
        given.environment = pairs(&[("PEER", "p"), ("SERVER_PORT", "1")]);
        assert_eq!(got(&given)[..2], ["http://localhost:1/eureka/", "p"]);
    }

    #[test]
    fn what_is_wrong_with_a_source_is_named_with_its_place() {
        let json = [("SPRING_APPLICATION_JSON", "{\"a\": ")];
        for (files, environment, wanted) in [
            (
                &[("application.yml", "a: 1\na: 2")][..],
                &[][..],
                "application.yml: line 2: a stands",
            ),
            (
                &[("config/application.yml", "a: 1\n b: 2")],
                &[],
                "config/application.yml: line 2: ",
            ),
            (
                &[("application.properties", "a=\\u1")],
                &[],
                "application.properties: line 1: ",
            ),
            (
                &[(
                    "application.yml",
                    "spring.config.activate.on-profile: a & b | c",
                )],
                &[],
                "application.yml: spring.config.activate.on-profile \"a & b | c\": write parentheses",
            ),
            (
                &[],
                &json,
                "the environment variable SPRING_APPLICATION_JSON: line 1: ",
            ),
        ] {
            let mistakes = gather(files, environment, &[]).mistakes;
            assert_eq!(mistakes.len(), 1, "{wanted}");
            assert!(mistakes[0].to_string().starts_with(wanted), "{mistakes:?}");
        }
    }
}
