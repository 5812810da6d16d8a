//! A peer that lost its state and reconnects (RFC 9260 §5.2.2, §5.2.4 action A).

use crate::prelude::*;

/// An association, and the setup that it was made with.
fn established() -> (Setup, World) {
    let setup = Setup::quiet(|_| {});
    let world = setup.established();
    (setup, world)
}

#[test]
fn a_restarted_peer_gets_the_old_association_and_its_user_is_told() {
    let (setup, mut world) = established();
    let id = world.id(Z);
    setup.reboot(&mut world);
    world.run_for(secs(5));
    assert!(world.saw(Z, &Event::Restarted));
    assert_eq!(world.id(Z), id);
    assert_eq!(world.endpoint(Z).stats().associations, 1);
    world.send(A, text(0, "back again"));
    world.send(Z, text(0, "welcome"));
    world.run_for(secs(1));
    assert_eq!(world.texts(Z), ["back again"]);
    assert_eq!(world.texts(A), ["welcome"]);
}

#[test]
fn data_not_acknowledged_before_the_restart_comes_back() {
    let (setup, mut world) = established();
    // A is gone before Z's messages reach it.
    assert_ne!(world.stats(Z).remote_port, 0);
    let lost = world.drop_while(Z, ChunkType::DATA);
    for context in 0..10 {
        let options = SendOptions {
            context,
            ..SendOptions::default()
        };
        world.send_with(Z, blob(0, 1400), options);
    }
    world.run_for(ms(100));
    setup.reboot(&mut world);
    world.run_for(ms(200));
    assert!(world.saw(Z, &Event::Restarted));
    assert_eq!(world.failed(Z), (0..10).collect::<Vec<u64>>());
    *lost.borrow_mut() = false;
    world.send(Z, text(0, "fresh"));
    world.run_for(secs(5));
    assert_eq!(world.texts(A), ["fresh"], "nothing of the old life is sent");
}

#[test]
fn a_restart_starts_ssns_and_windows_over() {
    let (setup, mut world) = established();
    for _ in 0..50 {
        world.send(Z, blob(0, 4000));
        world.send(A, blob(0, 4000));
    }
    world.run_for(secs(20));
    assert!(world.path(Z, address(A, 1)).cwnd > 4404);
    setup.reboot(&mut world);
    world.run_for(secs(2));
    assert_eq!(world.path(Z, address(A, 1)).cwnd, 4404);
    let before = world.log().len();
    world.send(Z, text(0, "first of the new life"));
    world.run_for(ms(100));
    let mut later = world.log()[before..].iter().flat_map(Record::data);
    assert_eq!(later.next().unwrap().ssn, Ssn(0));
}

#[test]
fn messages_delivered_before_a_restart_can_still_be_read() {
    let (setup, mut world) = established();
    world.set_reading(Z, Reading::Stopped);
    world.send(A, text(0, "before"));
    world.run_for(secs(1));
    setup.reboot(&mut world);
    world.run_for(secs(1));
    world.send(A, text(0, "after"));
    world.run_for(secs(1));
    world.set_reading(Z, Reading::Eager);
    world.run_for(secs(1));
    assert_eq!(world.texts(Z), ["before", "after"]);
}

#[test]
fn a_half_received_message_of_the_old_life_is_never_delivered() {
    let (setup, mut world) = established();
    world.drop_nth(A, ChunkType::DATA, &[3]);
    world.send(A, blob(0, 6000));
    world.run_for(ms(100));
    setup.reboot(&mut world);
    world.run_for(secs(2));
    world.send(A, text(0, "whole"));
    world.run_for(secs(5));
    assert_eq!(world.texts(Z), ["whole"]);
    assert_eq!(world.stats(Z).receive_buffered, 0);
}

/// Z has begun to read a message of this length on stream 4 in parts.
fn reading_parts(len: usize) -> (Setup, World) {
    let setup = Setup::quiet(set("receive_buffer=64000, partial_delivery_point=16000"));
    let mut world = setup.established();
    world.send(A, blob(4, len));
    world.wait(secs(5), |world| !world.received(Z).is_empty());
    (setup, world)
}

const ABORTED: Event = Event::PartialDeliveryAborted {
    stream: StreamId(4),
};

/// No part of an aborted message can be read after the event that reports its end.
#[test]
fn no_part_of_a_message_is_read_after_its_end_was_told() {
    let (setup, mut world) = reading_parts(1_000_000);
    world.set_reading(Z, Reading::Stopped);
    world.run_for(secs(2));
    assert!(world.stats(Z).receive_buffered > 30_000, "parts wait");
    setup.reboot(&mut world);
    world.run_for(secs(5));
    assert!(world.saw(Z, &ABORTED));
    let before = world.received(Z).len();
    world.set_reading(Z, Reading::Eager);
    world.send(A, text(4, "whole"));
    world.run_for(secs(1));
    assert_eq!(world.parts(Z)[before..], [Part::Whole]);
    assert_eq!(world.texts(Z), ["whole"]);
}

#[test]
fn a_last_part_that_waits_is_read_and_no_end_is_told() {
    let (setup, mut world) = reading_parts(40_000);
    world.set_reading(Z, Reading::Stopped);
    world.run_for(secs(2));
    setup.reboot(&mut world);
    world.run_for(secs(5));
    world.set_reading(Z, Reading::Eager);
    world.run_for(secs(1));
    assert!(!world.saw(Z, &ABORTED));
    assert_eq!(world.messages(Z), [blob(4, 40_000)]);
}

#[test]
fn a_restart_with_new_addresses_is_aborted() {
    let (mut world, mut peer) = Peer::connected(quiet());
    let new = ip_parameter(address(Z, 9));
    let again = peer.with_tag(0x4321);
    again.send_init(&mut world, &[new]);
    let abort = peer.expect(&mut world, ChunkType::ABORT);
    assert_eq!(abort.vtag(), again.tag);
    // Restart of an Association with New Addresses.
    assert_eq!(abort.causes(), [11]);
    peer.expect_alive(&mut world);
    assert!(!world.saw(A, &Event::Restarted));
}

// RFC 9260 §5.2.2: an INIT is answered but changes no state.
#[test]
fn an_init_alone_changes_nothing() {
    let (mut world, mut peer) = Peer::connected(quiet());
    let again = peer.with_tag(0x4321);
    let mut tags = std::collections::BTreeSet::new();
    for _ in 0..20 {
        again.send_init(&mut world, &[]);
        let answer = peer.expect(&mut world, ChunkType::INIT_ACK);
        assert_eq!(answer.vtag(), again.tag);
        let tag = answer.init().unwrap().initiate_tag;
        assert_ne!(tag, peer.engine_tag, "a new tag each time");
        assert!(tags.insert(tag.0));
    }
    peer.expect_alive(&mut world);
    assert_eq!(world.assoc(A).phase(), Phase::Established);
}

// Tie-tags are nonces of this association; a cookie made before it has none.
#[test]
fn a_cookie_from_before_the_association_restarts_nothing() {
    let (mut world, mut peer) = Peer::before_listener(quiet());
    let mut other = peer.with_tag(0x4321);
    let early = other.ask_cookie(&mut world, &[]);
    peer.seen = other.seen;
    peer.connect(&mut world, &[]);
    other.echo_cookie(&mut world, &early);
    peer.expect_silence(&mut world, secs(1));
    peer.expect_alive(&mut world);
    assert!(!world.saw(A, &Event::Restarted));
}

#[test]
fn the_cookie_of_a_restart_cannot_be_used_twice() {
    let (mut world, peer) = Peer::connected(quiet());
    let mut again = peer.with_tag(0x4321);
    let cookie = again.ask_cookie(&mut world, &[]);
    again.echo_cookie(&mut world, &cookie);
    again.expect(&mut world, ChunkType::COOKIE_ACK);
    let mut third = again.with_tag(0x9999);
    let other = third.ask_cookie(&mut world, &[]);
    third.echo_cookie(&mut world, &other);
    third.expect(&mut world, ChunkType::COOKIE_ACK);
    // The first restart's cookie belongs to a former life.
    again.echo_cookie(&mut world, &cookie);
    world.run_for(secs(1));
    third.expect_alive(&mut world);
    let restarts = world.count_events(A, &Event::Restarted);
    assert_eq!(restarts, 2);
}

#[test]
fn a_peer_that_restarts_and_listens_only_is_noticed() {
    let setup = Setup::default();
    let mut world = setup.established();
    let mut fresh = setup.engine(&mut world, &setup.z_addresses);
    fresh.listen(PORT, setup.z.clone()).unwrap();
    world.reboot(Z, fresh);
    world.send(A, text(0, "are you there?"));
    world.run_for(secs(5));
    assert!(world.was_aborted(A));
}
