use super::*;

fn answers(rule: &mut GoBackN, sacks: &[Cumulative]) -> usize {
    sacks
        .iter()
        .filter(|sack| rule.shows_loss(**sack, 3))
        .count()
}

const REPEAT: Cumulative = Cumulative::Unmoved;
const ADVANCE: Cumulative = Cumulative::Advanced;

#[test]
fn the_third_repeat_shows_a_loss() {
    let mut rule = GoBackN::new();
    assert_eq!(answers(&mut rule, &[REPEAT, REPEAT]), 0);
    assert!(rule.shows_loss(REPEAT, 3));
}

#[test]
fn an_advance_starts_the_count_over() {
    let mut rule = GoBackN::new();
    let sacks = [REPEAT, REPEAT, ADVANCE, REPEAT, REPEAT];
    assert_eq!(answers(&mut rule, &sacks), 0);
    assert!(rule.shows_loss(REPEAT, 3));
}

#[test]
fn repeats_after_going_back_mean_nothing_until_an_advance() {
    let mut rule = GoBackN::new();
    assert_eq!(answers(&mut rule, &[REPEAT; 50]), 1);
    assert_eq!(answers(&mut rule, &[ADVANCE, REPEAT, REPEAT, REPEAT]), 1);
}

#[test]
fn after_a_timeout_repeats_mean_nothing_until_an_advance() {
    let mut rule = GoBackN::new();
    rule.on_timeout(PathIndex(0), 0, Time::ZERO);
    assert_eq!(answers(&mut rule, &[REPEAT; 9]), 0);
}
