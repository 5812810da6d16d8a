use super::{LINE, NAME, STUDY};
use crate::{Effort, Extent, Record, Summary, Verdict};

#[test]
fn the_claims_are_judged_from_runs() {
    let effort = Effort {
        extent: Extent::Quick,
        seeds: Some(6),
        ..Effort::default()
    };
    let mut runs = STUDY.plan(effort);
    // Faster floods overflow every queue and decide nothing.
    runs.retain(|run| run.settings.number("flood_per_s") <= 300.0);
    for run in &mut runs {
        assert_eq!(run.study, NAME);
        if run.experiment == LINE {
            continue;
        }
        run.settings = run.settings.clone().with("packets", 2000.0);
    }
    let records: Vec<Record> = runs
        .into_iter()
        .map(|run| Record {
            measured: STUDY.execute(&run).expect("a run"),
            run,
        })
        .collect();
    let summary = Summary::of(&records);
    for claim in STUDY.claims() {
        let judgement = (claim.judge)(&summary).expect("a judgement");
        assert_eq!(
            judgement.ruling.verdict,
            Verdict::Reproduced,
            "{judgement:?}"
        );
    }
    assert_eq!(STUDY.exhibits(&summary).len(), 4);
}
