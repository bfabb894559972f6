//! What goes wrong in a random schedule, and how it ends.

use rand::RngExt;

use super::schedule::{Maker, Stands, name};

/// Something that goes wrong.
pub struct Fault;

impl Fault {
    /// Draws one; its end comes by itself.
    pub fn draw(maker: &mut Maker) {
        let lasts = maker.rng.random_range(200..9000);
        match maker.rng.random_range(0..20) {
            0..8 => way(maker, lasts),
            8..10 => isolate(maker, lasts),
            10..12 => step_clock(maker),
            12..14 => stand(maker, "pause", lasts),
            14..16 => stand(maker, "crash", lasts),
            16..18 => stand(maker, "restart", 0),
            18 => stand(maker, "stop", lasts),
            _ => roll(maker),
        }
    }

    /// Something that was put off: it also changes which nodes are up.
    pub fn end(maker: &mut Maker, text: String) {
        let mut words = text.split(' ');
        let (verb, node) = (words.next().unwrap(), words.next().unwrap());
        let node: usize = node[1..].parse().unwrap();
        let stands = &mut maker.nodes[node - 1];
        match (verb, *stands) {
            ("revive", Stands::Paused | Stands::Down) => *stands = Stands::Up,
            ("stop", Stands::Up) => *stands = Stands::Down,
            ("revive" | "stop", _) => return,
            _ => {}
        }
        maker.say(text);
    }
}

/// Two nodes that are not the same.
fn pair(maker: &mut Maker) -> (String, String) {
    let nodes = maker.nodes.len();
    let one = maker.rng.random_range(0..nodes);
    let other = (one + maker.rng.random_range(1..nodes)) % nodes;
    (name(one), name(other))
}

fn way(maker: &mut Maker, lasts: u64) {
    let (a, b) = pair(maker);
    let share = f64::from(maker.rng.random_range(1..10u32)) / 10.0;
    let millis = maker.rng.random_range(5..1500);
    let text = match maker.rng.random_range(0..9) {
        0..2 => format!("cut {a} {b}"),
        2..4 => format!("cut {a} to {b}"),
        4 => format!("delay {a} {b} by={}ms jitter={millis}ms", millis / 3),
        5 => format!("loss {a} {b} requests={share} answers={share}"),
        6 => format!("duplicate {a} {b} share={share} after={millis}ms"),
        7 => format!("reorder {a} {b} share={share} by={millis}ms"),
        _ => {
            maker.say(format!("outlive {a} to {b} by={millis}ms"));
            format!("cut {a} {b}")
        }
    };
    maker.say(text);
    maker.later(lasts, format!("heal {a} {b}"));
}

fn isolate(maker: &mut Maker, lasts: u64) {
    let (node, _) = pair(maker);
    maker.say(format!("isolate {node}"));
    maker.later(lasts, format!("rejoin {node}"));
}

fn step_clock(maker: &mut Maker) {
    let (node, _) = pair(maker);
    let sign = if maker.rng.random_bool(0.5) { '+' } else { '-' };
    let seconds = match maker.rng.random_range(0..3) {
        0 => maker.rng.random_range(1..5),
        1 => maker.rng.random_range(5..120),
        _ => maker.rng.random_range(120..1800),
    };
    maker.say(format!("step-clock {node} {sign}{seconds}s"));
}

/// A node stands still or is gone for a while; one is always there.
fn stand(maker: &mut Maker, verb: &str, lasts: u64) {
    let Some(node) = spare(maker) else {
        return;
    };
    maker.say(format!("{verb} {}", name(node)));
    maker.nodes[node] = match verb {
        "restart" => return,
        "pause" => Stands::Paused,
        _ => Stands::Down,
    };
    maker.later(lasts, format!("revive {}", name(node)));
}

fn spare(maker: &mut Maker) -> Option<usize> {
    let up = maker.nodes.iter().filter(|node| **node == Stands::Up);
    if up.count() < 2 {
        return None;
    }
    maker.any_up()
}

/// All nodes are stopped and started, one after the other.
fn roll(maker: &mut Maker) {
    let mut at = 0;
    for node in 0..maker.nodes.len() {
        at += maker.rng.random_range(1500..3000);
        maker.later(at, format!("stop {}", name(node)));
        at += maker.rng.random_range(100..1500);
        maker.later(at, format!("revive {}", name(node)));
    }
}
