use alloc::vec::Vec;

use bytes::Bytes;

use super::*;

const HERE: PathIndex = PathIndex(0);
const THERE: PathIndex = PathIndex(1);

fn queue(waiting: &[(PathIndex, Control)]) -> ControlQueue {
    let mut queue = ControlQueue::EMPTY;
    for (path, control) in waiting {
        queue.push((*path, None), control.clone());
    }
    queue
}

/// Removes all queued chunks.
fn drain(mut queue: ControlQueue) -> Vec<(PathIndex, Control)> {
    let mut all = Vec::new();
    while let Some((path, control)) = queue.front() {
        all.push((path, control.clone()));
        queue.pop();
    }
    all
}

fn error(number: u8) -> Control {
    Control::Error(Bytes::copy_from_slice(&[number]))
}

fn asconf() -> Control {
    Control::Asconf(Bytes::new())
}

#[test]
fn chunks_leave_in_the_order_in_which_they_were_asked_for() {
    let asked = [
        (HERE, Control::CookieAck),
        (THERE, Control::Heartbeat),
        (HERE, Control::Shutdown),
    ];
    assert_eq!(drain(queue(&asked)), asked);
}

#[test]
fn a_chunk_waits_for_a_path_once() {
    let asked = [
        (HERE, Control::Heartbeat),
        (THERE, Control::Heartbeat),
        (HERE, Control::Heartbeat),
    ];
    assert_eq!(drain(queue(&asked)), asked[..2]);
}

#[test]
fn errors_with_different_causes_are_different_chunks() {
    assert_eq!(queue(&[(HERE, error(1)), (HERE, error(2))]).len(), 2);
}

#[test]
fn a_full_queue_takes_nothing_more_but_at_its_front() {
    let asked: Vec<_> = (0..=u8::MAX).map(|number| (HERE, error(number))).collect();
    let mut queue = queue(&asked);
    assert_eq!(queue.len(), MAX_WAITING);
    queue.push_front(HERE, Control::CookieAck);
    assert_eq!(queue.front(), Some((HERE, &Control::CookieAck)));
}

#[test]
fn the_next_chunk_is_that_of_its_path_only() {
    let queue = queue(&[(HERE, Control::Shutdown), (THERE, Control::Cwr)]);
    assert_eq!(queue.front_on(HERE), Some(&Control::Shutdown));
    assert_eq!(queue.front_on(THERE), None);
}

#[test]
fn a_chunk_that_waits_is_hastened() {
    let mut queue = queue(&[(HERE, Control::Shutdown), (HERE, Control::Heartbeat)]);
    queue.hasten(HERE, Control::Heartbeat);
    let expected = [(HERE, Control::Heartbeat), (HERE, Control::Shutdown)];
    assert_eq!(drain(queue), expected);
}

#[test]
fn a_chunk_that_does_not_wait_is_not_hastened() {
    let mut queue = queue(&[(THERE, Control::Heartbeat)]);
    queue.hasten(HERE, Control::Heartbeat);
    assert_eq!(drain(queue), [(THERE, Control::Heartbeat)]);
}

#[test]
fn a_chunk_is_unqueued_for_all_paths_and_withdrawn_from_one() {
    let asked = [(HERE, Control::Heartbeat), (THERE, Control::Heartbeat)];
    let mut one = queue(&asked);
    one.withdraw(HERE, &Control::Heartbeat);
    assert_eq!(drain(one), asked[1..]);
    let mut all = queue(&asked);
    all.unqueue(&Control::Heartbeat);
    assert!(all.is_empty());
}

#[test]
fn chunks_for_a_path_that_leaves_go_with_it() {
    let asked = [(HERE, Control::Heartbeat), (THERE, Control::Cwr)];
    let mut queue = queue(&asked);
    queue.leave_path(HERE);
    assert_eq!(drain(queue), asked[1..]);
}

#[test]
fn forgotten_requests_leave_other_chunks_alone() {
    let mut queue = queue(&[(HERE, asconf()), (THERE, Control::Cwr)]);
    queue.forget_asconf();
    assert_eq!(drain(queue), [(THERE, Control::Cwr)]);
}

#[test]
fn a_queue_that_was_emptied_holds_no_memory() {
    let full = || queue(&[(HERE, asconf())]);
    let ways: [fn(&mut ControlQueue); 5] = [
        ControlQueue::pop,
        ControlQueue::clear,
        ControlQueue::forget_asconf,
        |queue| queue.unqueue(&asconf()),
        |queue| queue.leave_path(HERE),
    ];
    for empty in ways {
        let mut queue = full();
        assert!(queue.footprint() > 0);
        empty(&mut queue);
        assert_eq!(queue.footprint(), 0);
        empty(&mut queue);
        assert_eq!(queue.footprint(), 0);
    }
}
