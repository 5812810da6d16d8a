//! ABORT (RFC 9260 §9.1).

use crate::prelude::*;

use super::{both_closed, quiet};

/// Close reason of an end that was aborted with `reason`; `causes` are the bytes received.
fn aborted_because(reason: &str, causes: &[u8]) -> Option<CloseReason> {
    Some(CloseReason::AbortedByPeer {
        cause: Some(12),
        detail: reason.as_bytes().to_vec().into(),
        causes: causes.to_vec().into(),
    })
}

#[test]
fn an_abort_tells_its_reason() {
    for (aborter, other) in [(A, Z), (Z, A)] {
        let mut world = Setup::quiet(|_| {}).established();
        world.abort(aborter, "out of patience");
        world.run_for(secs(1));
        assert_eq!(world.close_reason(aborter), Some(CloseReason::Aborted));
        let expected = aborted_because("out of patience", b"\0\x0c\0\x13out of patience");
        assert_eq!(world.close_reason(other), expected);
        assert!(both_closed(&mut world));
        let aborts = world.sent_with(aborter, ChunkType::ABORT).count();
        assert_eq!(aborts, 1);
    }
}

fn scripted_abort(world: &mut World, peer: &mut Peer, causes: &[Cause<'_>]) {
    let abort = Abort {
        reflected: TagReflection::Own,
        causes: Causes::from(causes),
    };
    peer.send(world, &[Chunk::Abort(abort)]);
}

#[test]
fn an_abort_is_not_answered() {
    let (mut world, mut peer) = Peer::serving(quiet());
    let causes = [Cause::UserInitiatedAbort(b"enough")];
    scripted_abort(&mut world, &mut peer, &causes);
    peer.expect_silence(&mut world, secs(10));
    let expected = aborted_because("enough", b"\0\x0c\0\x0aenough");
    assert_eq!(world.close_reason(A), expected);
}

/// Causes reported to the user from an ABORT with these causes.
fn handed_on(causes: &[Cause<'_>]) -> Vec<u8> {
    let (mut world, mut peer) = Peer::serving(quiet());
    scripted_abort(&mut world, &mut peer, causes);
    world.run_for(secs(1));
    let Some(CloseReason::AbortedByPeer { causes, .. }) = world.close_reason(A) else {
        panic!("{:?}", world.close_reason(A));
    };
    causes.to_vec()
}

#[test]
fn all_causes_of_an_abort_are_handed_on_as_they_came() {
    let causes = [
        Cause::ProtocolViolation(b"odd"),
        Cause::NoUserData(Tsn(7)),
        Cause::OutOfResource,
    ];
    let bytes = b"\0\x0d\0\x07odd\0\0\x09\0\x08\0\0\0\x07\0\x04\0\x04";
    assert_eq!(handed_on(&causes), bytes);
}

#[test]
fn causes_of_an_abort_beyond_1024_bytes_are_left_out() {
    let long = [7; 604];
    let [first, second] = [Cause::ProtocolViolation(&long), Cause::OutOfResource];
    assert_eq!(handed_on(&[first, first, second]).len(), 608);
    assert_eq!(handed_on(&[first, second]).len(), 612);
    // A cause that is too long by itself is truncated.
    let longer = [7; 1200];
    let bytes = handed_on(&[Cause::ProtocolViolation(&longer), second]);
    assert_eq!((bytes.len(), &bytes[..5]), (260, &[0, 13, 1, 4, 7][..]));
}

#[test]
fn a_lost_abort_is_repeated_to_whoever_still_talks() {
    let mut world = Setup::quiet(|_| {}).established();
    world.drop_next(A, ChunkType::ABORT, 1);
    world.abort(A, "gone");
    world.run_for(secs(1));
    assert!(world.is_open(Z));
    world.send(Z, text(0, "hello?"));
    world.run_for(secs(1));
    assert!(!world.is_open(Z));
}

#[test]
fn an_abort_while_connecting_ends_the_attempt() {
    let (mut world, mut peer) = Peer::awaited(quiet());
    scripted_abort(&mut world, &mut peer, &[]);
    peer.expect_silence(&mut world, secs(10));
    let expected = CloseReason::AbortedByPeer {
        cause: None,
        detail: Default::default(),
        causes: Default::default(),
    };
    assert_eq!(world.close_reason(A), Some(expected));
}

#[test]
fn aborting_while_connecting_leaves_nothing() {
    let mut world = Setup::quiet(|_| {}).connecting();
    world.run_for(ms(5));
    world.abort(A, "changed my mind");
    world.run_for(secs(60));
    assert_eq!(world.endpoint(A).stats().associations, 0);
    assert_eq!(world.close_reason(A), Some(CloseReason::Aborted));
}

#[test]
fn a_long_reason_is_cut_to_the_packet() {
    let mut world = Setup::quiet(|_| {}).established();
    let now = world.now();
    world.assoc(A).abort(now, vec![b'x'; 100_000].into());
    world.run_for(secs(1));
    assert!(both_closed(&mut world));
    let abort = world.sent_with(A, ChunkType::ABORT).next().unwrap();
    assert!(abort.ip_len() <= 1500);
}
