use super::{MtuSearch, MtuState, SearchRange};

const BOUNDS: SearchRange = SearchRange {
    least: 576,
    base: 1200,
    most: 9000,
};

/// Simulates a path with an MTU of `path` bytes. Returns the number of probes sent.
fn search_on(path: u16, search: &mut MtuSearch) -> usize {
    let mut probes = 0;
    while let Some(size) = search.due() {
        probes += 1;
        assert!(probes < 100, "no end: {search:?}");
        let nonce = search.on_sent(probes as u64).unwrap();
        if size <= path {
            assert!(search.on_answer(nonce));
        } else {
            search.on_silence();
        }
    }
    probes
}

fn found(path: u16) -> (u16, usize, MtuState) {
    let mut search = MtuSearch::new(1500, BOUNDS);
    let probes = search_on(path, &mut search);
    (search.using(), probes, search.state())
}

#[test]
fn the_search_ends_within_a_few_bytes_of_the_path_mtu() {
    for path in [
        576, 600, 1000, 1200, 1280, 1300, 1400, 1492, 1500, 4352, 8999, 9000,
    ] {
        let (using, probes, state) = found(path);
        assert!(using <= path && using + 8 > path, "{path}: {using}");
        assert_eq!(state, MtuState::Complete, "{path}");
        assert!(probes <= 40, "{path}: {probes} probes");
    }
}

#[test]
fn a_cautious_search_uses_long_packets_once_a_probe_was_answered() {
    for path in [1280, 1300, 1492, 1500, 9000] {
        let bounds = SearchRange {
            least: 1280,
            base: 1280,
            ..BOUNDS
        };
        let mut search = MtuSearch::cautious(1500, bounds);
        assert_eq!((search.using(), search.due()), (1280, Some(1500)));
        search_on(path, &mut search);
        let using = search.using();
        assert!(using <= path && using + 8 > path, "{path}: {using}");
    }
}

#[test]
fn a_cautious_search_heeds_a_router_at_the_first_probe() {
    let mut search = MtuSearch::cautious(1500, BOUNDS);
    search.on_sent(1);
    search.on_too_big(1300);
    assert_eq!((search.using(), search.due()), (576, Some(1300)));
    search.on_sent(2);
    assert!(search.on_answer(2));
    assert_eq!(search.using(), 1300);
}

#[test]
fn common_sizes_are_found_exactly() {
    for path in [1280, 1400, 1420, 1492, 1500, 9000] {
        assert_eq!(found(path).0, path);
    }
}

#[test]
fn a_search_that_may_not_go_further_takes_one_probe() {
    let bounds = SearchRange {
        most: 1500,
        ..BOUNDS
    };
    let mut search = MtuSearch::new(1500, bounds);
    assert_eq!(search_on(1500, &mut search), 1);
    assert_eq!(search.state(), MtuState::Complete);
}

#[test]
fn a_path_that_answers_nothing_leaves_the_size_as_it_is() {
    let (using, probes, state) = found(0);
    assert_eq!((using, probes, state), (1500, 9, MtuState::Error));
}

#[test]
fn after_an_error_the_search_begins_anew_when_data_gets_through() {
    let mut search = MtuSearch::new(1500, BOUNDS);
    search_on(0, &mut search);
    assert!(search.is_troubled());
    search.on_progress();
    search_on(1500, &mut search);
    assert_eq!(search.using(), 1500);
    assert_eq!(search.state(), MtuState::Complete);
}

/// A search that is complete at 1500.
fn complete() -> MtuSearch {
    let mut search = MtuSearch::new(1500, BOUNDS);
    search_on(1500, &mut search);
    search
}

/// T3-rtx expires for a packet of `size` bytes, the only one in flight.
fn lose(search: &mut MtuSearch, size: usize) {
    search.on_data_packet(size, 1000);
    search.on_timeout(1000);
}

#[test]
fn a_packet_that_is_short_is_no_sign_of_a_black_hole() {
    let mut search = complete();
    lose(&mut search, 1200);
    let nonce = search.on_sent(1).unwrap();
    search.on_answer(nonce);
    lose(&mut search, 1200);
    assert_eq!(search.using(), 1500);
}

#[test]
fn a_path_that_narrows_once_a_probe_was_answered_is_probed_again() {
    let mut search = complete();
    lose(&mut search, 1500);
    let nonce = search.on_sent(1).unwrap();
    search.on_answer(nonce);
    for nonce in [2, 3] {
        lose(&mut search, 1000);
        search.on_sent(nonce);
    }
    assert!(search.on_answer(3));
    lose(&mut search, 1000);
    assert_eq!(search.using(), 576);
}

#[test]
fn a_packet_that_others_follow_is_no_sign_of_a_black_hole() {
    let mut search = complete();
    lose(&mut search, 1500);
    let nonce = search.on_sent(1).unwrap();
    search.on_answer(nonce);
    search.on_data_packet(1500, 1000);
    search.on_data_packet(300, 1200);
    search.on_timeout(1200);
    assert_eq!(search.using(), 1500);
}

#[test]
fn progress_ends_a_suspicion() {
    let mut search = complete();
    lose(&mut search, 1500);
    let nonce = search.on_sent(1).unwrap();
    search.on_answer(nonce);
    search.on_progress();
    lose(&mut search, 1500);
    assert_eq!(search.using(), 1500);
}

#[test]
fn the_least_size_is_tried_if_the_base_size_does_not_get_through() {
    let mut search = complete();
    for _ in 0..3 {
        lose(&mut search, 1500);
        search.on_sent(1);
    }
    assert!(search.on_answer(1));
    lose(&mut search, 1500);
    assert_eq!(search.using(), 576);
    search_on(1000, &mut search);
    assert!((993..=1000).contains(&search.using()));
}

#[test]
fn a_router_is_believed_within_bounds() {
    let mut search = complete();
    for mtu in [0, 575, 1500, 9000, 65535] {
        search.on_too_big(mtu);
        assert_eq!((search.using(), search.due()), (1500, None), "{mtu}");
    }
    search.on_too_big(1300);
    assert_eq!((search.using(), search.due()), (1300, Some(1300)));
    search_on(1300, &mut search);
    assert_eq!(search.using(), 1300);
    assert_eq!(search.state(), MtuState::Complete);
}

#[test]
fn a_router_ends_the_probes_of_a_size() {
    let mut search = MtuSearch::new(1500, BOUNDS);
    search.on_sent(1);
    search.on_answer(1);
    assert_eq!(search.due(), Some(2002));
    search.on_sent(2);
    search.on_too_big(1600);
    assert_eq!(search_on(1600, &mut search), 1);
    assert_eq!(search.using(), 1600);
}

#[test]
fn after_a_while_larger_sizes_are_tried_again() {
    let mut search = complete();
    assert_eq!(search.due(), None);
    search.on_raise();
    search_on(9000, &mut search);
    assert_eq!(search.using(), 9000);
}
