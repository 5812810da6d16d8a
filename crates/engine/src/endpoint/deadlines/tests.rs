use core::time::Duration;

use super::*;
use crate::rng::Rng;

/// An entry for each association, all in order: what the two parts must amount to.
#[derive(Default)]
struct Model(BTreeMap<usize, Time>);

impl Model {
    fn note(&mut self, index: usize, wanted: Time) {
        let noted = self.0.entry(index).or_insert(Time::MAX);
        *noted = wanted.min(*noted);
    }

    fn next(&self) -> Option<(Time, usize)> {
        let entries = self.0.iter().map(|(index, due)| (*due, *index));
        entries.min()
    }

    fn pop_due(&mut self, now: Time) -> Option<usize> {
        let (_, index) = self.next().filter(|(due, _)| *due <= now)?;
        self.0.remove(&index);
        Some(index)
    }
}

/// A span of time, from nanoseconds to minutes.
fn some_time(rng: &mut Rng) -> Duration {
    Duration::from_nanos(rng.u64() >> (28 + rng.u64() % 36))
}

fn play(seed: u8, associations: usize, steps: usize) {
    let mut rng = Rng::new([seed; 32]);
    let (mut deadlines, mut model) = (Deadlines::default(), Model::default());
    let mut now = Time::ZERO;
    for step in 0..steps {
        let index = usize::try_from(rng.u64()).unwrap() % associations;
        match rng.u64() % 8 {
            0 => {
                deadlines.forget(index);
                model.0.remove(&index);
            }
            1 => {
                now = now + some_time(&mut rng) / 8;
                loop {
                    let popped = deadlines.pop_due(now);
                    assert_eq!(popped, model.pop_due(now), "step {step}");
                    if popped.is_none() {
                        break;
                    }
                }
            }
            _ => {
                let wanted = now + some_time(&mut rng);
                deadlines.note_time(index, wanted);
                model.note(index, wanted);
            }
        }
        let due = model.next().map(|(due, _)| due);
        assert_eq!(deadlines.next_due(), due, "step {step}");
        assert!(deadlines.far_len <= 2 * associations + FEW + 1);
    }
}

#[test]
fn associations_are_due_in_the_order_of_time_and_place() {
    for seed in 0..10 {
        play(seed, 3, 3000);
        play(seed, 400, 10_000);
    }
    play(0, 3000, 30_000);
}

#[test]
fn many_deadlines_far_away_are_not_kept_in_order() {
    let mut deadlines = Deadlines::default();
    for index in 0..10_000 {
        deadlines.note_time(index, Time::from_millis(30_000 + index as u64));
    }
    assert!(deadlines.near.len() <= FEW + 1, "{}", deadlines.near.len());
    // One that is busy moves none of them.
    for round in 0..1000 {
        let at = Time::from_millis(round);
        deadlines.note_time(0, at);
        assert_eq!(deadlines.pop_due(at), Some(0));
        deadlines.note_time(0, Time::from_millis(40_000));
        assert!(deadlines.near.len() <= FEW + 1, "{}", deadlines.near.len());
    }
}

#[test]
fn deadlines_that_are_given_up_leave_no_memory_behind() {
    let mut deadlines = Deadlines::default();
    for index in 0..1000 {
        deadlines.note_time(index, Time::from_millis(30_000));
    }
    for round in 0..100_000_u64 {
        let index = usize::try_from(round % 1000).unwrap();
        deadlines.forget(index);
        // Now in spans of their own, now all in one.
        deadlines.note_time(index, Time::from_millis(60_000 + round % 20_000));
    }
    assert!(deadlines.far_len <= 2 * 1000 + FEW, "{}", deadlines.far_len);
}

#[test]
fn a_deadline_at_the_end_of_time_is_kept() {
    let mut deadlines = Deadlines::default();
    let last = Time::from_nanos(u64::MAX - 1);
    deadlines.note_time(0, last);
    assert_eq!(deadlines.next_due(), Some(last));
    deadlines.note_time(0, Time::ZERO);
    assert_eq!(deadlines.pop_due(Time::ZERO), Some(0));
    assert_eq!(deadlines.next_due(), None);
}
