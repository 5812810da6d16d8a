use std::vec::Vec;

use super::*;

#[test]
fn a_tag_is_forgotten_some_time_after_its_cookie_went_stale() {
    let mut spent = SpentTags::default();
    spent.add(Time::ZERO, Duration::from_secs(60), Vtag(1));
    spent.add(Time::from_millis(30_000), Duration::from_secs(60), Vtag(2));
    assert!(spent.contains(Vtag(1)));
    spent.add(Time::from_millis(61_000), Duration::from_secs(60), Vtag(3));
    let known: Vec<_> = (1..=3).filter(|tag| spent.contains(Vtag(*tag))).collect();
    assert_eq!(known, [2, 3]);
}

#[test]
fn memory_is_bounded() {
    let mut spent = SpentTags::default();
    for tag in 1..=10_000 {
        spent.add(Time::ZERO, Duration::from_secs(60), Vtag(tag));
    }
    assert_eq!(spent.by_age.len(), MAX_TAGS);
    assert_eq!(spent.tags.len(), MAX_TAGS);
    assert!(spent.contains(Vtag(10_000)));
}
