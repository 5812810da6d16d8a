use alloc::vec;
use alloc::vec::Vec;

use super::*;

fn blocks(pairs: &[(u16, u16)]) -> Vec<GapBlock> {
    pairs
        .iter()
        .map(|&(start, end)| GapBlock { start, end })
        .collect()
}

fn digest(
    acked: &mut AckedRanges,
    base: u64,
    pairs: &[(u16, u16)],
) -> (Vec<Range<u64>>, Vec<Range<u64>>) {
    let blocks = blocks(pairs);
    assert_eq!(
        acked.classify(base, 1000, &List::from(&blocks[..])),
        Ok(true)
    );
    (acked.newly().collect(), acked.reneged().collect())
}

#[test]
fn the_first_report_is_new_throughout() {
    let mut acked = AckedRanges::default();
    assert_eq!(
        digest(&mut acked, 10, &[(2, 3), (5, 5)]),
        (vec![11..13, 14..15], vec![])
    );
}

#[test]
fn only_what_was_added_is_new() {
    let mut acked = AckedRanges::default();
    digest(&mut acked, 10, &[(2, 3), (5, 5)]);
    assert_eq!(
        digest(&mut acked, 10, &[(2, 7)]),
        (vec![13..14, 15..17], vec![])
    );
    assert_eq!(digest(&mut acked, 10, &[(2, 7)]), (vec![], vec![]));
}

#[test]
fn what_is_no_longer_reported_is_reneged() {
    let mut acked = AckedRanges::default();
    digest(&mut acked, 10, &[(2, 7)]);
    assert_eq!(
        digest(&mut acked, 10, &[(3, 4)]),
        (vec![], vec![11..12, 14..17])
    );
}

#[test]
fn what_the_cumulative_ack_passes_is_not_reneged() {
    let mut acked = AckedRanges::default();
    digest(&mut acked, 10, &[(2, 7)]);
    assert_eq!(digest(&mut acked, 20, &[]), (vec![], vec![]));
}

#[test]
fn blocks_out_of_order_and_overlapping_are_merged() {
    let mut acked = AckedRanges::default();
    assert_eq!(
        digest(&mut acked, 0, &[(8, 9), (2, 5), (4, 6)]),
        (vec![1..6, 7..9], vec![])
    );
}

#[test]
fn an_empty_or_backward_block_voids_the_whole_sack() {
    let mut acked = AckedRanges::default();
    digest(&mut acked, 10, &[(2, 3)]);
    for bad in [(0, 4), (5, 4)] {
        let blocks = blocks(&[(2, 9), bad]);
        assert_eq!(
            acked.classify(10, 1000, &List::from(&blocks[..])),
            Ok(false)
        );
    }
    assert_eq!(digest(&mut acked, 10, &[(2, 3)]), (vec![], vec![]));
}

#[test]
fn a_block_beyond_what_was_sent_is_a_fault_and_changes_nothing() {
    let mut acked = AckedRanges::default();
    let wide = blocks(&[(2, u16::MAX)]);
    assert!(acked.classify(10, 1000, &List::from(&wide[..])).is_err());
    assert_eq!(acked.highest(), None);
}
