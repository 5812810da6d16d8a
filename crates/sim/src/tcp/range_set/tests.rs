#![expect(
    clippy::cast_possible_truncation,
    reason = "the numbers of these tests are small, or meant to be cut"
)]

use super::*;

fn set(ranges: &[(u64, u64)]) -> RangeSet {
    let mut set = RangeSet::new();
    for &(start, end) in ranges {
        set.insert(Range::new(start, end));
    }
    set
}

fn all(set: &RangeSet) -> Vec<(u64, u64)> {
    set.ranges.iter().map(|r| (r.start, r.end)).collect()
}

#[test]
fn touching_ranges_become_one() {
    let set = set(&[(10, 20), (30, 40), (20, 30)]);
    assert_eq!(all(&set), [(10, 40)]);
    assert_eq!(set.total(), 30);
}

#[test]
fn an_insert_counts_only_what_is_new() {
    let mut set = set(&[(10, 20), (30, 40), (50, 60)]);
    assert_eq!(set.insert(Range::new(15, 55)), 20);
    assert_eq!(all(&set), [(10, 60)]);
    assert_eq!(set.insert(Range::new(12, 18)), 0);
    assert_eq!(set.insert(Range::new(0, 5)), 5);
    assert_eq!(all(&set), [(0, 5), (10, 60)]);
}

#[test]
fn trimming_cuts_a_range_in_two_and_keeps_the_upper_part() {
    let mut set = set(&[(10, 20), (30, 40)]);
    set.trim_below(35);
    assert_eq!(all(&set), [(35, 40)]);
    assert_eq!(set.total(), 5);
}

#[test]
fn it_agrees_with_a_plain_set_of_numbers() {
    let mut ranges = RangeSet::new();
    let mut plain = std::collections::BTreeSet::new();
    let mut state = 1_u64;
    for _ in 0..2000 {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let start = (state >> 33) % 300;
        let len = (state >> 20) % 12;
        let before = plain.len();
        plain.extend(start..start + len);
        let new = ranges.insert(Range::new(start, start + len));
        assert_eq!(new as usize, plain.len() - before);
        if state.is_multiple_of(17) {
            let below = (state >> 40) % 300;
            ranges.trim_below(below);
            plain = plain.split_off(&below);
        }
        assert_eq!(ranges.total() as usize, plain.len());
        let probe = (state >> 50) % 300;
        assert_eq!(
            ranges.covered_below(probe) as usize,
            plain.range(..probe).count()
        );
        assert_eq!(
            ranges.gap_from(probe),
            (probe..).find(|n| !plain.contains(n)).unwrap()
        );
    }
}
