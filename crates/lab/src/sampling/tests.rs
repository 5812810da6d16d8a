use std::num::NonZero;
use std::sync::atomic::AtomicBool;

use super::further_runs;
use crate::store::tests::store;
use crate::{
    Agreement, Effort, Execution, Extent, Finding, LOOKS, Record, Run, Selected, Shard, Store,
    Summary, execute, find,
};

/// The simulated runs of a few small experiments, with looks until all claims are decided or no
/// look is left.
fn sampled(after: u64) -> Vec<Record> {
    let (_folder, store) = store();
    let effort = Effort {
        after,
        ..Effort::default()
    };
    let small = [
        ("streams", ["delay", "stream-count", "head-of-line"]),
        ("extensions", ["multipath-buffers", "multipath-radios", ""]),
    ];
    let mut runs: Vec<Run> = Vec::new();
    for (name, experiments) in small {
        let study = find(name).expect("a study");
        let plan = study.plan(effort).into_iter();
        runs.extend(plan.filter(|run| experiments.contains(&run.experiment.as_str())));
    }
    let mut records = Vec::new();
    for look in 1..=LOOKS {
        records.extend(carried_out(&runs, &store));
        runs = further_runs(&records, Extent::Quick, look);
    }
    assert!(runs.is_empty());
    records
}

fn carried_out(runs: &[Run], store: &Store) -> Vec<Record> {
    let stop = AtomicBool::new(false);
    let execution = Execution {
        jobs: NonZero::new(2).expect("two"),
        shard: Shard::WHOLE,
        scenarios: &[],
        stop: &stop,
    };
    let failures = execute(runs, store, execution, |_| {}).expect("a store");
    assert_eq!(failures, Vec::<String>::new());
    store.records_of(&Selected::runs(runs)).expect("records")
}

fn findings(records: &[Record]) -> Vec<Finding> {
    let summary = Summary::of(records);
    let studies = ["streams", "extensions"].map(|name| find(name).expect("a study"));
    let claims = studies.iter().flat_map(|study| study.claims());
    let mut findings: Vec<Finding> = claims.map(|claim| Finding::new(claim, &summary)).collect();
    crate::ruling::correct(&mut findings.iter_mut().collect::<Vec<_>>());
    findings
}

#[test]
fn samples_with_other_seeds_agree_in_what_they_decide() {
    let [one, other] = [0, 1000].map(|after| findings(&sampled(after)));
    let agreement = Agreement::of(one.iter(), other.iter());
    println!("{agreement}: {:?}", agreement.differing);
    assert!(agreement.decided >= 6, "{agreement}");
    assert!(agreement.share() >= 0.95, "{agreement:?}");
}

#[test]
fn doubt_is_answered_with_as_many_seeds_again() {
    let study = find("extensions").expect("a study");
    let plan = study.plan(Effort::default()).into_iter();
    let runs: Vec<Run> = plan
        .filter(|run| run.experiment == "multipath-radios" && run.seed <= 2)
        .collect();
    let record = |run: &Run| Record {
        run: run.clone(),
        measured: crate::Measured::new().with("mbit_per_s", run.seed as f64),
    };
    let records: Vec<Record> = runs.iter().map(record).collect();
    let further = further_runs(&records, Extent::Quick, 1);
    assert!(!further.is_empty());
    assert!(further.iter().all(|run| (3..=4).contains(&run.seed)));
    assert!(further_runs(&records, Extent::Quick, LOOKS).is_empty());
}
