use super::{LOSSES, PART, RACK, REPORTS, TIME_AND_TAILS};
use crate::studies::extensions::NAME;
use crate::studies::extensions::claims_of;
use crate::{Measured, Record, Run, Settings, Summary, Verdict};

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
