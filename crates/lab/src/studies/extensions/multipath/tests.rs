use super::{BUFFERS, RADIOS, SHARING};
use crate::studies::extensions::NAME;
use crate::studies::extensions::claims_of;
use crate::studies::extensions::part::Part;
use crate::studies::rivals;
use crate::{Effort, Exhibit, Finding, Measured, Record, Run, Settings, Summary, Verdict};

fn run(part: &Part, settings: Settings) -> Run {
    Run::new(NAME, part.experiment, settings, 1)
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
        let settings = Settings::new().with("sender", sender);
        let metrics = measured(&SHARING, settings.with("tcp", rivals::RFC)).metrics;
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
    let claims = claims_of(&SHARING);
    let records = |ratio: f64| -> Vec<Record> {
        let plan = (SHARING.plan)(Effort::default());
        let all = plan.into_iter().map(|settings| Record {
            run: run(&SHARING, settings),
            measured: Measured::new().without_chance().with("times_tcp", ratio),
        });
        all.collect()
    };
    let verdict = |ratio| {
        let finding = Finding::new(claims[1].clone(), &Summary::of(&records(ratio)));
        finding.judgement.map(|judgement| judgement.ruling.verdict)
    };
    assert_eq!(verdict(1.0), Some(Verdict::Reproduced));
    assert_eq!(verdict(1.5), Some(Verdict::NotReproduced));
}

#[test]
fn only_the_tcp_of_the_rule_judges() {
    let claims = claims_of(&SHARING);
    let verdict = |fair| {
        let plan = (SHARING.plan)(Effort::default()).into_iter();
        let records = plan.map(|settings| {
            let ratio = if settings.text("tcp") == fair {
                1.0
            } else {
                1.5
            };
            Record {
                run: run(&SHARING, settings),
                measured: Measured::new().without_chance().with("times_tcp", ratio),
            }
        });
        let finding = Finding::new(
            claims[1].clone(),
            &Summary::of(&records.collect::<Vec<_>>()),
        );
        finding.judgement.map(|judgement| judgement.ruling.verdict)
    };
    assert_eq!(verdict(rivals::RFC), Some(Verdict::Reproduced));
    assert_eq!(verdict(rivals::TODAY), Some(Verdict::NotReproduced));
}

#[test]
fn the_table_has_a_column_for_each_tcp() {
    let plan = (SHARING.plan)(Effort::default()).into_iter();
    let records: Vec<Record> = plan
        .map(|settings| Record {
            run: run(&SHARING, settings),
            measured: Measured::new().without_chance().with("times_tcp", 1.0),
        })
        .collect();
    let exhibits = (SHARING.exhibits)(&Summary::of(&records));
    let [Exhibit::Table(table)] = &exhibits[..] else {
        panic!("{exhibits:?}");
    };
    for tcp in rivals::ALL {
        let column = table
            .head
            .iter()
            .position(|head| head == &format!("times {tcp}"));
        let column = column.expect("a column");
        assert!(table.rows.iter().any(|row| row[column] != "-"), "{tcp}");
    }
}
