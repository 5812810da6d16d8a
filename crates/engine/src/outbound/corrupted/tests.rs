use super::*;
use crate::Profile;
use crate::outbound::sender::Outbound;
use sheave_wire::Tsn;

const fn found(found_at: u32) -> Word {
    Word::Report { found_at }
}

#[test]
fn an_event_counts_once_and_a_later_one_of_the_same_chunk_again() {
    let mut corrupted = Corrupted::default();
    assert!(corrupted.is_news(5, found(100)));
    corrupted.note(5, found(100));
    assert!(!corrupted.is_news(5, found(100)));
    assert!(
        !corrupted.is_news(5, found(99)),
        "an old report that came late"
    );
    assert!(corrupted.is_news(5, found(101)));
    assert!(corrupted.is_news(6, found(100)));
}

#[test]
fn times_wrap() {
    let mut corrupted = Corrupted::default();
    corrupted.note(5, found(u32::MAX));
    assert!(corrupted.is_news(5, found(3)));
}

#[test]
fn acknowledged_chunks_are_forgotten() {
    let mut corrupted = Corrupted::default();
    for seq in 0..10 {
        corrupted.note(seq, found(1));
    }
    corrupted.forget_below(8);
    assert_eq!(corrupted.heard.len(), 2);
}

#[test]
fn nothing_is_remembered_of_what_is_all_acknowledged() {
    let options = Profile::Rfc9260.options();
    let mut outbound = Outbound::new(Tsn(1), 10, &options);
    outbound
        .extensions
        .part_or_else(|extensions| &mut extensions.corrupted, Corrupted::default)
        .note(3, found(1));
    outbound.trim(&mut []);
    assert!(outbound.extensions.corrupted.is_none());
}
