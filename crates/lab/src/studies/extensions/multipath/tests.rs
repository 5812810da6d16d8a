use super::{BUFFERS, RADIOS, SHARING};
use crate::studies::extensions::NAME;
use crate::studies::extensions::part::Part;
use crate::{Finding, Measured, Record, Run, Settings, Summary, Verdict};

fn run(part: &Part, settings: Settings) -> Run {
    Run {
        study: NAME.to_owned(),
        experiment: part.experiment.to_owned(),
        settings,
        seed: 1,
    }
}

fn measured(part: &Part, settings: Settings) -> Measured {
    (part.execute)(&run(part, settings)).expect("a run")
}

#[test]
fn two_unequal_paths_carry_more_than_the_better_one() {
    let rate = |transport: &str| {
        let settings = Settings::new().with("buffer_kib", 1024_u32);
        measured(&BUFFERS, settings.with("transport", transport)).metrics["mbit_per_s"]
    };
    let (one, both) = (rate("sctp, better path"), rate("cmt, buffers split"));
    assert!(both > 1.05 * one, "{both} {one}");
}

#[test]
fn both_paths_through_the_bottleneck_are_used() {
    for sender in ["cmt, uncoupled", "cmt, pooled rates"] {
        let metrics = measured(&SHARING, Settings::new().with("sender", sender)).metrics;
        assert!(metrics["other_paths_share"] > 0.2, "{sender}: {metrics:?}");
    }
}

#[test]
fn two_damaging_radios_carry_more_with_checksums_of_chunks() {
    let rate = |sender: &str| {
        let settings = Settings::new().with("damage_percent", 5_u32);
        measured(&RADIOS, settings.with("sender", sender)).metrics["mbit_per_s"]
    };
    assert!(rate("cmt, chunk checksum") > 1.5 * rate("cmt"));
}

#[test]
fn an_association_that_takes_more_than_tcp_does_not_reproduce_fairness() {
    let claims = (SHARING.claims)();
    let records = |ratio: f64| -> Vec<Record> {
        let plan = (SHARING.plan)(crate::Effort::default());
        let all = plan.into_iter().map(|settings| Record {
            run: run(&SHARING, settings),
            measured: Measured::new().without_chance().with("times_tcp", ratio),
        });
        all.collect()
    };
    let verdict = |ratio| {
        let finding = Finding::new(claims[1], &Summary::of(&records(ratio)));
        finding.judgement.map(|judgement| judgement.ruling.verdict)
    };
    assert_eq!(verdict(1.0), Some(Verdict::Reproduced));
    assert_eq!(verdict(1.5), Some(Verdict::NotReproduced));
}
