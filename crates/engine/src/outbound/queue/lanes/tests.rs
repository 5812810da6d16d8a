use std::vec::Vec;

use super::*;
use crate::{Message, SendOptions, StreamScheduler};

fn lanes(scheduler: StreamScheduler, streams: &[u16]) -> Lanes {
    let mut lanes = Lanes::new(scheduler.schedule().unwrap());
    for stream in streams {
        push(&mut lanes, *stream, 1);
    }
    lanes
}

fn push(lanes: &mut Lanes, stream: u16, len: usize) {
    let message = Message::new(StreamId(stream), std::vec![0; len]);
    lanes.push(Outgoing::new(message, SendOptions::default(), Ticket::NONE));
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
fn streams_take_turns() {
    let mut lanes = lanes(StreamScheduler::RoundRobin, &[3, 3, 3, 1, 1, 65_535]);
    assert_eq!(order(&mut lanes), [3, 1, 65_535, 3, 1, 3]);
    assert!(lanes.is_empty());
}

#[test]
fn places_are_used_again() {
    let mut lanes = lanes(StreamScheduler::RoundRobin, &[1, 2]);
    for round in 0..100 {
        assert!(lanes.pop().is_some());
        push(&mut lanes, round, 1);
    }
    assert_eq!(lanes.places.len(), 2);
    assert_eq!(order(&mut lanes).len(), 2);
    lanes.trim();
    assert_eq!(lanes.places.capacity(), 0);
}

#[test]
fn all_can_be_taken_out_and_put_back() {
    let mut lanes = lanes(StreamScheduler::Priority, &[2, 1, 2]);
    lanes.set_priority(StreamId(1), 3);
    let all = lanes.take_all();
    assert!(lanes.is_empty() && lanes.front().is_none());
    let streams: Vec<u16> = all.iter().map(|one| one.message.stream.0).collect();
    assert_eq!(streams, [2, 1, 2], "in the order in which they came");
    for outgoing in all {
        lanes.push(outgoing);
    }
    assert_eq!(order(&mut lanes), [2, 2, 1]);
}

#[test]
fn interleaved_streams_take_turns_chunk_by_chunk() {
    let mut lanes = lanes(StreamScheduler::RoundRobin, &[]);
    lanes.interleave();
    push(&mut lanes, 1, 20);
    push(&mut lanes, 2, 10);
    let mut cuts = Vec::new();
    while let Some(turn) = lanes.turn() {
        let message = turn.begun.unwrap_or_else(|| {
            let outgoing = lanes.pop().unwrap();
            u32::from(outgoing.message.stream.0)
        });
        cuts.push((message, turn.rest));
        lanes.on_cut(5, message, turn.rest - 5);
    }
    assert_eq!(cuts, [(1, 20), (2, 10), (1, 15), (2, 5), (1, 10), (1, 5)]);
    assert!(!lanes.has_begun(None));
}

#[test]
fn what_is_partly_sent_goes_on_when_the_rest_is_taken_out() {
    let mut lanes = lanes(StreamScheduler::RoundRobin, &[]);
    lanes.interleave();
    push(&mut lanes, 1, 20);
    push(&mut lanes, 1, 30);
    push(&mut lanes, 2, 10);
    lanes.pop();
    lanes.on_cut(5, 7, 15);
    assert!(lanes.has_begun(Some(StreamId(1))) && !lanes.has_begun(Some(StreamId(2))));
    assert_eq!(lanes.take_all().len(), 2);
    let begun = Some(Turn {
        rest: 15,
        begun: Some(7),
    });
    assert_eq!(lanes.turn(), begun);
    lanes.on_cut(15, 7, 0);
    assert_eq!(lanes.turn(), None);
}
