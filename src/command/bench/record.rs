//! What a client registers: about a kilobyte, as a Spring application has it.

use std::time::{SystemTime, UNIX_EPOCH};

use hyper::body::Bytes;
use serde_json::json;

/// The names of one instance, and its record.
pub(super) struct Record {
    pub(super) app: String,
    pub(super) id: String,
    pub(super) body: Bytes,
    /// Its `lastDirtyTimestamp`.
    pub(super) stamp: u64,
}

impl Record {
    /// The instance with this number, shared out among so many applications, with this renewal interval in seconds.
    pub(super) fn new(number: u64, applications: u32, interval: f64) -> Self {
        let app = format!("BENCH-{:04}", number % u64::from(applications));
        let name = app.to_lowercase();
        let host = format!("bench-{number}.example");
        let id = format!("{host}:{name}:8080");
        let stamp = now();
        let interval = interval.ceil().max(1.0) as u64;
        let [c, b, a] = [number % 256, number / 256 % 256, number / 65_536 % 256];
        let body = json!({ "instance": {
            "instanceId": id, "app": app, "hostName": host, "ipAddr": format!("10.{a}.{b}.{c}"),
            "status": "UP", "overriddenStatus": "UNKNOWN", "countryId": 1,
            "port": { "$": 8080, "@enabled": "true" }, "securePort": { "$": 443, "@enabled": "false" },
            "dataCenterInfo": {
                "@class": "com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo", "name": "MyOwn",
            },
            "leaseInfo": { "renewalIntervalInSecs": interval, "durationInSecs": 3 * interval },
            "metadata": { "management.port": "8080", "zone": format!("zone-{}", number % 3), "version": "1.0.0" },
            "homePageUrl": format!("http://{host}:8080/"),
            "statusPageUrl": format!("http://{host}:8080/actuator/info"),
            "healthCheckUrl": format!("http://{host}:8080/actuator/health"),
            "vipAddress": name, "secureVipAddress": name, "isCoordinatingDiscoveryServer": "false",
            "lastUpdatedTimestamp": stamp.to_string(), "lastDirtyTimestamp": stamp.to_string(),
        }});
        Self {
            app,
            id,
            body: body.to_string().into(),
            stamp,
        }
    }
}

/// Milliseconds since 1970, by the clock that clients have.
#[expect(
    clippy::disallowed_methods,
    reason = "a stamp of a client, not the node's time"
)]
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_millis() as u64)
}
