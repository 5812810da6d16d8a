use super::studies;
use crate::{Effort, Extent, Summary};

#[test]
fn every_run_of_a_plan_can_be_carried_out() {
    for study in studies() {
        for extent in [Extent::Quick, Extent::Full] {
            let effort = Effort {
                extent,
                seeds: Some(1),
                ..Effort::default()
            };
            for run in study.plan(effort) {
                assert!(study.scenario(&run).is_ok(), "{run}");
            }
        }
    }
}

#[test]
fn a_claim_without_records_is_not_judged() {
    for claim in studies().iter().flat_map(|study| study.claims()) {
        let judgement = (claim.judge)(&Summary::default());
        assert!(judgement.is_none(), "{}", claim.id);
    }
}
