use super::rules;
use crate::{Judgement, Measured, Record, Run, Settings, Summary, Verdict};

/// Records of sides A and B at three places; B is at 10, and A, of which there are more, at these
/// rates.
fn summary(of_a: [f64; 3]) -> Summary {
    let places = [1.0, 2.0, 3.0].into_iter().zip(of_a);
    let cells = places.flat_map(|(x, rate)| [("a", 9, x, rate), ("b", 8, x, 10.0)]);
    let records = cells.flat_map(|(side, runs, x, rate)| {
        (1..=runs).map(move |seed| Record {
            run: Run::new(
                "study",
                "one",
                Settings::new().with("side", side).with("x", x),
                seed,
            ),
            measured: Measured::new().with("rate", rate + 1e-3 * seed as f64),
        })
    });
    Summary::of(&records.collect::<Vec<Record>>())
}

/// The judgement of a rule about `part`, with further keys.
fn judged(part: &str, further: &str, summary: &Summary) -> Option<Judgement> {
    let text = format!(
        r#"
        [series]
        a = {{ side = "a" }}
        b = {{ side = "b" }}

        [[rule]]
        id = "1"
        of = "one"
        each = {{ x = "*" }}
        part = [{{ {part} }}]
        {further}
        "#
    );
    let rule = rules("study", &text).remove(0);
    (rule.judge)(summary)
}

#[test]
fn a_test_is_a_part_at_each_place_unless_tests_are_combined() {
    let verdict = |by: &str| {
        let part = format!("{by} holds = [\"a.rate > 1.01 * b.rate\"]");
        let judgement = judged(&part, "", &summary([20.0, 20.0, 5.0]));
        judgement.expect("runs").ruling.verdict
    };
    assert_eq!(verdict(""), Verdict::Partly);
    assert_eq!(verdict("by = \"all\","), Verdict::NotReproduced);
    assert_eq!(verdict("by = \"any\","), Verdict::Reproduced);
    assert_eq!(verdict("by = { share = 0.6 },"), Verdict::Reproduced);
    assert_eq!(verdict("by = { share = 0.9 },"), Verdict::NotReproduced);
}

#[test]
fn a_rule_without_runs_judges_only_if_it_may() {
    let part = "each = { x = 9 }, holds = [\"a.rate > b.rate\"]";
    assert_eq!(judged(part, "", &summary([1.0; 3])), None);
    let both = "holds = [\"a.rate > b.rate\"] }, { need = \"may\", each = { x = 9 }, holds = [\"a.rate > b.rate\"]";
    assert!(judged(both, "", &summary([20.0; 3])).is_some());
}

#[test]
fn a_test_without_its_condition_fails() {
    for (condition, verdict) in [
        ("b.rate < 5", Verdict::NotReproduced),
        ("a.rate > 5 and b.rate < 5", Verdict::NotReproduced),
        ("a.rate > 5 and b.rate > 5", Verdict::Reproduced),
    ] {
        let further = format!("provided = \"in every run: {condition}\"");
        let part = "holds = [\"a.rate > b.rate\"]";
        let judgement = judged(part, &further, &summary([20.0; 3])).expect("runs");
        assert_eq!(judgement.ruling.verdict, verdict, "{condition}");
    }
}

#[test]
fn texts_tell_of_places_singly_and_together() {
    let further = r#"
        why = [{ text = "{failing}" }]
        [[rule.ours]]
        told = "singly"
        before = "at {of}: "
        text = "{a.rate:.1} at {x}"
        each = { "$of" = "all" }
        [[rule.ours]]
        told = "together"
        at = "x = {x}"
        text = "{ratio(a.rate, b.rate) < 1.5} of {places}, sure {sure a.rate > b.rate}; most {a.rate:most at}, best {a.rate:best}"
        [[rule.ours]]
        text = "{a.missing}"
        within = { x = 1 }
    "#;
    let part = "holds = [\"a.rate > b.rate\"], says = \"more\"";
    let judgement = judged(part, further, &summary([20.0, 30.0, 5.0])).expect("runs");
    assert_eq!(
        judgement.ours,
        "at all: 20.0 at 1, 30.0 at 2, 5.0 at 3; 1 of 3, sure 2; most x = 2, best x = 2"
    );
    assert_eq!(judgement.why, "What does not hold beyond doubt: more.");
}

#[test]
fn a_rule_like_another_has_its_values_and_its_own_version_for_today() {
    let text = r#"
        [[version]]
        at = { "$more" = "a", "$less" = "b" }
        today = { "$more" = "b", "$less" = "a" }

        [[rule]]
        id = "1"
        of = "one"
        series = { one = { side = "{more}" }, other = { side = "{less}" } }
        each = { x = [1, 2, 3] }
        part = [{ holds = ["one.rate > other.rate"] }]

        [[rule]]
        id = "2"
        like = "1"
        part = [{ per = { "$count" = "* of x" }, each = { x = "* != {count}" }, holds = ["one.rate < other.rate"] }]
    "#;
    let summary = summary([20.0; 3]);
    let verdicts = rules("study", text).into_iter().map(|rule| {
        let today = rule.today.expect("a rule for today");
        [rule.judge, today].map(|judge| judge(&summary).expect("runs").ruling.verdict)
    });
    let (yes, no) = (Verdict::Reproduced, Verdict::NotReproduced);
    assert_eq!(verdicts.collect::<Vec<_>>(), [[yes, no], [no, yes]]);
}

#[test]
fn skipped_runs_make_a_claim_not_testable() {
    let skipped = Record {
        run: Run::new(
            "study",
            "one",
            Settings::new().with("side", "a").with("x", 1.0),
            9,
        ),
        measured: Measured::skipped("no machine"),
    };
    let records = summary([20.0; 3]);
    let mut all: Vec<Record> = records
        .iter()
        .flat_map(|cell| {
            let run = |seed| Run::new("study", "one", cell.settings.clone(), seed);
            cell.seeds("rate").map(move |seed| Record {
                run: run(seed),
                measured: Measured::new().with("rate", cell.value_at("rate", seed).unwrap_or(0.0)),
            })
        })
        .collect();
    all.push(skipped);
    let verdict = |further| {
        let part = "holds = [\"a.rate > b.rate\"]";
        judged(part, further, &Summary::of(&all))
            .expect("a judgement")
            .ruling
            .verdict
    };
    assert_eq!(verdict(""), Verdict::NotTestable);
    assert_eq!(verdict("skipped = \"most\""), Verdict::Reproduced);
}
