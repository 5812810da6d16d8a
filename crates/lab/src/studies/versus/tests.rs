use std::collections::BTreeSet;

use super::alone::{ALONE, LOST, RATE, REPEATED};
use super::shared::{SHARE, SHARED};
use super::*;
use crate::{Effort, Extent, Finding, Record, Settings, Summary, Verdict};

/// Rates of SCTP and of TCP in a cell.
type Rates = fn(&Settings) -> (f64, f64);

fn plan(extent: Extent, experiment: &str) -> Vec<Run> {
    let mut plan = STUDY.plan(Effort {
        extent,
        ..Effort::default()
    });
    plan.retain(|run| run.experiment == experiment);
    plan
}

/// The settings of an experiment's runs, apart from the side.
fn cells(extent: Extent, experiment: &str) -> Vec<Settings> {
    let firsts = plan(extent, experiment).into_iter();
    let firsts = firsts.filter(|run| run.seed == 1 && run.settings.text("side") == SCTP);
    firsts
        .map(|run| run.settings.only(|name| name != "side"))
        .collect()
}

/// Records of each cell of the sample with five seeds.
fn alone(rates: Rates) -> Vec<Record> {
    let mut records = Vec::new();
    for cell in cells(Extent::Quick, ALONE) {
        let (sctp, tcp) = rates(&cell);
        for (side, rate) in [(SCTP, sctp), (TCP, tcp)] {
            records.extend((1..=5).map(|seed| {
                Record {
                    run: Run::new(NAME, ALONE, cell.clone().with("side", side), seed),
                    // The rates vary slightly with the seed, equally for both sides.
                    measured: Measured::new()
                        .with(RATE, rate * (1.0 + 1e-6 * seed as f64))
                        .with(REPEATED, 0.0)
                        .with(LOST, 0.0),
                }
            }));
        }
    }
    records
}

fn verdict(id: &str, records: &[Record]) -> Option<Verdict> {
    let claims = STUDY.claims().into_iter();
    let claim = claims.into_iter().find(|claim| claim.id == id)?;
    let finding = Finding::new(claim, &Summary::of(records));
    Some(finding.judgement?.ruling.verdict)
}

fn is_short(cell: &Settings) -> bool {
    cell.text("amount") == "10 kB"
}

/// Regression test: here slow start overshoots by thousands of packets, more than a SACK can
/// report, and sending used to stall between timeouts.
#[test]
fn an_overshoot_with_more_gaps_than_a_sack_holds_is_repaired_without_timeouts() {
    for (mbit, rtt_ms, queue, least) in [
        (1000_u32, 20_u32, "1 BDP", 850.0),
        (1000, 100, "0.25 BDP", 300.0),
    ] {
        let settings = Settings::new()
            .with("rtt_ms", rtt_ms)
            .with("loss_percent", 0_u32)
            .with("mbit", mbit)
            .with("queue", queue)
            .with("amount", "bulk")
            .with("side", SCTP);
        let run = Run::new(NAME, ALONE, settings, 1);
        let measured = alone::execute(&run).unwrap();
        let [lost, timeouts, rate] = [LOST, "timeouts", RATE].map(|name| measured.metrics[name]);
        assert!(lost > 1000.0, "{run}: {lost}");
        assert!(timeouts < 1.0 && rate > least, "{run}: {timeouts}, {rate}");
    }
}

/// The values of a key that occur in cells.
fn values(cells: &[Settings], key: &str) -> BTreeSet<String> {
    let values = cells.iter().filter_map(|cell| cell.value(key));
    values.map(ToString::to_string).collect()
}

#[test]
fn the_sample_meets_every_value_of_everything_that_is_varied() {
    let [all, sample] = [Extent::Full, Extent::Quick].map(|extent| cells(extent, ALONE));
    assert_eq!((all.len(), sample.len()), (960, 42));
    for key in ["rtt_ms", "loss_percent", "mbit", "queue", "amount"] {
        assert_eq!(values(&sample, key), values(&all, key), "{key}");
    }
}

#[test]
fn the_live_sample_meets_every_value_but_the_fastest_rate() {
    let live = cells(Extent::Full, live::ALONE);
    let all = cells(Extent::Full, ALONE);
    assert_eq!(values(&live, "loss_percent"), values(&all, "loss_percent"));
    assert!(live.iter().all(|cell| cell.number("mbit") <= 100.0));
    let mut simulated = live.iter().map(|cell| all.contains(cell));
    assert!(simulated.all(|is| is), "each has a simulated one");
}

#[test]
fn live_claims_are_judged_by_live_runs_and_not_testable_where_those_were_skipped() {
    let plan = [live::ALONE, live::SHARED].map(|of| plan(Extent::Full, of));
    let plan = plan.concat();
    let records = |measured: &dyn Fn(&Run) -> Measured| {
        let plan = plan.iter().cloned();
        let records = plan.map(|run| Record {
            measured: measured(&run),
            run,
        });
        records.collect::<Vec<Record>>()
    };
    let fast = records(&|run| {
        let off = 1e-6 * run.seed as f64;
        let of_sctp = run.settings.text("side") == SCTP;
        Measured::new()
            .with(RATE, if of_sctp { 11.0 } else { 10.0 } + off)
            .with(SHARE, 1.0 + off)
    });
    let skipped = records(&|_| Measured::skipped("no root"));
    for id in [
        "VS-1 live",
        "VS-2 live",
        "VS-3 live",
        "VS-4 live",
        "VS-5 live",
    ] {
        assert_eq!(verdict(id, &fast), Some(Verdict::Reproduced), "{id}");
        assert_eq!(verdict(id, &skipped), Some(Verdict::NotTestable), "{id}");
    }
}

#[test]
fn an_association_as_fast_as_tcp_everywhere_is_reproduced() {
    let records = alone(|_| (10.0, 10.0));
    for id in ["VS-1", "VS-2", "VS-3", "VS-6"] {
        assert_eq!(verdict(id, &records), Some(Verdict::Reproduced), "{id}");
    }
}

#[test]
fn one_slow_cell_refutes_that_none_is_and_not_that_most_are_fast() {
    let records = alone(|cell| {
        let all = cells(Extent::Quick, ALONE);
        let first = all.iter().find(|cell| !is_short(cell));
        (if first == Some(cell) { 5.0 } else { 10.0 }, 10.0)
    });
    assert_eq!(verdict("VS-1", &records), Some(Verdict::Reproduced));
    assert_eq!(verdict("VS-2", &records), Some(Verdict::NotReproduced));
}

#[test]
fn an_association_that_is_slower_everywhere_is_not_reproduced() {
    let records = alone(|_| (8.0, 10.0));
    for id in ["VS-1", "VS-2", "VS-3"] {
        assert_eq!(verdict(id, &records), Some(Verdict::NotReproduced), "{id}");
    }
}

#[test]
fn short_transfers_count_apart() {
    let records = alone(|cell| (if is_short(cell) { 6.0 } else { 10.0 }, 10.0));
    assert_eq!(verdict("VS-1", &records), Some(Verdict::Reproduced));
    assert_eq!(verdict("VS-3", &records), Some(Verdict::NotReproduced));
}

#[test]
fn a_chunk_sent_again_without_a_loss_refutes() {
    let mut records = alone(|_| (10.0, 10.0));
    let ours = records
        .iter_mut()
        .filter(|record| record.run.settings.text("side") == SCTP);
    for record in ours.take(1) {
        record.measured = record.measured.clone().with(REPEATED, 3.0);
    }
    assert_eq!(verdict("VS-6", &records), Some(Verdict::NotReproduced));
}

/// Records of associations with a share of the bottleneck, and of connections in their place.
fn shares(of_sctp: f64, of_tcp: f64) -> Vec<Record> {
    let shared = plan(Extent::Quick, SHARED).into_iter();
    let record = |run: Run| {
        let off = 1e-3 * run.seed as f64;
        let share = match run.settings.text("side") {
            SCTP => of_sctp,
            _ => of_tcp,
        };
        Record {
            measured: Measured::new().with(SHARE, share + off),
            run,
        }
    };
    shared.map(record).collect()
}

#[test]
fn beside_new_reno_the_share_of_linux_is_the_measure() {
    for (of_tcp, verdict_of) in [
        (3.0, Verdict::Reproduced),
        (2.1, Verdict::Reproduced),
        (1.0, Verdict::NotReproduced),
        (6.0, Verdict::NotReproduced),
    ] {
        let records = shares(3.0, of_tcp);
        assert_eq!(verdict("VS-5", &records), Some(verdict_of), "{of_tcp}");
        assert_eq!(verdict("VS-4", &records), Some(Verdict::NotReproduced));
    }
}

#[test]
fn a_share_within_bounds_is_fair_and_one_outside_is_not() {
    for (share, verdict_of) in [
        (1.0, Verdict::Reproduced),
        (0.5, Verdict::NotReproduced),
        (1.7, Verdict::NotReproduced),
    ] {
        let records = shares(share, 1.0);
        assert_eq!(verdict("VS-4", &records), Some(verdict_of), "{share}");
        assert_eq!(verdict("VS-5", &records), Some(verdict_of), "{share}");
    }
}

#[test]
fn a_short_transfer_over_a_clean_network_loses_and_repeats_nothing() {
    let settings = Settings::new()
        .with("rtt_ms", 20_u32)
        .with("loss_percent", 0.0)
        .with("mbit", 100_u32)
        .with("queue", "4 BDP")
        .with("amount", "100 kB");
    for side in [SCTP, TCP] {
        let run = Run::new(NAME, ALONE, settings.clone().with("side", side), 1);
        let metrics = STUDY.execute(&run).expect("a run").metrics;
        assert_eq!([metrics[LOST], metrics[REPEATED]], [0.0, 0.0], "{side}");
        // At least two round trips, and at most ten.
        let seconds = metrics["seconds"];
        assert!((0.04..0.2).contains(&seconds), "{side}: {seconds}");
    }
}
