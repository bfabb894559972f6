//! The shortest schedule that fails in the same way, as far as some tries find it.

use super::run::Failure;
use super::schedule::{MOST_CLIENTS, Schedule, instance};

/// Schedules played in search of a shorter one.
const TRIES: usize = 150;

/// Leaves out what is not needed for the failure.
pub fn shrink(
    mut schedule: Schedule,
    mut failure: Failure,
    play: impl Fn(&Schedule) -> Result<(), Failure>,
) -> (Schedule, Failure) {
    for client in 0..MOST_CLIENTS {
        let shorter = schedule.without_instance(&instance(client));
        if let Err(other) = play(&shorter)
            && other.kind == failure.kind
        {
            (schedule, failure) = (shorter, other);
        }
    }
    let mut tries = MOST_CLIENTS;
    let mut size = schedule.lines.len() / 2;
    while size > 0 {
        let mut end = schedule.lines.len();
        while end > 0 && tries < TRIES {
            let begin = end.saturating_sub(size);
            let shorter = schedule.without(begin..end);
            end = begin;
            if shorter.lines.len() == schedule.lines.len() {
                continue;
            }
            tries += 1;
            if let Err(other) = play(&shorter)
                && other.kind == failure.kind
            {
                (schedule, failure) = (shorter, other);
            }
        }
        size /= 2;
    }
    (schedule, failure)
}

#[cfg(test)]
mod tests {
    use super::super::schedule::Line;
    use super::*;

    #[test]
    fn what_is_needed_and_what_is_fixed_stays() {
        let lines = ["a", "b", "fixed", "c", "d", "e"].map(|text| Line {
            text: text.to_string(),
            fixed: text == "fixed",
        });
        let mut schedule = Schedule::of(0);
        schedule.lines = lines.to_vec();
        let fails = |schedule: &Schedule| {
            let has = |word: &str| schedule.lines.iter().any(|line| line.text == word);
            match has("b") && has("e") {
                false => Ok(()),
                true => Err(Failure {
                    kind: "both",
                    why: String::new(),
                    line: 0,
                }),
            }
        };
        let failure = fails(&schedule).unwrap_err();
        let (short, _) = shrink(schedule, failure, fails);
        let left: Vec<&str> = short.lines.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(left, ["b", "fixed", "e"]);
    }
}
