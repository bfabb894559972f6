//! A server in memory that has many instances, of which some change from delta to delta.

use std::fmt::Write;
use std::sync::{Arc, Mutex};

use heureka::client::{Backend, CallFailed, Pending, Request, Response};
use tokio::time::Instant;

pub const INSTANCES: usize = 10_000;
const APPS: usize = 200;
/// Instances that are different in each delta.
pub const CHANGES: usize = 100;

/// The server.
#[derive(Clone, Default)]
pub struct Many(pub Arc<Mutex<Asked>>);

#[derive(Default)]
pub struct Asked {
    pub times: usize,
    /// When the last answer was handed out.
    pub answered: Option<Instant>,
}

fn instance(out: &mut String, number: usize, version: usize) {
    let app = number % APPS;
    write!(
        out,
        r#"{{"name":"APP-{app}","instance":[{{"instanceId":"host-{number}:app-{app}:8080","hostName":"host-{number}","app":"APP-{app}","ipAddr":"10.0.0.1","status":"UP","port":{{"$":8080,"@enabled":"true"}},"dataCenterInfo":{{"name":"MyOwn"}},"metadata":{{"version":"{version}","zone":"z1"}},"vipAddress":"app-{app}","secureVipAddress":"app-{app}","actionType":"MODIFIED","lastDirtyTimestamp":"1"}}]}}"#
    )
    .unwrap();
}

fn list(instances: impl Iterator<Item = (usize, usize)>) -> String {
    let head = r#"{"applications":{"versions__delta":"1","apps__hashcode":"#;
    let mut list = format!("{head}\"UP_{INSTANCES}_\",\"application\":[");
    for (position, (number, version)) in instances.enumerate() {
        if position > 0 {
            list.push(',');
        }
        instance(&mut list, number, version);
    }
    list.push_str("]}}");
    list
}

impl Backend for Many {
    fn send(&self, request: Request) -> Pending<Result<Response, CallFailed>> {
        let mut asked = self.0.lock().unwrap();
        asked.times += 1;
        let version = asked.times;
        let body = match request.url.ends_with("delta") {
            true => list((0..CHANGES).map(|number| (number * 97 % INSTANCES, version))),
            false => list((0..INSTANCES).map(|number| (number, 0))),
        };
        asked.answered = Some(Instant::now());
        Box::pin(async move {
            Ok(Response {
                status: 200,
                body: body.into(),
                ..Response::default()
            })
        })
    }
}
