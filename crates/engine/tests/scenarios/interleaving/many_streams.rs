//! A message on each of many streams, all in flight at once (RFC 8260 §2.2.2), to an eager
//! reader.

use crate::prelude::*;

const FAIR: [StreamScheduler; 2] = [
    StreamScheduler::RoundRobin,
    StreamScheduler::WeightedFairQueueing,
];

fn interleaved(profile: Profile, scheduler: StreamScheduler) -> Setup {
    Setup::with(Options {
        interleaving: Interleaving::On,
        scheduler,
        heartbeats: Heartbeats::Off,
        outbound_streams: u16::MAX,
        max_inbound_streams: u16::MAX,
        send_buffer: 64 << 20,
        ..profile.options()
    })
}

/// Sends a message of `bytes` on each stream at once, and asserts that all arrive within a minute.
#[track_caller]
fn assert_all_arrive(setup: &Setup, streams: u16, bytes: usize) -> World {
    let mut world = setup.established();
    let message = |stream| Message {
        stream: StreamId(stream),
        ..blob(0, bytes)
    };
    world.send_together(A, (0..streams).map(message).collect());
    world.run_for(secs(60));
    assert_eq!(world.close_reason(Z), None);
    assert_eq!(world.messages(Z).len(), usize::from(streams));
    assert_eq!(world.stats(Z).receive_buffered, 0);
    assert_eq!(world.endpoint(Z).stats().buffered, 0);
    world
}

#[test]
fn a_message_on_each_of_many_streams_fits_the_buffer_of_a_kernel() {
    for scheduler in FAIR {
        for streams in [700, 1000] {
            assert_all_arrive(&interleaved(Profile::Linux, scheduler), streams, 3000);
        }
    }
}

#[test]
fn a_message_on_each_of_thousands_of_streams_fits_the_default_buffer() {
    for scheduler in FAIR {
        assert_all_arrive(&interleaved(Profile::Rfc9260, scheduler), 4000, 3000);
        assert_all_arrive(&interleaved(Profile::Modern, scheduler), 4000, 3000);
    }
}

#[test]
fn a_message_on_each_of_many_streams_fits_the_smallest_buffer() {
    for scheduler in FAIR {
        for (streams, bytes) in [(20, 3000), (20, 100_000), (1000, 3000)] {
            let mut setup = interleaved(Profile::Rfc9260, scheduler);
            setup.z.receive_buffer = 4096;
            assert_all_arrive(&setup, streams, bytes);
        }
    }
}

#[test]
fn messages_on_many_streams_pass_a_small_buffer_whatever_is_lost() {
    for scheduler in FAIR {
        let mut setup = interleaved(Profile::Rfc9260, scheduler);
        setup.z.receive_buffer = 16_384;
        setup.link.loss = 20;
        setup.link.reorder = 50;
        assert_all_arrive(&setup, 300, 3000);
    }
}
