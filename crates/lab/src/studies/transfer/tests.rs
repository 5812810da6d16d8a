use super::*;
use crate::studies::rivals;
use crate::{Effort, Extent, Finding, Record, Settings, Summary, Verdict};

const PROTOCOLS: [&str; 5] = [FTP, HTTP, PIPELINED, SCTP, rivals::SCTP_TODAY];

fn run(protocol: &str, count: u32, bytes: u32, loss: f64) -> Run {
    Run::new(
        NAME,
        FILES,
        Settings::new()
            .with("files", count)
            .with("bytes", bytes)
            .with("rtt_ms", 10.0)
            .with("loss_percent", loss)
            .with("protocol", protocol)
            .with("tcp", "tcp, Linux 2.6"),
        1,
    )
}

fn measured(protocol: &str, count: u32, bytes: u32, loss: f64) -> Measured {
    let run = run(protocol, count, bytes, loss);
    STUDY.execute(&run).expect("a run")
}

#[test]
fn all_files_are_counted_and_timed() {
    for protocol in PROTOCOLS {
        let measured = measured(protocol, 20, 3000, 5.0);
        assert_eq!(measured.metrics["delivered"], 20.0, "{protocol}");
        let [first, mean, all] = ["first_s", "mean_s", "all_s"].map(|name| measured.metrics[name]);
        assert!(first <= mean && mean <= all, "{protocol}");
    }
}

#[test]
fn losses_are_repaired_and_the_repairs_are_counted() {
    for protocol in PROTOCOLS {
        let measured = measured(protocol, 20, 30_000, 5.0);
        assert!(measured.metrics["retransmissions"] > 0.0, "{protocol}");
    }
}

#[test]
fn ftp_takes_a_connection_a_file_and_the_others_take_one() {
    let connections = |protocol| measured(protocol, 10, 1000, 0.0).metrics["connections"];
    assert_eq!(connections(FTP), 11.0);
    for protocol in [HTTP, PIPELINED, SCTP] {
        assert_eq!(connections(protocol), 1.0, "{protocol}");
    }
}

#[test]
fn the_queue_holds_rate_times_round_trip() {
    let queue = |rtt: f64| {
        let mut run = run(SCTP, 1, 1000, 0.0);
        run.settings = run.settings.with("rtt_ms", rtt);
        let scenario = STUDY.scenario(&run).expect("a scenario");
        scenario.expect("simulated").links[0].there.queue.clone()
    };
    assert_eq!(queue(100.0), network::packets(834));
    assert_eq!(queue(1.0), network::packets(10));
}

#[test]
fn no_run_moves_more_than_the_bound() {
    let plan = STUDY.plan(Effort::default());
    let total = |run: &Run| run.settings.number("files") * run.settings.number("bytes");
    assert!(plan.iter().all(|run| total(run) <= 1e8));
    assert!(plan.iter().any(|run| total(run) == 1e7));
}

#[test]
fn a_transfer_slower_than_ftp_does_not_reproduce_the_claim() {
    let claim = STUDY.claims().remove(0);
    let record = |protocol: &str, seconds: f64| Record {
        run: match protocol {
            SCTP => Run {
                settings: Settings::new()
                    .with("files", 100_u32)
                    .with("bytes", 1000_u32)
                    .with("rtt_ms", 10.0)
                    .with("loss_percent", 0.0)
                    .with("protocol", SCTP),
                ..run(protocol, 100, 1000, 0.0)
            },
            _ => run(protocol, 100, 1000, 0.0),
        },
        measured: Measured::new()
            .without_chance()
            .with("delivered", 100.0)
            .with("connections", 1.0)
            .with("all_s", seconds),
    };
    let verdict = |seconds| {
        let records = [record(FTP, 2.0), record(SCTP, seconds)];
        let finding = Finding::new(claim.clone(), &Summary::of(&records));
        finding.judgement.map(|judgement| judgement.ruling.verdict)
    };
    assert_eq!(verdict(1.0), Some(Verdict::Reproduced));
    assert_eq!(verdict(3.0), Some(Verdict::NotReproduced));
}

fn live_plan(extent: Extent) -> Vec<Run> {
    let mut plan = STUDY.plan(Effort {
        extent,
        ..Effort::default()
    });
    plan.retain(live::is_live);
    plan
}

/// The verdicts on the live claims for records with these measurements.
fn live_verdicts(measured: impl Fn(&Run) -> Measured) -> Vec<(String, Verdict)> {
    let records = live_plan(Extent::Full).into_iter().map(|run| Record {
        measured: measured(&run),
        run,
    });
    let summary = Summary::of(&records.collect::<Vec<Record>>());
    let live = STUDY.claims().into_iter();
    let live = live.filter(|claim| claim.id.ends_with("live"));
    live.map(|claim| {
        let judgement = (claim.judge)(&summary).expect("it was run");
        (claim.id, judgement.ruling.verdict)
    })
    .collect()
}

#[test]
fn live_claims_are_judged_by_live_runs_alone() {
    let verdicts = live_verdicts(|run| {
        let seconds = match run.settings.text("protocol") {
            _ if run.settings.number("files") == 1.0 => 5.0,
            FTP => 4.0,
            HTTP => 3.0,
            PIPELINED => 2.0,
            _ => 1.0,
        };
        let by_round = 1.0 + 1e-3 * run.seed as f64;
        let seconds = seconds * by_round;
        let first = match run.settings.text("protocol") {
            FTP => 0.5,
            _ => 0.1,
        };
        Measured::new()
            .with("delivered", run.settings.number("files"))
            .with("connections", 1.0)
            .with("first_s", first * by_round)
            .with("mean_s", seconds)
            .with("all_s", seconds)
    });
    let reproduced = ["TR-1", "TR-2", "TR-3", "TR-4", "TR-5", "TR-6"];
    let reproduced = reproduced.map(|id| (format!("{id} live"), Verdict::Reproduced));
    assert_eq!(verdicts, reproduced);
}

#[test]
fn where_live_runs_were_skipped_the_live_claims_are_not_testable() {
    let verdicts = live_verdicts(|_| Measured::skipped("no root"));
    assert!(
        verdicts
            .iter()
            .all(|(_, verdict)| *verdict == Verdict::NotTestable)
    );
    assert_eq!(verdicts.len(), 6);
}

#[test]
fn a_live_run_names_a_way_that_there_is() {
    for run in live_plan(Extent::Full) {
        assert_eq!(STUDY.scenario(&run), Ok(None));
        assert!(STUDY.live_time(&run).is_some());
    }
    assert!(live_plan(Extent::Quick).is_empty());
}
