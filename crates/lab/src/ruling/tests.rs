use std::sync::Arc;

use super::{ERROR, LOOKS, Ruling, correct};
use crate::{Claim, Evidence, Finding, Judgement, Source, Summary, Verdict};

fn part(holds: f64) -> Evidence {
    Evidence {
        holds,
        fails: 1.0 - holds,
        from: Vec::new(),
    }
}

fn finding(ruling: Ruling) -> Finding {
    let claim = Claim {
        id: "X-1".to_owned(),
        statement: String::new(),
        source: Source::Ours,
        paper: String::new(),
        rule: String::new(),
        judge: Arc::new(|_: &Summary| None),
    };
    let judgement = Judgement {
        ruling,
        ours: String::new(),
        why: String::new(),
    };
    Finding {
        claim,
        judgement: Some(judgement),
        today: None,
    }
}

fn verdicts(errors: &[f64]) -> Vec<Verdict> {
    let findings = errors
        .iter()
        .map(|error| finding(Ruling::of(vec![part(*error)])));
    let mut findings: Vec<Finding> = findings.collect();
    correct(&mut findings.iter_mut().collect::<Vec<_>>());
    let verdicts = findings
        .iter()
        .filter_map(|finding| finding.judgement.as_ref());
    verdicts.map(|judgement| judgement.ruling.verdict).collect()
}

#[test]
fn parts_that_all_hold_some_hold_and_none_hold_make_the_three_verdicts() {
    let verdict = |parts: &[f64]| {
        let parts = parts.iter().map(|error| part(*error));
        Ruling::of(parts.collect()).verdict
    };
    assert_eq!(verdict(&[1e-4, 1e-4]), Verdict::Reproduced);
    assert_eq!(verdict(&[1e-4, 1.0 - 1e-4]), Verdict::Partly);
    assert_eq!(verdict(&[1.0 - 1e-4, 1.0 - 1e-4]), Verdict::NotReproduced);
    assert_eq!(verdict(&[1e-4, 0.4]), Verdict::Undecided);
    assert_eq!(verdict(&[]), Verdict::Undecided);
}

#[test]
fn a_claim_that_holds_in_part_is_decided_without_its_open_parts() {
    let parts = [1e-5, 1.0 - 1e-5, 0.5].map(part).to_vec();
    assert_eq!(Ruling::of(parts).verdict, Verdict::Partly);
}

#[test]
fn holms_correction_asks_more_of_many_claims() {
    let level = ERROR / f64::from(LOOKS);
    assert_eq!(verdicts(&[level * 0.9]), [Verdict::Reproduced]);
    // The second ruling is tested at the full level, but only after the first has passed at half.
    assert_eq!(
        verdicts(&[level * 0.9, level * 0.4]),
        [Verdict::Reproduced, Verdict::Reproduced]
    );
    assert_eq!(
        verdicts(&[level * 0.9, level * 0.6]),
        [Verdict::Undecided, Verdict::Undecided]
    );
    // Certain rulings do not lower the level of the others.
    assert_eq!(
        verdicts(&[level * 0.9, 0.0]),
        [Verdict::Reproduced, Verdict::Reproduced]
    );
}

#[test]
fn an_undecided_claim_wants_more_of_its_open_parts_alone() {
    let condition = |experiment: &str| crate::Condition {
        study: "study".to_owned(),
        experiment: experiment.to_owned(),
        settings: crate::Settings::new(),
    };
    let with = |holds, experiment| Evidence {
        from: vec![condition(experiment)],
        ..part(holds)
    };
    let open = Ruling::of(vec![with(0.3, "open"), with(0.0, "sure")]);
    assert_eq!(open.wanting(), [condition("open")]);
    let decided = Ruling::of(vec![with(1e-4, "open"), with(0.0, "sure")]);
    assert_eq!(decided.wanting(), []);
}
