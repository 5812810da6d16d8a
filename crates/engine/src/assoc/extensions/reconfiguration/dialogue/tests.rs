use sheave_wire::{ReConfigResult, Tsn};

use super::{Dialogue, ReConfigAnswer, ReConfigSequence};

fn performed(request: u32) -> ReConfigAnswer {
    ReConfigAnswer::new(request, ReConfigResult::PERFORMED)
}

#[test]
fn requests_are_numbered_from_the_initial_tsns_and_wrap() {
    let mut dialogue = Dialogue::new(Tsn(u32::MAX), Tsn(u32::MAX));
    assert_eq!(dialogue.take_number(), u32::MAX);
    assert_eq!(dialogue.take_number(), 0);
    assert_eq!(dialogue.classify(u32::MAX), ReConfigSequence::Next);
    dialogue.remember(performed(u32::MAX));
    assert_eq!(dialogue.last_answered(), u32::MAX);
    assert_eq!(dialogue.classify(0), ReConfigSequence::Next);
}

#[test]
fn the_last_two_requests_are_answered_from_memory() {
    let mut dialogue = Dialogue::new(Tsn(1), Tsn(10));
    for request in 10..13 {
        dialogue.remember(performed(request));
    }
    assert_eq!(dialogue.classify(10), ReConfigSequence::Bad);
    assert_eq!(
        dialogue.classify(11),
        ReConfigSequence::Repeated(performed(11))
    );
    assert_eq!(
        dialogue.classify(12),
        ReConfigSequence::Repeated(performed(12))
    );
    assert_eq!(dialogue.classify(14), ReConfigSequence::Bad);
}

#[test]
fn a_request_in_progress_comes_again_under_its_number_or_the_next() {
    let mut dialogue = Dialogue::new(Tsn(1), Tsn(10));
    let wait = ReConfigAnswer::new(10, ReConfigResult::IN_PROGRESS);
    dialogue.remember(wait);
    assert_eq!(dialogue.classify(10), ReConfigSequence::Next);
    assert_eq!(dialogue.classify(11), ReConfigSequence::Next);
    assert_eq!(dialogue.classify(10), ReConfigSequence::Bad);
    assert_eq!(dialogue.classify(12), ReConfigSequence::Bad);
}

#[test]
fn a_request_in_progress_may_come_again_after_a_handover() {
    let mut dialogue = Dialogue::new(Tsn(1), Tsn(10));
    dialogue.remember(performed(10));
    dialogue.remember(performed(11));
    dialogue.remember(ReConfigAnswer::new(12, ReConfigResult::IN_PROGRESS));
    let mut elsewhere = Dialogue::new(Tsn(5), Tsn(50));
    elsewhere.resume(&dialogue.standing());
    assert_eq!(
        elsewhere.classify(10),
        ReConfigSequence::Repeated(performed(10))
    );
    assert_eq!(elsewhere.classify(12), ReConfigSequence::Next);
    assert_eq!(elsewhere.classify(13), ReConfigSequence::Next);
}
