//! What a node holds and what it answers, as the oracle sees it.

use std::collections::BTreeMap;
use std::sync::Arc;

use heureka::clock::Moment;
use heureka::model::{ChangeStamp, InstanceStatus, Order};
use heureka::registry::{Held, TakeSnapshot};

use crate::cluster::stamp;
use crate::scene::{Scene, hash_codes, rows};

/// An instance at one node. Equal where nothing about it differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// Names the record among all that were ever made of the instance.
    pub made: ChangeStamp,
    pub dirty: u64,
    pub said: InstanceStatus,
    pub status: InstanceStatus,
    pub override_status: Option<InstanceStatus>,
    pub order: Option<Arc<Order>>,
    pub metadata: BTreeMap<String, String>,
}

/// All that a node holds, by name.
pub type Content = BTreeMap<String, View>;

impl View {
    fn of(held: &Held, now: Moment) -> Self {
        let info = &held.info;
        let extra = held.extra(now);
        let metadata = info.metadata.iter();
        Self {
            made: extra.stamp.unwrap(),
            dirty: info.last_dirty,
            said: extra.said.unwrap(),
            status: info.status,
            override_status: info.override_status,
            order: extra.order,
            metadata: metadata
                .map(|(key, value)| (key.to_string(), value.to_string()))
                .collect(),
        }
    }

    pub fn dirty_text(&self) -> String {
        stamp(self.dirty)
    }

    /// In a line.
    pub fn text(&self) -> String {
        let order = self.override_status.map_or("UNKNOWN", |s| s.as_str());
        let mut text = format!(
            "{}/{order} dirty={} made={} said={}",
            self.status,
            self.dirty_text(),
            self.made,
            self.said
        );
        if let Some(order) = &self.order {
            text += &format!(" ordered={:?} at {}", order.what, order.stamp);
        }
        for (key, value) in &self.metadata {
            text += &format!(" {key}={value}");
        }
        text
    }
}

/// What is held and has not ended.
pub async fn content(scene: &Scene) -> Content {
    let held = scene.node.http.registry.ask(TakeSnapshot).await.unwrap();
    let now = scene.node.http.clock.now();
    held.iter()
        .filter(|held| !held.lease.is_expired(now, 0))
        .map(|held| (held.info.key().to_string(), View::of(held, now)))
        .collect()
}

/// What is wrong with the list that the node answers, if it answers one.
pub async fn list_is_wrong(scene: &Scene) -> Option<(&'static str, String)> {
    let before = content(scene).await;
    let reply = scene.get("/eureka/apps").j().await;
    if reply.status != 200 {
        return None;
    }
    let body = reply.json();
    let (said, counted) = hash_codes(&body);
    if said != counted {
        return Some(("hash code", format!("{said} stands over {counted}")));
    }
    let mut listed: Vec<String> = rows(&body)
        .iter()
        .map(|row| {
            row.rsplit_once(' ')
                .map_or(row.clone(), |row| row.0.to_string())
        })
        .collect();
    listed.sort();
    let held: Vec<String> = before
        .iter()
        .map(|(name, view)| format!("{name} {}", view.status))
        .collect();
    // A peer may have changed something in between.
    if listed == held || content(scene).await != before {
        return None;
    }
    Some(("list", format!("listed {listed:?}, held {held:?}")))
}

/// The sum of a metric's series at this node.
pub fn total(page: &str, metric: &str) -> f64 {
    page.lines()
        .filter(|line| {
            line.strip_prefix(metric)
                .is_some_and(|rest| rest.starts_with('{') || rest.starts_with(' '))
        })
        .filter_map(|line| line.rsplit_once(' ')?.1.parse::<f64>().ok())
        .sum()
}
