//! Handshakes with lost packets (RFC 9260 §5.1).

use crate::prelude::*;

use super::{assert_works, each_has_one_association};

/// Checks that the association comes up although a packet of the handshake is lost `times` times.
#[test]
fn lost_packets_of_the_handshake_are_sent_again() {
    for (sender, chunk) in [
        (A, ChunkType::INIT),
        (Z, ChunkType::INIT_ACK),
        (A, ChunkType::COOKIE_ECHO),
        (Z, ChunkType::COOKIE_ACK),
    ] {
        for times in [1, 3] {
            let setup = Setup::quiet(|_| {});
            let mut world = setup.world();
            world.drop_next(sender, chunk, times);
            setup.connect(&mut world);
            world.run_for(secs(60));
            let up = each_has_one_association(&mut world);
            assert!(up, "{chunk:?}, {times}");
            assert!(world.count(sender, chunk) > times, "{chunk:?}, {times}");
            assert!(!world.saw(Z, &Event::Restarted), "{chunk:?}, {times}");
            assert_works(&mut world);
        }
    }
}

// RFC 9260 §5.1: T1-init backs off as §6.3.3 says, and Max.Init.Retransmits bounds it.
#[test]
fn inits_back_off_and_end_after_max_init_retransmits() {
    let setup = Setup::quiet(|options| options.max_init_retransmits = 4);
    let mut world = setup.world();
    world.cut_path(1);
    let began = world.now();
    setup.connect(&mut world);
    world.run_for(secs(300));
    let sent: Vec<_> = world.delays(A, ChunkType::INIT, began);
    assert_eq!(sent, [secs(0), secs(1), secs(3), secs(7), secs(15)]);
    assert_eq!(world.close_reason(A), Some(CloseReason::TimedOut));
    let (at, ..) = world.timed_events(A)[0];
    // The last one is waited for as well.
    assert_eq!(at.since(began), secs(31));
}

#[test]
fn cookie_echoes_end_after_max_init_retransmits() {
    let setup = Setup::quiet(|options| options.max_init_retransmits = 3);
    let mut world = setup.world();
    world.drop_next(A, ChunkType::COOKIE_ECHO, 100);
    setup.connect(&mut world);
    world.run_for(secs(300));
    assert_eq!(world.count(A, ChunkType::COOKIE_ECHO), 4);
    assert_eq!(world.close_reason(A), Some(CloseReason::TimedOut));
    assert_eq!(world.endpoint(A).stats().associations, 0);
}

#[test]
fn with_no_init_retransmits_one_init_is_all() {
    let setup = Setup::quiet(|options| options.max_init_retransmits = 0);
    let mut world = setup.world();
    world.cut_path(1);
    setup.connect(&mut world);
    world.run_for(secs(300));
    assert_eq!(world.count(A, ChunkType::INIT), 1);
    assert_eq!(world.close_reason(A), Some(CloseReason::TimedOut));
}

// ICE decides whether the peer of a WebRTC connection is there.
#[test]
fn unlimited_attempts_never_end() {
    let setup = Setup::quiet(|options| {
        options.max_init_retransmits = UNLIMITED;
        options.association_max_retrans = UNLIMITED;
        options.path_max_retrans = UNLIMITED;
    });
    let mut world = setup.world();
    world.cut_path(1);
    setup.connect(&mut world);
    world.run_for(secs(200_000));
    assert!(world.count(A, ChunkType::INIT) > 3000);
    world.mend();
    world.wait_phase(A, Phase::Established, secs(100));
    world.cut_path(1);
    world.send(A, text(0, "late"));
    world.run_for(secs(200_000));
    world.mend();
    world.run_for(secs(100));
    assert_eq!(world.texts(Z), ["late"]);
}
