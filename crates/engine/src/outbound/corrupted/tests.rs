use super::*;

#[test]
fn an_event_counts_once_and_a_later_one_of_the_same_chunk_again() {
    let mut corrupted = Corrupted::default();
    assert!(corrupted.is_news(5, 100));
    corrupted.note(5, 100);
    assert!(!corrupted.is_news(5, 100));
    assert!(!corrupted.is_news(5, 99), "an old report that came late");
    assert!(corrupted.is_news(5, 101));
    assert!(corrupted.is_news(6, 100));
}

#[test]
fn times_wrap() {
    let mut corrupted = Corrupted::default();
    corrupted.note(5, u32::MAX);
    assert!(corrupted.is_news(5, 3));
}

#[test]
fn what_is_acknowledged_is_forgotten() {
    let mut corrupted = Corrupted::default();
    for seq in 0..10 {
        corrupted.note(seq, 1);
    }
    corrupted.forget_below(8);
    assert_eq!(corrupted.heard.len(), 2);
}
