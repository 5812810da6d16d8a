use super::runs;
use crate::{Effort, Extent};

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
