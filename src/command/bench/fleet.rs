//! All clients: they register, live for the time that is measured, and leave.

use std::cell::{Cell, RefCell};
use std::process::ExitCode;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use rand::RngExt;
use tokio::sync::Mutex;
use tokio::task::{JoinSet, LocalSet};
use tokio::time::Instant;

use super::client::Client;
use super::figures::Figures;
use super::link::Link;
use super::server::Server;
use super::{BenchArguments, report};
use crate::command::print::print;

/// What all clients share, and how far they are.
pub(super) struct Fleet {
    pub(super) settings: BenchArguments,
    pub(super) links: Vec<Mutex<Link>>,
    pub(super) figures: RefCell<Figures>,
    /// The number of the next client.
    next: Cell<u64>,
}

/// Measures, and says how it went.
pub(in crate::command) fn run(settings: BenchArguments) -> ExitCode {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("heureka: nothing can be measured here: {error}");
            return ExitCode::FAILURE;
        }
    };
    heureka::files::raise_limit();
    LocalSet::new().block_on(&runtime, measure(settings))
}

async fn measure(settings: BenchArguments) -> ExitCode {
    let fleet = Rc::new(Fleet::new(settings));
    print(format_args!("{}\n", report::plan(&fleet.settings)));
    let progress = tokio::task::spawn_local(report::progress(fleet.clone()));

    let started = Instant::now();
    let clients = Fleet::register(&fleet).await;
    let entered = fleet.figures.replace(Figures::new());
    let table = report::table(&entered, started.elapsed());
    print(format_args!("all are registered\n{table}\n"));

    let started = Instant::now();
    let clients = Fleet::live(&fleet, clients).await;
    let lived = fleet.figures.replace(Figures::new());
    progress.abort();
    let table = report::table(&lived, started.elapsed());
    print(format_args!("as they lived\n{table}\n"));

    if !fleet.settings.keep {
        let started = Instant::now();
        leave(clients).await;
        let left = fleet.figures.replace(Figures::new());
        let table = report::table(&left, started.elapsed());
        print(format_args!("all have left\n{table}\n"));
    }
    match entered.failures() + lived.failures() {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

impl Fleet {
    fn new(settings: BenchArguments) -> Self {
        let servers: Arc<[Server]> = settings.servers.clone().into();
        let links = 0..settings.connections.min(settings.instances) as usize;
        let link = |number| Mutex::new(Link::new(servers.clone(), number, settings.addresses));
        Self {
            links: links.map(link).collect(),
            figures: RefCell::new(Figures::new()),
            next: Cell::new(0),
            settings,
        }
    }

    fn client(fleet: &Rc<Self>) -> Client {
        let number = fleet.next.get();
        fleet.next.set(number + 1);
        Client::new(fleet.clone(), number)
    }

    /// All clients, once each of them is registered.
    async fn register(fleet: &Rc<Self>) -> Vec<Client> {
        let clients = (0..fleet.settings.instances).map(|_| Self::client(fleet));
        let mut tasks = JoinSet::new();
        for client in clients {
            tasks.spawn_local(async move {
                client.register().await;
                client
            });
        }
        tasks.join_all().await
    }

    /// Lets them live for as long as is measured, and gives those back that are there at the end.
    async fn live(fleet: &Rc<Self>, clients: Vec<Client>) -> Vec<Client> {
        let end = Instant::now() + Duration::from_secs_f64(fleet.settings.seconds);
        let mut tasks = JoinSet::new();
        for mut client in clients {
            let fleet = fleet.clone();
            tasks.spawn_local(async move {
                loop {
                    let own_end = Instant::now() + fleet.lifetime();
                    client.live(own_end.min(end)).await;
                    if Instant::now() >= end {
                        return client;
                    }
                    client.leave().await;
                    client = Self::client(&fleet);
                    client.register().await;
                }
            });
        }
        tasks.join_all().await
    }

    /// How long one client stays: at random, so that as many leave in a minute as were asked for.
    fn lifetime(&self) -> Duration {
        let (instances, churn) = (f64::from(self.settings.instances), self.settings.churn);
        if churn == 0.0 {
            return Duration::from_secs_f64(2.0 * self.settings.seconds);
        }
        let share = 1.0 - rand::rng().random::<f64>();
        Duration::from_secs_f64((-share.ln() * 60.0 * instances / churn).min(1e9))
    }
}

async fn leave(clients: Vec<Client>) {
    let mut tasks = JoinSet::new();
    for client in clients {
        tasks.spawn_local(async move { client.leave().await });
    }
    tasks.join_all().await;
}
