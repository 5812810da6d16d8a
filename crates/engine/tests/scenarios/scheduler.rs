//! Changing the stream scheduler while messages are queued (RFC 8260 §3).

use core::num::NonZeroU16;

use crate::prelude::*;

/// A slow link, so that most messages are queued.
fn slow(scheduler: StreamScheduler, interleaving: Interleaving) -> World {
    let mut setup = Setup::quiet(|options| {
        options.scheduler = scheduler;
        options.interleaving = interleaving;
        options.partial_reliability = PartialReliability::On;
        options.reconfiguration = Reconfiguration::On(PeerRequests::ALL);
        options.send_buffer = 4 << 20;
    });
    setup.link.rate = Some(4_000_000);
    setup.established()
}

fn choose(world: &mut World, scheduler: StreamScheduler) {
    world.call(A, |it, now| it.set_stream_scheduler(now, scheduler));
    assert_eq!(world.assoc(A).stream_scheduler(), scheduler);
}

fn set_priority(world: &mut World, stream: u16, priority: u16) {
    let outcome = world.call(A, |it, now| {
        it.set_stream_priority(now, StreamId(stream), priority)
    });
    assert_eq!(outcome, Ok(()));
}

/// Streams in the order in which Z could read their messages.
fn order(world: &World) -> Vec<u16> {
    let messages = world.messages(Z);
    messages.iter().map(|message| message.stream.0).collect()
}

/// Sends `count` messages on `streams` streams in turn; message n has PPID n.
fn send(world: &mut World, count: u32, streams: u16, len: usize) {
    for n in 0..count {
        let stream = u16::try_from(n).unwrap() % streams;
        world.send(A, blob(stream, len).with_ppid(Ppid(n)));
    }
}

#[test]
fn queued_messages_survive_a_change_of_the_scheduler_in_order() {
    for interleaving in [Interleaving::Off, Interleaving::On] {
        for before in SCHEDULERS {
            for after in SCHEDULERS {
                let mut world = slow(before, interleaving);
                send(&mut world, 60, 5, 4000);
                world.run_for(ms(100));
                let read = world.messages(Z).len();
                assert!(read < 40, "{read} of 60 are read before the change");
                choose(&mut world, after);
                send(&mut world, 60, 5, 4000);
                world.run_for(secs(10));
                let messages = world.messages(Z);
                assert_eq!(messages.len(), 120, "{before:?}, {after:?}");
                for stream in 0..5 {
                    let of_it = messages.iter().filter(|one| one.stream.0 == stream);
                    let sent = (stream.into()..60).step_by(5).map(Ppid);
                    assert!(of_it.map(|one| one.ppid).eq(sent.clone().chain(sent)));
                }
            }
        }
    }
}

#[test]
fn an_urgent_stream_passes_what_waits_once_priorities_count() {
    for interleaving in [Interleaving::Off, Interleaving::On] {
        let mut world = slow(StreamScheduler::FirstCome, interleaving);
        for stream in [1, 1, 1, 1, 2] {
            world.send(A, blob(stream, 50_000));
        }
        world.run_for(ms(50));
        // A stream's earlier setting stays in force.
        set_priority(&mut world, 1, 9);
        choose(&mut world, StreamScheduler::Priority);
        world.run_for(secs(10));
        let expected = match interleaving {
            Interleaving::Off => [1, 2, 1, 1, 1],
            Interleaving::On => [2, 1, 1, 1, 1],
        };
        assert_eq!(order(&world), expected, "{interleaving:?}");
    }
}

#[test]
fn first_come_goes_on_in_the_order_in_which_messages_came() {
    let mut world = slow(StreamScheduler::Priority, Interleaving::Off);
    for stream in 1..4 {
        set_priority(&mut world, stream, 9 - stream);
    }
    let blobs = [1, 2, 3, 1, 2, 3].map(|stream| blob(stream, 20_000));
    world.send_together(A, blobs.to_vec());
    world.run_for(ms(20));
    choose(&mut world, StreamScheduler::FirstCome);
    world.run_for(secs(5));
    assert_eq!(order(&world), [3, 1, 2, 1, 2, 3]);
}

#[test]
fn first_come_first_finishes_what_was_begun_by_turns() {
    let mut world = slow(StreamScheduler::RoundRobin, Interleaving::On);
    let blobs = [1, 2, 3, 1, 2, 3].map(|stream| blob(stream, 20_000));
    world.send_together(A, blobs.to_vec());
    world.run_for(ms(30));
    choose(&mut world, StreamScheduler::FirstCome);
    world.send(A, blob(1, 100));
    world.run_for(secs(5));
    assert_eq!(order(&world), [1, 2, 3, 1, 2, 3, 1]);
}

#[test]
fn weights_are_kept_for_the_scheduler_that_reads_them() {
    let mut world = slow(StreamScheduler::FirstCome, Interleaving::On);
    let now = world.now();
    let three = NonZeroU16::new(3).unwrap();
    let outcome = world.assoc(A).set_stream_weight(now, StreamId(2), three);
    assert_eq!(outcome, Ok(()));
    choose(&mut world, StreamScheduler::WeightedFairQueueing);
    let blobs = (0..200).map(|n| blob(1 + n % 2, 1000)).collect();
    world.send_together(A, blobs);
    world.wait(secs(10), |world| world.messages(Z).len() >= 100);
    let heavy = order(&world)[..100].iter().filter(|one| **one == 2).count();
    assert!((70..80).contains(&heavy), "{heavy} of 100");
}

#[test]
fn a_message_can_be_given_up_after_a_change() {
    for (before, after) in [
        (StreamScheduler::FirstCome, StreamScheduler::RoundRobin),
        (StreamScheduler::RoundRobin, StreamScheduler::FirstCome),
    ] {
        for interleaving in [Interleaving::Off, Interleaving::On] {
            let mut world = slow(before, interleaving);
            let timed = SendOptions::default().with_lifetime(ms(200));
            for n in 0..30 {
                world.send_with(A, blob(1 + n % 3, 20_000), timed);
            }
            world.run_for(ms(60));
            choose(&mut world, after);
            world.run_for(secs(5));
            let read = world.messages(Z).len();
            assert!((1..25).contains(&read), "{read} of 30");
            world.send(A, blob(1, 10));
            world.run_for(secs(5));
            assert_eq!(world.messages(Z).len(), read + 1);
            world.shutdown(A);
            world.run_for(secs(5));
            assert!(!world.is_open(A));
        }
    }
}

#[test]
fn messages_held_back_by_a_reset_stay_held_back() {
    for interleaving in [Interleaving::Off, Interleaving::On] {
        let mut world = slow(StreamScheduler::RoundRobin, interleaving);
        send(&mut world, 30, 3, 5000);
        let asked = world.call(A, |it, now| {
            it.reset_streams(now, &[StreamId(1)], StreamDirection::Outgoing)
        });
        assert_eq!(asked, Ok(()));
        send(&mut world, 30, 3, 5000);
        for scheduler in [StreamScheduler::FirstCome, StreamScheduler::Priority] {
            world.run_for(ms(40));
            choose(&mut world, scheduler);
        }
        world.run_for(secs(10));
        assert_eq!(world.messages(Z).len(), 60);
        let of_it = world.messages(Z);
        let of_it = of_it.iter().filter(|one| one.stream.0 == 1);
        let sent = (1..30).step_by(3).map(Ppid);
        assert!(of_it.map(|one| one.ppid).eq(sent.clone().chain(sent)));
    }
}

#[test]
fn a_stream_that_does_not_exist_has_no_priority() {
    let mut world = Setup::quiet(|_| {}).established();
    let outcome = world.call(A, |it, now| it.set_stream_priority(now, StreamId(10), 1));
    assert_eq!(outcome, Err(StreamError::Unknown));
}
