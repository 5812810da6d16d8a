use super::{DATA, DEPTH, FIRST_COME, I_DATA, PART, PRIORITY, URGENT, execute};
use crate::studies::extensions::NAME;
use crate::studies::extensions::claims_of;
use crate::{Finding, Measured, Record, Run, Settings, Summary, Verdict};

fn run(scheduler: &str, chunks: &str, bulk: u32) -> Run {
    Run::new(
        NAME,
        URGENT,
        Settings::new()
            .with("depth", DEPTH)
            .with("mbit", 1000_u32)
            .with("bulk", bulk)
            .with("scheduler", scheduler)
            .with("chunks", chunks),
        1,
    )
}

#[test]
fn priority_and_interleaving_make_the_wait_shortest() {
    let p99 = |scheduler, chunks| {
        let measured = execute(&run(scheduler, chunks, 1 << 20)).expect("a run");
        assert!(measured.metrics["messages"] >= 400.0);
        measured.metrics["p99_ms"]
    };
    let (first_come, priority) = (p99(FIRST_COME, DATA), p99(PRIORITY, DATA));
    let interleaved = p99(PRIORITY, I_DATA);
    assert!(first_come > 2.0 * priority, "{first_come} {priority}");
    assert!(priority > interleaved + 5.0, "{priority} {interleaved}");
}

#[test]
fn delays_that_grow_with_other_messages_do_not_reproduce_the_claim() {
    let claim = claims_of(&PART)[0].clone();
    let verdict = |beside_large: f64| {
        let records: Vec<Record> = [(64 << 10, 8.0), (1 << 20, beside_large)]
            .map(|(bulk, p99)| Record {
                run: run(PRIORITY, I_DATA, bulk),
                measured: Measured::new().without_chance().with("p99_ms", p99),
            })
            .into();
        let finding = Finding::new(claim.clone(), &Summary::of(&records));
        finding.judgement.map(|judgement| judgement.ruling.verdict)
    };
    assert_eq!(verdict(8.3), Some(Verdict::Reproduced));
    assert_eq!(verdict(16.0), Some(Verdict::NotReproduced));
}
