use crate::scenario::{Axis, Case, ScenarioError, read};

const LINKS: &str = r#"
    duration = "1 s"
    hosts = ["A", "B"]
    [link.one]
    ends = ["A", "B"]
    rate = "1 Mbit/s"
    [link.two]
    ends = ["A", "B"]
    rate = "1 Mbit/s"
    [flow.main]
    from = "A"
    to = "B"
    workload = { kind = "bulk", message = 1000 }
"#;

fn swept(sweep: &str) -> Result<Vec<Case>, ScenarioError> {
    read(&format!("{LINKS}{sweep}"))
}

fn values(cases: &[Case]) -> Vec<Vec<String>> {
    let texts = |case: &Case| case.settings.iter().map(|(_, text)| text.clone()).collect();
    cases.iter().map(texts).collect()
}

fn case_value(case: &Case, place: usize) -> &str {
    &case.settings[place].1
}

#[test]
fn several_keys_get_the_same_value() {
    let cases = swept("[sweep]\n\"link.one.delay, link.two.delay\" = [\"1 ms\", \"2 ms\"]");
    let cases = cases.expect("a sweep");
    assert_eq!(values(&cases), [["1 ms", "1 ms"], ["2 ms", "2 ms"]]);
    let links = &cases[1].scenario.links;
    assert_eq!(links[0].there.delay, links[1].there.delay);
    assert_eq!(cases[0].axes, [Axis::Listed(0), Axis::Listed(0)]);
}

#[test]
fn zipped_keys_change_together_and_are_combined_with_the_others() {
    let cases = swept(
        r#"
        [sweep]
        "flow.main.transport" = ["sctp", "tcp"]
        [sweep.zip]
        "link.one.delay" = ["1 ms", "2 ms", "3 ms"]
        "link.two.loss" = ["1 %", "2 %", "3 %"]
        "#,
    );
    let cases = cases.expect("a sweep");
    let seen = values(&cases);
    assert_eq!(seen.len(), 6);
    assert_eq!(seen[1], ["sctp", "2 ms", "2 %"]);
    assert_eq!(seen[5], ["tcp", "3 ms", "3 %"]);
    assert_eq!(cases[0].axes, [0, 1, 1].map(Axis::Listed));
}

#[test]
fn several_tables_are_zipped_each_by_itself() {
    let cases = swept(
        r#"
        [[sweep.zip]]
        "link.one.delay" = ["1 ms", "2 ms"]
        "link.two.delay" = ["3 ms", "4 ms"]
        [[sweep.zip]]
        "link.one.loss" = ["1 %", "2 %"]
        "link.two.loss" = ["3 %", "4 %"]
        "#,
    );
    let cases = cases.expect("a sweep");
    assert_eq!(cases.len(), 4);
    assert_eq!(values(&cases)[2], ["2 ms", "4 ms", "1 %", "3 %"]);
}

/// Lines of a sweep, and what is said of it.
const MISTAKES: &str = r#"
[sweep.zip] | "link.one.delay" = ["1 ms"] | "link.two.delay" = ["1 ms", "2 ms"] => sweep.zip."link.two.delay": has 2 values where the keys before it have 1
[sweep] | "link.one.delay" = ["1 ms"] | "link.two.delay, link.one.delay" = ["2 ms"] => sweep."link.two.delay, link.one.delay": `link.one.delay` is swept twice
[sweep.sample] | count = 100001 | "link.one.delay" = ["1 ms"] => sweep: makes more than 100000 cases
[sweep.sample] | "link.one.delay" = ["1 ms"] => sweep.sample.count: is missing
[sweep.sample] | count = 2 | "link.one.delay" = { from = "1 ms", to = "1 s" } => sweep.sample."link.one.delay": must be two numbers, or two quantities of the same unit, and is 1 ms and 1 s
[sweep.sample] | count = 2 | "link.one.delay" = { from = "2 ms", to = "1 ms" } => sweep.sample."link.one.delay": `from` must not be above `to`
[sweep.sample] | count = 2 | "link.one.delay" = { from = "0 ms", to = "1 ms", scale = "log" } => sweep.sample."link.one.delay": `from` must be above 0 where the scale is "log"
[sweep.sample] | count = 2 | "link.one.delay" = { from = "1 ms" } => sweep.sample."link.one.delay".to: is missing
"#;

#[test]
fn mistakes_are_named() {
    for line in MISTAKES.trim().lines() {
        let (sweep, said) = line.split_once(" => ").expect("two halves");
        let error = swept(&sweep.replace(" | ", "\n")).expect_err(sweep);
        assert_eq!(error.to_string(), said);
    }
}

const SAMPLE: &str = r#"
    [sweep.sample]
    count = 400
    "link.one.delay" = { from = "1 ms", to = "100 ms" }
    "link.one.loss" = { from = "0.01 %", to = "10 %", scale = "log" }
    "flow.main.workload.message" = { from = 100, to = 103 }
    "flow.main.transport" = ["sctp", "tcp"]
"#;

#[test]
fn points_are_drawn_from_their_ranges_and_lists() {
    let cases = swept(SAMPLE).expect("a sweep");
    assert_eq!(cases.len(), 400);
    assert!(cases.iter().all(|case| case.axes == [Axis::Sampled; 4]));
    let number = |place: usize, unit: &str| -> Vec<f64> {
        let texts = cases.iter().map(|case| case_value(case, place));
        texts
            .map(|text| {
                text.trim_end_matches(unit)
                    .trim()
                    .parse()
                    .expect("a number")
            })
            .collect()
    };
    let (delays, losses) = (number(0, "ms"), number(1, "%"));
    assert!(delays.iter().all(|delay| (1.0..=100.0).contains(delay)));
    let short = delays.iter().filter(|delay| **delay < 50.5).count();
    assert!(
        (160..=240).contains(&short),
        "{short} of 400 are in the lower half"
    );
    let rare = losses.iter().filter(|loss| **loss < 0.1).count();
    assert!(
        (100..=170).contains(&rare),
        "{rare} of 400 are in the lowest of three decades"
    );
    let sizes: std::collections::BTreeSet<&str> =
        cases.iter().map(|case| case_value(case, 2)).collect();
    assert_eq!(
        sizes.into_iter().collect::<Vec<_>>(),
        ["100", "101", "102", "103"]
    );
    let tcp = cases
        .iter()
        .filter(|case| case_value(case, 3) == "tcp")
        .count();
    assert!((160..=240).contains(&tcp), "{tcp} of 400");
}

#[test]
fn the_same_seed_draws_the_same_points_whatever_else_is_drawn() {
    let delays = |sweep: &str| -> Vec<String> {
        let cases = swept(sweep).expect("a sweep");
        cases
            .iter()
            .map(|case| case_value(case, 0).to_owned())
            .collect()
    };
    let alone = "[sweep.sample]\ncount = 400\n\
                 \"link.one.delay\" = { from = \"1 ms\", to = \"100 ms\" }\n";
    assert_eq!(delays(SAMPLE), delays(alone));
    assert_ne!(delays(alone), delays(&format!("{alone}seed = 2\n")));
}

const NAMED: &str = r#"
    [let]
    slow = { rate = "1 Mbit/s", delay = "$long" }
    fast = { rate = "9 Mbit/s", delay = "1 ms" }
    long = "50 ms"
    [sweep]
    "$kind" = ["$slow", "$fast"]
"#;

/// The links with a rate and a delay by name.
fn named(names: &str) -> Result<Vec<Case>, ScenarioError> {
    let links = LINKS.replace(
        "rate = \"1 Mbit/s\"",
        "rate = \"$kind.rate\"\ndelay = \"$kind.delay\"",
    );
    read(&format!("{links}{names}"))
}

#[test]
fn a_name_stands_for_a_value_and_a_sweep_chooses_among_names() {
    let cases = named(NAMED).expect("cases");
    assert_eq!(values(&cases), [["slow"], ["fast"]]);
    assert_eq!(cases[0].settings[0].0, "kind");
    let delays = cases
        .iter()
        .map(|case| case.scenario.links[1].there.delay.base);
    assert_eq!(
        delays.collect::<Vec<_>>(),
        [50, 1].map(core::time::Duration::from_millis)
    );
}

#[test]
fn a_name_that_there_is_not_is_told_with_the_nearest() {
    let error = |from: &str, to: &str| {
        let error = named(&NAMED.replace(from, to)).expect_err("a wrong name");
        error.to_string()
    };
    assert_eq!(
        error("\"$long\"", "\"$lnog\""),
        "link.one.delay: nothing under `let` is called `lnog`; did you mean `$long`?"
    );
    assert_eq!(
        error("long = \"50 ms\"", "long = \"$long\""),
        "link.one.delay: names stand for each other in a circle"
    );
}

#[test]
fn rates_follow_each_other() {
    let text = LINKS.replacen(
        "rate = \"1 Mbit/s\"",
        "rates = [{ lasts = \"1 s\", rate = \"12.032 Mbit/s\" }, { lasts = \"1 s\", rate = \"6.016 Mbit/s\" }]",
        1,
    );
    let cases = read(&text).expect("a case");
    let crate::Pace::Trace(trace) = &cases[0].scenario.links[0].there.pace else {
        panic!("no trace");
    };
    // One packet of 1504 bytes a millisecond, then one in two.
    let lines: String = (1..=1000)
        .chain((1002..=2000).step_by(2))
        .map(|millis| format!("{millis}\n"))
        .collect();
    assert_eq!(**trace, crate::LinkTrace::parse(&lines).expect("a trace"));
    let none = text.replace("lasts = \"1 s\"", "lasts = \"0 s\"");
    assert!(read(&none).is_err());
    let back = text.replacen("rates =", "back = { rate = \"1 Mbit/s\" }\nrates =", 1);
    let links = &read(&back).expect("a case")[0].scenario.links;
    let constant = crate::Pace::Constant(crate::Bitrate::mbit(1));
    assert_eq!(links[0].back.pace, constant);
}
