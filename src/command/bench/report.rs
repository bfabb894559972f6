//! How it goes, on standard error while it goes, and how it went.

use std::fmt::Write;
use std::io::IsTerminal;
use std::rc::Rc;
use std::time::Duration;

use tokio::time::{Instant, interval};

use super::BenchArguments;
use super::figures::{Figures, Kind, Tally};
use super::fleet::Fleet;

/// What is about to be done.
pub(super) fn plan(settings: &BenchArguments) -> String {
    let servers = settings.servers.iter();
    let servers: Vec<_> = servers
        .map(|server| format!("http://{}{}", server.authority, server.path))
        .collect();
    let reads = match settings.read > 0.0 {
        true => format!("reads every {} s", settings.read),
        false => "no reads".to_string(),
    };
    let BenchArguments {
        instances,
        connections,
        beat,
        churn,
        seconds,
        ..
    } = settings;
    format!(
        "{instances} instances over {} connections at {}: heartbeats every {beat} s, {reads}, {churn} a minute replaced, \
         for {seconds} s",
        connections.min(instances),
        servers.join(" ")
    )
}

/// Says again and again how far it is: in one line on a terminal, else in one line every ten seconds.
pub(super) async fn progress(fleet: Rc<Fleet>) {
    let is_terminal = std::io::stderr().is_terminal();
    let pause = Duration::from_secs(if is_terminal { 1 } else { 10 });
    let mut tick = interval(pause);
    tick.tick().await;
    let (started, mut before) = (Instant::now(), 0);
    loop {
        tick.tick().await;
        let (count, failed) = {
            let figures = fleet.figures.borrow();
            (figures.count(), figures.failures())
        };
        // Figures begin anew with each phase.
        let rate = count.saturating_sub(before) as f64 / pause.as_secs_f64();
        before = count;
        let line = format!(
            "{:4} s: {rate:.0} requests/s, {failed} failed",
            started.elapsed().as_secs()
        );
        match is_terminal {
            true => eprint!("\r{line}\x1b[K\r"),
            false => eprintln!("{line}"),
        }
    }
}

/// A row for every kind of request that there was, and the reasons of those that failed.
pub(super) fn table(figures: &Figures, time: Duration) -> String {
    let mut text = format!(
        "  {:14} {:>9} {:>8} {:>10} {:>10} {:>10} {:>9} {:>8} {:>7}\n",
        "", "answered", "/s", "median ms", "99 % ms", "longest ms", "kB/s", "503", "failed"
    );
    let kinds = Kind::ALL.map(|kind| (kind, figures.of(kind)));
    for (kind, tally) in kinds.iter().filter(|(_, tally)| tally.count() > 0) {
        _ = writeln!(text, "  {}", row(kind.as_str(), tally, time.as_secs_f64()));
    }
    for (kind, tally) in kinds {
        for (reason, times) in &tally.failed {
            _ = writeln!(text, "  {times} {}: {reason}", kind.as_str());
        }
    }
    text
}

fn row(name: &str, tally: &Tally, seconds: f64) -> String {
    let at = |quantile| tally.times.value_at_quantile(quantile) as f64 / 1000.0;
    let count = tally.times.len();
    format!(
        "{name:14} {count:>9} {:>8.0} {:>10.2} {:>10.2} {:>10.2} {:>9.0} {:>8} {:>7}",
        count as f64 / seconds,
        at(0.5),
        at(0.99),
        at(1.0),
        tally.bytes as f64 / 1000.0 / seconds,
        tally.refused,
        tally.failures(),
    )
}
