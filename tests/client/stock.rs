//! Group 13: against a stock Java server. They are left out by default, as they need one:
//! `.ci/interop stock4` starts it, says where in `STOCK_EUREKA`, and where the kit with the recordings is in `INTEROP`.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use heureka::client::{
    Backend, Builder, CallFailed, Catalog, EurekaClient, Event, Filter, Instance, InstanceStatus,
    Pending, Request, Response,
};
use serde_json::Value;
use tokio::sync::broadcast;

use crate::waiting::{LONGEST, until};

/// Service URL, with a slash at its end.
fn server() -> String {
    env::var("STOCK_EUREKA").expect("STOCK_EUREKA says where the stock server is")
}

fn plain_http() -> reqwest::Client {
    let builder = reqwest::Client::builder().tls_certs_only([]);
    builder.build().unwrap()
}

fn client() -> Builder {
    EurekaClient::builder()
        .server(server())
        .fetch_interval(Duration::from_millis(200))
        .replication_interval(Duration::from_secs(1))
        .filter(Filter::All)
}

async fn reader() -> EurekaClient {
    client().wait_fetched(LONGEST).start().await.unwrap()
}

fn orders(app: &str) -> Instance {
    Instance::new(app)
        .id(format!("host:{app}:9000"))
        .host_name("host.example")
        .ip_addr("10.0.0.7")
        .port(9000)
        .metadata("zone", "z1")
        .lease(Duration::from_secs(1), Duration::from_secs(3))
}

/// Asks the server without the library.
async fn ask(method: &str, path: &str) -> (u16, String) {
    let request = plain_http()
        .request(method.parse().unwrap(), format!("{}{path}", server()))
        .header("accept", "application/json");
    let answer = request.send().await.unwrap();
    (answer.status().as_u16(), answer.text().await.unwrap())
}

async fn hear(events: &mut broadcast::Receiver<Event>, is_it: impl Fn(&Event) -> bool) {
    let heard = async {
        loop {
            match events.recv().await {
                Ok(event) if is_it(&event) => return,
                Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => {}
                Err(error) => panic!("{error}"),
            }
        }
    };
    tokio::time::timeout(LONGEST, heard).await.unwrap();
}

fn status_of(client: &EurekaClient, app: &str) -> Option<InstanceStatus> {
    Some(client.instances(app).first()?.status)
}

#[tokio::test]
#[ignore = "needs a stock Java server"]
async fn a_life_with_a_stock_server() {
    let reader = reader().await;
    let writer = client().register(orders("STOCK-LIFE"));
    let writer = writer.wait_registered(LONGEST).start().await.unwrap();
    until(&reader, |reader| !reader.instances("stock-life").is_empty()).await;
    let found = reader.instances("stock-life")[0].clone();
    let mut expected = writer.own_instance().unwrap();
    // What the server sets.
    (expected.last_updated, expected.action) = (found.last_updated, found.action);
    assert_eq!(*found, expected);
    assert_eq!(reader.by_vip("Stock-Life").len(), 1);

    writer.update_metadata([("version", "2"), ("zone", "")]);
    until(&reader, |reader| {
        let instances = reader.instances("stock-life");
        let pairs = instances.iter().flat_map(|info| info.metadata.iter());
        pairs
            .map(|(key, value)| (&**key, &**value))
            .eq([("version", "2")])
    })
    .await;
    writer.set_status(InstanceStatus::Down);
    let down = Some(InstanceStatus::Down);
    until(&reader, |reader| status_of(reader, "stock-life") == down).await;
    writer.set_status(InstanceStatus::Up);
    let up = Some(InstanceStatus::Up);
    until(&reader, |reader| status_of(reader, "stock-life") == up).await;

    writer.shutdown().await;
    let (status, _) = ask("GET", "apps/STOCK-LIFE/host:STOCK-LIFE:9000").await;
    assert_eq!(status, 404);
    until(&reader, |reader| reader.instances("stock-life").is_empty()).await;
    reader.shutdown().await;
}

/// The lease is 3 s, which a stock server doubles: it lives through more than two of them, an operator's order, and
/// a deletion that the client has not asked for.
#[tokio::test]
#[ignore = "needs a stock Java server"]
async fn a_lease_is_kept_and_a_lost_registration_is_made_again() {
    let own = "apps/STOCK-LEASE/host:STOCK-LEASE:9000";
    let client = client().register(orders("STOCK-LEASE"));
    let client = client.wait_registered(LONGEST).start().await.unwrap();
    let mut events = client.events();
    let up = Some(InstanceStatus::Up);
    until(&client, |client| client.remote_status() == up).await;
    for _ in 0..15 {
        hear(&mut events, |event| matches!(event, Event::Renewed { .. })).await;
    }
    assert_eq!(ask("GET", own).await.0, 200);

    let (status, _) = ask("PUT", &format!("{own}/status?value=OUT_OF_SERVICE")).await;
    assert_eq!(status, 200);
    let out = Some(InstanceStatus::OutOfService);
    until(&client, |client| client.remote_status() == out).await;
    assert_eq!(client.own_instance().unwrap().status, InstanceStatus::Up);
    let (status, _) = ask("DELETE", &format!("{own}/status?value=UP")).await;
    assert_eq!(status, 200);
    until(&client, |client| client.remote_status() == up).await;

    assert_eq!(ask("DELETE", own).await.0, 200);
    hear(&mut events, |event| matches!(event, Event::Unknown { .. })).await;
    hear(&mut events, |event| {
        matches!(event, Event::Registered { .. })
    })
    .await;
    assert_eq!(ask("GET", own).await.0, 200);
    client.shutdown().await;
    assert_eq!(ask("GET", own).await.0, 404);
}

/// HTTP that notes which lists were asked for.
#[derive(Clone)]
struct Noting {
    http: reqwest::Client,
    lists: Arc<Mutex<Vec<String>>>,
}

impl Backend for Noting {
    fn send(&self, request: Request) -> Pending<Result<Response, CallFailed>> {
        let path = request.url.rsplit_once("/apps/").unwrap().1;
        self.lists.lock().unwrap().push(path.to_string());
        let mut call = self.http.get(&request.url).timeout(request.timeout);
        for (name, value) in request.headers {
            call = call.header(name, value);
        }
        Box::pin(async move {
            let broken = |error: reqwest::Error| CallFailed::Broken(error.to_string());
            let answer = call.send().await.map_err(broken)?;
            Ok(Response {
                status: answer.status().as_u16(),
                body: answer.bytes().await.map_err(broken)?,
                ..Response::default()
            })
        })
    }
}

/// The recorded registrations of all kinds of clients.
fn recordings() -> Vec<PathBuf> {
    let kit = env::var("INTEROP").expect("INTEROP says where the kit is");
    let below = |folder: &Path| {
        fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
    };
    let mut found: Vec<_> = below(&Path::new(&kit).join("captures"))
        .flat_map(|folder| below(&folder).collect::<Vec<_>>())
        .filter(|path| path.to_string_lossy().contains("-POST-apps-"))
        .collect();
    found.sort();
    found
}

/// Registers what was recorded; whether the server took it.
async fn replay(path: &Path) -> bool {
    let recorded: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let body = recorded["body"].as_str().unwrap_or_default();
    if recorded["body_encoding"] != "utf-8" {
        return false;
    }
    let app = recorded["path"]
        .as_str()
        .unwrap()
        .rsplit_once('/')
        .unwrap()
        .1;
    let mut call = plain_http().post(format!("{}apps/{app}", server()));
    for header in recorded["headers"].as_array().unwrap() {
        if header[0]
            .as_str()
            .unwrap()
            .eq_ignore_ascii_case("content-type")
        {
            call = call.header("content-type", header[1].as_str().unwrap());
        }
    }
    let answer = call.body(body.to_string()).send().await.unwrap();
    answer.status().is_success()
}

/// `APP id status host`, of all that the server lists.
async fn listed() -> BTreeSet<String> {
    let (status, text) = ask("GET", "apps").await;
    assert_eq!(status, 200);
    let list: Value = serde_json::from_str(&text).unwrap();
    let apps = list["applications"]["application"].as_array().unwrap();
    let instances = apps
        .iter()
        .flat_map(|app| app["instance"].as_array().unwrap());
    let text = |value: &Value| value.as_str().unwrap().to_string();
    let line = |info: &Value| {
        // Without an id, Java goes by the host.
        let id = info["instanceId"].as_str().filter(|id| !id.is_empty());
        let host = text(&info["hostName"]);
        format!(
            "{} {} {} {host}",
            text(&info["app"]),
            id.unwrap_or(&host),
            text(&info["status"])
        )
    };
    instances.map(line).collect()
}

fn known(catalog: &Catalog) -> BTreeSet<String> {
    let instances = catalog
        .apps()
        .flat_map(|app| catalog.all_instances(app).to_vec());
    let line = |info: &heureka::client::InstanceInfo| {
        format!(
            "{} {} {} {}",
            info.app,
            info.id(),
            info.status,
            info.host_name
        )
    };
    instances.map(|info| line(&info)).collect()
}

/// Every record that foreign clients register is read, in a full list and in deltas alike, and the hash codes agree:
/// after the first list no other is asked for.
#[tokio::test]
#[ignore = "needs a stock Java server"]
async fn whatever_foreign_clients_register_is_read_and_adds_up() {
    let noting = Noting {
        http: plain_http(),
        lists: Arc::default(),
    };
    let by_deltas = client().backend(noting.clone()).wait_fetched(LONGEST);
    let by_deltas = by_deltas.start().await.unwrap();
    let mut taken = 0;
    for path in recordings() {
        taken += usize::from(replay(&path).await);
    }
    assert!(taken >= 25, "{taken} recordings were taken");
    // The server's lists are a second old at most; then they have all that was taken.
    until(&by_deltas, |client| client.catalog().len() >= 20).await;
    let settled = async {
        loop {
            let (list, deltas) = (listed().await, known(&by_deltas.catalog()));
            if list == deltas && list == listed().await {
                return list;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    let list = tokio::time::timeout(LONGEST, settled).await;
    let list = list.unwrap_or_else(|_| panic!("deltas: {:#?}", known(&by_deltas.catalog())));
    let by_full_list = reader().await;
    assert_eq!(known(&by_full_list.catalog()), list);
    let lists = noting.lists.lock().unwrap().clone();
    assert_eq!(
        lists.iter().filter(|path| **path != "delta").count(),
        1,
        "{lists:?}"
    );
    assert!(lists.len() > 5);
    by_full_list.shutdown().await;
    by_deltas.shutdown().await;
}
