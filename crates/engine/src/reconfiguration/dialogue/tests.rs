use sheave_wire::{ReConfigResult, Tsn};

use super::{Answer, Dialogue, Turn};

fn performed(request: u32) -> Answer {
    Answer::new(request, ReConfigResult::PERFORMED)
}

#[test]
fn requests_are_numbered_from_the_initial_tsns_and_wrap() {
    let mut dialogue = Dialogue::new(Tsn(u32::MAX), Tsn(u32::MAX));
    assert_eq!(dialogue.take_number(), u32::MAX);
    assert_eq!(dialogue.take_number(), 0);
    assert_eq!(dialogue.turn(u32::MAX), Turn::Due);
    dialogue.remember(performed(u32::MAX));
    assert_eq!(dialogue.last_answered(), u32::MAX);
    assert_eq!(dialogue.turn(0), Turn::Due);
}

#[test]
fn the_last_two_requests_are_answered_from_memory() {
    let mut dialogue = Dialogue::new(Tsn(1), Tsn(10));
    for request in 10..13 {
        dialogue.remember(performed(request));
    }
    assert_eq!(dialogue.turn(10), Turn::Bad);
    assert_eq!(dialogue.turn(11), Turn::Again(performed(11)));
    assert_eq!(dialogue.turn(12), Turn::Again(performed(12)));
    assert_eq!(dialogue.turn(14), Turn::Bad);
}

#[test]
fn a_request_in_progress_comes_again_under_its_number_or_the_next() {
    let mut dialogue = Dialogue::new(Tsn(1), Tsn(10));
    let wait = Answer::new(10, ReConfigResult::IN_PROGRESS);
    dialogue.remember(wait);
    assert_eq!(dialogue.turn(10), Turn::Due);
    assert_eq!(dialogue.turn(11), Turn::Due);
    assert_eq!(dialogue.turn(10), Turn::Bad);
    assert_eq!(dialogue.turn(12), Turn::Bad);
}
