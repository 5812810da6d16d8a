//! The rules of RFC 2960, by which the simulators of the papers went.

use sheave_engine::{Heartbeats, Options, Profile};

use crate::world::{A, Peer, Setup, Z, address, blob, ms};

const PMDCS: u64 = 1468;

fn options() -> Options {
    Options {
        heartbeats: Heartbeats::Off,
        ..Profile::Rfc2960.options()
    }
}

#[test]
fn the_first_window_is_two_packets_and_the_receive_window_64_kib() {
    let mut world = Setup::with(options()).established();
    assert_eq!(world.path(A, address(Z, 1)).cwnd, 2 * PMDCS);
    assert_eq!(world.stats(A).peer_rwnd, 65_536);
}

#[test]
fn the_fourth_missing_report_brings_a_fast_retransmission() {
    let (mut world, peer) = Peer::serving(Options {
        window_rules: Options::default().window_rules,
        max_burst: None,
        ..options()
    });
    for _ in 0..20 {
        world.send(A, blob(0, 1452));
    }
    world.run_for(ms(30));
    peer.send_sack(&mut world, 3);
    world.run_for(ms(30));
    for last in 2..=5 {
        assert_eq!(world.path(A, address(Z, 1)).fast_retransmissions, 0);
        peer.send_sack_with(&mut world, 3, 1 << 20, &[(2, last)]);
        world.run_for(ms(25));
    }
    assert_eq!(world.path(A, address(Z, 1)).fast_retransmissions, 1);
}
