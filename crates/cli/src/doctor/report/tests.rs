use super::*;

fn check(state: State, fix: Option<&str>) -> Check {
    let check = Check::new(state, "A name", "saw this", "means that");
    match fix {
        Some(fix) => check.fix(fix),
        None => check,
    }
}

#[test]
fn the_worst_finding_makes_the_exit_code() {
    let code = |states: &[State]| {
        let checks: Vec<_> = states.iter().map(|&state| check(state, None)).collect();
        exit(&checks).code()
    };
    assert_eq!(code(&[]), 0);
    assert_eq!(code(&[State::Ok, State::Unknown]), 0);
    assert_eq!(code(&[State::Warn, State::Ok]), 1);
    assert_eq!(code(&[State::Bad, State::Warn]), 2);
}

#[test]
fn the_next_command_is_that_of_the_worst_finding() {
    let checks = [
        check(State::Warn, Some("a warning's")),
        check(State::Bad, None),
        check(State::Bad, Some("the worst one's")),
    ];
    assert_eq!(next(&checks), Some("the worst one's"));
    assert_eq!(next(&checks[..2]), Some("a warning's"));
    assert_eq!(next(&[check(State::Ok, Some("nobody's"))]), None);
}

#[test]
fn a_finding_that_is_well_takes_one_line_unless_all_is_wanted() {
    let well = check(State::Ok, Some("nothing"));
    assert_eq!(
        text(&well, Detail::Short),
        "ok      A name            saw this"
    );
    assert_eq!(text(&well, Detail::Full).lines().count(), 3);
}

#[test]
fn a_finding_that_is_not_well_says_meaning_and_remedy() {
    let text = text(&check(State::Warn, Some("do it")), Detail::Short);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[1].trim(), "means that");
    assert_eq!(lines[2].trim(), "fix: do it");
}

#[test]
fn long_text_is_folded_between_words() {
    let mut lines = Vec::new();
    fold(&mut lines, "beginning", &"word ".repeat(40));
    assert!(lines.len() > 2);
    assert!(lines.iter().all(|line| line.len() <= WIDTH), "{lines:?}");
    assert!(lines[1].starts_with(&" ".repeat(INDENT)), "{lines:?}");
}
