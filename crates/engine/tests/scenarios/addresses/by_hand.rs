//! Peers that ask for impossible changes (A2, A21). The engine takes them unauthenticated here, so
//! that they get as far as they can.

use core::net::IpAddr;

use sheave_engine::wire::{
    Asconf, AsconfAck, AsconfOutcome, AsconfRequest, Chunk, ChunkType, Parameter, RawChunk,
    RawParameter, TlvList,
};
use sheave_engine::{AddressChanges, CloseReason, Heartbeats, Options};

use crate::world::{A, Peer, Record, Setup, World, Z, address, secs};

const EXTENSIONS: [u8; 6] = [0x80, 0x08, 0, 6, 0xc1, 0x80];

fn options() -> Options {
    Options {
        heartbeats: Heartbeats::Off,
        address_changes: AddressChanges::Unauthenticated,
        ..Options::default()
    }
}

/// An association with a peer that has three addresses and has told one; its next serial number.
fn connected() -> (World, Peer, u32) {
    let mut setup = Setup::with(options());
    setup.z_addresses = (1..=3).map(|n| address(Z, n)).collect();
    let (mut world, mut peer) = Peer::before(&setup);
    let first = peer.tsn.0;
    let known = Parameter::Unknown(RawParameter::parse(&EXTENSIONS).unwrap());
    peer.connect(&mut world, &[known]);
    (world, peer, first)
}

fn asconf(serial: u32, named: IpAddr, requests: &[AsconfRequest<'_>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    Asconf {
        serial,
        address: named,
        requests: TlvList::from(requests),
    }
    .write(&mut bytes);
    bytes
}

/// Sends it from that address.
fn send_from(world: &mut World, peer: &Peer, from: IpAddr, chunk: &[u8]) {
    let raw = Chunk::Unknown(RawChunk::parse(chunk).unwrap());
    let peer = Peer {
        address: from,
        ..peer.clone()
    };
    peer.send(world, &[raw]);
}

/// Ids that failed, and the codes of the causes.
fn failures(record: &Record) -> Vec<(u32, u16)> {
    let mut found = Vec::new();
    for chunk in record.chunks() {
        let Chunk::Unknown(raw) = chunk else { continue };
        let Some(ack) = AsconfAck::from_raw(&raw) else {
            continue;
        };
        for outcome in ack.outcomes.iter().flatten() {
            if let AsconfOutcome::Failure { id, causes } = outcome {
                found.extend(causes.iter().flatten().map(|cause| (id, cause.code())));
            }
        }
    }
    found
}

/// Asks for these changes and returns what failed.
fn ask(
    world: &mut World,
    peer: &mut Peer,
    serial: u32,
    from: IpAddr,
    requests: &[AsconfRequest<'_>],
) -> Vec<(u32, u16)> {
    let chunk = asconf(serial, address(Z, 1), requests);
    send_from(world, peer, from, &chunk);
    failures(&peer.expect(world, ChunkType::ASCONF_ACK))
}

fn remotes(world: &mut World) -> Vec<IpAddr> {
    let paths = world.assoc(A).path_stats();
    paths.iter().map(|path| path.remote).collect()
}

const fn add(id: u32, address: IpAddr) -> AsconfRequest<'static> {
    AsconfRequest::Add { id, address }
}

const fn delete(id: u32, address: IpAddr) -> AsconfRequest<'static> {
    AsconfRequest::Delete { id, address }
}

#[test]
fn the_wildcard_adds_where_the_packet_comes_from() {
    let (mut world, mut peer, serial) = connected();
    let anywhere: IpAddr = [0, 0, 0, 0].into();
    let requests = [add(1, anywhere)];
    let failed = ask(&mut world, &mut peer, serial, address(Z, 2), &requests);
    assert_eq!(failed, []);
    assert_eq!(remotes(&mut world), [address(Z, 1), address(Z, 2)]);
    let ack = world.sent_with(A, ChunkType::ASCONF_ACK).last().unwrap();
    assert_eq!(ack.to, address(Z, 2));
}

#[test]
fn the_wildcard_deletes_all_but_where_the_packet_comes_from() {
    let (mut world, mut peer, serial) = connected();
    let requests = [add(1, address(Z, 2)), add(2, address(Z, 3))];
    assert_eq!(
        ask(&mut world, &mut peer, serial, address(Z, 1), &requests),
        []
    );
    assert_eq!(remotes(&mut world).len(), 3);
    let requests = [delete(1, [0, 0, 0, 0].into())];
    let failed = ask(&mut world, &mut peer, serial + 1, address(Z, 1), &requests);
    assert_eq!(failed, []);
    assert_eq!(remotes(&mut world), [address(Z, 1)]);
    peer.expect_alive(&mut world);
}

#[test]
fn impossible_changes_are_refused_with_their_causes() {
    let (mut world, mut peer, serial) = connected();
    let z1 = address(Z, 1);
    let requests = [
        delete(1, z1),
        delete(2, address(Z, 9)),
        add(3, [224, 0, 0, 1].into()),
        add(4, [255, 255, 255, 255].into()),
        AsconfRequest::SetPrimary {
            id: 5,
            address: address(Z, 9),
        },
    ];
    let failed = ask(&mut world, &mut peer, serial, z1, &requests);
    assert_eq!(failed, [(1, 0xa0), (2, 5), (3, 5), (4, 5), (5, 5)]);
    let requests = [add(1, address(Z, 2)), delete(2, z1)];
    let failed = ask(&mut world, &mut peer, serial + 1, z1, &requests);
    assert_eq!(failed, [(2, 0xa2)]);
    assert_eq!(remotes(&mut world), [z1, address(Z, 2)]);
}

#[test]
fn there_is_room_for_few_addresses() {
    let (mut world, mut peer, serial) = connected();
    let many: Vec<_> = (1..=60)
        .map(|n| add(u32::from(n), [10, 77, 0, n].into()))
        .collect();
    let failed = ask(&mut world, &mut peer, serial, address(Z, 1), &many);
    assert!(remotes(&mut world).len() <= 32);
    assert!(failed.iter().all(|(_, code)| *code == 0xa1) && failed.len() > 20);
    peer.expect_alive(&mut world);
}

/// RFC 5061 §5.3, F11: else a peer that moves loses the address that it leaves.
#[test]
fn once_there_is_no_room_no_address_of_the_chunk_goes_either() {
    let (mut world, mut peer, serial) = connected();
    let z = address(Z, 1);
    let many: Vec<_> = (1..=31)
        .map(|n| add(u32::from(n), [10, 77, 0, n].into()))
        .collect();
    assert_eq!(ask(&mut world, &mut peer, serial, z, &many), []);
    let before = remotes(&mut world);
    let requests = [add(1, address(Z, 2)), delete(2, [10, 77, 0, 1].into())];
    let failed = ask(&mut world, &mut peer, serial + 1, z, &requests);
    assert_eq!(failed, [(1, 0xa1), (2, 0xa1)]);
    assert_eq!(remotes(&mut world), before);
}

/// What is not named in an answer was done (RFC 5061 §4.1.2).
#[test]
fn requests_beyond_those_that_are_carried_out_are_refused() {
    let (mut world, mut peer, serial) = connected();
    let z = address(Z, 1);
    let many: Vec<_> = (1..=70)
        .map(|id| AsconfRequest::SetPrimary { id, address: z })
        .collect();
    assert_eq!(ask(&mut world, &mut peer, serial, z, &many), [(65, 0xa1)]);
}

#[test]
fn a_duplicate_is_answered_from_memory_and_other_numbers_not_at_all() {
    let (mut world, mut peer, serial) = connected();
    let chunk = asconf(serial, address(Z, 1), &[add(1, address(Z, 2))]);
    let mut answers = Vec::new();
    for _ in 0..3 {
        send_from(&mut world, &peer, address(Z, 1), &chunk);
        answers.push(peer.expect(&mut world, ChunkType::ASCONF_ACK).bytes);
    }
    assert!(answers.windows(2).all(|pair| pair[0] == pair[1]));
    let from = world.log().len();
    for stray in [serial - 1, serial + 2, serial + (1 << 31), 0] {
        let chunk = asconf(stray, address(Z, 1), &[add(1, address(Z, 3))]);
        send_from(&mut world, &peer, address(Z, 1), &chunk);
    }
    world.run_for(secs(1));
    let late = &world.log()[from..];
    assert!(!late.iter().any(|record| record.has(ChunkType::ASCONF_ACK)));
    assert_eq!(remotes(&mut world), [address(Z, 1), address(Z, 2)]);
}

#[test]
fn an_ack_of_what_was_never_asked_ends_the_association() {
    let (mut world, peer, _) = connected();
    let mut bytes = Vec::new();
    AsconfAck {
        serial: peer.engine_tsn.0,
        outcomes: TlvList::EMPTY,
    }
    .write(&mut bytes);
    send_from(&mut world, &peer, address(Z, 1), &bytes);
    world.run_for(secs(1));
    assert!(matches!(
        world.close_reason(A),
        Some(CloseReason::PeerFault { cause: 0xa3, .. })
    ));
}

#[test]
fn an_old_ack_is_passed_over() {
    let (mut world, mut peer, _) = connected();
    let mut bytes = Vec::new();
    AsconfAck {
        serial: peer.engine_tsn.0.wrapping_sub(1),
        outcomes: TlvList::EMPTY,
    }
    .write(&mut bytes);
    send_from(&mut world, &peer, address(Z, 1), &bytes);
    peer.expect_alive(&mut world);
}

#[test]
fn address_changes_of_every_length_are_survived() {
    let (mut world, mut peer, serial) = connected();
    let right = asconf(serial, address(Z, 1), &[add(1, address(Z, 2))]);
    for len in 4..right.len() {
        for inner in [0_u16, 3, 4, 7, 9, 0xffff] {
            for at in [10, 18, 26] {
                let mut bytes = right[..len].to_vec();
                bytes[2..4].copy_from_slice(&(len as u16).to_be_bytes());
                if let Some(field) = bytes.get_mut(at..at + 2) {
                    field.copy_from_slice(&inner.to_be_bytes());
                }
                send_from(&mut world, &peer, address(Z, 1), &bytes);
            }
        }
    }
    world.run_for(secs(1));
    peer.expect_alive(&mut world);
    assert_eq!(remotes(&mut world), [address(Z, 1)]);
}

#[test]
fn a_stranger_who_guesses_no_tag_moves_nothing() {
    let (mut world, peer, serial) = connected();
    let stranger = Peer {
        engine_tag: sheave_engine::wire::Vtag(peer.engine_tag.0 ^ 1),
        ..peer.clone()
    };
    let chunk = asconf(serial, address(Z, 1), &[add(1, address(Z, 2))]);
    send_from(&mut world, &stranger, address(Z, 2), &chunk);
    world.run_for(secs(1));
    assert_eq!(remotes(&mut world), [address(Z, 1)]);
}

#[test]
fn a_flood_of_changes_brings_one_packet_each_at_most() {
    let (mut world, peer, serial) = connected();
    let before = world.sent(A).count();
    for n in 0..50 {
        let chunk = asconf(serial.wrapping_add(n), address(Z, 1), &[]);
        send_from(&mut world, &peer, address(Z, 1), &chunk);
    }
    world.run_for(secs(1));
    assert!(world.sent(A).count() - before <= 50);
}
