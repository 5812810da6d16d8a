use std::sync::Arc;

use super::{Conclusion, Counts};
use crate::{Claim, Evidence, Finding, Judgement, Source, Summary, Today};

fn judged(holds: bool) -> Option<Judgement> {
    Some(Judgement::new(
        vec![Evidence::fact(holds)],
        "ours".to_owned(),
        "why",
    ))
}

fn finding(source: Source) -> Finding {
    let claim = Claim {
        id: "X-1".to_owned(),
        statement: String::new(),
        source,
        paper: String::new(),
        rule: String::new(),
        judge: Arc::new(|_| judged(true)),
    };
    Finding::new(claim, &Summary::default())
}

fn conclusion(today: Today) -> Conclusion {
    let finding = finding(Source::Paper(today));
    let (conclusion, ..) = finding.conclusion().expect("a paper's");
    conclusion
}

#[test]
fn a_conclusion_is_judged_apart_from_the_claim() {
    let today = Today::Judged(Arc::new(|_| judged(false)));
    assert_eq!(conclusion(today), Conclusion::Falls);
    assert_eq!(
        conclusion(Today::Judged(Arc::new(|_| None))),
        Conclusion::NotRun
    );
}

#[test]
fn a_claim_about_todays_transports_has_its_own_verdict_and_is_no_second_test() {
    let finding = finding(Source::Paper(Today::Already("a reason".to_owned())));
    let (conclusion, ours, why) = finding.conclusion().expect("a paper's");
    assert_eq!((conclusion, ours), (Conclusion::Stands, ""));
    assert_eq!(why, "a reason");
    assert_eq!(finding.rulings().count(), 1);
}

#[test]
fn claims_of_our_own_have_no_conclusion() {
    assert!(finding(Source::Ours).conclusion().is_none());
}

#[test]
fn the_counts_say_which_conclusions_stand() {
    let findings = [
        finding(Source::Paper(Today::Already(String::new()))),
        finding(Source::Paper(Today::NotComparable(
            "nothing to compare".to_owned(),
        ))),
        finding(Source::Ours),
    ];
    let told = Counts::of(findings.iter()).told();
    assert_eq!(
        told,
        "Of the papers' 2 conclusions 1 stands, 1 is not comparable."
    );
}
