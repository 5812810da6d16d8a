//! Negotiated go-back-N acknowledgement.

use crate::prelude::*;

fn go_back_n(options: &mut Options) {
    options.loss_recovery = LossRecovery::GoBackN;
}

fn gap_reports(world: &World) -> usize {
    let sacks = world.sent_with(Z, ChunkType::SACK);
    sacks
        .filter(|record| {
            record
                .sack()
                .is_some_and(|sack| !sack.gap_blocks.is_empty())
        })
        .count()
}

/// A world in which one of many packets is lost.
fn one_loss(setup: &Setup) -> World {
    let mut world = setup
        .clone()
        .linked(|link| link.rate = Some(50_000_000))
        .established();
    world.drop_nth(A, ChunkType::DATA, &[40]);
    world.send_times(A, 200, &blob(0, 1452));
    world.run_for(secs(5));
    assert_eq!(world.messages(Z).len(), 200);
    world
}

#[test]
fn everything_from_the_loss_on_is_sent_again_without_gap_reports() {
    let mut world = one_loss(&Setup::quiet(go_back_n));
    assert_eq!(gap_reports(&world), 0);
    let stats = world.stats(A);
    assert!(stats.retransmissions > 3, "{}", stats.retransmissions);
    assert_eq!(stats.timeouts, 0);
}

#[test]
fn a_loss_cuts_the_window_once() {
    let mut world = Setup::quiet(|options| {
        go_back_n(options);
        options.max_burst = None;
    })
    .linked(|link| link.rate = Some(50_000_000))
    .established();
    world.drop_nth(A, ChunkType::DATA, &[60, 62, 64]);
    world.send_times(A, 400, &blob(0, 1452));
    world.run_for(secs(20));
    assert_eq!(world.messages(Z).len(), 400);
    let path = world.first_path(A);
    assert_eq!(path.timeouts, 0);
    assert!(path.ssthresh >= 10 * 1468, "{}", path.ssthresh);
}

#[test]
fn a_peer_that_does_not_want_it_gets_plain_sctp() {
    for (a, z) in [
        (LossRecovery::GoBackN, LossRecovery::Selective),
        (LossRecovery::Selective, LossRecovery::GoBackN),
    ] {
        let mut setup = Setup::quiet(|_| {});
        setup.a.loss_recovery = a;
        setup.z.loss_recovery = z;
        let mut world = one_loss(&setup);
        assert!(gap_reports(&world) > 0);
        assert_eq!(world.stats(A).retransmissions, 1);
    }
}

#[test]
fn a_peer_that_has_never_heard_of_it_is_sent_plain_sctp() {
    let (mut world, mut peer) = Peer::serving(quiet_but(go_back_n));
    world.send_times(A, 10, &blob(0, 1452));
    world.run_for(ms(30));
    for last in 2..=6 {
        peer.send_sack_with(&mut world, 0, 1 << 20, &[(2, last.min(3))]);
        world.run_for(ms(1));
    }
    peer.expect_alive(&mut world);
    assert!(world.is_open(A));
}

// Data that overtakes a retransmission on a faster path arrives beyond the gap, where the receiver
// drops it.
#[test]
fn new_data_waits_for_a_repetition_that_goes_by_another_path() {
    let mut world = Setup::tuned(go_back_n).paths(2).established();
    // Runs until both paths are confirmed.
    world.run_for(secs(60));
    world.edit_link(address(A, 2), address(Z, 2), |link| link.delay = ms(300));
    world.drop_next(A, ChunkType::DATA, 1);
    world.send(A, text(0, "lost"));
    world.wait(secs(5), |world| world.stats(A).retransmissions == 1);
    for waiting in ["next", "and next", "last"] {
        world.send(A, text(0, waiting));
    }
    world.run_for(secs(5));
    assert_eq!(world.texts(Z), ["lost", "next", "and next", "last"]);
    assert_eq!(world.stats(A).retransmissions, 1);
}
