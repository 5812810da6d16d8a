//! Buffered bytes per stream, and low-water marks.

use crate::prelude::*;

const STREAMS: u16 = 4;
/// Overhead charged per message, bytes.
const OVERHEAD: usize = 64;

fn low(stream: u16) -> Event {
    Event::StreamBufferLow {
        stream: StreamId(stream),
    }
}

fn buffered(world: &mut World, stream: u16) -> usize {
    world.assoc(A).stream_buffered(StreamId(stream))
}

/// Sends messages of all sizes and reliabilities over a lossy link, and continuously compares the
/// streams' counts with the association's.
fn counts_agree_under_loss(mut setup: Setup) {
    (setup.link.loss, setup.link.reorder) = (50, 20);
    let mut world = setup.established();
    for stream in 0..STREAMS {
        let outcome = world.assoc(A).set_low_water(StreamId(stream), Some(0));
        assert_eq!(outcome, Ok(()));
    }
    for round in 0..40_usize {
        for stream in 0..STREAMS {
            let options = SendOptions::default();
            let options = match stream {
                0 => options,
                1 => options.with_max_retransmissions(0),
                2 => options.with_lifetime(ms(30)),
                _ => options.with_priority(7),
            };
            let message = blob(stream, 1 + round * 307 % 9000);
            // A full buffer is expected.
            let _ = world.try_send(A, message, options);
        }
        world.run_for(ms(15));
        let whole = world.assoc(A).stats().send_buffered;
        let streams: usize = (0..STREAMS)
            .map(|stream| buffered(&mut world, stream))
            .sum();
        assert!(streams <= whole, "{streams} of {whole}");
        assert_eq!((whole - streams) % OVERHEAD, 0, "{streams} of {whole}");
        assert_eq!(whole == 0, streams == 0);
    }
    world.run_for(secs(60));
    for stream in 0..STREAMS {
        assert_eq!(buffered(&mut world, stream), 0);
        assert!(world.count_events(A, &low(stream)) > 0);
    }
}

#[test]
fn the_counts_of_streams_add_up_while_messages_are_lost_and_given_up() {
    for variant in [
        "scheduler=first-come",
        "interleaving=on, scheduler=weighted-fair-queueing",
        // Gap reports free memory.
        "selective_acks=non-renegable, send_buffer=20000",
    ] {
        let setup = Setup::quiet(set(variant));
        counts_agree_under_loss(setup.both(set("partial_reliability=on")));
    }
}

#[test]
fn a_user_is_told_once_that_a_stream_has_drained() {
    let mut world = Setup::quiet(|_| ()).established();
    let outcome = world.assoc(A).set_low_water(StreamId(1), Some(10_000));
    assert_eq!(outcome, Ok(()));
    world.send(A, blob(1, 50_000));
    world.send(A, blob(2, 50_000));
    world.run_for(secs(5));
    assert_eq!(world.count_events(A, &low(1)), 1);
    assert_eq!(world.count_events(A, &low(2)), 0);
}

#[test]
fn a_mark_is_for_a_stream_that_there_is() {
    let mut world = Setup::quiet(|_| ()).established();
    let outcome = world.assoc(A).set_low_water(StreamId(5000), Some(0));
    assert_eq!(outcome, Err(StreamError::Unknown));
}
