//! COOKIE ECHOs replayed after their association ended.

use crate::prelude::*;

/// Delivers again to Z the packet of A that began with this chunk.
fn replay(world: &mut World, chunk: ChunkType) {
    let sent = world.log().iter().find(|record| record.has(chunk));
    let record = sent.expect("it was sent").clone();
    world.inject(record.from, record.to, None, record.bytes);
    world.run_for(secs(1));
}

#[test]
fn a_cookie_sets_up_one_association_and_no_other() {
    let setup = Setup::quiet(|_| {});
    let mut world = setup.established();
    world.send(A, text(0, "pay ten"));
    world.run_for(secs(1));
    world.shutdown(A);
    world.run_for(secs(5));
    assert!(!world.is_open(Z));
    replay(&mut world, ChunkType::COOKIE_ECHO);
    replay(&mut world, ChunkType::DATA);
    assert_eq!(world.endpoint(Z).stats().associations, 0);
    assert_eq!(world.texts(Z), ["pay ten"]);
    let events = world.events(Z);
    let up = |event: &&Event| matches!(event, Event::Established { .. });
    assert_eq!(events.iter().filter(up).count(), 1);
}

#[test]
fn a_peer_whose_association_is_over_hears_it_in_answer_to_its_cookie() {
    let setup = Setup::quiet(|_| {});
    let mut world = setup.connecting();
    // A never learns that it is connected, nor that the association ended.
    world.drop_next(Z, ChunkType::COOKIE_ACK, 1);
    world.drop_next(Z, ChunkType::ABORT, 1);
    world.wait(secs(1), |world| world.is_open(Z));
    world.abort(Z, "no");
    world.run_for(secs(5));
    assert!(!world.is_open(A) && !world.is_open(Z));
}
