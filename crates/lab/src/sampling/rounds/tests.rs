use std::collections::BTreeSet;
use std::time::Duration;

use crate::sampling::further_runs;
use crate::{Effort, Extent, LOOKS, Measured, Record, Run, find};

/// Records of an experiment's planned runs, with measurements by `measure`.
fn records(
    (study, experiment): (&str, &str),
    effort: Effort,
    measured: fn(&Run) -> Measured,
) -> Vec<Record> {
    let plan = find(study).expect("a study").plan(effort).into_iter();
    let runs = plan.filter(|run| run.experiment == experiment);
    let record = |run: Run| Record {
        measured: measured(&run),
        run,
    };
    runs.map(record).collect()
}

/// CPU time of 12 KB messages, with SCTP's about 1.5 times TCP's, varying from round to round.
fn doubtful(run: &Run) -> Measured {
    let sctp = 1.5 + 0.5 * (run.seed % 3) as f64 - 0.5;
    let cost = match run.settings.text("variant") {
        "tcp" => 1.0,
        "sctp-classic" => 3.0 * sctp,
        _ => sctp,
    };
    ["send", "receive"]
        .iter()
        .fold(Measured::new(), |all, end| {
            all.with(&format!("{end}_mbit_per_s"), 1000.0)
                .with(&format!("{end}_cpu_percent"), 100.0)
                .with(&format!("{end}_cpu_ns_per_byte"), cost)
        })
}

fn seeds_of(runs: &[Run], variant: &str) -> Vec<u64> {
    let some = runs.iter();
    let some = some.filter(|run| run.settings.text("variant") == variant);
    some.map(|run| run.seed).collect()
}

#[test]
fn an_undecided_live_claim_gets_as_many_rounds_again_in_turns() {
    let throughput = ("datacenter", "throughput");
    let records = records(throughput, Effort::default(), doubtful);
    let further = further_runs(&records, Extent::Full, 1);
    for variant in ["tcp", "sctp"] {
        assert_eq!(seeds_of(&further, variant), [6, 7, 8, 9, 10], "{variant}");
    }
    assert!(further.is_sorted_by_key(|run| run.seed), "round by round");
    let order = |round: u64| {
        let runs = further.iter().filter(|run| run.seed == round);
        runs.map(|run| run.settings.text("variant"))
            .collect::<Vec<&str>>()
    };
    assert_eq!(order(6), order(10), "each round has the same order");
    assert!(further_runs(&records, Extent::Full, LOOKS).is_empty());
    assert!(further_runs(&records, Extent::Quick, 1).is_empty(), "quick");
}

#[test]
fn a_side_with_fewer_rounds_goes_on_beside_the_others() {
    let throughput = ("datacenter", "throughput");
    let mut records = records(throughput, Effort::default(), doubtful);
    let others = records.clone().into_iter();
    let tcp = others.filter(|record| record.run.settings.text("variant") == "tcp");
    records.extend(tcp.map(|mut record| {
        record.run.seed += 5;
        record
    }));
    let further = further_runs(&records, Extent::Full, 1);
    let tcp: Vec<u64> = (11..=20).collect();
    assert_eq!(seeds_of(&further, "tcp"), tcp);
    assert_eq!(seeds_of(&further, "sctp"), [11, 12, 13, 14, 15]);
}

#[test]
fn rounds_for_which_there_is_no_time_are_left_out_whole() {
    let effort = Effort {
        extent: Extent::Full,
        seeds: Some(100),
        after: 0,
    };
    // Live goodput is 10 % above the simulated one, varying from round to round.
    let records = records(("validation", "live"), effort, |run| {
        let by_round = 0.05 * (run.seed % 3) as f64 - 0.05;
        let rate = match run.settings.text("how") {
            "live" => 1.1 + by_round,
            _ => 1.0,
        };
        Measured::new().with("mbit_per_s", rate)
    });
    let further = further_runs(&records, Extent::Full, 1);
    let study = find("validation").expect("a study");
    let times = further.iter().filter_map(|run| study.live_time(run));
    let time: Duration = times.sum();
    let most = super::time(Extent::Full);
    assert!(time <= most, "{time:?}");
    let rounds: BTreeSet<u64> = further.iter().map(|run| run.seed).collect();
    assert!(rounds.len() < 100);
    let kinds: BTreeSet<String> = (further.iter().map(|run| run.settings.to_string())).collect();
    assert_eq!(kinds.len() % 2, 0, "each live cell and its simulated twin");
    assert_eq!(further.len(), rounds.len() * kinds.len(), "whole rounds");
    let longest = time / u32::try_from(rounds.len()).expect("a few");
    assert!(time + longest > most, "the time there is, is used");
}
