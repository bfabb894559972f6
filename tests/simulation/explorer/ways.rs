//! Whether anything is wrong with nodes or the ways between them just now.

use std::collections::BTreeSet;

/// What is wrong, by the words that began it.
#[derive(Debug, Default)]
pub struct Troubles {
    ways: BTreeSet<(String, String)>,
    nodes: BTreeSet<String>,
}

impl Troubles {
    /// A line of the script was carried out.
    pub fn note(&mut self, words: &[&str]) {
        let way = |a: &str, b: &str| (a.min(b).to_string(), a.max(b).to_string());
        match *words {
            ["heal", a, b] => _ = self.ways.remove(&way(a, b)),
            ["isolate" | "pause", node] => _ = self.nodes.insert(node.to_string()),
            ["rejoin", node] => _ = self.nodes.remove(node),
            ["revive", ..] => {
                for node in &words[1..] {
                    self.nodes.remove(*node);
                }
            }
            ["crash" | "stop", node] => _ = self.nodes.insert(node.to_string()),
            [
                "cut" | "outlive" | "delay" | "loss" | "duplicate" | "reorder",
                a,
                "to",
                b,
                ..,
            ]
            | [
                "cut" | "outlive" | "delay" | "loss" | "duplicate" | "reorder",
                a,
                b,
                ..,
            ] => _ = self.ways.insert(way(a, b)),
            _ => {}
        }
    }

    pub fn are_over(&self) -> bool {
        self.ways.is_empty() && self.nodes.is_empty()
    }
}
