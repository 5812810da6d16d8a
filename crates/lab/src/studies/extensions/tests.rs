use std::collections::BTreeSet;
use std::thread;

use super::{PARTS, Part, STUDY, claims_of};
use crate::{Effort, Finding, Record, Summary};

#[test]
fn each_part_has_an_experiment_of_its_own_and_can_be_carried_out() {
    let names: BTreeSet<&str> = PARTS.iter().map(|part| part.experiment).collect();
    assert_eq!(names.len(), PARTS.len());
    for part in PARTS {
        let runs = part.runs(Effort::default());
        assert!(!runs.is_empty(), "{part:?}");
        for run in runs {
            assert!(STUDY.scenario(&run).is_ok(), "{run}");
        }
    }
}

#[test]
fn each_claim_has_a_name_of_its_own() {
    let claims = STUDY.claims();
    let ids: BTreeSet<&str> = claims.iter().map(|claim| claim.id.as_str()).collect();
    assert_eq!(ids.len(), claims.len());
}

/// Carries out the runs of a part with one seed, and judges its claims.
fn judge(part: &Part) {
    let runs = part.runs(Effort::default());
    let records = runs
        .into_iter()
        .filter(|run| run.seed == 1)
        .map(|run| Record {
            measured: (part.execute)(&run).expect("a run"),
            run,
        });
    let (all, none) = (Summary::of(&records.collect::<Vec<_>>()), Summary::of(&[]));
    for claim in claims_of(part) {
        let finding = Finding::new(claim.clone(), &all);
        let (ours, why) = finding.account();
        println!("{} {}: {ours} ({why})", claim.id, finding.verdict());
        assert!(finding.judgement.is_some(), "{}", claim.id);
        assert!(Finding::new(claim, &none).judgement.is_none());
    }
}

#[test]
fn every_claim_is_judged_from_a_single_seed_and_none_without_runs() {
    thread::scope(|scope| {
        for part in PARTS {
            scope.spawn(move || judge(part));
        }
    });
}
