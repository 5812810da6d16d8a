use super::runs;
use crate::{Effort, Extent};

#[test]
fn combinations_are_left_out_sampled_and_run_once() {
    let text = r#"
        [[runs]]
        of = "a"
        x = [1, 2, 3, 4, 5, 6]
        without = [{ x = [1, 2] }]
        sample = { quick = [1, 2] }
        certain = { x = 4 }
        rounds = { full = 1 }
    "#;
    let plan = |extent| {
        let effort = Effort {
            extent,
            seeds: Some(2),
            after: 0,
        };
        let runs = runs("s", text, effort).into_iter();
        runs.map(|run| (run.settings.number("x"), run.seed))
            .collect::<Vec<(f64, u64)>>()
    };
    let text_without_rounds = text.replace("rounds = { full = 1 }", "");
    let effort = Effort {
        extent: Extent::Quick,
        seeds: Some(2),
        after: 0,
    };
    let quick = runs("s", &text_without_rounds, effort).into_iter();
    let quick: Vec<(f64, u64)> = quick
        .map(|run| (run.settings.number("x"), run.seed))
        .collect();
    assert_eq!(quick, [(4.0, 1), (6.0, 1), (6.0, 2)]);
    assert!(plan(Extent::Quick).is_empty());
    assert_eq!(plan(Extent::Full), [(3.0, 1), (4.0, 1), (5.0, 1), (6.0, 1)]);
}

#[test]
fn a_group_has_all_combinations_of_its_values_and_those_of_the_extent() {
    let text = r#"
        [[runs]]
        of = "a"
        x = { quick = 1, full = [1, 2] }
        y = ["b", "c"]
        seeds = { quick = 1 }

        [[runs]]
        of = "d"
        times = 2
        x = { full = 3 }
    "#;
    let plan = |extent| {
        let seeds = Some(2);
        let effort = Effort {
            extent,
            seeds,
            after: 0,
        };
        let runs = runs("s", text, effort).into_iter();
        runs.map(|run| format!("{} {} {}", run.experiment, run.settings, run.seed))
            .collect::<Vec<String>>()
    };
    assert_eq!(
        plan(Extent::Quick),
        ["a x = 1, y = b 1", "a x = 1, y = c 1"]
    );
    let full = plan(Extent::Full);
    assert_eq!(full.len(), 12);
    assert_eq!(full[11], "d x = 3 4");
}
