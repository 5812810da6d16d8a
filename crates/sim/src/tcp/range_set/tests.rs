#![expect(
    clippy::cast_possible_truncation,
    reason = "the numbers of these tests are small, or meant to be cut"
)]

use super::*;

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
