//! Stream schedulers (RFC 8260 §3).

use crate::prelude::*;

/// Streams of the messages in Z's reading order after A sends eight messages on stream 1, two on
/// stream 2, and one on stream 3; `prepare` may set priorities.
fn order(scheduler: StreamScheduler, prepare: impl Fn(&mut World)) -> Vec<u16> {
    let mut world = Setup::quiet(|options| options.scheduler = scheduler).established();
    prepare(&mut world);
    let streams = [1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3];
    let messages = streams.map(|stream| blob(stream, 4000)).to_vec();
    world.send_together(A, messages);
    world.run_for(secs(20));
    let read = world.messages(Z);
    read.iter().map(|message| message.stream.0).collect()
}

fn set(world: &mut World, stream: u16, priority: u16) {
    let outcome = world.call(A, |it, now| {
        it.set_stream_priority(now, StreamId(stream), priority)
    });
    assert_eq!(outcome, Ok(()));
}

#[test]
fn first_come_is_first_served() {
    let order = order(StreamScheduler::FirstCome, |_| {});
    assert_eq!(order, [1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3]);
}

#[test]
fn streams_take_turns() {
    let order = order(StreamScheduler::RoundRobin, |_| {});
    assert_eq!(order, [1, 2, 3, 1, 2, 1, 1, 1, 1, 1, 1]);
}

#[test]
fn the_lowest_priority_number_goes_first() {
    let order = order(StreamScheduler::Priority, |world| {
        set(world, 1, 7);
        set(world, 2, 3);
    });
    assert_eq!(order, [3, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1]);
}

#[test]
fn a_stream_that_does_not_exist_has_no_priority() {
    let mut world = Setup::quiet(|_| {}).established();
    let outcome = world.call(A, |it, now| it.set_stream_priority(now, StreamId(10), 1));
    assert_eq!(outcome, Err(StreamError::Unknown));
}
