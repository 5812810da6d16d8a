use super::{CONTROLS, LARGE_WINDOWS, PART, WINDOW, claims};
use crate::studies::extensions::NAME;
use crate::studies::extensions::claims_of;
use crate::{Measured, Record, Run, Settings, Summary, Verdict};

#[test]
fn the_formulas_are_those_of_the_rfcs() {
    // RFC 9438 §5.1 and RFC 3649 §5, at p = 1e-4 and 0.1 s.
    assert!((claims::cubic(1e-4) - 187.0).abs() < 1.0);
    assert!((claims::high_speed(1e-4) - 263.0).abs() < 2.0);
    assert!((claims::reno(1e-4) - 120.0).abs() < 1.0);
}

#[test]
fn a_window_far_from_its_formula_is_not_reproduced() {
    let claim = claims_of(&PART)[0].clone();
    let of = |window: f64| {
        let records: Vec<Record> = CONTROLS
            .iter()
            .map(|control| Record {
                run: Run::new(
                    NAME,
                    LARGE_WINDOWS,
                    Settings::new().with("p", 1e-4).with("control", *control),
                    1,
                ),
                measured: Measured::new().without_chance().with(WINDOW, window),
            })
            .collect();
        (claim.judge)(&Summary::of(&records)).map(|judgement| judgement.ruling.verdict)
    };
    assert_eq!(of(180.0), Some(Verdict::Reproduced));
    assert_eq!(of(100.0), Some(Verdict::NotReproduced));
}
