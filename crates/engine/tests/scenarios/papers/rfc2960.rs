//! Rules of RFC 2960, which the papers' simulators implement.

use crate::prelude::*;

const PMDCS: u64 = 1468;

fn options() -> Options {
    parsed("profile=rfc2960,heartbeats=off")
}

#[test]
fn the_first_window_is_two_packets_and_the_receive_window_64_kib() {
    let mut world = Setup::with(options()).established();
    assert_eq!(world.first_path(A).cwnd, 2 * PMDCS);
    assert_eq!(world.stats(A).peer_rwnd, 65_536);
}

#[test]
fn the_fourth_missing_report_brings_a_fast_retransmission() {
    let (mut world, peer) = Peer::serving(Options {
        window_rules: Profile::Rfc9260.options().window_rules,
        max_burst: None,
        ..options()
    });
    world.send_times(A, 20, &blob(0, 1452));
    world.run_for(ms(30));
    peer.send_sack(&mut world, 3);
    world.run_for(ms(30));
    for last in 2..=5 {
        assert_eq!(world.first_path(A).fast_retransmissions, 0);
        peer.send_sack_with(&mut world, 3, 1 << 20, &[(2, last)]);
        world.run_for(ms(25));
    }
    assert_eq!(world.first_path(A).fast_retransmissions, 1);
}

/// Two confirmed paths; A's 31st packet with DATA is lost.
fn lossy_with_two_paths(fast_retransmissions: FastRetransmissions) -> World {
    let options = Options {
        fast_retransmissions,
        ..Profile::Rfc2960.options()
    };
    let mut world = Setup::with(options)
        .paths(2)
        .linked(|link| link.rate = Some(20_000_000))
        .confirmed();
    world.send_times(A, 30, &blob(0, 1452));
    world.run_for(ms(500));
    world.drop_next(A, ChunkType::DATA, 1);
    world.send_times(A, 60, &blob(0, 1452));
    world.run_for(ms(500));
    assert_eq!(world.messages(Z).len(), 90);
    world
}

// RFC 2960 §6.4
#[test]
fn a_fast_retransmission_takes_another_path() {
    let mut world = lossy_with_two_paths(Profile::Rfc2960.options().fast_retransmissions);
    assert_eq!(world.path(A, address(Z, 2)).fast_retransmissions, 1);
    assert_eq!(world.first_path(A).retransmissions, 0);
    assert_eq!(world.stats(A).timeouts, 0);
}

// RFC 9260 §6.4
#[test]
fn by_todays_rules_it_stays_on_its_path() {
    let mut world = lossy_with_two_paths(Profile::Rfc9260.options().fast_retransmissions);
    assert_eq!(world.first_path(A).fast_retransmissions, 1);
    assert_eq!(world.path(A, address(Z, 2)).retransmissions, 0);
}
