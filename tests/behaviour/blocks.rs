//! Lists of many blocks: in every view, form and coding they show what is there and agree with each other,
//! whatever changes between and during the writing.

use std::collections::BTreeSet;
use std::io::Read;

use futures_util::future::join_all;
use heureka::cache::{View, Want};
use heureka::config::{Config, Mode};
use heureka::wire::{Form, Format};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use crate::scene::Scene;

/// Instances as `APP/id`: one large application, some of middling size, many of one instance.
fn fleet() -> BTreeSet<String> {
    let large = (0..320).map(|n| format!("LARGE/l{n:03}"));
    let middling = (0..270).map(|n| format!("M{:02}/m{n:03}", n % 30));
    let small = (0..60).map(|n| format!("S{n:02}/s"));
    large.chain(middling).chain(small).collect()
}

/// The views that are looked at, each with a test of who is in it.
type Holds = fn(&str) -> bool;

fn views() -> Vec<(View, Holds)> {
    vec![
        (View::All, |_| true),
        (View::Delta, |_| true),
        (View::App("LARGE".into()), |name| name.starts_with("LARGE/")),
        (View::App("M07".into()), |name| name.starts_with("M07/")),
        (View::Vip("large".into()), |name| name.starts_with("LARGE/")),
        (View::Vip("everywhere".into()), |name| name.ends_with('7')),
    ]
}

fn more(name: &str) -> String {
    let app = name.split('/').next().unwrap_or_default().to_lowercase();
    let vip = if name.ends_with('7') {
        format!("{app},everywhere")
    } else {
        app
    };
    format!(r#""vipAddress":"{vip}""#)
}

async fn read(scene: &Scene, view: &View, form: Form, gzip: bool) -> Option<Vec<u8>> {
    let want = Want {
        view: view.clone(),
        form,
        gzip,
    };
    let body = scene.node.http.reader.read(want).await.unwrap()?.joined();
    if !gzip {
        return Some(body);
    }
    let (mut plain, mut rest) = (Vec::new(), Vec::new());
    let mut decoder = flate2::bufread::GzDecoder::new(&body[..]);
    decoder.read_to_end(&mut plain).unwrap();
    decoder.into_inner().read_to_end(&mut rest).unwrap();
    assert!(
        rest.is_empty(),
        "a second member, which Java would not read"
    );
    Some(plain)
}

/// Who is on a list, as `APP/id`; nobody twice.
fn listed(form: Form, body: &[u8]) -> BTreeSet<String> {
    let body = std::str::from_utf8(body).unwrap();
    let names: Vec<String> = match form.format() {
        Format::Json => {
            let body: serde_json::Value = serde_json::from_str(body).unwrap();
            let list = body["applications"]["application"].as_array();
            let apps = list
                .cloned()
                .unwrap_or_else(|| vec![body["application"].clone()]);
            let all = apps
                .iter()
                .flat_map(|app| app["instance"].as_array().unwrap());
            all.map(|one| name(one["app"].as_str(), one["instanceId"].as_str()))
                .collect()
        }
        Format::Xml => {
            let document = roxmltree::Document::parse(body).unwrap();
            let all = document
                .descendants()
                .filter(|node| node.has_tag_name("instance"));
            let text = |node: roxmltree::Node<'_, '_>, tag: &str| {
                let child = node.children().find(|child| child.has_tag_name(tag));
                child.and_then(|child| child.text()).map(str::to_string)
            };
            all.map(|node| {
                name(
                    text(node, "app").as_deref(),
                    text(node, "instanceId").as_deref(),
                )
            })
            .collect()
        }
    };
    let all = names.len();
    let set: BTreeSet<_> = names.into_iter().collect();
    assert_eq!(set.len(), all, "somebody is listed twice");
    set
}

fn name(app: Option<&str>, id: Option<&str>) -> String {
    format!("{}/{}", app.unwrap(), id.unwrap())
}

/// Every view in every form and coding shows exactly these.
async fn check_everything(scene: &Scene, held: &BTreeSet<String>, changed: &BTreeSet<String>) {
    for (view, holds) in views() {
        let all = if view == View::Delta { changed } else { held };
        let expected: BTreeSet<_> = all.iter().filter(|name| holds(name)).cloned().collect();
        for form in Form::ALL {
            let plain = read(scene, &view, form, false).await.unwrap();
            assert!(listed(form, &plain) == expected, "{view:?} {form:?}");
            let packed = read(scene, &view, form, true).await.unwrap();
            assert!(packed == plain, "{view:?} {form:?}");
        }
    }
}

#[actix_web::test]
async fn every_view_in_every_form_shows_what_is_there_through_many_changes() {
    let scene = Scene::with(Config::of(Mode::Modern));
    let mut held = fleet();
    for name in &held {
        scene.announce(name, &more(name)).await;
    }
    let mut changed = held.clone();
    check_everything(&scene, &held, &changed).await;

    let mut rng = SmallRng::seed_from_u64(5);
    for step in 0..60 {
        let name = format!(
            "{}/n{}",
            ["LARGE", "M07", "T"][step % 3],
            rng.random_range(0..40)
        );
        if held.remove(&name) {
            assert_eq!(scene.cancel(&name).await, 200);
        } else {
            scene.announce(&name, &more(&name)).await;
            held.insert(name.clone());
        }
        changed.insert(name);
        let plain = read(&scene, &View::All, Form::Json, false).await.unwrap();
        let packed = read(&scene, &View::All, Form::Json, true).await.unwrap();
        assert!(
            packed == plain && listed(Form::Json, &plain) == held,
            "step {step}"
        );
        if step % 30 == 29 {
            check_everything(&scene, &held, &changed).await;
        }
    }
}

/// The first writing of a large list goes on elsewhere while the registry changes: what a reader gets holds
/// everybody that was acknowledged before it asked, and everybody it holds was there.
#[actix_web::test]
async fn first_lists_that_are_asked_for_during_changes_lack_nobody() {
    for form in Form::ALL {
        let scene = Scene::with(Config::of(Mode::Modern));
        let before = fleet();
        for name in &before {
            scene.announce(name, &more(name)).await;
        }
        let later: BTreeSet<_> = (0..30).map(|n| format!("LATER/x{n:02}")).collect();
        let reads = join_all((0..6).map(|n| read(&scene, &View::All, form, n % 2 == 0)));
        let changes = async {
            for name in &later {
                scene.announce(name, &more(name)).await;
            }
        };
        let (bodies, ()) = tokio::join!(reads, changes);
        let all: BTreeSet<_> = before.union(&later).cloned().collect();
        for body in bodies {
            let shown = listed(form, &body.unwrap());
            assert!(
                shown.is_superset(&before) && shown.is_subset(&all),
                "{form:?}"
            );
        }
        let last = read(&scene, &View::All, form, true).await.unwrap();
        assert!(listed(form, &last) == all, "{form:?}");
    }
}
