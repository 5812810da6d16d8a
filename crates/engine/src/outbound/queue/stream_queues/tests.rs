use std::vec::Vec;

use super::*;
use crate::{Message, SendOptions, StreamScheduler};

fn stream_queues(scheduler: StreamScheduler, streams: &[u16]) -> StreamQueues {
    let mut stream_queues = StreamQueues::new(scheduler.schedule().unwrap());
    for stream in streams {
        push(&mut stream_queues, *stream, 1);
    }
    stream_queues
}

fn push(stream_queues: &mut StreamQueues, stream: u16, len: usize) {
    let message = Message::new(StreamId(stream), std::vec![0; len]);
    stream_queues.push(Outgoing::new(
        message,
        SendOptions::default(),
        Ticket::NONE,
        None,
    ));
}

fn order(stream_queues: &mut StreamQueues) -> Vec<u16> {
    iter::from_fn(|| {
        let front = stream_queues.front().map(|next| next.message.stream);
        let next = stream_queues.pop().map(|next| next.message.stream);
        assert_eq!(front, next, "what stands in front is what comes");
        next.map(|stream| stream.0)
    })
    .collect()
}

#[test]
fn streams_take_turns() {
    let mut stream_queues = stream_queues(StreamScheduler::RoundRobin, &[3, 3, 3, 1, 1, 65_535]);
    assert_eq!(order(&mut stream_queues), [3, 1, 65_535, 3, 1, 3]);
    assert!(stream_queues.is_empty());
}

#[test]
fn places_are_used_again() {
    let mut stream_queues = stream_queues(StreamScheduler::RoundRobin, &[1, 2]);
    for round in 0..100 {
        assert!(stream_queues.pop().is_some());
        push(&mut stream_queues, round, 1);
    }
    assert_eq!(stream_queues.slots.len(), 2);
    assert_eq!(order(&mut stream_queues).len(), 2);
    stream_queues.trim();
    assert_eq!(stream_queues.slots.capacity(), 0);
}

#[test]
fn all_can_be_taken_out_and_put_back() {
    let mut stream_queues = stream_queues(StreamScheduler::Priority, &[2, 1, 2]);
    stream_queues.set_priority(StreamId(1), 3);
    let all = stream_queues.take_all();
    assert!(stream_queues.is_empty() && stream_queues.front().is_none());
    let streams: Vec<u16> = all.iter().map(|one| one.message.stream.0).collect();
    assert_eq!(streams, [2, 1, 2], "in the order in which they came");
    for outgoing in all {
        stream_queues.push(outgoing);
    }
    assert_eq!(order(&mut stream_queues), [2, 2, 1]);
}

#[test]
fn interleaved_streams_take_turns_chunk_by_chunk() {
    let mut stream_queues = stream_queues(StreamScheduler::RoundRobin, &[]);
    stream_queues.interleave();
    push(&mut stream_queues, 1, 20);
    push(&mut stream_queues, 2, 10);
    let mut cuts = Vec::new();
    while let Some(next) = stream_queues.next_fragment() {
        let message = next.begun.unwrap_or_else(|| {
            let outgoing = stream_queues.pop().unwrap();
            u32::from(outgoing.message.stream.0)
        });
        cuts.push((message, next.rest));
        stream_queues.on_fragmented(5, message, next.rest - 5);
    }
    assert_eq!(cuts, [(1, 20), (2, 10), (1, 15), (2, 5), (1, 10), (1, 5)]);
    assert!(!stream_queues.has_begun(None));
}

#[test]
fn a_partly_sent_message_goes_on_when_the_others_are_taken_out() {
    let mut stream_queues = stream_queues(StreamScheduler::RoundRobin, &[]);
    stream_queues.interleave();
    push(&mut stream_queues, 1, 20);
    push(&mut stream_queues, 1, 30);
    push(&mut stream_queues, 2, 10);
    stream_queues.pop();
    stream_queues.on_fragmented(5, 7, 15);
    assert!(
        stream_queues.has_begun(Some(StreamId(1))) && !stream_queues.has_begun(Some(StreamId(2)))
    );
    assert_eq!(stream_queues.take_all().len(), 2);
    let begun = Some(NextFragment {
        rest: 15,
        begun: Some(7),
    });
    assert_eq!(stream_queues.next_fragment(), begun);
    stream_queues.on_fragmented(15, 7, 0);
    assert_eq!(stream_queues.next_fragment(), None);
}
