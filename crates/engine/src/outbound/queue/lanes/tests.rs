use std::vec::Vec;

use super::*;
use crate::{Message, SendOptions};

fn filled(streams: &[u16]) -> Lanes {
    let mut lanes = Lanes::default();
    for stream in streams {
        let message = Message::new(StreamId(*stream), &b"x"[..]);
        lanes.push(Outgoing::new(message, SendOptions::default()));
    }
    lanes
}

fn order(lanes: &mut Lanes) -> Vec<u16> {
    core::iter::from_fn(|| {
        let front = lanes.front().map(|next| next.message.stream);
        let next = lanes.pop().map(|next| next.message.stream);
        assert_eq!(front, next, "what stands in front is what comes");
        next.map(|stream| stream.0)
    })
    .collect()
}

#[test]
fn streams_of_one_rank_take_turns() {
    let mut lanes = filled(&[3, 3, 3, 1, 1, 65_535]);
    assert_eq!(order(&mut lanes), [1, 3, 65_535, 1, 3, 3]);
    assert!(lanes.is_empty());
}

#[test]
fn a_lower_rank_goes_first() {
    let mut lanes = filled(&[1, 2, 1, 2, 3]);
    lanes.set_rank(StreamId(1), 9);
    lanes.set_rank(StreamId(3), 4);
    assert_eq!(order(&mut lanes), [2, 2, 3, 1, 1]);
}

#[test]
fn a_new_rank_holds_for_what_waits_and_can_be_taken_back() {
    let mut lanes = filled(&[1, 2]);
    lanes.set_rank(StreamId(1), 5);
    lanes.set_rank(StreamId(1), 0);
    assert_eq!(order(&mut lanes), [1, 2]);
}

#[test]
fn a_stream_that_comes_late_gets_its_turn() {
    let mut lanes = filled(&[5, 5, 5]);
    lanes.pop();
    let message = Message::new(StreamId(2), &b"x"[..]);
    lanes.push(Outgoing::new(message, SendOptions::default()));
    assert_eq!(order(&mut lanes), [2, 5, 5]);
}
