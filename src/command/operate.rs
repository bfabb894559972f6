//! `heureka apps`, `instances`, `events`, `peers` and `override`: a running node, in the terminal.
//!
//! A table for people, `--json` for programs. Exit codes: 0 done; 1 nothing useful answers; 3 there is no such application or
//! instance; 4 one may not; 5 the node did not understand.

use std::process::ExitCode;

use clap::Args;
use heureka::config::Config;
use reqwest::Method;
use serde_json::{Value, json};

use super::print::print;
use super::remote::{Asked, Failed, Remote, name};
use super::table::{Table, word};

/// What commands without arguments of their own may be told.
#[derive(Args)]
pub(super) struct ListArguments {
    #[command(flatten)]
    remote: Remote,
}

/// What `heureka instances` may be told.
#[derive(Args)]
pub(super) struct InstancesArguments {
    /// The application
    #[arg(value_parser = name)]
    app: String,
    #[command(flatten)]
    remote: Remote,
}

/// What `heureka events` may be told.
#[derive(Args)]
pub(super) struct EventsArguments {
    /// Of this application
    #[arg(long)]
    app: Option<String>,
    /// Of the instance with this id
    #[arg(long)]
    instance: Option<String>,
    /// Of this kind, such as cancelled or lease-ended; may be given several times
    #[arg(long)]
    kind: Vec<String>,
    /// Not before this time, as 2026-11-30T12:00:00Z
    #[arg(long)]
    since: Option<String>,
    /// How many
    #[arg(long, default_value_t = 50)]
    limit: u64,
    #[command(flatten)]
    remote: Remote,
}

/// What `heureka override` may be told.
#[derive(Args)]
pub(super) struct OverrideArguments {
    /// The application
    #[arg(value_parser = name)]
    app: String,
    /// The instance's id
    #[arg(value_parser = name)]
    id: String,
    /// UP, DOWN, STARTING, OUT_OF_SERVICE or UNKNOWN
    #[arg(required_unless_present = "end")]
    status: Option<String>,
    /// Take the override back
    #[arg(long, conflicts_with_all = ["status", "until"])]
    end: bool,
    /// Why
    #[arg(long)]
    reason: Option<String>,
    /// When it ends by itself, as 2026-11-30T12:00:00Z
    #[arg(long)]
    until: Option<String>,
    #[command(flatten)]
    remote: Remote,
}

/// `heureka apps`.
pub(super) fn apps(config: &Config, arguments: &ListArguments) -> ExitCode {
    let table = Table {
        list: "apps",
        columns: &[
            ("APPLICATION", |app| word(&app["name"])),
            ("INSTANCES", |app| word(&app["instances"])),
            ("STATUSES", |app| counts(&app["statuses"])),
        ],
    };
    list(config, &arguments.remote, read(vec!["apps"]), &table)
}

/// `heureka instances`.
pub(super) fn instances(config: &Config, arguments: &InstancesArguments) -> ExitCode {
    let table = Table {
        list: "instances",
        columns: &[
            ("INSTANCE", |one| word(&one["id"])),
            ("STATUS", |one| word(&one["status"])),
            ("SAYS", |one| word(&one["said"])),
            ("OVERRIDE", |one| order(&one["override"])),
            ("HOST", |one| word(&one["hostName"])),
            ("PORT", |one| word(&one["port"])),
            ("ZONE", |one| word(&one["zone"])),
            ("RENEWED", |one| word(&one["lease"]["renewed"])),
            ("HELD SINCE", |one| word(&one["lease"]["heldSince"])),
        ],
    };
    show(&arguments.remote, all_pages(config, arguments), &table)
}

/// All instances of an application, as if they came on one page.
fn all_pages(config: &Config, arguments: &InstancesArguments) -> Result<Value, Failed> {
    let (remote, mut all, mut after) = (&arguments.remote, Value::Null, None);
    loop {
        let limit = Some(("limit", "1000".to_string()));
        let asked = Asked {
            query: limit.into_iter().chain(after.take()).collect(),
            ..read(vec!["apps", &arguments.app])
        };
        let mut page = remote.ask(config, asked)?;
        let next = page["next"].as_str().map(str::to_string);
        after = next.map(|next| ("after", next));
        match (
            all["instances"].as_array_mut(),
            page["instances"].as_array_mut(),
        ) {
            (Some(all), Some(more)) => all.append(more),
            _ => all = page,
        }
        if after.is_none() {
            break;
        }
    }
    if let Some(all) = all.as_object_mut() {
        all.remove("next");
    }
    Ok(all)
}

/// `heureka events`.
pub(super) fn events(config: &Config, arguments: &EventsArguments) -> ExitCode {
    let table = Table {
        list: "events",
        columns: &[
            ("TIME", |event| word(&event["time"])),
            ("APPLICATION", |event| word(&event["app"])),
            ("INSTANCE", |event| word(&event["instance"])),
            ("KIND", |event| word(&event["kind"])),
            ("STATUS", |event| {
                format!("{} > {}", word(&event["before"]), word(&event["after"]))
            }),
            ("BY", |event| sender(event)),
            ("REASON", |event| word(&event["reason"])),
        ],
    };
    let one = |name, value: &Option<String>| value.clone().map(|value| (name, value));
    let kinds = arguments.kind.iter().map(|kind| ("kind", kind.clone()));
    let more = [
        one("app", &arguments.app),
        one("instance", &arguments.instance),
        one("since", &arguments.since),
        Some(("limit", arguments.limit.to_string())),
    ];
    let query = kinds.chain(more.into_iter().flatten()).collect();
    let asked = Asked {
        query,
        ..read(vec!["events"])
    };
    list(config, &arguments.remote, asked, &table)
}

/// `heureka peers`.
pub(super) fn peers(config: &Config, arguments: &ListArguments) -> ExitCode {
    let table = Table {
        list: "peers",
        columns: &[
            ("PEER", |peer| word(&peer["url"])),
            ("UP", |peer| word(&peer["up"])),
            ("BEHIND", |peer| word(&peer["behind"])),
            ("KIND", |peer| word(&peer["kind"])),
            ("LAST CONTACT", |peer| word(&peer["lastContact"])),
            ("WAITING", |peer| word(&peer["waiting"])),
        ],
    };
    list(config, &arguments.remote, read(vec!["peers"]), &table)
}

/// An override as a word: `DOWN by ops`.
fn order(value: &Value) -> String {
    match value.get("status") {
        None => "-".to_string(),
        Some(status) => format!("{} by {}", word(status), word(&value["owner"])),
    }
}

/// `heureka override`: gives an order, or takes it back.
pub(super) fn override_status(config: &Config, arguments: &OverrideArguments) -> ExitCode {
    let path = vec![
        "apps",
        &arguments.app,
        "instances",
        &arguments.id,
        "override",
    ];
    let reason = arguments.reason.clone();
    let asked = match &arguments.status {
        Some(status) => Asked {
            method: Method::POST,
            body: Some(json!({ "status": status, "reason": reason, "until": arguments.until })),
            ..read(path)
        },
        None => Asked {
            method: Method::DELETE,
            query: reason
                .map(|reason| ("reason", reason))
                .into_iter()
                .collect(),
            ..read(path)
        },
    };
    match arguments.remote.ask(config, asked) {
        Ok(answer) => {
            if arguments.remote.json {
                print(format_args!("{answer:#}\n"));
            }
            ExitCode::SUCCESS
        }
        Err(failed) => {
            eprintln!("heureka: {failed}");
            failed.code()
        }
    }
}

fn read(path: Vec<&str>) -> Asked<'_> {
    Asked {
        method: Method::GET,
        path,
        query: Vec::new(),
        body: None,
    }
}

fn list(config: &Config, remote: &Remote, asked: Asked<'_>, table: &Table) -> ExitCode {
    show(remote, remote.ask(config, asked), table)
}

fn show(remote: &Remote, answer: Result<Value, Failed>, table: &Table) -> ExitCode {
    match answer {
        Ok(answer) if remote.json => print(format_args!("{answer:#}\n")),
        Ok(answer) => print(table.write(&answer)),
        Err(failed) => {
            eprintln!("heureka: {failed}");
            return failed.code();
        }
    }
    ExitCode::SUCCESS
}

/// `UP 3, DOWN 1`.
fn counts(statuses: &Value) -> String {
    let statuses = statuses.as_object().into_iter().flatten();
    let words = statuses.map(|(status, count)| format!("{status} {count}"));
    words.collect::<Vec<_>>().join(", ")
}

/// `operator ops 10.0.0.1`.
fn sender(event: &Value) -> String {
    let words = ["by", "user", "address"].into_iter();
    let words = words.filter_map(|name| event.get(name)).map(word);
    words.collect::<Vec<_>>().join(" ")
}
