//! BBR (draft-ietf-ccwg-bbr-06) on typical and on unusual links.

use crate::prelude::*;

/// Link rate in both directions, bits per second.
const RATE: u64 = 100_000_000;
const RTT: Duration = Duration::from_millis(40);
/// The bandwidth-delay product, bytes.
const BDP: u64 = RATE / 8 * 40 / 1000;
/// Message size, bytes: ten packets.
const MESSAGE: usize = 14_520;

fn bbr(options: &mut Options) {
    options.congestion = CongestionAlgorithm::Bbr;
    options.loss_detection = LossDetection::Rack;
    options.send_buffer = 8 << 20;
    options.receive_buffer = 8 << 20;
}

/// 100 Mbit/s, 40 ms, with a queue of `queue` bandwidth-delay products.
fn setup(queue: f64, edit: impl FnOnce(&mut Options)) -> Setup {
    let mut setup = Setup::quiet(|options| {
        bbr(options);
        edit(options);
    });
    setup.link.delay = RTT / 2;
    setup.link.rate = Some(RATE);
    setup.link.queue = (BDP as f64 * queue) as u64;
    setup
}

/// Queues 1.5 times the data that 100 Mbit/s carry in `span`.
fn fill(world: &mut World, span: Duration) {
    let bytes = span.as_secs_f64() * RATE as f64 / 8.0 * 1.5;
    world.send_times(A, (bytes / MESSAGE as f64) as usize, &blob(0, MESSAGE));
}

/// Share of the link's rate that arrives as user data during `span`.
fn share(world: &mut World, span: Duration) -> f64 {
    let before = world.stats(Z).bytes_received;
    world.run_for(span);
    let bytes = world.stats(Z).bytes_received - before;
    bytes as f64 * 8.0 / span.as_secs_f64() / RATE as f64
}

/// Checks that more than `least` of the link's rate arrives during `span`.
#[track_caller]
fn assert_share(world: &mut World, span: Duration, least: f64) {
    let share = share(world, span);
    assert!(share > least, "{share} of the rate");
}

/// A measurement with BBR, and the same with CUBIC.
fn of_both<T>(measure: impl FnMut(CongestionAlgorithm) -> T) -> [T; 2] {
    [CongestionAlgorithm::Bbr, CongestionAlgorithm::Cubic].map(measure)
}

/// Mean round trip during `span`, seconds, sampled every 5 ms.
fn mean_rtt(world: &mut World, span: Duration) -> f64 {
    let looks = span.as_millis() as u32 / 5;
    let mut sum = 0.0;
    for _ in 0..looks {
        world.run_for(ms(5));
        sum += world.first_path(A).rtt.unwrap().as_secs_f64();
    }
    sum / f64::from(looks)
}

fn lossy(world: &mut World, loss: u16) {
    world.edit_link(address(A, 1), address(Z, 1), |link| link.loss = loss);
}

#[test]
fn it_fills_a_link_with_a_queue_of_one_bdp() {
    let mut world = setup(1.0, |_| {}).established();
    fill(&mut world, secs(6));
    world.run_for(secs(1));
    assert_share(&mut world, secs(5), 0.9);
}

#[test]
fn its_queue_in_a_deep_buffer_stays_small() {
    let [bbr, cubic] = of_both(|congestion| {
        let mut world = setup(8.0, |options| options.congestion = congestion).established();
        fill(&mut world, secs(6));
        world.run_for(secs(2));
        mean_rtt(&mut world, secs(4))
    });
    assert!(bbr < 0.055, "{bbr} s, CUBIC {cubic} s");
    assert!(cubic > 0.1, "{cubic} s");
}

#[test]
fn one_loss_in_a_hundred_costs_it_little() {
    let [bbr, cubic] = of_both(|congestion| {
        let mut world = setup(1.0, |options| options.congestion = congestion).established();
        lossy(&mut world, 10);
        fill(&mut world, secs(6));
        world.run_for(secs(1));
        share(&mut world, secs(5))
    });
    assert!(bbr > 0.8, "{bbr} of the rate, CUBIC {cubic}");
    assert!(cubic < 0.2, "{cubic}");
}

#[test]
fn a_sender_that_had_little_to_send_does_not_forget_the_rate() {
    let mut world = setup(1.0, |_| {}).established();
    fill(&mut world, secs(1));
    world.wait(secs(10), |world| world.stats(A).send_buffered == 0);
    // A hundredth of the rate, for longer than the minimum round trip is remembered.
    world.send_every(A, ms(100), 120, &blob(0, MESSAGE));
    fill(&mut world, secs(2));
    world.run_for(ms(100));
    assert_share(&mut world, secs(1), 0.8);
}

#[test]
fn a_rate_that_was_never_reached_is_found_once_there_is_enough_to_send() {
    let mut world = setup(1.0, |_| {}).established();
    world.send_every(A, ms(100), 100, &blob(0, MESSAGE));
    fill(&mut world, secs(3));
    world.run_for(ms(500));
    assert_share(&mut world, secs(2), 0.9);
}

#[test]
fn it_goes_on_after_an_outage_that_brought_timeouts() {
    let mut world = setup(1.0, |_| {}).established();
    fill(&mut world, secs(12));
    world.run_for(secs(2));
    let now = world.now();
    world.cut_path_during(1, now..now + secs(3));
    world.run_for(secs(3));
    assert!(world.stats(A).timeouts > 0);
    // The next expiry of the backed-off timer resumes sending.
    world.run_for(secs(5));
    assert_share(&mut world, secs(1), 0.8);
}

#[test]
fn it_goes_on_by_another_path() {
    let mut world = setup(1.0, |options| options.path_max_retrans = 0)
        .paths(2)
        .established();
    fill(&mut world, secs(15));
    world.run_for(secs(2));
    let now = world.now();
    world.cut_path_during(1, now..now + secs(60));
    world.run_for(secs(5));
    assert_share(&mut world, secs(2), 0.8);
}

#[test]
fn a_window_that_was_shut_for_a_while_costs_that_while() {
    let mut world = setup(1.0, |options| options.receive_buffer = 2 << 20).established();
    fill(&mut world, secs(10));
    world.run_for(secs(2));
    world.set_reading(Z, Reading::Stopped);
    world.run_for(secs(4));
    assert_eq!(world.stats(A).peer_rwnd / 1500, 0, "it is shut");
    world.set_reading(Z, Reading::Eager);
    world.run_for(secs(1));
    assert_share(&mut world, secs(2), 0.8);
}

#[test]
fn half_the_rate_is_found_soon() {
    let mut world = setup(4.0, |_| {}).established();
    fill(&mut world, secs(14));
    world.run_for(secs(3));
    world.edit_link(address(A, 1), address(Z, 1), |link| {
        link.rate = Some(RATE / 2);
    });
    let share = share(&mut world, secs(6));
    assert!((0.42..0.5).contains(&share), "{share} of the rate");
    // Twice the BDP of half the rate may be in flight meanwhile, but not afterwards.
    let rtt = mean_rtt(&mut world, secs(2));
    assert!(rtt < 0.06, "{rtt} s");
}

#[test]
fn twice_the_rate_is_found_soon() {
    let mut world = setup(2.0, |_| {});
    world.link.rate = Some(RATE / 2);
    let mut world = world.established();
    fill(&mut world, secs(10));
    world.run_for(secs(2));
    world.edit_link(address(A, 1), address(Z, 1), |link| link.rate = Some(RATE));
    world.run_for(secs(4));
    assert_share(&mut world, secs(2), 0.9);
}

/// §5.3.4: at least every 10 s, the flight is reduced for 200 ms.
#[test]
fn it_looks_for_the_least_round_trip_every_five_seconds() {
    let mut world = setup(4.0, |_| {}).established();
    fill(&mut world, secs(12));
    world.run_for(secs(1));
    let mut least = Vec::new();
    for _ in 0..2 {
        let mut quiet = 0;
        for _ in 0..1100 {
            world.run_for(ms(5));
            let flight = world.first_path(A).flight;
            quiet += u32::from(flight < BDP * 6 / 10);
        }
        least.push(quiet);
    }
    // At least half of the 200 ms, not twice.
    assert!(
        least.iter().all(|looks| (20..=80).contains(looks)),
        "{least:?}"
    );
}

#[test]
fn a_queue_of_a_tenth_of_a_bdp_is_enough() {
    let [bbr, cubic] = of_both(|congestion| {
        let mut world = setup(0.1, |options| options.congestion = congestion).established();
        fill(&mut world, secs(8));
        world.run_for(secs(2));
        (share(&mut world, secs(6)), world.stats(A).retransmissions)
    });
    assert!(bbr.0 > 0.75, "{bbr:?}, CUBIC {cubic:?}");
}

/// Retransmissions are paced, too: no millisecond has more packets than the pace allows in two.
#[test]
fn a_retransmission_waits_for_its_turn() {
    let mut world = setup(0.5, |_| {}).established();
    fill(&mut world, secs(4));
    world.run_for(secs(4));
    let times: Vec<Time> = world
        .times(A, ChunkType::DATA)
        .into_iter()
        .filter(|at| *at > Time::from_millis(4000))
        .collect();
    let densest = (0..times.len())
        .map(|first| times.partition_point(|at| at.since(times[first]) < ms(1)) - first)
        .max()
        .unwrap();
    // 8.3 packets per millisecond at the link's rate, 1.25 times that while probing for bandwidth.
    assert!(densest <= 26, "{densest} packets in a millisecond");
}

/// On an overloaded machine, a process waits for its turn.
#[test]
fn turns_of_four_milliseconds_cost_little_of_the_rate() {
    let share = |turn, congestion| {
        let mut world = setup(1.0, |options| options.congestion = congestion).established();
        world.turn = turn;
        fill(&mut world, secs(6));
        world.run_for(secs(1));
        share(&mut world, secs(5))
    };
    for turn in [1, 4, 8] {
        let [bbr, cubic] = of_both(|congestion| share(ms(turn), congestion));
        assert!(bbr > 0.85, "{turn} ms: {bbr} of the rate, CUBIC {cubic}");
    }
}
