use super::packets;
use crate::{Effort, Extent, Run, find};

/// Predicted packets of a run of the study `versus`, alone on a network.
fn predicted(mbit: u32, rtt_ms: u32, loss_percent: f64, amount: &str) -> f64 {
    let study = find("versus").expect("a study");
    let effort = Effort {
        extent: Extent::Full,
        seeds: Some(1),
        ..Effort::default()
    };
    let says = |run: &Run| {
        let settings = &run.settings;
        run.experiment == "alone"
            && settings.number("mbit") == f64::from(mbit)
            && settings.number("rtt_ms") == f64::from(rtt_ms)
            && settings.number("loss_percent") == loss_percent
            && settings.text("amount") == amount
    };
    let run = study.plan(effort).into_iter().find(says).expect("a run");
    packets(&study.scenario(&run).expect("a run").expect("a scenario"))
}

#[test]
fn amounts_are_told_apart() {
    let (short, long) = (
        predicted(10, 20, 0.0, "10 kB"),
        predicted(10, 20, 0.0, "10 MB"),
    );
    assert!(short < 300.0 && long > 6000.0, "{short} {long}");
}

#[test]
fn a_bulk_transfer_fills_its_link() {
    let packets = predicted(1000, 1, 0.0, "bulk");
    // 83,333 packets per second for three seconds and 20 round trips.
    assert!((200_000.0..300_000.0).contains(&packets), "{packets}");
}

#[test]
fn losses_and_long_round_trips_keep_a_transfer_from_filling_its_link() {
    let (free, lossy) = (
        predicted(1000, 300, 0.0, "bulk"),
        predicted(1000, 300, 3.0, "bulk"),
    );
    assert!(free > 40.0 * lossy, "{free} {lossy}");
}
