use super::{sctp, tcp};
use crate::Measured;

fn of(measured: &Measured, metric: &str) -> f64 {
    measured.metrics[metric]
}

#[test]
fn without_a_flood_all_clients_are_established_over_both() {
    for run in [sctp, tcp] {
        let measured = run(0.0, 1).expect("a run");
        assert_eq!(of(&measured, "established_share"), 1.0);
        assert_eq!(of(&measured, "turned_away"), 0.0);
    }
}

#[test]
fn a_flood_that_the_line_carries_closes_the_backlog_alone() {
    let [sctp, tcp] = [sctp, tcp].map(|run| run(100.0, 1).expect("a run"));
    assert_eq!(of(&sctp, "established_share"), 1.0);
    assert_eq!(of(&sctp, "half_open"), 0.0);
    assert_eq!(of(&tcp, "established_share"), 0.0);
    assert_eq!(of(&tcp, "half_open"), 128.0);
}

#[test]
fn a_flood_beyond_the_line_and_the_processor_wins_over_cookies_too() {
    let measured = sctp(10_000.0, 1).expect("a run");
    assert!(of(&measured, "established_share") < 0.5, "{measured:?}");
    for share in ["line_dropped_share", "processor_dropped_share"] {
        assert!(of(&measured, share) > 0.1, "{measured:?}");
    }
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let runs = [1, 1, 2].map(|seed| sctp(300.0, seed).expect("a run").fingerprint);
    assert_eq!(runs[0], runs[1]);
    assert_ne!(runs[0], runs[2]);
}
