//! End of associations with abandoned messages.

use crate::prelude::*;

use super::{ONCE, abandoned, losing, partial, send, timed};

#[test]
fn a_shutdown_waits_until_the_peer_has_skipped_what_was_given_up() {
    let mut world = losing(1);
    send(&mut world, text(1, "lost"), ONCE);
    world.shutdown(A);
    world.run_for(ms(300));
    assert_eq!(world.assoc(A).phase(), Phase::ShutdownPending);
    world.run_for(secs(20));
    world.assert_graceful();
}

#[test]
fn a_shutdown_goes_on_when_all_that_is_left_is_out_of_time() {
    let mut world = partial(|options| options.receive_buffer = 4096).established();
    world.set_reading(Z, Reading::Stopped);
    world.send(A, blob(0, 3000));
    world.run_for(secs(1));
    send(&mut world, blob(1, 3000), timed(800));
    world.shutdown(A);
    world.run_for(secs(20));
    assert_eq!(world.close_reason(A), Some(CloseReason::Graceful));
    assert_eq!(abandoned(&world, A).len(), 1);
}

#[test]
fn the_peers_shutdown_waits_for_our_forward_tsn() {
    let mut world = losing(1);
    send(&mut world, text(1, "lost"), ONCE);
    world.run_for(ms(100));
    world.shutdown(Z);
    world.run_for(secs(20));
    assert!(world.count(A, ChunkType::FORWARD_TSN) > 0);
    world.assert_graceful();
}

#[test]
fn drained_is_told_when_the_rest_is_given_up() {
    let mut world = losing(1);
    send(&mut world, text(1, "lost"), ONCE);
    world.wait_for(A, &Event::Drained, secs(10));
}
