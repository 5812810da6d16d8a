use std::net::SocketAddr;

use super::super::answer::Accepted;
use super::super::probe::Reply;
use super::*;

fn heard(length: Option<usize>) -> Heard {
    let from: SocketAddr = "192.0.2.1:9899".parse().unwrap();
    Heard {
        answer: length.map(|length| Reply {
            answer: Answer::Accepted(Accepted::default()),
            from,
            rtt: Duration::from_millis(1),
            length,
        }),
        ..Heard::default()
    }
}

fn found(up: usize, reported: Option<usize>, down: Down) -> Check {
    PathMtu {
        link: 1500,
        up: Some(up),
        reported,
        down,
    }
    .check()
}

#[test]
fn sizes_end_with_the_link_and_are_packets_that_sctp_can_have() {
    assert_eq!(sizes(1500).last(), Some(&1500));
    assert_eq!(sizes(1406).last(), Some(&1404));
    assert_eq!(sizes(65_536).last(), Some(&9000));
    assert!(sizes(9001).iter().all(|size| size % 4 == 0));
}

#[test]
fn the_largest_size_that_was_answered_is_the_way_there() {
    let answers = [heard(Some(300)), heard(Some(300)), heard(None)];
    assert_eq!(largest(&[576, 1280, 1500], &answers), Some(1280));
}

#[test]
fn a_peer_that_keeps_its_answers_short_says_nothing_of_the_way_back() {
    let wanted = [1280, 1500];
    let short = [heard(Some(300)), heard(Some(300))];
    assert_eq!(judge_down(300, &wanted, &short), Down::NoEcho);
    let capped = [heard(Some(1280)), heard(Some(1280))];
    assert_eq!(judge_down(300, &wanted, &capped), Down::NoEcho);
}

#[test]
fn answers_that_stop_at_a_size_are_told_from_those_that_all_come() {
    let wanted = [576, 1280, 1500];
    let all = [576, 1280, 1500].map(|length| heard(Some(length)));
    assert_eq!(judge_down(300, &wanted, &all), Down::All(1500));
    let stops = [heard(Some(576)), heard(Some(1280)), heard(None)];
    assert_eq!(judge_down(300, &wanted, &stops), Down::Stops(1280));
}

#[test]
fn a_path_that_swallows_large_packets_is_to_be_known_unless_a_router_tells() {
    assert_eq!(found(1500, None, Down::All(1500)).state, State::Ok);
    assert_eq!(found(1400, Some(1400), Down::All(1400)).state, State::Ok);
    let hole = found(1400, None, Down::All(1400));
    assert_eq!(hole.state, State::Warn);
    assert!(hole.fix.unwrap().contains("mtu 1400"));
}

// An interface with more than was asked made every path a black hole.
#[test]
fn an_interface_that_takes_more_than_is_asked_is_no_obstacle() {
    for (link, up, state) in [
        (65_536, 9000, State::Ok),
        (9216, 9000, State::Ok),
        (65_536, 4000, State::Warn),
        (1499, 1496, State::Ok),
    ] {
        let check = PathMtu {
            link,
            up: Some(up),
            reported: None,
            down: Down::All(up),
        }
        .check();
        assert_eq!(check.state, state, "{up} of {link}");
    }
}

#[test]
fn a_way_back_that_is_narrower_is_to_be_known() {
    let check = found(1500, None, Down::Stops(1400));
    assert_eq!(check.state, State::Warn);
    assert!(check.means.contains("from there"), "{}", check.means);
}

#[test]
fn a_cookie_that_holds_the_init_makes_answers_grow_twice() {
    let once = Echo::of(300, 300 + 72).unwrap();
    assert_eq!(once.filling(1500), Some(Filling::Reported(1192)));
    let twice = Echo::of(300, 300 + 72 + 68).unwrap();
    assert_eq!(twice.filling(1500), Some(Filling::Reported(592)));
    assert_eq!(Echo::of(300, 304), None);
    assert_eq!(once.filling(304), None);
}

#[test]
fn questions_may_be_as_long_as_the_link_where_answers_grow_with_them() {
    let sizes = [576, 1280, 1500];
    let constant = [Some(300), Some(300), None].map(heard);
    assert_eq!(question_limit(1500, &sizes, &constant), 1280);
    let growing = [Some(900), Some(1600), None].map(heard);
    assert_eq!(question_limit(1500, &sizes, &growing), 1500);
    let one = [Some(900), None, None].map(heard);
    assert_eq!(question_limit(1500, &sizes, &one), 1500);
}
