use super::{backlog, cookies};
use crate::studies::establishment::{FLOOD, LINE, NAME};
use crate::{Judgement, Measured, Record, Run, Settings, Summary, Verdict};

/// The share of clients that get established during a flood, and the share of packets dropped by
/// the line.
type Through = fn(transport: &str, per_second: f64) -> (f64, f64);

fn judged(through: Through, half_open: f64, judge: fn(&Summary) -> Option<Judgement>) -> Judgement {
    let mut records = Vec::new();
    for seed in 1..=12 {
        let mut add = |experiment: &str, settings: Settings, measured: Measured| {
            let run = Run::new(NAME, experiment, settings, seed);
            records.push(Record { run, measured });
        };
        for transport in ["sctp", "tcp"] {
            let one = Settings::new().with("transport", transport);
            let measured = Measured::new()
                .with("half_open", 0.0)
                .with("state_bytes", 0.0)
                .with("ns_per_packet", 800.0);
            add(FLOOD, one.clone(), measured);
            for rate in [0.0, 10.0, 100.0, 1000.0] {
                let (share, dropped) = through(transport, rate);
                let measured = Measured::new()
                    .with("established_share", share)
                    .with("line_dropped_share", dropped)
                    .with("half_open", half_open);
                add(LINE, one.clone().with("flood_per_s", rate), measured);
            }
        }
    }
    judge(&Summary::of(&records)).expect("a judgement")
}

fn verdict(through: Through, judge: fn(&Summary) -> Option<Judgement>) -> Verdict {
    judged(through, 0.0, judge).ruling.verdict
}

#[test]
fn clients_that_a_carried_flood_keeps_out_speak_against_cookies() {
    let all: Through = |_, _| (1.0, 0.0);
    let none: Through = |_, rate| (if rate > 0.0 { 0.0 } else { 1.0 }, 0.0);
    assert_eq!(verdict(all, cookies), Verdict::Reproduced);
    assert_eq!(verdict(none, cookies), Verdict::Partly);
    assert_eq!(
        judged(all, 3.0, cookies).ruling.verdict,
        Verdict::Partly,
        "state was held"
    );
}

#[test]
fn a_flood_that_no_queue_has_room_for_is_told_and_decides_nothing() {
    let judgement = judged(
        |_, rate| {
            if rate < 1000.0 {
                (1.0, 0.0)
            } else {
                (0.1, 0.4)
            }
        },
        0.0,
        cookies,
    );
    assert_eq!(judgement.ruling.verdict, Verdict::Reproduced);
    let told = "at 1000/s the line drops 40 % and 10 % of the clients are established";
    assert!(judgement.why.contains(told), "{}", judgement.why);
}

#[test]
fn a_backlog_that_lets_clients_in_is_not_closed() {
    let closed: Through = |transport, rate| match transport {
        "tcp" if rate >= 100.0 => (0.0, 0.0),
        _ => (1.0, 0.0),
    };
    assert_eq!(verdict(closed, backlog), Verdict::Reproduced);
    assert_eq!(verdict(|_, _| (1.0, 0.0), backlog), Verdict::NotReproduced);
    // TCP is closed, but so is SCTP.
    let both: Through = |_, rate| (if rate > 0.0 { 0.0 } else { 1.0 }, 0.0);
    assert_eq!(verdict(both, backlog), Verdict::Partly);
    // No carried flood could decide the claim.
    assert_eq!(verdict(|_, _| (0.0, 0.5), backlog), Verdict::NotReproduced);
}
