use super::{FLOOD, LINE, NAME, STUDY};
use crate::{Effort, Extent, Judgement, Measured, Record, Run, Settings, Summary, Verdict};

#[test]
fn the_claims_are_judged_from_runs() {
    let effort = Effort {
        extent: Extent::Quick,
        seeds: Some(6),
        ..Effort::default()
    };
    let mut runs = STUDY.plan(effort);
    // Faster floods overflow every queue and decide nothing.
    runs.retain(|run| run.settings.number("flood_per_s") <= 300.0);
    for run in &mut runs {
        assert_eq!(run.study, NAME);
        if run.experiment == LINE {
            continue;
        }
        run.settings = run.settings.clone().with("packets", 2000.0);
    }
    let records: Vec<Record> = runs
        .into_iter()
        .map(|run| Record {
            measured: STUDY.execute(&run).expect("a run"),
            run,
        })
        .collect();
    let summary = Summary::of(&records);
    for claim in STUDY.claims() {
        let judgement = (claim.judge)(&summary).expect("a judgement");
        assert_eq!(
            judgement.ruling.verdict,
            Verdict::Reproduced,
            "{judgement:?}"
        );
    }
    assert_eq!(STUDY.exhibits(&summary).len(), 4);
}

/// The share of clients that get established during a flood, and the share of packets dropped by
/// the line.
type Through = fn(transport: &str, per_second: f64) -> (f64, f64);

fn judged(through: Through, half_open: f64, id: &str) -> Judgement {
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
                    .with("line_back_dropped_share", 0.0)
                    .with("processor_dropped_share", 0.0)
                    .with("half_open", half_open);
                add(LINE, one.clone().with("flood_per_s", rate), measured);
            }
        }
    }
    let mut claims = STUDY.claims().into_iter();
    let claim = claims.find(|claim| claim.id == id).expect("the claim");
    (claim.judge)(&Summary::of(&records)).expect("a judgement")
}

fn verdict(through: Through, id: &str) -> Verdict {
    judged(through, 0.0, id).ruling.verdict
}

#[test]
fn clients_that_a_carried_flood_keeps_out_speak_against_cookies() {
    let all: Through = |_, _| (1.0, 0.0);
    let none: Through = |_, rate| (if rate > 0.0 { 0.0 } else { 1.0 }, 0.0);
    assert_eq!(verdict(all, "ES-1"), Verdict::Reproduced);
    assert_eq!(verdict(none, "ES-1"), Verdict::Partly);
    assert_eq!(
        judged(all, 3.0, "ES-1").ruling.verdict,
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
        "ES-1",
    );
    assert_eq!(judgement.ruling.verdict, Verdict::Reproduced);
    let told = "at 1000/s the line drops 40 %, the line back 0 %, the processor 0 %, and 10 % of the clients";
    assert!(judgement.why.contains(told), "{}", judgement.why);
}

#[test]
fn a_backlog_that_lets_clients_in_is_not_closed() {
    let closed: Through = |transport, rate| match transport {
        "tcp" if rate >= 100.0 => (0.0, 0.0),
        _ => (1.0, 0.0),
    };
    assert_eq!(verdict(closed, "ES-2"), Verdict::Reproduced);
    assert_eq!(verdict(|_, _| (1.0, 0.0), "ES-2"), Verdict::NotReproduced);
    // TCP is closed, but so is SCTP.
    let both: Through = |_, rate| (if rate > 0.0 { 0.0 } else { 1.0 }, 0.0);
    assert_eq!(verdict(both, "ES-2"), Verdict::Partly);
    // No carried flood could decide the claim.
    assert_eq!(verdict(|_, _| (0.0, 0.5), "ES-2"), Verdict::NotReproduced);
}
