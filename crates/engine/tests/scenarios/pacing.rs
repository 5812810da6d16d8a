//! Pacing: new data is spread over the round trip.

use crate::prelude::*;

/// User bytes of a chunk that fills a packet.
const FULL: usize = 1452;
/// Bytes of DATA chunks in a packet of 1500 bytes over IPv4.
const PMDCS: u64 = 1468;

/// A sender without a burst limit; 20 ms round trip, 1 Gbit/s, after the first round trips of slow
/// start.
fn world(pacing: Pacing, edit: impl FnOnce(&mut Options)) -> World {
    let mut world = Setup::quiet(|options| {
        options.pacing = pacing;
        options.max_burst = None;
        edit(options);
    })
    .linked(|link| link.rate = Some(1_000_000_000))
    .established();
    send(&mut world, 400);
    world.wait(secs(60), |world| world.stats(A).send_buffered == 0);
    world
}

fn send(world: &mut World, packets: usize) {
    world.send_times(A, packets, &blob(0, FULL));
}

/// Maximum packets with DATA sent within any millisecond after `since`.
fn densest(world: &World, since: Time) -> usize {
    let times: Vec<Time> = world.times(A, ChunkType::DATA);
    let times: Vec<Time> = times.into_iter().filter(|at| *at >= since).collect();
    (0..times.len())
        .map(|first| {
            let ends = times.partition_point(|at| at.since(times[first]) < ms(1));
            ends - first
        })
        .max()
        .unwrap_or(0)
}

#[test]
fn a_window_leaves_spread_over_the_round_trip() {
    let burst = |pacing| {
        let mut world = world(pacing, |_| {});
        let began = world.now();
        send(&mut world, 400);
        world.wait(secs(60), |world| world.stats(A).send_buffered == 0);
        let path = world.first_path(A);
        (densest(&world, began), path.cwnd / PMDCS)
    };
    let (unpaced, window) = burst(Pacing::Off);
    assert!(
        unpaced > 50,
        "{unpaced} packets in a millisecond of a window of {window}"
    );
    let (paced, window) = burst(Pacing::On);
    // Twice the window per 20 ms, plus an accumulated burst.
    let most = usize::try_from(window).unwrap() / 5 + 4;
    assert!(
        paced <= most,
        "{paced} packets in a millisecond, window {window}"
    );
}

#[test]
fn the_first_flight_is_not_paced() {
    let mut world = Setup::quiet(|options| options.pacing = Pacing::On)
        .linked(|link| link.rate = Some(1_000_000_000))
        .established();
    let began = world.now();
    send(&mut world, 10);
    world.run_for(ms(1));
    let sent = world.times(A, ChunkType::DATA);
    let first = sent.iter().filter(|at| **at >= began).count();
    assert!(first >= 2, "{first}");
}

#[test]
fn a_clock_that_jumps_while_a_sack_is_on_its_way_does_not_stop_the_sender() {
    let mut world = world(Pacing::On, |_| {});
    send(&mut world, 20);
    world.run_for(ms(15));
    // The SACK is read before any timer.
    world.turn = secs(4316);
    world.run_for(secs(2 * 4316));
    world.turn = Duration::from_nanos(1);
    let after = world.first_path(A).srtt;
    assert!(after < Some(secs(1)), "{after:?}");
    send(&mut world, 400);
    world.wait(secs(5), |world| world.stats(A).send_buffered == 0);
}
