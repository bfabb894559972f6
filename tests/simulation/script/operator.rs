//! What operators do by `/api/v1`: overrides with a reason and an end, and whose they are.

use serde_json::json;

use super::line::Args;
use super::{Outcome, times};
use crate::scene::{Scene, split};

/// `override A/i1 DOWN until=10s reason=disk`, `end-override A/i1` or `why A/i1`.
pub(super) async fn operate(scene: &Scene, verb: &str, args: &mut Args<'_>) -> Outcome {
    let (app, id) = split(args.word("an instance")?);
    let path = format!("/api/v1/apps/{app}/instances/{id}");
    match verb {
        "override" => order(scene, &path, args).await,
        "end-override" => {
            args.done()?;
            let reply = scene.delete(&format!("{path}/override")).await;
            Ok(Some(reply.status.to_string()))
        }
        _ => {
            args.done()?;
            why(scene, &path).await
        }
    }
}

async fn order(scene: &Scene, path: &str, args: &mut Args<'_>) -> Outcome {
    let mut wish = json!({ "status": args.word("a status")? });
    if let Some(until) = args.option("until") {
        let now = scene.node.http.clock.now().wall;
        wish["until"] = (now + times::duration(until)?.as_millis() as u64).into();
    }
    if let Some(reason) = args.option("reason") {
        wish["reason"] = reason.into();
    }
    args.done()?;
    let reply = scene.post(&format!("{path}/override"), wish.to_string());
    Ok(Some(reply.json_body().await.status.to_string()))
}

/// `DOWN by ops for disk, ends`: the override in force.
async fn why(scene: &Scene, path: &str) -> Outcome {
    let shown = scene.get(path).await.json();
    let order = &shown["override"];
    let word = |name: &str| order[name].as_str();
    let Some(status) = word("status") else {
        return Ok(Some("no override".to_string()));
    };
    let mut said = format!("{status} by {}", word("owner").unwrap_or("nobody"));
    if let Some(reason) = word("reason") {
        said += &format!(" for {reason}");
    }
    if word("until").is_some() {
        said += ", ends";
    }
    Ok(Some(said))
}
