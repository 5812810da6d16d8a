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
    let valid = acked.classify(base, 1000, &List::from(&blocks(pairs)[..]));
    assert_eq!(valid, Ok(true));
    (acked.newly().collect(), acked.reneged().collect())
}

#[test]
fn the_first_report_is_new_throughout() {
    let mut acked = AckedRanges::default();
    let told = digest(&mut acked, 10, &[(2, 3), (5, 5)]);
    assert_eq!(told, (vec![11..13, 14..15], vec![]));
}

#[test]
fn only_what_was_added_is_new() {
    let mut acked = AckedRanges::default();
    digest(&mut acked, 10, &[(2, 3), (5, 5)]);
    let told = digest(&mut acked, 10, &[(2, 7)]);
    assert_eq!(told, (vec![13..14, 15..17], vec![]));
    assert_eq!(digest(&mut acked, 10, &[(2, 7)]), (vec![], vec![]));
}

#[test]
fn chunks_that_are_no_longer_reported_are_reneged() {
    let mut acked = AckedRanges::default();
    digest(&mut acked, 10, &[(2, 7)]);
    let told = digest(&mut acked, 10, &[(3, 4)]);
    assert_eq!(told, (vec![], vec![11..12, 14..17]));
}

#[test]
fn chunks_that_the_cumulative_tsn_passes_are_not_reneged() {
    let mut acked = AckedRanges::default();
    digest(&mut acked, 10, &[(2, 7)]);
    assert_eq!(digest(&mut acked, 20, &[]), (vec![], vec![]));
}

#[test]
fn blocks_out_of_order_and_overlapping_are_merged() {
    let mut acked = AckedRanges::default();
    let told = digest(&mut acked, 0, &[(8, 9), (2, 5), (4, 6)]);
    assert_eq!(told, (vec![1..6, 7..9], vec![]));
}

#[test]
fn an_empty_or_backward_block_voids_the_whole_sack() {
    let mut acked = AckedRanges::default();
    digest(&mut acked, 10, &[(2, 3)]);
    for bad in [(0, 4), (5, 4)] {
        let blocks = blocks(&[(2, 9), bad]);
        let valid = acked.classify(10, 1000, &List::from(&blocks[..]));
        assert_eq!(valid, Ok(false));
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

#[test]
fn a_chunk_taken_back_time_and_again_is_soon_not_acknowledged_any_more() {
    let mut acked = AckedRanges::default();
    let window = blocks(&[(2, 900)]);
    let (mut given, mut taken) = (0, 0);
    for _ in 0..1000 {
        for blocks in [&window[..], &[]] {
            let valid = acked.classify(10, 1000, &List::from(blocks)) == Ok(true);
            let sum = |ranges: &mut dyn Iterator<Item = Range<u64>>| -> u64 {
                ranges.map(|range| range.end - range.start).sum()
            };
            given += sum(&mut acked.newly());
            taken += sum(&mut acked.reneged());
            assert!(valid || acked.newly().next().is_none());
        }
    }
    assert!((20_000..40_000).contains(&given), "{given}");
    assert!(taken <= given);
    // A SACK that also acknowledges new chunks is accepted after a while; one with only new chunks
    // always is.
    let valid = |acked: &mut AckedRanges, base, pairs: &[(u16, u16)]| {
        acked.classify(base, 3000, &List::from(&blocks(pairs)[..])) == Ok(true)
    };
    assert!((0..100).any(|_| valid(&mut acked, 10, &[(2, 950)])));
    for n in 0..500_u16 {
        assert!(valid(
            &mut acked,
            1000 + u64::from(n),
            &[(2, 900), (1000, 1001 + n)]
        ));
    }
}

#[test]
fn sacks_that_overtake_each_other_are_all_taken() {
    let mut acked = AckedRanges::default();
    for n in (2..900_u16).step_by(4) {
        for end in [n + 3, n + 1, n + 2, n] {
            let blocks = blocks(&[(2, end)]);
            let valid = acked.classify(10, 1000, &List::from(&blocks[..]));
            assert_eq!(valid, Ok(true));
        }
    }
}

#[test]
fn a_range_where_the_cumulative_tsn_ack_ends_was_taken_back() {
    let mut acked = AckedRanges::default();
    digest(&mut acked, 10, &[(2, 6), (9, 9)]);
    acked.forget_below(13);
    assert_eq!(acked.reneged().next(), Some(13..16));
    assert_eq!(acked.highest(), Some(18));
    acked.forget_below(16);
    assert_eq!(acked.reneged().count(), 0);
}

/// `count` blocks of single chunks, every second one, from offset 2 on.
fn every_second(count: u16) -> Vec<(u16, u16)> {
    (1..=count).map(|n| (2 * n, 2 * n)).collect()
}

#[test]
fn a_full_sack_takes_nothing_back_that_lies_beyond_it() {
    let mut acked = AckedRanges::default();
    digest(&mut acked, 10, &every_second(20));
    assert_eq!(acked.horizon(), Some(50));
    let full = every_second(16);
    assert_eq!(digest(&mut acked, 10, &full), (vec![], vec![]));
    assert_eq!(acked.horizon(), Some(42));
    assert_eq!(acked.highest(), Some(49));
    // A SACK with room for more blocks takes them back.
    let (newly, reneged) = digest(&mut acked, 10, &full[..15]);
    assert_eq!((newly.len(), reneged.len()), (0, 5));
    assert_eq!(acked.horizon(), None);
}

#[test]
fn a_range_that_a_full_sack_reports_in_part_is_kept_whole() {
    let mut acked = AckedRanges::default();
    let mut pairs = every_second(16);
    pairs[15].1 = 50;
    digest(&mut acked, 10, &pairs);
    pairs[15].1 = 40;
    assert_eq!(digest(&mut acked, 10, &pairs), (vec![], vec![]));
}

#[test]
fn no_more_is_kept_beyond_full_sacks_than_makes_them_dear() {
    let mut acked = AckedRanges::default();
    let many = every_second(400);
    digest(&mut acked, 10, &many);
    let (_, reneged) = digest(&mut acked, 10, &many[..16]);
    assert_eq!(reneged.len(), 400 - 16 - MOST_KEPT);
}
