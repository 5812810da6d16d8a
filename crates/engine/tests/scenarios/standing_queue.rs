//! Limit on queueing beyond the scheduler.

use std::time::Duration;

use crate::prelude::*;

/// A bulk sender over 10 Mbit/s, 10 ms round trip, and a queue of one second.
fn world(bound: Option<Duration>, edit: impl FnOnce(&mut Options)) -> World {
    let mut world = Setup::quiet(|options| {
        options.standing_queue = bound;
        edit(options);
    })
    .linked(|link| {
        link.delay = ms(5);
        link.rate = Some(10_000_000);
        link.queue = 1_250_000;
    })
    .established();
    world.send_times(A, 200, &blob(0, 100_000));
    world.run_for(secs(5));
    world
}

/// The sender's last measured round trip.
fn round_trip(world: &mut World) -> Duration {
    world.first_path(A).rtt.unwrap()
}

/// Bytes that arrive in ten seconds.
fn delivered(world: &mut World) -> u64 {
    let before = world.stats(Z).bytes_received;
    world.run_for(secs(10));
    world.stats(Z).bytes_received - before
}

#[test]
fn without_a_bound_bulk_stands_in_the_queue() {
    let mut world = world(None, |_| {});
    assert!(
        round_trip(&mut world) > ms(300),
        "{:?}",
        round_trip(&mut world)
    );
}

#[test]
fn with_a_bound_the_round_trip_grows_by_little_more() {
    let mut world = world(Some(ms(20)), |_| {});
    for _ in 0..20 {
        world.run_for(ms(250));
        // The sender probed for an eighth more.
        assert!(
            round_trip(&mut world) < ms(45),
            "{:?}",
            round_trip(&mut world)
        );
    }
}

#[test]
fn a_bound_costs_no_goodput() {
    let free = delivered(&mut world(None, |_| {}));
    let bound = delivered(&mut world(Some(ms(20)), |_| {}));
    assert!(bound > free * 95 / 100, "{bound} of {free} bytes");
}

#[test]
fn an_urgent_message_passes_what_the_bound_holds_back() {
    let urgent = |bound| {
        let mut world = world(bound, set("interleaving=on, scheduler=priority"));
        let set = world.call(A, |it, now| it.set_stream_priority(now, StreamId(0), 1));
        assert_eq!(set, Ok(()));
        world.run_for(secs(1));
        let sent = world.now();
        let urgent = text(1, "urgent");
        let taken = world
            .assoc(A)
            .send(sent, urgent.clone(), SendOptions::default());
        assert_eq!(taken, Ok(()));
        world.pump();
        world.wait(secs(5), |world| world.messages(Z).contains(&urgent));
        world.now().since(sent)
    };
    let (bound, free) = (urgent(Some(ms(20))), urgent(None));
    assert!(bound < ms(40), "{bound:?}");
    assert!(free > ms(150), "{free:?}");
}
