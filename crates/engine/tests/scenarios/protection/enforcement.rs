//! Packets that are dropped: plain ones, replayed ones, forged ones.

use crate::prelude::*;

use super::cipher::Keys;
use super::{BOTH, changed, protected, strict};

/// A packet from Z to A with these chunk bytes.
fn forge(world: &World, chunks: &[u8]) -> Vec<u8> {
    let real = world.sent(Z).last().expect("a packet of Z's");
    let mut packet = [&real.bytes[..12], chunks].concat();
    reseal(&mut packet);
    packet
}

fn inject(world: &mut World, packet: Vec<u8>) {
    world.inject(address(Z, 1), address(A, 1), None, packet);
    world.run_for(secs(1));
}

/// A's first protected packet.
fn first_record(world: &World) -> Vec<u8> {
    let mut sent = world.sent_with(A, ChunkType::DTLS);
    sent.next().expect("a packet").bytes.clone()
}

fn bytes_of(chunk: &Chunk<'_>) -> Vec<u8> {
    let mut bytes = written(chunk);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

/// DATA with a TSN `beyond` A's next expected one.
fn data(world: &World, beyond: u32, stream: u16, ppid: u32) -> Vec<u8> {
    let ack = world.log().iter().rev().find_map(Record::init);
    let first = ack.expect("the INIT ACK").initial_tsn;
    bytes_of(&Chunk::Data(Data {
        flags: WHOLE,
        tsn: first.plus(beyond),
        stream: StreamId(stream),
        ssn: Ssn(0),
        ppid: Ppid(ppid),
        payload: b"not the peer's",
    }))
}

#[test]
fn plain_packets_are_dropped_and_counted_once_protection_is_enforced() {
    let (mut world, _keys) = protected(&strict());
    world.send(Z, text(1, "one"));
    world.run_for(secs(1));
    let abort = bytes_of(&abort(TagReflection::Own));
    let plain = [data(&world, 1, 1, 0), abort, bytes_of(&Chunk::ShutdownAck)];
    for chunks in plain {
        let packet = forge(&world, &chunks);
        inject(&mut world, packet);
    }
    assert_eq!(world.stats(A).protection.unprotected, 3);
    world.send(Z, text(1, "two"));
    world.run_for(secs(1));
    assert_eq!(world.texts(A), ["one", "two"]);
}

#[test]
fn a_dtls_chunk_beside_another_chunk_is_dropped_with_it() {
    let (mut world, _keys) = protected(&strict());
    world.add_rule(|record| {
        if record.from != address(Z, 1) || record.types() != [ChunkType::DTLS] {
            return Verdict::Deliver;
        }
        let mut packet = record.bytes.clone();
        packet.extend_from_slice(&[132, 0, 0, 4]);
        reseal(&mut packet);
        Verdict::Replace(packet)
    });
    world.send(Z, text(1, "unheard"));
    world.run_for(secs(2));
    assert_eq!(world.texts(A), [""; 0]);
    assert!(world.stats(A).protection.unreadable > 0);
}

#[test]
fn records_that_come_again_over_whichever_path_are_dropped_and_counted() {
    let setup = strict().paths(2);
    let (mut world, _keys) = protected(&setup);
    world.send(A, blob(1, 50_000));
    world.run_for(secs(5));
    let sent: Vec<Record> = world.sent_with(A, ChunkType::DTLS).cloned().collect();
    let received = world.stats(Z).protection.received;
    for record in &sent {
        world.inject(address(A, 2), address(Z, 2), None, record.bytes.clone());
    }
    world.run_for(secs(5));
    let stats = world.stats(Z).protection;
    assert_eq!(stats.replayed, sent.len() as u64);
    assert_eq!(stats.received, received);
    assert_eq!(world.messages(Z), [blob(1, 50_000)]);
}

#[test]
fn a_record_with_any_byte_changed_is_forged() {
    let (mut world, _keys) = protected(&strict());
    world.send(A, text(1, "whole"));
    world.run_for(secs(1));
    let real = first_record(&world);
    let before = world.stats(Z).protection;
    // Ciphertext and tag; the bytes around them are not authenticated or select no key.
    let places = 20..real.len() - 3;
    for place in places.clone() {
        let mut packet = real.clone();
        packet[place] ^= 1;
        // Change the last byte of the encrypted sequence number, so that it is not a replay.
        packet[19] ^= 0x40;
        reseal(&mut packet);
        world.inject(address(A, 1), address(Z, 1), None, packet);
    }
    world.run_for(secs(1));
    let stats = world.stats(Z).protection;
    let dropped = (stats.forged + stats.replayed) - (before.forged + before.replayed);
    assert_eq!(dropped, places.len() as u64);
    assert_eq!(stats.received, before.received);
    assert!(stats.forged > 20, "{stats:?}");
}

#[test]
fn a_record_under_another_tag_does_not_use_up_its_number() {
    let (mut world, _keys) = protected(&strict());
    let mut first = true;
    world.when(Verdict::Delay(secs(2)), move |record| {
        let is_first = first && record.from == address(A, 1);
        first &= !is_first;
        is_first
    });
    world.send(A, text(1, "late"));
    world.run_for(ms(100));
    let mut packet = first_record(&world);
    packet[7] ^= 1;
    reseal(&mut packet);
    world.inject(address(A, 1), address(Z, 1), None, packet);
    world.run_for(ms(300));
    assert_eq!(world.stats(Z).protection.received, 0);
    world.run_for(secs(5));
    assert_eq!(world.texts(Z), ["late"]);
    assert_eq!(world.stats(Z).protection.replayed, 0);
}

#[test]
fn forged_records_end_the_keys_and_not_the_association() {
    let mut world = strict().established();
    let mut keys = Keys::default();
    keys.limits = CipherLimits {
        sealed: 1000,
        forged: 5,
        bytes: u64::MAX,
    };
    keys.protect(&mut world, BOTH);
    world.send(A, text(1, "before"));
    world.run_for(secs(1));
    let real = first_record(&world);
    for n in 0..5 {
        let mut packet = real.clone();
        // The tag: the sequence number stays in the window.
        packet[18] ^= 0x40;
        packet[30] ^= n + 1;
        reseal(&mut packet);
        world.inject(address(A, 1), address(Z, 1), None, packet);
    }
    world.run_for(secs(1));
    assert_eq!(world.stats(Z).protection.forged, 5);
    assert!(world.saw(Z, &changed(ProtectionChange::Spent(KeyContext::FIRST))));
    keys.change(&mut world, BOTH, KeyContext::primary(4));
    world.send(A, text(1, "after"));
    world.run_for(secs(10));
    assert_eq!(world.texts(Z), ["before", "after"]);
}

#[test]
fn user_data_waits_for_protection_and_messages_of_key_managers_do_not() {
    let (mut world, keys) = (strict().established(), Keys::default());
    let message = text(1, "secret");
    let refused = world.offer(A, message.clone());
    assert_eq!(refused, Err(SendError::BufferFull(message)));
    let now = world.now();
    let mut assoc = world.assoc(A);
    let mut shield = assoc.protection().expect("protection");
    assert_eq!(shield.send(now, "client hello"), Ok(()));
    let posing = text(0, "a hello of the user's").with_ppid(Ppid(dtls::PPID));
    let refused = world.offer(A, posing);
    assert_eq!(refused, Err(SendError::InvalidStream));
    world.send(A, text(1, "secret"));
    world.run_for(secs(2));
    assert!(world.texts(Z).is_empty());
    assert!(world.saw(Z, &changed(ProtectionChange::Message)));
    assert_eq!(next_message(&mut world, Z).as_deref(), Some("client hello"));
    assert_eq!(next_message(&mut world, Z), None);
    keys.protect(&mut world, BOTH);
    world.run_for(secs(2));
    assert_eq!(world.texts(Z), ["secret"]);
    assert!(world.saw(A, &Event::Protection(ProtectionChange::Enforced)));
}

/// The next message for the key manager of a host.
pub(super) fn next_message(world: &mut World, host: HostId) -> Option<String> {
    let now = world.now();
    let mut assoc = world.assoc(host);
    let message = assoc.protection().expect("protection").receive(now)?;
    Some(String::from_utf8_lossy(&message).into_owned())
}

#[test]
fn messages_of_key_managers_pass_a_full_buffer_and_a_user_that_does_not_read() {
    let (mut world, _keys) = protected(&strict());
    let full = (0..200).any(|_| world.offer(A, blob(1, 50_000)).is_err());
    assert!(full);
    let now = world.now();
    let mut assoc = world.assoc(A);
    let mut shield = assoc.protection().expect("protection");
    assert_eq!(shield.send(now, "first"), Ok(()));
    assert_eq!(shield.send(now, "second"), Ok(()));
    world.run_for(secs(60));
    assert_eq!(next_message(&mut world, Z).as_deref(), Some("first"));
    assert_eq!(next_message(&mut world, Z).as_deref(), Some("second"));
    assert_eq!(next_message(&mut world, Z), None);
}

#[test]
fn the_timer_of_a_key_manager_expires_once_and_can_be_stopped() {
    let (mut world, _keys) = protected(&strict());
    let expired = changed(ProtectionChange::TimerExpired);
    for stops in [true, false] {
        let now = world.now();
        let mut assoc = world.assoc(A);
        let mut shield = assoc.protection().expect("protection");
        shield.set_timer(now, Some(now + secs(5)));
        if stops {
            shield.set_timer(now, None);
        }
        world.run_for(secs(4));
        assert!(!world.saw(A, &expired));
        world.run_for(secs(2));
        assert_eq!(world.saw(A, &expired), !stops);
    }
}

#[test]
fn nothing_that_is_put_in_before_the_enforcement_takes_the_place_of_protected_data() {
    let (mut world, keys) = (strict().established(), Keys::default());
    let skip = |tsn: Tsn| {
        bytes_of(&Chunk::ForwardTsn(ForwardTsn {
            new_cumulative_tsn: tsn,
            skipped: List::EMPTY,
        }))
    };
    let first = world.log().iter().rev().find_map(Record::init);
    let first = first.expect("the INIT ACK").initial_tsn;
    let planted = [
        data(&world, 0, 1, 0),
        data(&world, 0, 0, 60),
        data(&world, 1, 0, dtls::PPID),
        skip(first.plus(3)),
    ];
    for chunks in &planted {
        let packet = forge(&world, chunks);
        inject(&mut world, packet);
    }
    assert_eq!(world.stats(A).protection.unprotected, 3);
    keys.protect(&mut world, BOTH);
    let texts = ["one", "two", "three", "four"];
    for words in texts {
        world.send(Z, text(1, words));
    }
    world.run_for(secs(2));
    assert_eq!(world.texts(A), texts);
}

#[test]
fn a_cookie_ack_leaves_in_plain_text_where_the_keys_were_there_before_it() {
    let setup = strict();
    let mut world = setup.connecting();
    world.drop_next(Z, ChunkType::COOKIE_ACK, 2);
    world.wait(secs(5), |world| world.count(Z, ChunkType::COOKIE_ACK) > 0);
    let keys = Keys::default();
    keys.receive(&mut world, Z, KeyContext::FIRST);
    keys.send(&mut world, Z, KeyContext::FIRST);
    let now = world.now();
    let mut assoc = world.assoc(Z);
    let sent = assoc.protection().expect("protection").send(now, "early");
    assert_eq!(sent, Ok(()));
    world.run_for(secs(20));
    assert!(world.is_open(A));
    keys.receive(&mut world, A, KeyContext::FIRST);
    keys.send(&mut world, A, KeyContext::FIRST);
    world.run_for(secs(60));
    assert_eq!(next_message(&mut world, A).as_deref(), Some("early"));
    for record in world.sent_with(Z, ChunkType::COOKIE_ACK) {
        assert_eq!(record.types(), [ChunkType::COOKIE_ACK]);
    }
}
