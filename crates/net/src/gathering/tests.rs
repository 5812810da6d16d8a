use super::*;

/// That many who wait.
fn waiting(count: usize) -> Vec<Waker> {
    vec![Waker::noop().clone(); count]
}

#[test]
fn an_answer_waits_while_little_has_come() {
    let mut gathering = Gathering::default();
    assert!(!gathering.owes_answers());
    assert_eq!(gathering.add(UNANSWERED / 2, 1), Answer::Later);
    assert!(gathering.owes_answers());
    assert_eq!(gathering.add(UNANSWERED / 2, 1), Answer::Now);
    gathering.on_answered();
    assert!(!gathering.owes_answers());
    assert_eq!(gathering.add(1, 1), Answer::Later);
}

#[test]
fn more_may_come_for_more_associations_up_to_a_limit() {
    let mut gathering = Gathering::default();
    assert_eq!(gathering.add(UNANSWERED, 2), Answer::Later);
    assert_eq!(gathering.add(UNANSWERED, 2), Answer::Now);
    let mut gathering = Gathering::default();
    assert_eq!(gathering.add(MOST, 100_000), Answer::Now);
}

#[test]
fn nobody_waits_without_associations() {
    assert_eq!(Gathering::default().add(1, 0), Answer::Now);
}

#[test]
fn sleepers_are_woken_when_enough_has_come_for_each_of_them() {
    let mut gathering = Gathering::default();
    let mut awake = waiting(2);
    gathering.add(UNTOLD, 2);
    gathering.put_off(&mut awake);
    assert!(awake.is_empty());
    gathering.add(UNTOLD, 2);
    gathering.put_off(&mut awake);
    assert_eq!(awake.len(), 2);
}

#[test]
fn all_who_sleep_are_told_in_the_end() {
    let mut gathering = Gathering::default();
    gathering.add(1, 1);
    gathering.put_off(&mut waiting(1));
    let mut awake = waiting(1);
    gathering.tell(&mut awake);
    assert_eq!(awake.len(), 2);
    awake.clear();
    gathering.tell(&mut awake);
    assert!(awake.is_empty());
}
