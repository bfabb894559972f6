//! Texts that many instances have in common, held once: names of applications, VIPs, metadata.

use std::collections::HashSet;

use foldhash::fast::RandomState;

use crate::model::{InstanceInfo, Text};

/// Texts that are known; more are taken as they come.
const LIMIT: usize = 16_384;

/// The texts that are known, bounded in number: those that turn out to be one instance's own make room.
#[derive(Debug, Default)]
pub(super) struct SharedTexts {
    known: HashSet<Text, RandomState>,
    /// Texts that were not known since room was last made.
    unknown: usize,
}

impl SharedTexts {
    /// Replaces the texts of a record by equal ones of other records.
    pub(super) fn share(&mut self, info: &mut InstanceInfo) {
        self.text(&mut info.app);
        for text in [
            &mut info.vip_address,
            &mut info.secure_vip_address,
            &mut info.app_group_name,
            &mut info.asg_name,
            &mut info.sid,
        ] {
            text.iter_mut().for_each(|text| self.text(text));
        }
        info.metadata.replace(|text| self.text(text));
    }

    fn text(&mut self, text: &mut Text) {
        if let Some(known) = self.known.get(text) {
            *text = known.clone();
            return;
        }
        self.unknown += 1;
        if self.known.len() >= LIMIT && self.unknown >= LIMIT {
            self.unknown = 0;
            // Held here and by one record: nobody shares it.
            self.known.retain(|text| Text::strong_count(text) > Some(2));
        }
        if self.known.len() < LIMIT {
            self.known.insert(text.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::samples;

    fn with(value: &str) -> InstanceInfo {
        InstanceInfo {
            metadata: [("key".into(), value.into())].into(),
            ..samples::instance("ORDERS", "i")
        }
    }

    #[test]
    fn equal_texts_of_two_records_are_one() {
        let mut texts = SharedTexts::default();
        let [mut one, mut two] = [with("v"), with("v")];
        let same = with("v");
        texts.share(&mut one);
        texts.share(&mut two);
        assert_eq!(two, same);
        let pointers = |info: &InstanceInfo| {
            let metadata = info.metadata.iter().flat_map(|(key, value)| [key, value]);
            let others = [&info.app].into_iter().chain(&info.vip_address);
            metadata
                .chain(others)
                .map(|text| text.as_ptr())
                .collect::<Vec<_>>()
        };
        assert_eq!(pointers(&one), pointers(&two));
        assert_eq!(pointers(&one).len(), 4);
    }

    #[test]
    fn texts_of_one_record_make_room_and_shared_ones_stay() {
        let mut texts = SharedTexts::default();
        let mut held = Vec::new();
        for n in 0..5 * LIMIT {
            let mut info = with(&n.to_string());
            texts.share(&mut info);
            held.push(info);
            assert!(texts.known.len() <= LIMIT);
        }
        assert!(texts.known.contains("ORDERS") && texts.known.contains("key"));
        let newest = &held[held.len() - 1].metadata;
        let mut again = with(newest.get("key").unwrap());
        texts.share(&mut again);
        assert!(std::ptr::addr_eq(
            newest.get("key").unwrap().as_ptr(),
            again.metadata.get("key").unwrap().as_ptr()
        ));
    }
}
