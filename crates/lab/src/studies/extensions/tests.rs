use std::collections::BTreeSet;

use super::{Extensions, PARTS};
use crate::{Effort, Study};

#[test]
fn each_part_has_an_experiment_of_its_own_and_can_be_carried_out() {
    let names: BTreeSet<&str> = PARTS.iter().map(|part| part.experiment).collect();
    assert_eq!(names.len(), PARTS.len());
    for part in PARTS {
        let runs = part.runs(Effort::default());
        assert!(!runs.is_empty(), "{part:?}");
        for run in runs {
            assert!(Extensions.scenario(&run).is_ok(), "{run}");
        }
    }
}

#[test]
fn each_claim_has_a_name_of_its_own() {
    let claims = Extensions.claims();
    let ids: BTreeSet<&str> = claims.iter().map(|claim| claim.id).collect();
    assert_eq!(ids.len(), claims.len());
}
