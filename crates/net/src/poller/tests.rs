use sheave_engine::Time;

use super::{BATCHES, LATE, Poller, Spinning};

#[test]
fn a_socket_that_always_has_more_does_not_keep_another_waiting() {
    let mut poller = Poller::new();
    poller.begin([0, 1].into_iter());
    let mut turns = Vec::new();
    while let Some(position) = poller.next_socket() {
        turns.push(position);
        if position == 0 {
            poller.ready.push_back(position);
        }
    }
    assert_eq!(turns[..3], [0, 1, 0]);
    assert_eq!(turns.len(), BATCHES);
}

#[test]
fn every_socket_with_packets_gets_a_turn_however_many_there_are() {
    let mut poller = Poller::new();
    poller.begin(0..3 * BATCHES);
    let mut turns = 0;
    while let Some(position) = poller.next_socket() {
        assert_eq!(position, turns);
        turns += 1;
        poller.ready.push_back(position);
    }
    assert_eq!(turns, 3 * BATCHES);
}

#[test]
fn a_late_timer_waits_for_one_check_of_the_sockets() {
    let mut poller = Poller::new();
    let due = Time::from_millis(1000);
    assert!(poller.checks_sockets_first(Some(due), due + 20 * LATE));
    assert!(!poller.checks_sockets_first(Some(due), due + 21 * LATE));
    assert!(poller.checks_sockets_first(Some(due), due + 20 * LATE));
    // The received packet stopped the timer; the next late timer is a different one.
    assert!(!poller.checks_sockets_first(None, due + 21 * LATE));
    assert!(poller.checks_sockets_first(Some(due), due + 22 * LATE));
}

#[test]
fn a_timer_on_time_does_not_wait_for_the_sockets() {
    let mut poller = Poller::new();
    let due = Time::from_millis(1000);
    assert!(!poller.checks_sockets_first(Some(due), due + LATE / 2));
}

#[test]
fn staying_awake_in_vain_becomes_rare_and_a_find_makes_it_usual_again() {
    let mut spinning = Spinning::default();
    let mut attempts = 0;
    for _ in 0..10_000 {
        if spinning.is_due() {
            attempts += 1;
            spinning.on_vain();
        }
    }
    assert!((40..60).contains(&attempts), "{attempts}");
    spinning = Spinning::default();
    assert!(spinning.is_due() && spinning.is_due());
}
