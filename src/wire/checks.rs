//! What must hold of every body whatsoever: for the fuzzer, and for its seeds in the tests.
//!
//! Nothing that is read panics. What is accepted is written in every form and read back the same, so that
//! no record can spoil a list for others. XML cannot hold every text (wire.md §7.2): there a record is
//! compared only if all its texts survive, and else just must not spoil its list.

use super::encode::{self, Form, Format};
use super::{Draft, ReadError, json, replication, xml};
use crate::model::{
    ContentLimits, DataCenter, Extra, InstanceInfo, ItemAnswer, LeaseTimes, Listed, Metadata,
};

/// None: what they keep out need not be read.
const LIMITS: &ContentLimits = &ContentLimits::NONE;
/// The present, for stamps that are missing.
const NOW: u64 = 1_700_000_000_000;

/// Reads `body` as JSON in each way in which JSON comes in.
pub fn check_json(body: &[u8]) {
    let Ok(body) = std::str::from_utf8(body) else {
        return;
    };
    settled(json::registration(body, LIMITS))
        .iter()
        .for_each(check_record);
    if let Ok((list, _)) = json::applications(body, NOW) {
        list.apps.values().flatten().for_each(check_record);
    }
}

/// Reads `body` as XML in each way in which XML comes in.
pub fn check_xml(body: &[u8]) {
    let Ok(body) = std::str::from_utf8(body) else {
        return;
    };
    settled(xml::registration(body, LIMITS))
        .iter()
        .for_each(check_record);
    if let Ok((list, _)) = xml::applications(body, NOW) {
        list.apps.values().flatten().for_each(check_record);
    }
}

fn settled(read: Result<Draft, ReadError>) -> Option<InstanceInfo> {
    let draft = read.ok()?;
    let app = draft.app.clone().unwrap_or_else(|| "app".into());
    draft.settle(&app, NOW).ok()
}

/// Writes a record in every way and reads it back.
pub(crate) fn check_record(info: &InstanceInfo) {
    assert!(!info.id().is_empty(), "{info:?}");
    let times = LeaseTimes::default();
    let listed = Listed { info, times };
    let body = text(encode::instance(Format::Json, false, listed));
    let read = settled(json::registration(&body, LIMITS));
    assert_eq!(read.as_ref(), Some(&adopted(info)), "{body}");

    let body = text(encode::instance(Format::Xml, false, listed));
    let read = settled(xml::registration(&body, LIMITS));
    if survives_xml(info) {
        assert_eq!(read.as_ref(), Some(info), "{body}");
    }
    for form in Form::ALL {
        check_in_list(form, info);
    }
    check_in_batch_answer(info);
}

/// The record as JSON readers see it: they take its id from its metadata where it has none (wire.md §3.3).
fn adopted(info: &InstanceInfo) -> InstanceInfo {
    let mut draft = Draft {
        instance_id: info.instance_id.clone(),
        host_name: Some(info.host_name.clone()),
        metadata: info.metadata.clone(),
        ..Draft::default()
    };
    json::adopt_metadata_id(&mut draft);
    InstanceInfo {
        instance_id: draft.instance_id,
        ..info.clone()
    }
}

/// A record among others costs no reader the others, nor itself.
fn check_in_list(form: Form, info: &InstanceInfo) {
    let other = InstanceInfo {
        instance_id: Some("other".into()),
        host_name: "other".into(),
        ip_addr: "10.0.0.1".into(),
        data_center: DataCenter::MyOwn,
        ..info.clone()
    };
    let all = vec![other.clone(), info.clone(), other];
    let body = encode::whole_list(form, &[(&info.app, all)]);
    let (list, left_out) = match form.format() {
        Format::Json => json::applications(&body, NOW),
        Format::Xml => xml::applications(&body, NOW),
    }
    .unwrap_or_else(|error| panic!("{form:?}: {error}: {body}"));
    let found = list.apps.values().map(Vec::len).sum::<usize>();
    assert_eq!(found + left_out, 3, "{form:?}: {body}");
    let whole = form.format() == Format::Json || survives_xml(info);
    assert!(left_out == 0 || !whole, "{form:?}: {body}");
}

/// The answer to a peer that holds an older copy is JSON with the record in it.
fn check_in_batch_answer(info: &InstanceInfo) {
    let newer = ItemAnswer::Newer(info.clone().into(), LeaseTimes::default(), Extra::NONE);
    let body = replication::write_answers(&[ItemAnswer::Done, newer, ItemAnswer::Refused], false);
    let body: serde_json::Value = serde_json::from_slice(&body).expect("an answer is JSON");
    let answers = body["responseList"].as_array().map(Vec::len);
    assert_eq!(answers, Some(3), "{body}");
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("bodies are UTF-8")
}

/// Whether all texts of a record can be told from its XML: without white space around them, and of
/// characters that XML has.
fn survives_xml(info: &InstanceInfo) -> bool {
    let amazon = match &info.data_center {
        DataCenter::Amazon(metadata) => Some(metadata),
        DataCenter::MyOwn | DataCenter::Netflix => None,
    };
    let mut maps = std::iter::once(&info.metadata).chain(amazon);
    let stands = |text: &str| !text.is_empty() && text.trim() == text && is_xml(text);
    stands(&info.app) && info.texts().all(|(_, text)| stands(text)) && maps.all(map_survives)
}

/// Values keep their white space; keys are escaped, whatever is in them.
fn map_survives(map: &Metadata) -> bool {
    map.iter().all(|(_, value)| is_xml(value))
}

fn is_xml(text: &str) -> bool {
    text.chars().all(|c| {
        matches!(c, '\t' | '\n' | '\r' | ' '..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..)
    })
}

/// Runs `check` on all that the fuzzer's `target` starts from and has found; returns how many there were.
#[cfg(test)]
pub(crate) fn replay(target: &str, check: fn(&[u8])) -> usize {
    let fuzz = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    let mut replayed = 0;
    for kind in ["seeds", "corpus"] {
        let folder = fuzz.join(kind).join(target);
        let files = std::fs::read_dir(&folder).expect("each target has both folders");
        for file in files {
            let path = file.expect("a file can be listed").path();
            // The test that fails says which file it was.
            println!("{}", path.display());
            check(&std::fs::read(path).expect("a file can be read"));
            replayed += 1;
        }
    }
    replayed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::samples;

    #[test]
    fn whatever_the_fuzzer_found_is_read_and_written_as_it_must_be() {
        assert!(replay("json", check_json) > 20);
        assert!(replay("xml", check_xml) >= 10);
    }

    #[test]
    fn a_record_counts_as_whole_in_xml_unless_a_text_cannot_stand_there() {
        let with = |vip: &str| InstanceInfo {
            vip_address: Some(vip.into()),
            ..samples::instance("A", "i")
        };
        for (vip, expected) in [
            ("v", true),
            ("<\r>", true),
            ("", false),
            (" v", false),
            ("\u{1}", false),
        ] {
            assert_eq!(survives_xml(&with(vip)), expected, "{vip:?}");
            check_record(&with(vip));
        }
    }
}
