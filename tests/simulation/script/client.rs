//! What clients and operators do with one node, and what they see there.

use std::collections::BTreeMap;
use std::rc::Rc;

use heureka::registry::TakeSnapshot;
use serde_json::{Value, json};

use super::line::Args;
use super::operator::operate;
use super::{Outcome, Play, times};
use crate::cluster::{Mute, stamp};
use crate::scene::{Scene, rows, split};
use crate::support::Ask;

impl Play {
    /// The node for a client, or what a client gets where it is not to be had.
    pub(super) fn reach(&self, node: &str) -> Result<Rc<Scene>, String> {
        self.cluster
            .borrow()
            .client(node)
            .map_err(|mute| match mute {
                Mute::Refused => "refused".to_string(),
                Mute::Silent => "no answer".to_string(),
            })
    }

    pub(super) async fn client_command(
        &mut self,
        node: &str,
        verb: &str,
        args: &mut Args<'_>,
    ) -> Outcome {
        let scene = match self.reach(node) {
            Ok(scene) => scene,
            Err(mute) => {
                // What was asked does not matter then.
                args.rest();
                args.options("");
                return Ok(Some(mute));
            }
        };
        match verb {
            "show" => show(&scene, args.word("an instance")?).await,
            "list" => list(&scene).await,
            "gate" => gate(&scene).await,
            "overrides" => overrides(&scene).await,
            "count" => count(&scene).await,
            "status" => status(&scene).await,
            "metric" => metric(&scene, args).await,
            "register-many" | "beat-many" | "cancel-many" => many(&scene, verb, args).await,
            "override" | "end-override" | "why" => operate(&scene, verb, args).await,
            _ => write(&scene, verb, args).await,
        }
    }
}

/// The record of a registration: `A/i1 UP dirty=100 lease=30/90 override=DOWN m.key=value`.
pub(super) struct Record {
    pub(super) app: String,
    pub(super) id: String,
    pub(super) dirty: u64,
    pub(super) info: Value,
}

impl Record {
    pub(super) fn read(args: &mut Args<'_>) -> Result<Self, String> {
        let name = args.word("an instance")?;
        let (app, id) = name.split_once('/').ok_or(format!("no instance: {name}"))?;
        let dirty = args.option("dirty").unwrap_or("now");
        let dirty = times::stamp(dirty)?;
        let (interval, life) = match args.option("lease") {
            Some(lease) => lease.split_once('/').ok_or("lease=INTERVAL/DURATION")?,
            None => ("30", "90"),
        };
        let metadata: BTreeMap<_, _> = args.options("m.").into_iter().collect();
        let mut info = json!({
            "instanceId": id, "hostName": "host-1", "app": app, "ipAddr": "10.0.0.1",
            "status": args.next().unwrap_or("UP"),
            "vipAddress": app.to_lowercase(),
            "dataCenterInfo": {
                "@class": "com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo", "name": "MyOwn"
            },
            "leaseInfo": {"renewalIntervalInSecs": interval, "durationInSecs": life},
            "lastDirtyTimestamp": dirty.to_string(),
            "metadata": metadata,
        });
        if let Some(order) = args.option("override") {
            info["overriddenstatus"] = order.into();
        }
        Ok(Self {
            app: app.to_string(),
            id: id.to_string(),
            dirty,
            info,
        })
    }

    pub(super) async fn register(&self, scene: &Scene) -> u16 {
        let body = json!({"instance": self.info}).to_string();
        let path = format!("/eureka/apps/{}", self.app);
        scene.post(&path, body).json_body().await.status
    }

    /// What a client does every half minute: a heartbeat, and a registration where that is answered 404.
    async fn beat_or_register(&self, scene: &Scene) -> u16 {
        let name = format!("{}/{}", self.app, self.id);
        let query = format!("lastDirtyTimestamp={}", self.dirty);
        match scene.beat(&name, &query).await {
            404 => self.register(scene).await,
            status => status,
        }
    }
}

async fn write(scene: &Scene, verb: &str, args: &mut Args<'_>) -> Outcome {
    if verb == "register" {
        let record = Record::read(args)?;
        args.done()?;
        return answered(record.register(scene).await);
    }
    if verb == "beat-or-register" {
        let record = Record::read(args)?;
        args.done()?;
        return answered(record.beat_or_register(scene).await);
    }
    let name = args.word("an instance")?;
    let value = match verb {
        "order" => Some(args.word("a status")?),
        "clear" => args.next(),
        "beat" | "metadata" | "cancel" => None,
        _ => return Err(format!("unknown: {verb}")),
    };
    let mut query: Vec<String> = Vec::new();
    query.extend(value.map(|value| format!("value={value}")));
    if let Some(dirty) = args.option("dirty") {
        query.push(format!("lastDirtyTimestamp={}", times::stamp(dirty)?));
    }
    if verb == "metadata" {
        let pairs = args.options("").into_iter();
        query.extend(pairs.map(|(key, value)| format!("{key}={value}")));
    }
    args.done()?;
    let query = query.join("&");
    answered(match verb {
        "order" => scene.order(name, &query).await,
        "clear" => scene.clear(name, &query).await,
        "beat" => scene.beat(name, &query).await,
        "metadata" => scene.add_metadata(name, &query).await,
        _ => scene.cancel(name).await,
    })
}

/// The same with `APP/1`, `APP/2` and so on.
async fn many(scene: &Scene, verb: &str, args: &mut Args<'_>) -> Outcome {
    let app = args.word("an application")?;
    let count = args.word("a number")?;
    let count: usize = count.parse().map_err(|_| format!("no number: {count}"))?;
    let dirty = args.option("dirty").unwrap_or("100");
    args.done()?;
    let mut answers: BTreeMap<u16, usize> = BTreeMap::new();
    for n in 1..=count {
        let line = format!("{app}/{n} dirty={dirty}");
        let mut args = Args::of(&line);
        let status = match verb {
            "register-many" => Record::read(&mut args)?.register(scene).await,
            "beat-many" => scene.beat(args.word("")?, "").await,
            _ => scene.cancel(args.word("")?).await,
        };
        *answers.entry(status).or_default() += 1;
    }
    let answers = answers.iter().map(|(status, n)| format!("{status} x{n}"));
    Ok(Some(answers.collect::<Vec<_>>().join(", ")))
}

fn answered(status: u16) -> Outcome {
    Ok(Some(status.to_string()))
}

async fn show(scene: &Scene, name: &str) -> Outcome {
    let (app, id) = split(name);
    let reply = scene.get(&format!("/eureka/apps/{app}/{id}")).j().await;
    Ok(Some(match reply.status {
        200 => shown(&reply.json()["instance"]),
        404 => "absent".to_string(),
        other => other.to_string(),
    }))
}

/// `UP/UNKNOWN dirty=100 key=value` of an instance's JSON.
pub(super) fn shown(instance: &Value) -> String {
    let word = |member: &str| instance[member].as_str().unwrap_or("-").to_string();
    let dirty = word("lastDirtyTimestamp").parse().unwrap_or(0);
    let mut text = format!(
        "{}/{} dirty={}",
        word("status"),
        word("overriddenStatus"),
        stamp(dirty)
    );
    let metadata: BTreeMap<String, Value> =
        serde_json::from_value(instance["metadata"].clone()).unwrap_or_default();
    for (key, value) in metadata {
        // An empty map has a class.
        if key != "@class" {
            text += &format!(" {key}={}", value.as_str().unwrap_or("-"));
        }
    }
    text
}

/// What a client that reads the list gets: its rows, or why there are none.
async fn list(scene: &Scene) -> Outcome {
    let reply = read(scene).await;
    Ok(Some(match reply.status {
        200 => joined(rows(&reply.json()).into_iter().map(|row| {
            let words: Vec<&str> = row.split(' ').collect();
            words[..2].join(" ")
        })),
        other => other.to_string(),
    }))
}

async fn gate(scene: &Scene) -> Outcome {
    let reply = read(scene).await;
    // How long depends on when it is asked.
    let later = reply.header("retry-after").map(|_| " with Retry-After");
    let later = later.unwrap_or_default();
    Ok(Some(format!("{}{later}", reply.status)))
}

fn read(scene: &Scene) -> Ask<'_> {
    scene.get("/eureka/apps").j()
}

async fn overrides(scene: &Scene) -> Outcome {
    let Value::Object(all) = scene.overrides().await else {
        return Err("no overrides".to_string());
    };
    let pairs = all
        .iter()
        .map(|(id, status)| format!("{id}={}", status.as_str().unwrap_or("-")));
    Ok(Some(joined(pairs)))
}

async fn count(scene: &Scene) -> Outcome {
    let held = scene.node.http.registry.ask(TakeSnapshot).await;
    Ok(Some(
        held.map_err(|_| "the registry is gone")?.len().to_string(),
    ))
}

/// Hosts of the replicas on the status page.
async fn status(scene: &Scene) -> Outcome {
    let json = scene.get("/eureka/status").j().await.json();
    let mut parts = Vec::new();
    for kind in ["registered", "available", "unavailable"] {
        let replicas = &json["applicationStats"][format!("{kind}-replicas")];
        let replicas = replicas.as_str().unwrap_or_default();
        let urls = replicas.split(',').filter(|url| !url.is_empty());
        let hosts = urls.map(|url| url.split('/').nth(2).unwrap_or(url).to_string());
        let mut hosts: Vec<String> = hosts.collect();
        hosts.sort();
        parts.push(format!("{kind}: {}", joined(hosts.into_iter())));
    }
    Ok(Some(parts.join("; ")))
}

/// `metric NAME`, with labels as they stand on the page but without quotes.
async fn metric(scene: &Scene, args: &mut Args<'_>) -> Outcome {
    let mut name = args.word("a metric")?.to_string();
    let labels = args.options("");
    if !labels.is_empty() {
        let labels = labels
            .iter()
            .map(|(key, value)| format!("{key}=\"{value}\""));
        name += &format!("{{{}}}", labels.collect::<Vec<_>>().join(","));
    }
    Ok(Some(scene.count(&name).await.to_string()))
}

pub(super) fn joined(words: impl Iterator<Item = String>) -> String {
    let words: Vec<String> = words.collect();
    match words.is_empty() {
        true => "none".to_string(),
        false => words.join(", "),
    }
}
