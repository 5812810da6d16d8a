//! Buffers that follow the bandwidth-delay product.

use crate::prelude::*;

const START: usize = 32 << 10;
const MAX: usize = 4 << 20;
const AUTO: BufferSizes = BufferSizes::Auto { max: MAX };
/// 40 Mbit/s over a round trip of 100 ms.
const RATE: u64 = 40_000_000;
const PRODUCT: usize = 500_000;

/// That network, with initially small buffers.
fn setup(buffers: BufferSizes, edit: impl FnOnce(&mut Options)) -> Setup {
    let setup = Setup::tuned(|options| {
        options.buffers = buffers;
        options.send_buffer = START;
        options.receive_buffer = START;
        options.loss_detection = LossDetection::Rack;
        options.max_burst = None;
        edit(options);
    });
    setup.linked(|link| {
        link.delay = ms(50);
        link.rate = Some(RATE);
        link.queue = 8 << 20;
    })
}

/// A sends more than time permits, in messages of `len` bytes.
fn busy(setup: &Setup, len: usize, bytes: usize) -> World {
    let mut world = setup.established();
    let message = blob(0, len);
    world.send_together(A, vec![message; bytes / len]);
    world
}

/// Bytes that Z reads in `seconds` seconds.
fn read_in(world: &mut World, seconds: u64) -> usize {
    let before = world.stats(Z).bytes_received;
    for _ in 0..seconds * 10 {
        world.run_for(ms(100));
        world.forget_received(Z);
    }
    usize::try_from(world.stats(Z).bytes_received - before).unwrap()
}

/// The windows that Z advertised, oldest first.
fn advertised(world: &World) -> Vec<usize> {
    let sacks = world.sent(Z).filter_map(Record::sack);
    sacks.map(|sack| sack.a_rwnd as usize).collect()
}

/// Link utilisation from the third second on.
fn share(buffers: BufferSizes) -> f64 {
    let mut world = busy(&setup(buffers, |_| {}), 14_520, 40 << 20);
    read_in(&mut world, 3);
    let read = read_in(&mut world, 2);
    read as f64 * 8.0 / (2.0 * RATE as f64 * 1452.0 / 1500.0)
}

#[test]
fn buffers_that_follow_the_path_fill_it_where_fixed_ones_cannot() {
    let (auto, fixed) = (share(AUTO), share(BufferSizes::Fixed));
    println!("{auto} of the link with buffers that follow it, {fixed} with fixed ones");
    assert!((0.9..=1.01).contains(&auto), "{auto}");
    assert!(fixed < 0.1, "{fixed}");
}

#[test]
fn the_window_grows_with_what_is_read_and_never_shrinks() {
    let mut world = busy(&setup(AUTO, |_| {}), 14_520, 20 << 20);
    read_in(&mut world, 3);
    let windows = advertised(&world);
    // One or two incomplete messages may temporarily reduce the window.
    let dip = 2 * 14_520;
    let mut most = START;
    for window in windows {
        assert!(window + dip >= most, "{window} after {most}");
        most = most.max(window);
    }
    // What is read in five round trips.
    assert!((4 * PRODUCT - dip..=6 * PRODUCT).contains(&most), "{most}");
}

#[test]
fn neither_buffer_grows_beyond_the_maximum() {
    let max = 200_000;
    let setup = setup(BufferSizes::Auto { max }, |_| {});
    let mut world = busy(&setup, 14_520, 20 << 20);
    for _ in 0..300 {
        world.run_for(ms(10));
        assert!(world.stats(A).send_buffered <= max);
    }
    let most = advertised(&world).into_iter().max().unwrap();
    assert!((max - 20_000..=max).contains(&most), "{most}");
}

// A38
#[test]
fn windows_grow_only_into_memory_that_the_endpoint_has_left() {
    let mut setup = setup(AUTO, |_| {});
    setup.endpoints.max_memory = 150_000;
    setup.endpoints.source_share = SourceShare::All;
    let mut world = busy(&setup, 14_520, 20 << 20);
    for _ in 0..300 {
        world.run_for(ms(10));
        for host in [A, Z] {
            let held = world.endpoint(host).stats().buffered;
            assert!(held <= 150_000 + 1500, "{held}");
        }
    }
    let most = advertised(&world).into_iter().max().unwrap();
    assert!((2 * START..=150_000).contains(&most), "{most}");
}

#[test]
fn a_slow_reader_gets_no_more_window_than_it_reads_in_five_round_trips() {
    let mut world = busy(&setup(AUTO, |_| {}), 1000, 8 << 20);
    world.set_reading(Z, Reading::Stopped);
    // 100 kB/s, of which a round trip is 10 kB.
    for _ in 0..1000 {
        world.run_for(ms(10));
        let _ = world.read(Z);
    }
    let most = advertised(&world).into_iter().max().unwrap();
    assert!(most <= 5 * 10_000, "{most}");
    let held = world.stats(Z).receive_buffered;
    assert!(held <= most.max(START) * 5 / 4 + 1500, "{held}");
}

// A18, A38: what arrives counts for nothing, what is read does.
#[test]
fn a_flood_that_is_not_read_makes_nothing_grow() {
    let options = quiet_but(|options| {
        options.buffers = BufferSizes::Auto { max: 1 << 30 };
        options.receive_buffer = START;
    });
    let (mut world, mut peer) = Peer::connected(options);
    world.set_reading(A, Reading::Stopped);
    for ssn in 0..2000 {
        peer.send_data(&mut world, 0, ssn, &[7; 1000]);
        if ssn % 16 == 0 {
            world.run_for(ms(10));
            let held = world.endpoint(A).stats().buffered;
            assert!(held <= START + 4096, "{held} bytes held");
        }
    }
    let rwnd = world.stats(A).rwnd as usize;
    assert!(rwnd <= START, "{rwnd}");
}

#[test]
fn the_send_buffer_follows_the_congestion_window() {
    let mut setup = setup(AUTO, |_| {});
    setup.z.buffers = BufferSizes::Fixed;
    setup.z.receive_buffer = MAX;
    let mut world = busy(&setup, 1452, 20 << 20);
    let mut most = 0;
    for _ in 0..300 {
        world.run_for(ms(10));
        let held = world.stats(A).send_buffered;
        let window = usize::try_from(world.first_path(A).cwnd).unwrap();
        // With 64 bytes of records for each message.
        let limit = (2 * window).max(START) * 1516 / 1468;
        let most_held = limit.min(MAX) + 1516;
        assert!(held <= most_held, "{held} at a window of {window}");
        most = most.max(held);
    }
    assert!(most > PRODUCT, "{most}");
}

#[test]
fn records_of_small_messages_do_not_keep_the_window_from_being_filled() {
    let mut setup = setup(AUTO, |_| {});
    setup.z.buffers = BufferSizes::Fixed;
    setup.z.receive_buffer = 16 << 20;
    let mut world = busy(&setup, 100, 20 << 20);
    read_in(&mut world, 3);
    let path = world.first_path(A);
    assert!(path.flight > PRODUCT as u64 * 9 / 10, "{path:?}");
}

/// Z's estimate of the round trip half a second after A has connected, and its heartbeats.
fn measured_by_z(buffers: BufferSizes) -> (Option<Duration>, usize) {
    let mut world = setup(buffers, |_| {}).established();
    world.run_for(ms(500));
    let heartbeats = world.count(Z, ChunkType::HEARTBEAT);
    (world.path(Z, address(A, 1)).srtt, heartbeats)
}

#[test]
fn the_side_that_did_not_connect_measures_the_round_trip_at_once() {
    assert_eq!(measured_by_z(BufferSizes::Fixed), (None, 0));
    let (srtt, heartbeats) = measured_by_z(AUTO);
    assert_eq!(heartbeats, 1);
    assert!(srtt.is_some_and(|srtt| srtt < ms(101)), "{srtt:?}");
}

#[test]
fn a_lost_measurement_only_delays_growth() {
    let mut setup = setup(AUTO, |_| {});
    setup.a.heartbeats = Heartbeats::Off;
    let mut world = setup.established();
    world.drop_next(A, ChunkType::HEARTBEAT_ACK, 1);
    let message = blob(0, 14_520);
    world.send_together(A, vec![message; 2000]);
    read_in(&mut world, 4);
    let most = advertised(&world).into_iter().max().unwrap();
    assert!(most > 4 * START, "{most}");
    world.wait(secs(60), |world| world.stats(A).send_buffered == 0);
}
