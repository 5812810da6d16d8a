use super::*;

/// A list of `count` no-op wakers.
fn waiting(count: usize) -> Vec<Waker> {
    vec![Waker::noop().clone(); count]
}

#[test]
fn an_answer_waits_until_enough_has_arrived() {
    let mut coalescing = ReceiveCoalescing::default();
    assert!(!coalescing.has_unanswered());
    assert_eq!(coalescing.add(MAX_UNANSWERED / 2, 1), Answer::Later);
    assert!(coalescing.has_unanswered());
    assert_eq!(coalescing.add(MAX_UNANSWERED / 2, 1), Answer::Now);
    coalescing.on_answered();
    assert!(!coalescing.has_unanswered());
    assert_eq!(coalescing.add(1, 1), Answer::Later);
}

#[test]
fn more_associations_may_leave_more_unanswered_up_to_a_limit() {
    let mut coalescing = ReceiveCoalescing::default();
    assert_eq!(coalescing.add(MAX_UNANSWERED, 2), Answer::Later);
    assert_eq!(coalescing.add(MAX_UNANSWERED, 2), Answer::Now);
    let mut coalescing = ReceiveCoalescing::default();
    assert_eq!(coalescing.add(LIMIT, 100_000), Answer::Now);
}

#[test]
fn without_associations_the_answer_is_due_at_once() {
    assert_eq!(ReceiveCoalescing::default().add(1, 0), Answer::Now);
}

#[test]
fn readers_are_woken_when_enough_has_arrived_for_each() {
    let mut coalescing = ReceiveCoalescing::default();
    let mut awake = waiting(2);
    coalescing.add(MAX_UNANNOUNCED, 2);
    coalescing.defer(&mut awake);
    assert!(awake.is_empty());
    coalescing.add(MAX_UNANNOUNCED, 2);
    coalescing.defer(&mut awake);
    assert_eq!(awake.len(), 2);
}

#[test]
fn no_deferred_wake_up_is_lost() {
    let mut coalescing = ReceiveCoalescing::default();
    coalescing.add(1, 1);
    coalescing.defer(&mut waiting(1));
    let mut awake = waiting(1);
    coalescing.flush(&mut awake);
    assert_eq!(awake.len(), 2);
    awake.clear();
    coalescing.flush(&mut awake);
    assert!(awake.is_empty());
}
