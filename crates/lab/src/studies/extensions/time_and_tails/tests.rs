use super::{LOSSES, PART, RACK, REPORTS, TIME_AND_TAILS};
use crate::studies::extensions::NAME;
use crate::studies::extensions::claims_of;
use crate::{Effort, Finding, Measured, Record, Run, Settings, Summary, Verdict};

/// The summary of all runs of the quick extent.
fn summary() -> Summary {
    let runs = PART.runs(Effort::default());
    let record = |run: &Run| Record {
        run: run.clone(),
        measured: (PART.execute)(run).expect("a run"),
    };
    Summary::of(&runs.iter().map(record).collect::<Vec<_>>())
}

#[test]
fn every_claim_is_judged_by_a_quick_report() {
    let summary = summary();
    for claim in claims_of(&PART) {
        let finding = Finding::new(claim, &summary);
        println!(
            "{}: {}, {:?}",
            finding.claim.id,
            finding.verdict(),
            finding.account()
        );
        assert!(finding.judgement.is_some(), "{}", finding.claim.id);
    }
}

#[test]
fn a_timeout_leaves_the_claim_of_random_losses_unreproduced() {
    let claim = claims_of(&PART)[2].clone();
    let record = |detection: &str, seed, timeouts, mbit| Record {
        run: Run::new(
            NAME,
            TIME_AND_TAILS,
            Settings::new()
                .with("scene", LOSSES)
                .with("amount", 1.0)
                .with("detection", detection),
            seed,
        ),
        measured: Measured::new()
            .with("timeouts", timeouts)
            .with("mbit_per_s", mbit),
    };
    let of = |timeouts, mbit| {
        let records: Vec<Record> = (1..=12)
            .flat_map(|seed| {
                [
                    record(RACK, seed, timeouts, mbit),
                    record(REPORTS, seed, 1.0, 5.0),
                ]
            })
            .collect();
        (claim.judge)(&Summary::of(&records)).map(|judgement| judgement.ruling.verdict)
    };
    assert_eq!(of(0.0, 7.0), Some(Verdict::Reproduced));
    assert_eq!(of(1.0, 7.0), Some(Verdict::Partly));
    assert_eq!(of(1.0, 4.0), Some(Verdict::NotReproduced));
}
