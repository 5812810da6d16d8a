use super::{ALONE, SHARING};
use crate::studies::extensions::NAME;
use crate::studies::extensions::claims_of;
use crate::{Effort, Finding, Measured, Record, Run, Settings, Summary};

fn measured(settings: Settings) -> Measured {
    let run = Run::new(NAME, ALONE.experiment, settings, 1);
    (ALONE.execute)(&run).expect("a run")
}

#[test]
fn every_claim_is_judged_by_a_quick_report() {
    let mut records = Vec::new();
    for part in [&ALONE, &SHARING] {
        // One seed suffices to check that all metrics exist.
        let runs = part.runs(Effort::default());
        for run in runs.into_iter().filter(|run| run.seed == 1) {
            let measured = (part.execute)(&run).expect("a run");
            records.push(Record { run, measured });
        }
    }
    let summary = Summary::of(&records);
    for part in [&ALONE, &SHARING] {
        for claim in claims_of(part) {
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
}

#[test]
fn no_claim_is_judged_without_its_runs() {
    let summary = Summary::of(&[]);
    for part in [&ALONE, &SHARING] {
        for claim in claims_of(part) {
            let finding = Finding::new(claim, &summary);
            assert!(finding.judgement.is_none(), "{}", finding.claim.id);
        }
    }
}

#[test]
fn the_rate_is_halved_under_way() {
    let settings = Settings::new()
        .with("network", "rate halved")
        .with("control", "bbr");
    // At most 12 Mb/s of user data.
    let rate = measured(settings).metrics["mbit_per_s"];
    assert!((10.5..12.0).contains(&rate), "{rate}");
}
