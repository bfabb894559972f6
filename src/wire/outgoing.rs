//! A batch on its way to a peer, and the answer that comes back (wire.md §9.2, §9.3).
//!
//! Members are the reference's, in its order; a Java receiver refuses a whole batch for any other. `ext` is
//! added only for peers of this kind.

use super::json::{self, Members, Object, Scalar, elements, instance_members};
use super::{ReadError, extra};
use crate::model::{
    ChangeStamp, EpochMillis, Extra, InstanceInfo, Outgoing, OutgoingItem, PeerAnswer, PeerCopy,
};

const HEAD: &[u8] = b"{\"replicationList\":[";
const TAIL: &[u8] = b"]}";

/// A batch that grows item by item.
#[derive(Debug)]
pub struct BatchWriter {
    out: Vec<u8>,
    items: usize,
    /// Where the last item begins, with the comma before it.
    last: usize,
    with_extra: bool,
}

impl BatchWriter {
    /// An empty batch; `with_extra` for peers of this kind.
    pub fn new(with_extra: bool) -> Self {
        Self {
            out: HEAD.to_vec(),
            items: 0,
            last: HEAD.len(),
            with_extra,
        }
    }

    /// Appends an item.
    pub fn push(&mut self, item: &OutgoingItem<'_>) {
        self.last = self.out.len();
        if self.items > 0 {
            self.out.push(b',');
        }
        self.items += 1;
        let mut object = Object::open(&mut self.out);
        object.text("appName", &item.key.app);
        object.text("id", &item.key.id);
        write_change(&mut object, &item.change);
        object.text("action", item.change.action().as_str());
        if self.with_extra {
            extra::write(&mut object, &item.extra);
        }
        object.close();
    }

    /// Removes the item that was appended last; to be called once after it.
    pub fn take_back(&mut self) {
        self.out.truncate(self.last);
        self.items = self.items.saturating_sub(1);
    }

    /// Items so far.
    pub fn items(&self) -> usize {
        self.items
    }

    /// Bytes of the whole batch as it is now.
    pub fn bytes(&self) -> usize {
        self.out.len() + TAIL.len()
    }

    /// The batch.
    pub fn finish(mut self) -> Vec<u8> {
        self.out.extend_from_slice(TAIL);
        self.out
    }
}

fn write_change(object: &mut Object<'_>, change: &Outgoing<'_>) {
    match *change {
        Outgoing::Register(listed) => {
            object.number("lastDirtyTimestamp", listed.info.last_dirty);
            object.text("status", listed.info.status.as_str());
            json::write_instance(object.member("instanceInfo"), listed);
        }
        Outgoing::Heartbeat {
            last_dirty,
            status,
            override_status,
        } => {
            object.number("lastDirtyTimestamp", last_dirty);
            object.optional("overriddenStatus", override_status.map(|s| s.as_str()));
            object.text("status", status.as_str());
        }
        Outgoing::Cancel => {}
        Outgoing::StatusUpdate { status, last_dirty }
        | Outgoing::DeleteStatusOverride { status, last_dirty } => {
            object.number("lastDirtyTimestamp", last_dirty);
            object.text("status", status.as_str());
        }
    }
}

/// Reads `{"responseList": […]}`. A copy that cannot be used is left out, with its answer kept.
pub fn read_answers(body: &str, now: EpochMillis) -> Result<Vec<PeerAnswer>, ReadError> {
    let root = Members::read(body)?;
    let list = root.get("responseList");
    let list = list.ok_or_else(|| ReadError::unusable("responseList", "a list", "nothing"))?;
    let answers = elements(list)?.into_iter().map(|answer| {
        let members = Members::of(answer);
        let members = members
            .ok_or_else(|| ReadError::unusable("responseList[]", "an object", answer.get()))?;
        read_answer(&members, now)
    });
    answers.collect()
}

fn read_answer(members: &Members<'_>, now: EpochMillis) -> Result<PeerAnswer, ReadError> {
    let status = members
        .get("statusCode")
        .and_then(|code| Scalar::of(code).into_number(0))
        .and_then(|code| u16::try_from(code).ok());
    let status = status
        .ok_or_else(|| ReadError::unusable("responseList[].statusCode", "a number", "none"))?;
    Ok(PeerAnswer {
        status,
        copy: read_copy(members, now),
        cancelled: read_cancelled(status, members, now),
    })
}

/// A 404 with a stamp says when the instance was cancelled.
fn read_cancelled(status: u16, members: &Members<'_>, now: EpochMillis) -> Option<ChangeStamp> {
    let extra = extra::read(members, now).ok()?;
    extra.stamp.filter(|_| status == 404)
}

fn read_copy(members: &Members<'_>, now: EpochMillis) -> Option<PeerCopy> {
    let entity = members.get("responseEntity").and_then(Members::of)?;
    let draft = instance_members(&entity).ok()?;
    let app = draft.app.clone()?;
    let info: InstanceInfo = draft.settle(&app, now).ok()?;
    let extra: Extra = extra::read(members, now).ok()?;
    Some(PeerCopy {
        info: Box::new(info),
        extra,
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::model::{
        ContentLimits, InstanceKey, InstanceStatus, ItemAnswer, LeaseTimes, Listed, PeerItem,
        ReplicationItem, StampClock, samples,
    };
    use crate::wire::replication::{read_batch, write_answers};

    fn written(items: &[Outgoing<'_>], extra: &Extra, with_extra: bool) -> String {
        let key = InstanceKey::new("A", "i");
        let mut batch = BatchWriter::new(with_extra);
        for change in items {
            batch.push(&OutgoingItem {
                key: &key,
                change: *change,
                extra: extra.clone(),
            });
        }
        assert_eq!(batch.items(), items.len());
        let bytes = batch.bytes();
        let body = batch.finish();
        assert_eq!(body.len(), bytes);
        String::from_utf8(body).unwrap()
    }

    const ORDERED: InstanceStatus = InstanceStatus::OutOfService;

    fn all(info: &InstanceInfo) -> [Outgoing<'_>; 5] {
        let last_dirty = info.last_dirty;
        let listed = Listed {
            info,
            times: LeaseTimes::default(),
        };
        [
            Outgoing::Register(listed),
            Outgoing::Heartbeat {
                last_dirty,
                status: InstanceStatus::Up,
                override_status: Some(ORDERED),
            },
            Outgoing::Cancel,
            Outgoing::StatusUpdate {
                status: ORDERED,
                last_dirty,
            },
            Outgoing::DeleteStatusOverride {
                status: ORDERED,
                last_dirty,
            },
        ]
    }

    #[test]
    fn to_java_it_has_the_members_of_the_reference_and_no_other() {
        let info = samples::instance("A", "i");
        let extra = Extra {
            stamp: Some(StampClock::of(1).next(1)),
            ..Extra::NONE
        };
        let text = written(&all(&info)[1..], &extra, false);
        assert_eq!(
            text,
            concat!(
                r#"{"replicationList":[{"appName":"A","id":"i","lastDirtyTimestamp":1000,"#,
                r#""overriddenStatus":"OUT_OF_SERVICE","status":"UP","action":"Heartbeat"},"#,
                r#"{"appName":"A","id":"i","action":"Cancel"},"#,
                r#"{"appName":"A","id":"i","lastDirtyTimestamp":1000,"status":"OUT_OF_SERVICE","action":"StatusUpdate"},"#,
                r#"{"appName":"A","id":"i","lastDirtyTimestamp":1000,"status":"OUT_OF_SERVICE","action":"DeleteStatusOverride"}]}"#
            )
        );
        let register = written(&all(&info)[..1], &extra, false);
        let start = r#"{"replicationList":[{"appName":"A","id":"i","lastDirtyTimestamp":1000,"status":"UP","instanceInfo":{"instanceId":"i","#;
        assert!(register.starts_with(start), "{register}");
        assert!(
            register.ends_with(r#""},"action":"Register"}]}"#),
            "{register}"
        );
        assert_eq!(written(&[], &extra, false), r#"{"replicationList":[]}"#);
    }

    #[test]
    fn an_item_that_was_taken_back_leaves_no_trace() {
        let key = InstanceKey::new("A", "i");
        let cancel = |batch: &mut BatchWriter| {
            batch.push(&OutgoingItem {
                key: &key,
                change: Outgoing::Cancel,
                extra: Extra::NONE,
            });
        };
        for before in [0, 1] {
            let mut batch = BatchWriter::new(false);
            (0..before).for_each(|_| cancel(&mut batch));
            cancel(&mut batch);
            batch.take_back();
            assert_eq!(batch.items(), before);
            let same: Vec<_> = (0..before).map(|_| Outgoing::Cancel).collect();
            let body = String::from_utf8(batch.finish()).unwrap();
            assert_eq!(body, written(&same, &Extra::NONE, false));
        }
    }

    #[test]
    fn a_node_reads_what_a_node_writes() {
        let info = samples::instance("A", "i");
        let stamp = StampClock::of(1).next(1);
        let extra = Extra {
            stamp: Some(stamp),
            idle: Some(5),
            ..Extra::NONE
        };
        let text = written(&all(&info), &extra, true);
        let read = read_batch(&text, 0, &ContentLimits::NONE).unwrap();
        let items: Vec<PeerItem> = read.into_iter().map(Result::unwrap).collect();
        assert_eq!(items[0].item, ReplicationItem::Register(Box::new(info)));
        assert_eq!(items.len(), 5);
        assert!(items.iter().all(|item| item.extra == extra));
    }

    #[test]
    fn answers_come_back_and_a_copy_that_cannot_be_used_is_left_out() {
        let info = samples::instance("A", "i");
        let extra = Extra {
            stamp: Some(StampClock::of(1).next(1)),
            ..Extra::NONE
        };
        let newer = ItemAnswer::Newer(Arc::new(info.clone()), LeaseTimes::default(), extra.clone());
        let body = write_answers(&[ItemAnswer::Done, newer], true);
        let answers = read_answers(std::str::from_utf8(&body).unwrap(), 0).unwrap();
        let copy = PeerCopy {
            info: Box::new(info),
            extra,
        };
        let expected = [(200, None), (409, Some(copy))];
        assert_eq!(
            answers,
            expected.map(|(status, copy)| PeerAnswer {
                status,
                copy,
                cancelled: None,
            })
        );

        let stamp = StampClock::of(1).next(1);
        let gone = [ItemAnswer::Cancelled(stamp), ItemAnswer::Unknown];
        for (with_extra, cancelled) in [(true, Some(stamp)), (false, None)] {
            let body = write_answers(&gone, with_extra);
            let answers = read_answers(std::str::from_utf8(&body).unwrap(), 0).unwrap();
            assert_eq!(answers[0].cancelled, cancelled);
            assert_eq!((answers[0].status, answers[1].status), (404, 404));
            assert_eq!(answers[1].cancelled, None);
        }

        let odd = r#"{"responseList":[{"statusCode":"409","responseEntity":{"app":7}}]}"#;
        let expected = PeerAnswer {
            status: 409,
            copy: None,
            cancelled: None,
        };
        assert_eq!(read_answers(odd, 0), Ok(vec![expected]));
        for body in [
            "",
            "[]",
            "{}",
            r#"{"responseList":[7]}"#,
            r#"{"responseList":[{}]}"#,
        ] {
            assert!(read_answers(body, 0).is_err(), "{body}");
        }
    }
}
