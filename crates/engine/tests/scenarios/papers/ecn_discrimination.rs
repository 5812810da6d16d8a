//! ECN discrimination: a loss without a mark is no congestion.

use crate::prelude::*;

fn discriminating(options: &mut Options) {
    options.ecn = ExplicitCongestion::On;
    options.congestion = CongestionAlgorithm::EcnDiscrimination;
}

/// A flow of which one packet is lost, and perhaps another of the same window marked.
fn flow(setup: &Setup, marked: &[usize]) -> World {
    let mut world = setup
        .clone()
        .linked(|link| link.rate = Some(20_000_000))
        .established();
    world.mark_nth(A, marked);
    world.drop_nth(A, ChunkType::DATA, &[60]);
    world.send_times(A, 300, &blob(0, 1452));
    world.run_for(ms(1500));
    world
}

#[test]
fn a_loss_without_a_mark_is_repaired_and_cuts_nothing() {
    let mut world = flow(&Setup::quiet(discriminating), &[]);
    assert_eq!(world.messages(Z).len(), 300);
    let path = world.first_path(A);
    assert_eq!((path.fast_retransmissions, path.timeouts), (1, 0));
    assert!(path.ssthresh >= 1 << 20, "{path:?}");
}

#[test]
fn with_a_mark_in_the_same_window_it_cuts_as_usual() {
    for marked in [50, 70] {
        let mut world = flow(&Setup::quiet(discriminating), &[marked]);
        assert_eq!(world.messages(Z).len(), 300);
        assert_eq!(world.stats(A).mark_cuts, 1);
        assert!(world.first_path(A).ssthresh < 1 << 20);
    }
}

#[test]
fn to_a_peer_without_ecn_every_loss_cuts() {
    let mut setup = Setup::quiet(discriminating);
    setup.z = quiet();
    let mut world = flow(&setup, &[]);
    let path = world.first_path(A);
    assert_eq!(path.fast_retransmissions, 1);
    assert!(path.ssthresh < 1 << 20, "{path:?}");
}

// Not recommended, because drops by a queue without ECN are ignored.
#[test]
fn behind_a_queue_that_only_drops_it_never_backs_off() {
    let mut setup = Setup::quiet(discriminating);
    setup.link.rate = Some(20_000_000);
    setup.link.queue = 30 * 1500;
    let mut plain = setup.clone();
    plain.a.congestion = CongestionAlgorithm::NewReno;
    let mut lost = [plain, setup].map(|setup| {
        let mut world = setup.established();
        world.send_times(A, 3000, &blob(0, 1452));
        world.run_for(secs(60));
        assert_eq!(world.messages(Z).len(), 3000);
        world.first_path(A).retransmissions
    });
    lost[0] *= 3;
    assert!(lost[1] > lost[0], "{lost:?}");
}
