use super::Printed;
use crate::sheet::Sheet;
use crate::{Measured, Record, Run, Settings, Summary};

const SHEET: &str = r#"
    [[contrast]]
    claim = "C-1"
    quantity = "rate, one / other"
    source = "figure 2"
    paper = { of = [3.0, 2.0] }
    experiment = "sweep"
    metric = "rate"
    one = { variant = "one" }
    other = { variant = "other" }
    each = { delay_ms = [10, 20] }
"#;

fn record(variant: &str, delay: f64, seed: u64, rate: f64) -> Record {
    let settings = Settings::new()
        .with("variant", variant)
        .with("delay_ms", delay);
    Record {
        run: Run::new("study", "sweep", settings, seed),
        measured: Measured::new().with("rate", rate),
    }
}

#[test]
fn a_contrast_is_the_ratio_of_two_cells_at_each_place() {
    let mut records = Vec::new();
    for delay in [10.0, 20.0, 30.0] {
        for seed in 1..=5 {
            records.push(record("one", delay, seed, delay));
            records.push(record("other", delay, seed, 10.0));
        }
    }
    let summary = Summary::of(&records);
    let found = Sheet::read(SHEET)
        .expect("a sheet")
        .contrasts("study", &summary);
    let ours: Vec<f64> = found
        .iter()
        .filter_map(|one| Some(one.ours?.mean))
        .collect();
    assert_eq!(ours, [1.0, 2.0]);
    assert_eq!(found[1].at, "delay 20 ms");
    assert_eq!(found[1].paper.value(), 1.5);
    assert_eq!(found[0].paper, Printed::Of([3.0, 2.0]));
}

#[test]
fn without_runs_there_is_what_the_paper_has_alone() {
    let summary = Summary::of(&[record("one", 10.0, 1, 5.0)]);
    let found = Sheet::read(SHEET)
        .expect("a sheet")
        .contrasts("study", &summary);
    assert_eq!((found.len(), found[0].ours), (1, None));
}

#[test]
fn a_word_that_nobody_knows_is_an_error() {
    let sheet = SHEET.replace("metric", "metrik");
    assert!(Sheet::read(&sheet).is_err());
}
