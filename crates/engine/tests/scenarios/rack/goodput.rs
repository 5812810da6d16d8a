//! Goodput under random loss, compared with the square-root law.

use crate::prelude::*;

use super::{FULL, send};

/// Messages of one packet each.
const MESSAGES: usize = 4000;

/// The outcome of a run.
#[derive(Debug)]
struct Outcome {
    /// Packets per round trip.
    window: f64,
    timeouts: u64,
    needless: u64,
}

/// Sends over a link of 1 Gbit/s that loses `loss` per thousand packets with DATA, but no SACKs.
fn run(detection: LossDetection, rtt: Duration, loss: u16, seed: u64) -> Outcome {
    run_with(detection, CongestionAlgorithm::NewReno, rtt, loss, seed)
}

fn run_with(
    detection: LossDetection,
    congestion: CongestionAlgorithm,
    rtt: Duration,
    loss: u16,
    seed: u64,
) -> Outcome {
    let mut setup = Setup::quiet(|options| {
        options.loss_detection = detection;
        options.congestion = congestion;
        options.send_buffer = 16 << 20;
        options.receive_buffer = 16 << 20;
    });
    setup.seed = seed;
    setup.link.delay = rtt / 2;
    setup.link.rate = Some(1_000_000_000);
    let mut world = setup.established();
    let mut lossy = setup.link.clone();
    lossy.loss = loss;
    let [a, z] = [&setup.a_addresses, &setup.z_addresses].map(|addresses| addresses[0]);
    world.set_link(a, z, lossy);
    let began = world.now();
    send(&mut world, MESSAGES);
    // Measure until all has arrived, excluding the last packet's delayed SACK, which takes 200
    // round trips of 1 ms and does not concern goodput.
    world.wait(secs(3600), |world| {
        world.stats(Z).messages_received == MESSAGES as u64
    });
    let took = world.now().since(began);
    Outcome {
        window: MESSAGES as f64 * rtt.as_secs_f64() / took.as_secs_f64(),
        timeouts: world.stats(A).timeouts,
        needless: world.stats(Z).duplicates_received,
    }
}

/// Average window, in packets, when halving at each loss and growing by one packet per round trip:
/// the square root of 3/(2p).
fn law(loss: u16) -> f64 {
    (1.5 / (f64::from(loss) / 1000.0)).sqrt()
}

#[test]
fn goodput_under_random_loss_keeps_near_the_square_root_law() {
    for rtt in [1, 20] {
        for loss in [10, 50] {
            let rtt = Duration::from_millis(rtt);
            let expected = law(loss);
            let mut windows = [0.0, 0.0];
            for seed in 1..=3 {
                let rack = run(LossDetection::Rack, rtt, loss, seed);
                let reports = run(LossDetection::MissingReports, rtt, loss, seed);
                println!(
                    "rtt {rtt:?}, loss {loss} per mille, {} bytes a packet: law {expected:.1} packets a \
                     round trip; rack {rack:?}; missing reports {reports:?}",
                    FULL
                );
                let share = rack.window / expected;
                assert!((0.9..1.4).contains(&share), "{share} of the law");
                windows[0] += rack.window;
                windows[1] += reports.window;
                assert!(rack.timeouts <= reports.timeouts, "{rack:?} {reports:?}");
                assert!(rack.needless * 100 < MESSAGES as u64 * 2, "{rack:?}");
            }
            let [rack, reports] = windows;
            assert!(rack >= reports, "{rack} {reports}");
        }
    }
}

/// Profile `modern` (RACK and CUBIC) where windows are small: not worse than New Reno, and no
/// timeout; RFC 9438 §4.3 has it as large as New Reno's there.
#[test]
fn cubic_gets_through_random_loss_what_new_reno_does() {
    for rtt in [1, 20] {
        for loss in [0, 10, 50] {
            let rtt = Duration::from_millis(rtt);
            let mean = |congestion| {
                let runs = (1..=4).map(|seed| {
                    let outcome = run_with(LossDetection::Rack, congestion, rtt, loss, seed);
                    assert_eq!(
                        outcome.timeouts, 0,
                        "{congestion:?} {rtt:?} {loss} {outcome:?}"
                    );
                    assert!(outcome.needless * 100 < MESSAGES as u64 * 2, "{outcome:?}");
                    outcome.window
                });
                runs.sum::<f64>() / 4.0
            };
            let cubic = mean(CongestionAlgorithm::Cubic);
            let reno = mean(CongestionAlgorithm::NewReno);
            println!(
                "rtt {rtt:?}, loss {loss} per mille: cubic {cubic:.1} packets, new reno {reno:.1}"
            );
            assert!(cubic > 0.9 * reno, "{rtt:?} {loss}: {cubic} {reno}");
        }
    }
}
