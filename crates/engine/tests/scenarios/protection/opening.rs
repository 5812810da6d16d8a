//! Associations that have agreed on keys and do not have them yet.

use crate::prelude::*;

use super::cipher::Keys;
use super::enforcement::next_message;
use super::{BOTH, assert_all_protected, enforce, protected, since, strict};

/// Sends a message of a host's key manager.
fn say(world: &mut World, host: HostId, message: Vec<u8>) {
    let now = world.now();
    let mut assoc = world.assoc(host);
    let sent = assoc.protection().expect("protection").send(now, message);
    assert_eq!(sent, Ok(()));
}

#[test]
fn messages_of_key_managers_do_not_come_back_to_users() {
    let mut world = strict().established();
    world.cut_path(1);
    say(&mut world, A, vec![1; 3000]);
    world.run_for(ms(10));
    world.abort(A, "enough");
    world.run_for(ms(10));
    let failed = |event: &Event| matches!(event, Event::SendFailed { .. });
    assert!(world.was_aborted(Z) || world.close_reason(A).is_some());
    assert!(!world.events(A).iter().any(failed));
}

#[test]
fn messages_of_key_managers_come_whole_whatever_their_chunks_and_however_early_parts_are_due() {
    for options in [
        "partial_delivery_point=1",
        "partial_delivery_point=1, interleaving=on",
        "chunk_checksum=on",
    ] {
        let mut world = strict().both(set(options)).established();
        say(&mut world, A, vec![b'k'; 3000]);
        world.run_for(secs(2));
        assert_eq!(next_message(&mut world, Z), Some("k".repeat(3000)));
    }
}

#[test]
fn a_message_under_keys_that_the_peer_does_not_use_yet_is_repeated_after_losses() {
    let (mut world, keys) = (strict().established(), Keys::default());
    keys.receive(&mut world, A, KeyContext::FIRST);
    keys.receive(&mut world, Z, KeyContext::FIRST);
    keys.send(&mut world, Z, KeyContext::FIRST);
    enforce(&mut world, Z).expect("keys");
    world.drop_nth(Z, ChunkType::DTLS, &[2]);
    say(&mut world, Z, vec![b'k'; 3000]);
    world.run_for(secs(20));
    assert_eq!(next_message(&mut world, A), Some("k".repeat(3000)));
    // From the first protected packet on, plain ones are dropped.
    keys.send(&mut world, A, KeyContext::FIRST);
    say(&mut world, Z, b"seal".to_vec());
    world.run_for(secs(1));
    let before = world.stats(Z).protection.unprotected;
    let sack = world.sent_with(A, ChunkType::SACK).next().expect("a SACK");
    let plain = sack.bytes.clone();
    world.inject(address(A, 1), address(Z, 1), None, plain);
    world.run_for(secs(1));
    assert_eq!(world.stats(Z).protection.unprotected, before + 1);
}

#[test]
fn a_request_of_the_user_does_not_hold_up_the_keys() {
    let setup = strict().both(set("reconfiguration=on"));
    let mut world = setup.established();
    let reset = |it: &mut Assoc<'_>, now| it.reset_streams(now, &[], StreamDirection::Outgoing);
    let asked = world.call(A, reset);
    assert_eq!(asked, Err(ReconfigurationError::NotEstablished));
    Keys::default().protect(&mut world, BOTH);
    // A peer without keys would deny it in plain text.
    let asked = world.call(A, reset);
    assert_eq!(asked, Err(ReconfigurationError::NotEstablished));
    world.send(Z, blob(1, 100));
    world.run_for(secs(1));
    let asked = world.call(A, reset);
    assert_eq!(asked, Ok(()));
}

#[test]
fn a_shutdown_waits_for_protection() {
    let mut world = strict().established();
    world.shutdown(A);
    world.run_for(secs(2));
    assert!(world.close_reason(A).is_none());
    let begun = world.log().len();
    Keys::default().protect(&mut world, BOTH);
    world.run_for(secs(5));
    assert_eq!(world.close_reason(Z), Some(CloseReason::Graceful));
    assert_all_protected(since(&world, begun));
}

#[test]
fn reports_of_damaged_packets_are_no_longer_than_protection_allows() {
    let setup = strict().both(|options| options.packet_drop_reports = PacketDropReports::On);
    let (mut world, keys) = protected(&setup);
    let begun = world.log().len();
    let mut first = true;
    world.damage(move |record| {
        let applies = first && record.from == address(A, 1) && record.ip_len() > 1400;
        first &= !applies;
        applies
    });
    world.send(A, blob(1, 20_000));
    world.run_for(secs(5));
    assert_all_protected(since(&world, begun));
    let mut plain = world
        .sent(Z)
        .filter_map(|record| keys.reveal(&record.bytes));
    let reports = |packet: Vec<u8>| {
        let packet = Packet::parse(&packet).expect("a packet");
        packet
            .chunks()
            .flatten()
            .any(|chunk| matches!(chunk, Chunk::PacketDrop(_)))
    };
    assert!(plain.any(reports));
}
