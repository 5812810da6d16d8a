use std::collections::BTreeSet;

use crate::studies;

#[test]
fn every_claim_has_a_rule_and_every_rule_a_claim() {
    for study in studies() {
        let rules = study.all_rules();
        let claims: BTreeSet<&str> = (study.texts().claim.iter())
            .map(|claim| claim.id.as_str())
            .collect();
        assert_eq!(
            claims,
            rules.iter().map(|rule| rule.id.as_str()).collect(),
            "{}",
            study.name()
        );
        let ids: BTreeSet<String> = study.claims().into_iter().map(|claim| claim.id).collect();
        assert_eq!(study.claims().len(), ids.len(), "{}", study.name());
    }
}

#[test]
fn claims_and_parameters_are_complete() {
    for study in studies() {
        for claim in study.claims() {
            let texts = [claim.statement, claim.paper, claim.rule];
            assert!(texts.iter().all(|text| !text.is_empty()), "{}", claim.id);
        }
        for parameter in study.parameters() {
            let value = &parameter.value;
            assert!(!value.contains(['{', '}']), "{}: {value}", parameter.name);
        }
    }
}
