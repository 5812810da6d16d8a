use super::{Evidence, SEEDS_MIN};
use crate::{Cell, Measured, Record, Run, Settings, Summary};

/// Records of a setting, one value per seed.
fn records(name: &str, values: &[f64]) -> Vec<Record> {
    let record = |(seed, value): (u64, &f64)| Record {
        run: Run::new(
            "study",
            "experiment",
            Settings::new().with("name", name),
            seed,
        ),
        measured: Measured::new().with("rate", *value),
    };
    (1..).zip(values).map(record).collect()
}

fn summary(one: &[f64], other: &[f64]) -> Summary {
    Summary::of(&[records("one", one), records("other", other)].concat())
}

fn cells(summary: &Summary) -> [&Cell; 2] {
    ["one", "other"].map(|name| {
        let some = Settings::new().with("name", name);
        summary.cell("study", "experiment", &some).expect("a cell")
    })
}

fn above(one: &[f64], other: &[f64]) -> Evidence {
    let summary = summary(one, other);
    let [one, other] = cells(&summary);
    one.is_above(other, "rate").expect("values")
}

#[test]
fn too_few_seeds_say_nothing() {
    let few = Evidence::is_positive(&[1.0; SEEDS_MIN - 1]);
    assert_eq!((few.holds, few.fails), (1.0, 1.0));
    let enough = Evidence::is_positive(&[1.0; SEEDS_MIN]);
    assert!(enough.holds < 0.05, "{enough:?}");
    assert_eq!(enough.fails, 1.0);
}

#[test]
fn what_all_seeds_agree_about_has_the_error_of_a_sign_test() {
    let above = Evidence::is_positive(&[1.0; 6]);
    assert_eq!((above.holds, above.fails), (1.0 / 64.0, 1.0));
    let tied = Evidence::is_positive(&[0.0; 10]);
    assert_eq!((tied.holds, tied.fails), (1.0, 1.0 / 1024.0));
}

#[test]
fn a_rule_about_every_run_is_as_sure_as_the_runs_are_many() {
    let summary = summary(&[1.0; 8], &[2.0; SEEDS_MIN - 1]);
    let [eight, few] = cells(&summary);
    assert_eq!(eight.every("rate", true).holds, 1.0 / 256.0);
    assert_eq!(few.every("rate", true).holds, 1.0);
    // One run suffices to refute the rule.
    assert_eq!(few.every("rate", false).fails, 0.0);
}

#[test]
fn the_errors_are_those_of_students_t() {
    // Mean 2, deviation 1.581, t = 2.828 with 4 degrees: 0.0237 by the tables.
    let evidence = Evidence::is_positive(&[0.0, 1.0, 2.0, 3.0, 4.0]);
    assert!((evidence.holds - 0.0237).abs() < 1e-4, "{evidence:?}");
    assert!((evidence.fails - 0.9763).abs() < 1e-4, "{evidence:?}");
}

#[test]
fn a_difference_within_a_tie_is_not_above() {
    let other = [100.0, 101.0, 99.0, 102.0, 98.0, 100.0];
    let tie = above(&other.map(|value| value * 1.005), &other);
    assert!(tie.fails < 1e-3, "{tie:?}");
    let more = above(&other.map(|value| value * 1.02), &other);
    assert!(more.holds < 1e-3, "{more:?}");
    let same = above(&other, &other);
    assert!(same.fails < 1e-3, "{same:?}");
}

#[test]
fn an_interval_that_covers_both_answers_leaves_it_open() {
    let open = above(
        &[48.0, 130.0, 20.0, 60.0, 10.0],
        &[40.0, 50.0, 45.0, 30.0, 35.0],
    );
    assert!(open.holds > 0.05 && open.fails > 0.05, "{open:?}");
    assert_eq!(open.from.len(), 2);
}

#[test]
fn all_parts_are_as_sure_as_the_least_sure_and_one_refutes_them() {
    let (sure, unsure) = (Evidence::fact(true), Evidence::is_positive(&[1.0, 2.0]));
    let both = Evidence::all(vec![sure.clone(), unsure.clone()]);
    assert_eq!((both.holds, both.fails), (1.0, 1.0));
    let refuted = Evidence::all(vec![unsure.clone(), !sure.clone()]);
    assert_eq!(refuted.fails, 0.0);
    let any = Evidence::any(vec![unsure, sure]);
    assert_eq!(any.holds, 0.0);
}

#[test]
fn at_least_so_many_of_several_hold_by_the_error_of_the_last_that_is_needed() {
    let part = |holds: f64| Evidence {
        holds,
        fails: 1.0 - holds,
        from: Vec::new(),
    };
    let parts = || vec![part(0.001), part(0.002), part(0.003), part(0.9)];
    // The statement is wrong if at least two of the four parts fail.
    let three = Evidence::at_least(3, parts());
    assert!((three.holds - 2.0 * 0.003).abs() < 1e-12, "{three:?}");
    let four = Evidence::at_least(4, parts());
    assert!((four.holds - 0.9).abs() < 1e-12, "{four:?}");
    assert!(four.fails < 0.5, "{four:?}");
    assert_eq!(Evidence::at_least(0, parts()).holds, 0.0);
    assert_eq!(Evidence::at_least(5, parts()).holds, 1.0);
    assert_eq!(Evidence::at_least(5, parts()).fails, 0.0);
}
