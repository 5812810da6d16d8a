use alloc::vec;
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::vec::Vec;

use super::*;

fn receive(tracker: &mut TsnTracker, tsn: u32) -> TsnPosition {
    let place = tracker.place(Tsn(tsn));
    if let TsnPosition::Next(at) | TsnPosition::Beyond(at) = place {
        tracker.receive(at);
    }
    place
}

fn blocks(tracker: &mut TsnTracker) -> Vec<(u16, u16)> {
    let blocks = tracker.gap_blocks(usize::MAX).iter();
    blocks.map(|block| (block.start, block.end)).collect()
}

#[test]
fn gap_blocks_stop_at_the_number_that_fits() {
    let mut tracker = TsnTracker::new(Tsn(1));
    for tsn in (2..100).step_by(2) {
        receive(&mut tracker, tsn);
    }
    let first = GapBlock { start: 2, end: 2 };
    assert_eq!(tracker.gap_blocks(1), [first]);
}

#[test]
fn gaps_are_told_across_the_wrap_of_the_tsn() {
    let mut tracker = TsnTracker::new(Tsn(u32::MAX - 1));
    for tsn in [u32::MAX, 0, 2] {
        receive(&mut tracker, tsn);
    }
    assert_eq!(blocks(&mut tracker), [(2, 3), (5, 5)]);
    receive(&mut tracker, u32::MAX - 1);
    assert_eq!(tracker.cumulative_tsn(), Tsn(0));
    assert_eq!(blocks(&mut tracker), [(2, 2)]);
    assert_eq!(tracker.place(Tsn(u32::MAX)), TsnPosition::Received);
}

#[test]
fn a_tsn_that_no_gap_block_reaches_is_too_far() {
    let mut tracker = TsnTracker::new(Tsn(0));
    assert!(matches!(tracker.place(Tsn(65_534)), TsnPosition::Beyond(_)));
    assert_eq!(tracker.place(Tsn(65_535)), TsnPosition::TooFar);
    assert_eq!(tracker.place(Tsn(1 << 30)), TsnPosition::TooFar);
    receive(&mut tracker, 65_534);
    assert_eq!(blocks(&mut tracker), [(65_535, 65_535)]);
}

#[test]
fn old_tsns_have_been_received() {
    let tracker = TsnTracker::new(Tsn(100));
    for tsn in [99, 98, 0, u32::MAX, 100_u32.wrapping_sub(1 << 31)] {
        assert_eq!(tracker.place(Tsn(tsn)), TsnPosition::Received);
    }
}

#[test]
fn duplicates_are_remembered_up_to_a_bound() {
    let mut tracker = TsnTracker::new(Tsn(1));
    for _ in 0..1000 {
        tracker.note_duplicate(Tsn(0));
    }
    assert_eq!(tracker.duplicates().len(), MAX_DUPLICATES);
    tracker.clear_duplicates();
    assert!(tracker.duplicates().is_empty());
}

#[test]
fn trimming_keeps_gaps() {
    let mut tracker = TsnTracker::new(Tsn(1));
    receive(&mut tracker, 2);
    tracker.trim();
    assert!(tracker.has_gaps());
    receive(&mut tracker, 1);
    tracker.trim();
    assert!(tracker.extras.is_none());
}

proptest! {
    #[test]
    fn tells_what_a_plain_set_tells(
        initial: u32,
        steps in prop::collection::vec((0_u32..60, prop::bool::weighted(0.1)), 1..300),
    ) {
        let mut tracker = TsnTracker::new(Tsn(initial));
        let mut set = BTreeSet::new();
        let mut passed = 0;
        for (ahead, renege) in steps {
            let tsn = Tsn(initial).plus(ahead);
            let known = ahead < passed || set.contains(&ahead);
            if renege {
                if let Some(last) = set.pop_last() {
                    tracker.renege(u64::from(initial.wrapping_sub(1)) + u64::from(last) + 1);
                }
            } else {
                prop_assert_eq!(tracker.place(tsn) == TsnPosition::Received, known);
                receive(&mut tracker, tsn.0);
                if !known {
                    set.insert(ahead);
                }
            }
            while set.remove(&passed) {
                passed += 1;
            }
            prop_assert_eq!(tracker.cumulative_tsn(), Tsn(initial).plus(passed).prev());
            let mut told = BTreeSet::new();
            for (start, end) in blocks(&mut tracker) {
                told.extend((start..=end).map(|offset| passed + u32::from(offset) - 1));
            }
            prop_assert_eq!(&told, &set);
        }
    }
}

fn ends(report: &Report<'_>) -> Vec<u16> {
    report.gap_blocks.iter().map(|block| block.end).collect()
}

#[test]
fn a_new_gap_is_told_as_often_as_packets_came_and_three_times_at_most() {
    let mut tracker = TsnTracker::new(Tsn(1));
    for at in 2..=6 {
        tracker.receive(at);
    }
    let mut told = Vec::new();
    for packets in (1..=5).rev() {
        let report = tracker.report(10, packets);
        told.push((ends(&report), report.continues));
    }
    let expected = [(4, true), (5, true), (6, false), (6, false), (6, false)];
    assert_eq!(told, expected.map(|(end, more)| (vec![end], more)));
}

#[test]
fn a_packet_of_many_chunks_tells_a_gap_once_and_later_ones_tell_it_again() {
    let mut tracker = TsnTracker::new(Tsn(1));
    for at in 2..=6 {
        tracker.receive(at);
    }
    assert!(!tracker.report(10, 1).continues);
    for at in 7..=12 {
        tracker.receive(at);
    }
    let report = tracker.report(10, 6);
    assert_eq!((ends(&report), report.continues), (vec![11], true));
    assert!(!tracker.report(10, 5).continues);
    // Another gap is news.
    tracker.receive(14);
    tracker.receive(15);
    let report = tracker.report(10, 2);
    assert_eq!((ends(&report), report.continues), (vec![12, 14], true));
}

#[test]
fn duplicates_are_told_with_the_last_part_and_taken_back_tsns_not_at_all() {
    let mut tracker = TsnTracker::new(Tsn(1));
    tracker.note_duplicate(Tsn(0));
    for at in 2..=4 {
        tracker.receive(at);
    }
    let first = tracker.report(10, 3);
    assert_eq!((ends(&first), first.duplicates), (vec![2], &[][..]));
    tracker.renege(3);
    tracker.renege(4);
    let rest = tracker.report(10, 2);
    assert_eq!((ends(&rest), rest.duplicates), (vec![2], &[Tsn(0)][..]));
    assert!(!rest.continues);
}
