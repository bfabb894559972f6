//! Batches by hand, as a peer sends them: `register A/i1 UP dirty=5; beat A/i1 dirty=5; cancel A/i1`.

use serde_json::{Value, json};

use heureka::transport::SIGN;

use super::client::{Record, shown};
use super::line::Args;
use super::{Outcome, Play, times};

impl Play {
    /// Sends a batch; with `own` as a node of this kind does, else as Java does.
    pub(super) async fn batch(&mut self, node: &str, args: &mut Args<'_>) -> Outcome {
        let text = args.text_from(2);
        let (is_own, text) = match text.strip_prefix("own ") {
            Some(text) => (true, text),
            None => (false, text),
        };
        let items: Result<Vec<Value>, String> = text
            .split(';')
            .map(|text| item(&mut Args::of(text)))
            .collect();
        let body = json!({"replicationList": items?}).to_string();
        let scene = match self.reach(node) {
            Ok(scene) => scene,
            Err(mute) => return Ok(Some(mute)),
        };
        let mut ask = scene.post("/eureka/peerreplication/batch/", body);
        if is_own {
            ask = ask.header(SIGN, "0000000000000001; 0.1.0; open");
        }
        let reply = ask.json_body().j().await;
        if reply.status != 200 {
            return Ok(Some(format!("refused: {}", reply.status)));
        }
        let json = reply.json();
        let answers = json["responseList"].as_array().cloned().unwrap_or_default();
        let answers: Vec<String> = answers.iter().map(answer).collect();
        Ok(Some(answers.join(" ")))
    }
}

fn answer(answer: &Value) -> String {
    let status = answer["statusCode"].to_string();
    match &answer["responseEntity"] {
        Value::Null => status,
        copy => format!("{status} ({})", shown(copy)),
    }
}

fn item(args: &mut Args<'_>) -> Result<Value, String> {
    let verb = args.word("what the peer says")?;
    let ext = args.option("ext");
    let mut item = match verb {
        "register" => {
            let record = Record::read(args)?;
            json!({
                "appName": record.app, "id": record.id, "lastDirtyTimestamp": record.dirty,
                "status": record.info["status"], "instanceInfo": record.info, "action": "Register"
            })
        }
        _ => other(verb, args)?,
    };
    if let Some(ext) = ext {
        item["ext"] = serde_json::from_str(ext).map_err(|error| error.to_string())?;
    }
    args.done()?;
    Ok(item)
}

fn other(verb: &str, args: &mut Args<'_>) -> Result<Value, String> {
    let name = args.word("an instance")?;
    let (app, id) = name.split_once('/').ok_or(format!("no instance: {name}"))?;
    let action = match verb {
        "beat" => "Heartbeat",
        "cancel" => "Cancel",
        "order" => "StatusUpdate",
        "clear" => "DeleteStatusOverride",
        _ => return Err(format!("unknown: {verb}")),
    };
    let mut item = json!({"appName": app, "id": id, "action": action});
    if let Some(dirty) = args.option("dirty") {
        item["lastDirtyTimestamp"] = times::stamp(dirty)?.into();
    }
    if let Some(order) = args.option("override") {
        item["overriddenStatus"] = order.into();
    }
    if let Some(status) = args.next() {
        item["status"] = status.into();
    }
    Ok(item)
}
