use alloc::vec::Vec;
use core::net::{IpAddr, Ipv4Addr};
use core::time::Duration;

use super::*;
use crate::PathState::{Active, Inactive, PotentiallyFailed, Unconfirmed};
use crate::{Options, PathState, PeerAddress, Time};

const FIRST: PathIndex = PathIndex(0);
const SECOND: PathIndex = PathIndex(1);
const THIRD: PathIndex = PathIndex(2);

fn address(net: u8, host: u8) -> IpAddr {
    IpAddr::V4(Ipv4Addr::new(10, 0, net, host))
}

fn path(net: u8, state: PathState) -> Path {
    let remote = PeerAddress::native(address(net, 2));
    let options = Options::default();
    Path::new(Time::ZERO, address(net, 1), remote, state, &options)
}

/// A path for each state; the nth leaves from 10.0.n.1 for 10.0.n.2.
fn paths(states: &[PathState]) -> Paths {
    let all = (0..).zip(states).map(|(net, state)| path(net, *state));
    Paths::new(all.collect())
}

fn set_errors(paths: &mut Paths, errors: &[u32]) {
    for (path, errors) in paths.iter_mut().zip(errors) {
        path.errors = *errors;
    }
}

fn set_state(paths: &mut Paths, index: PathIndex, state: PathState) {
    paths.get_mut(index).unwrap().state = state;
}

#[test]
fn a_deleted_path_keeps_its_place_and_is_not_found() {
    let mut paths = paths(&[Active, Active]);
    let gone = address(0, 2);
    assert_eq!(paths.find(gone), Some(FIRST));
    paths.get_mut(FIRST).unwrap().delete();
    assert_eq!(paths.find(gone), None);
    assert!(paths.get(FIRST).is_none());
    assert_eq!(paths.find(address(1, 2)), Some(SECOND));
    assert_eq!((paths.len(), paths.existing().count()), (2, 1));
}

#[test]
fn a_vacant_place_is_taken_again_under_its_number() {
    let mut paths = paths(&[Active, Active, Active]);
    assert_eq!(paths.vacant(), None);
    paths.get_mut(SECOND).unwrap().delete();
    assert_eq!(paths.vacant(), Some(SECOND));
    paths.replace(SECOND, path(7, Unconfirmed));
    assert_eq!(paths.find(address(7, 2)), Some(SECOND));
    assert_eq!(paths.push(path(8, Unconfirmed)), PathIndex(3));
}

#[test]
fn new_data_goes_to_the_active_path_with_the_fewest_errors() {
    let mut paths = paths(&[Inactive, Active, Active]);
    set_errors(&mut paths, &[0, 2, 1]);
    paths.choose_current();
    assert_eq!(paths.current(), THIRD);
}

#[test]
fn new_data_stays_where_it_was_if_no_path_is_better() {
    let mut paths = paths(&[Inactive, Unconfirmed, Inactive]);
    paths.set_current(THIRD);
    paths.choose_current();
    assert_eq!(paths.current(), THIRD);
}

#[test]
fn without_active_paths_the_potentially_failed_one_in_use_stays_in_use() {
    let mut paths = paths(&[Inactive, PotentiallyFailed, PotentiallyFailed]);
    paths.set_current(THIRD);
    paths.choose_current();
    assert_eq!(paths.current(), THIRD);
    set_errors(&mut paths, &[0, 1, 2]);
    paths.choose_current();
    assert_eq!(paths.current(), SECOND);
}

#[test]
fn resumed_paths_begin_with_the_primary_one_if_it_is_active() {
    let states = [Active, Active, Inactive];
    let list = || paths(&states).iter().cloned().collect::<Vec<_>>();
    let resumed = Paths::resume(list(), SECOND);
    assert_eq!((resumed.current(), resumed.sack_path()), (SECOND, SECOND));
    let resumed = Paths::resume(list(), THIRD);
    assert_eq!((resumed.current(), resumed.sack_path()), (FIRST, THIRD));
}

#[test]
fn timed_out_data_goes_to_the_next_best_path() {
    for (states, from, to) in [
        // The other active paths in turn.
        ([Active, Active, Active], FIRST, SECOND),
        ([Active, Active, Active], SECOND, THIRD),
        ([Active, Active, Active], THIRD, FIRST),
        // The only active path.
        ([Active, PotentiallyFailed, Unconfirmed], FIRST, FIRST),
        // A potentially failed path before an inactive one.
        ([Inactive, Inactive, PotentiallyFailed], FIRST, THIRD),
        // Never an unconfirmed one.
        ([Inactive, Unconfirmed, Inactive], FIRST, THIRD),
        ([Inactive, Unconfirmed, Inactive], THIRD, FIRST),
    ] {
        assert_eq!(paths(&states).alternate(from), to, "{states:?}");
    }
}

#[test]
fn timed_out_data_prefers_the_active_path_with_fewer_errors() {
    let mut paths = paths(&[Active, Active, Active]);
    set_errors(&mut paths, &[0, 3, 1]);
    assert_eq!(paths.alternate(FIRST), THIRD);
}

#[test]
fn the_only_confirmed_path_is_followed_by_itself() {
    let paths = paths(&[Unconfirmed, Active, Unconfirmed]);
    assert_eq!(paths.next_confirmed(SECOND), SECOND);
    assert_eq!(paths.next_confirmed(THIRD), SECOND);
}

#[test]
fn retransmissions_by_policy_go_to_active_paths_only() {
    let mut paths = paths(&[Active, Active, Inactive]);
    let policies = [RetransmissionPath::Same, RetransmissionPath::LargestWindow];
    let chosen = |paths: &Paths| {
        policies.map(|policy| paths.retransmission_path(FIRST, policy, Loss::GapReports))
    };
    // Among equal windows the path does not change.
    assert_eq!(chosen(&paths), [FIRST; 2]);
    set_state(&mut paths, FIRST, Inactive);
    assert_eq!(chosen(&paths), [SECOND; 2]);
}

#[test]
fn a_reply_to_an_unconfirmed_address_goes_to_the_current_path() {
    let paths = paths(&[Active, Unconfirmed, Inactive]);
    assert_eq!(paths.reply_path(SECOND), FIRST);
    assert_eq!(paths.reply_path(THIRD), THIRD);
}

#[test]
fn sacks_leave_a_path_that_fails_while_another_is_active() {
    let mut paths = paths(&[Active, Inactive]);
    paths.choose_sack_path(SECOND, None, Repeated::No);
    assert_eq!(paths.sack_path(), FIRST);
    set_state(&mut paths, FIRST, Inactive);
    paths.choose_sack_path(SECOND, None, Repeated::No);
    assert_eq!(paths.sack_path(), SECOND);
}

#[test]
fn sacks_for_what_is_repeated_on_a_path_that_fails_take_both_paths_in_turn() {
    let mut paths = paths(&[Active, Inactive]);
    let by = [SECOND, FIRST, SECOND];
    for path in by {
        paths.choose_sack_path(SECOND, None, Repeated::Yes);
        assert_eq!(paths.sack_path(), path);
    }
}

#[test]
fn sacks_never_go_to_an_unconfirmed_address() {
    let mut paths = paths(&[Inactive, Unconfirmed]);
    paths.choose_sack_path(SECOND, None, Repeated::No);
    assert_eq!(paths.sack_path(), FIRST);
}

#[test]
fn the_roles_of_a_path_that_goes_fall_to_a_confirmed_one() {
    let mut paths = paths(&[Active, Unconfirmed, Inactive]);
    paths.get_mut(FIRST).unwrap().delete();
    assert_eq!(paths.leave(FIRST), Some(THIRD));
    let roles = [paths.primary(), paths.current(), paths.sack_path()];
    assert_eq!(roles, [THIRD; 3]);
}

#[test]
fn the_roles_of_the_last_confirmed_path_fall_to_an_unconfirmed_one() {
    let mut paths = paths(&[Active, Unconfirmed]);
    paths.get_mut(FIRST).unwrap().delete();
    assert_eq!(paths.leave(FIRST), Some(SECOND));
    assert_eq!(paths.current(), SECOND);
}

#[test]
fn the_last_path_of_all_keeps_its_roles() {
    let mut paths = paths(&[Active]);
    paths.get_mut(FIRST).unwrap().delete();
    assert_eq!(paths.leave(FIRST), None);
    assert_eq!(paths.current(), FIRST);
}

#[test]
fn an_address_of_ours_is_taken_by_other_active_paths_only() {
    let mut paths = paths(&[Active, Active]);
    assert!(paths.is_taken(address(0, 1), SECOND));
    assert!(!paths.is_taken(address(0, 1), FIRST));
    set_state(&mut paths, FIRST, Inactive);
    assert!(!paths.is_taken(address(0, 1), SECOND));
}

#[test]
fn an_answer_clears_the_errors_of_all_paths_together() {
    let mut paths = paths(&[Active, Active]);
    paths.count_error();
    paths.count_error();
    assert_eq!(paths.errors(), 2);
    paths.clear_errors();
    assert_eq!(paths.errors(), 0);
}

/// Paths of which the second has the shortest RTO, and that RTO.
fn paths_with_timeouts() -> (Paths, Duration) {
    let mut paths = paths(&[Active, Active]);
    let options = Options::default();
    paths.get_mut(FIRST).unwrap().rto.back_off(&options);
    let shortest = paths.get(SECOND).unwrap().rto.rto();
    assert!(paths.get(FIRST).unwrap().rto.rto() > shortest);
    (paths, shortest)
}

#[test]
fn heartbeats_beyond_the_limit_wait_for_the_next_burst() {
    let (mut paths, pause) = paths_with_timeouts();
    let began = Time::from_millis(10);
    let later = Time::from_millis(20);
    assert_eq!(paths.count_heartbeat(began, 2), Ok(()));
    assert_eq!(paths.count_heartbeat(later, 2), Ok(()));
    assert_eq!(paths.count_heartbeat(later, 2), Err(began + pause));
}

#[test]
fn a_burst_of_heartbeats_lasts_for_the_shortest_timeout() {
    let (mut paths, pause) = paths_with_timeouts();
    let began = Time::from_millis(10);
    let next = began + pause;
    let just_before = Time::from_nanos(next.as_nanos() - 1);
    assert_eq!(paths.count_heartbeat(began, 1), Ok(()));
    assert_eq!(paths.count_heartbeat(just_before, 1), Err(next));
    assert_eq!(paths.count_heartbeat(next, 1), Ok(()));
    assert_eq!(paths.count_heartbeat(next, 1), Err(next + pause));
}

#[test]
fn restarted_paths_give_their_roles_to_the_first_and_keep_the_burst() {
    let mut paths = paths(&[Active, Active]);
    paths.set_primary(SECOND);
    assert_eq!(paths.count_heartbeat(Time::ZERO, 1), Ok(()));
    paths.restart(alloc::vec![path(5, Active), path(6, Unconfirmed)]);
    assert_eq!((paths.primary(), paths.current()), (FIRST, FIRST));
    assert!(paths.count_heartbeat(Time::ZERO, 1).is_err());
}
