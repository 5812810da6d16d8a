//! Peers that request impossible changes (A2, A21). The engine accepts unauthenticated requests
//! here, so that they get as far as possible.

use crate::prelude::*;

fn known() -> Parameter<'static> {
    parameter(&[0x80, 0x08, 0, 6, 0xc1, 0x80])
}

fn options() -> Options {
    quiet_but(|options| options.address_changes = AddressChanges::Unauthenticated)
}

/// An association with a peer that has three addresses and announced one; returns its next serial
/// number.
fn connected() -> (World, Peer, u32) {
    connected_with(options())
}

/// Like [`connected`], with other options.
fn connected_with(options: Options) -> (World, Peer, u32) {
    let mut setup = Setup::with(options);
    setup.z_addresses = (1..=3).map(|n| address(Z, n)).collect();
    let (mut world, mut peer) = Peer::before(&setup);
    let first = peer.tsn.0;
    peer.connect(&mut world, &[known()]);
    (world, peer, first)
}

fn asconf(serial: u32, named: IpAddr, requests: &[AsconfRequest<'_>]) -> Vec<u8> {
    written(&Chunk::Asconf(Asconf {
        serial,
        address: named,
        requests: TlvList::from(requests),
    }))
}

/// Sends `chunk` from this address.
fn send_from(world: &mut World, peer: &Peer, from: IpAddr, chunk: &[u8]) {
    peer.at(from).send_raw(world, chunk);
}

/// Failed request ids with their cause codes.
fn failures(record: &Record) -> Vec<(u32, u16)> {
    let mut found = Vec::new();
    for chunk in record.chunks() {
        let Chunk::AsconfAck(ack) = chunk else {
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

/// Requests these changes from `from`; returns the failures.
fn ask_from(
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

/// Requests these changes from the peer's first address; returns the failures.
fn ask(
    world: &mut World,
    peer: &mut Peer,
    serial: u32,
    requests: &[AsconfRequest<'_>],
) -> Vec<(u32, u16)> {
    ask_from(world, peer, serial, address(Z, 1), requests)
}

/// The peer's second address is deleted.
fn delete_second(world: &mut World, peer: &mut Peer, serial: u32) {
    let requests = [delete(1, address(Z, 2))];
    assert_eq!(ask(world, peer, serial, &requests), []);
}

fn remotes(world: &mut World) -> Vec<IpAddr> {
    world.remotes(A)
}

const fn add(id: u32, address: IpAddr) -> AsconfRequest<'static> {
    AsconfRequest::Add { id, address }
}

const fn delete(id: u32, address: IpAddr) -> AsconfRequest<'static> {
    AsconfRequest::Delete { id, address }
}

/// The chunk types that an INIT ACK lists as supported.
fn listed(record: &Record) -> Vec<u8> {
    let init = record.init().expect("an INIT ACK");
    let mut listed = Vec::new();
    for parameter in init.parameters.iter().flatten() {
        if let Parameter::Unknown(raw) = parameter
            && raw.parameter_type.0 == 0x8008
        {
            listed.extend_from_slice(raw.value);
        }
    }
    listed
}

// RFC 5061 §4.2.7: an end that lists ASCONF must list AUTH.
#[test]
fn a_peer_that_does_not_authenticate_is_offered_no_changes_of_addresses() {
    let mut options = options();
    options.authentication = Authentication::with_key("secret", ChunkSet::NONE);
    options.address_changes = AddressChanges::On;
    let (mut world, mut peer) = Peer::before_listener(options);
    peer.send_init(&mut world, &[known()]);
    let answer = peer.expect(&mut world, ChunkType::INIT_ACK);
    assert_eq!(listed(&answer), []);
}

// RFC 5061 §5.1, D5
#[test]
fn a_peer_that_does_not_know_the_request_is_asked_once() {
    let (mut world, mut peer, _) = connected();
    let ask = |world: &mut World| {
        let outcome = world.call(A, |it, now| it.set_peer_primary(now, address(A, 1)));
        world.pump();
        outcome
    };
    for _ in 0..2 {
        ask(&mut world).unwrap();
    }
    let request = peer.expect(&mut world, ChunkType::ASCONF);
    let whole = &request.bytes[12..];
    let causes = [Cause::UnrecognizedChunkType(whole)];
    let causes = Causes::from(&causes[..]);
    peer.send(&mut world, &[Chunk::Error(ErrorChunk { causes })]);
    world.run_for(secs(200));
    let change = AddressChange::SetPrimary(address(A, 1));
    let refused = Event::AddressChangeRefused { change, cause: 6 };
    assert_eq!(world.count_events(A, &refused), 2);
    assert_eq!(world.count(A, ChunkType::ASCONF), 1);
    assert_eq!(ask(&mut world), Err(AddressChangeError::Unavailable));
    peer.expect_alive(&mut world);
}

#[test]
fn the_wildcard_adds_where_the_packet_comes_from() {
    let (mut world, mut peer, serial) = connected();
    let anywhere: IpAddr = [0, 0, 0, 0].into();
    let requests = [add(1, anywhere)];
    let failed = ask_from(&mut world, &mut peer, serial, address(Z, 2), &requests);
    assert_eq!(failed, []);
    assert_eq!(remotes(&mut world), [address(Z, 1), address(Z, 2)]);
    let ack = world.sent_with(A, ChunkType::ASCONF_ACK).last().unwrap();
    assert_eq!(ack.to, address(Z, 2));
}

#[test]
fn the_wildcard_deletes_all_but_where_the_packet_comes_from() {
    let (mut world, mut peer, serial) = connected();
    let requests = [add(1, address(Z, 2)), add(2, address(Z, 3))];
    assert_eq!(ask(&mut world, &mut peer, serial, &requests), []);
    assert_eq!(remotes(&mut world).len(), 3);
    let requests = [delete(1, [0, 0, 0, 0].into())];
    let failed = ask(&mut world, &mut peer, serial + 1, &requests);
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
    let failed = ask(&mut world, &mut peer, serial, &requests);
    assert_eq!(failed, [(1, 0xa0), (2, 5), (3, 5), (4, 5), (5, 5)]);
    let requests = [add(1, address(Z, 2)), delete(2, z1)];
    let failed = ask(&mut world, &mut peer, serial + 1, &requests);
    assert_eq!(failed, [(2, 0xa2)]);
    assert_eq!(remotes(&mut world), [z1, address(Z, 2)]);
}

/// Requests to add `count` addresses of nobody.
fn many(count: u8) -> Vec<AsconfRequest<'static>> {
    let addresses = (1..=count).map(|n| add(u32::from(n), [10, 77, 0, n].into()));
    addresses.collect()
}

#[test]
fn there_is_room_for_few_addresses() {
    let (mut world, mut peer, serial) = connected();
    let failed = ask(&mut world, &mut peer, serial, &many(60));
    assert!(remotes(&mut world).len() <= 32);
    assert!(failed.iter().all(|(_, code)| *code == 0xa1) && failed.len() > 20);
    peer.expect_alive(&mut world);
}

/// RFC 5061 §5.3, F11: otherwise a moving peer would lose its old address.
#[test]
fn once_there_is_no_room_no_address_of_the_chunk_goes_either() {
    let (mut world, mut peer, serial) = connected();
    assert_eq!(ask(&mut world, &mut peer, serial, &many(31)), []);
    let before = remotes(&mut world);
    let requests = [add(1, address(Z, 2)), delete(2, [10, 77, 0, 1].into())];
    let failed = ask(&mut world, &mut peer, serial + 1, &requests);
    assert_eq!(failed, [(1, 0xa1), (2, 0xa1)]);
    assert_eq!(remotes(&mut world), before);
}

/// Requests not named in a response were performed (RFC 5061 §4.1.2).
#[test]
fn requests_beyond_those_that_are_carried_out_are_refused() {
    let (mut world, mut peer, serial) = connected();
    let z = address(Z, 1);
    let requests = (1..=70).map(|id| AsconfRequest::SetPrimary { id, address: z });
    let requests: Vec<_> = requests.collect();
    assert_eq!(ask(&mut world, &mut peer, serial, &requests), [(65, 0xa1)]);
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

/// Sends an ASCONF-ACK without outcomes.
fn acknowledge(world: &mut World, peer: &Peer, serial: u32) {
    let outcomes = TlvList::EMPTY;
    peer.send(world, &[Chunk::AsconfAck(AsconfAck { serial, outcomes })]);
}

#[test]
fn an_ack_of_what_was_never_asked_ends_the_association_and_an_old_one_does_not() {
    let (mut world, mut peer, _) = connected();
    acknowledge(&mut world, &peer, peer.engine_tsn.0.wrapping_sub(1));
    peer.expect_alive(&mut world);
    acknowledge(&mut world, &peer, peer.engine_tsn.0);
    world.run_for(secs(1));
    assert_eq!(world.peer_fault(A), Some(0xa3));
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
    let mut stranger = peer.clone();
    stranger.engine_tag.0 ^= 1;
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

/// Like [`connected`], with heartbeats and a second address, confirmed and primary. Returns the
/// next serial number, and the answer to the confirming heartbeat.
fn with_a_second_primary() -> (World, Peer, u32, Vec<u8>) {
    let mut options = options();
    options.heartbeats = Heartbeats::Every(secs(5));
    let (mut world, mut peer, serial) = connected_with(options);
    let (z1, z2) = (address(Z, 1), address(Z, 2));
    let chunk = asconf(serial, z1, &[add(1, z2)]);
    send_from(&mut world, &peer, z1, &chunk);
    let (to, info) = expect_probe(&mut world, &mut peer);
    assert_eq!(to, z2);
    answer_probe(&mut world, &peer, z2, &info);
    let primary = AsconfRequest::SetPrimary { id: 1, address: z2 };
    let failed = ask(&mut world, &mut peer, serial + 1, &[primary]);
    assert_eq!(failed, []);
    (world, peer, serial + 2, info)
}

/// Destination and information of the engine's next heartbeat.
fn expect_probe(world: &mut World, peer: &mut Peer) -> (IpAddr, Vec<u8>) {
    let probe = peer.expect(world, ChunkType::HEARTBEAT);
    let info = probe.chunks().into_iter().find_map(|chunk| match chunk {
        Chunk::Heartbeat(heartbeat) => Some(heartbeat.info.to_vec()),
        _ => None,
    });
    (probe.to, info.unwrap())
}

fn answer_probe(world: &mut World, peer: &Peer, from: IpAddr, info: &[u8]) {
    let ack = Chunk::HeartbeatAck(Heartbeat { info });
    peer.at(from).send(world, &[ack]);
}

/// Asserts that a deleted address neither sends nor receives anything, despite late packets.
#[track_caller]
fn assert_gone(world: &mut World, events: usize) {
    world.run_for(secs(120));
    assert_eq!(remotes(world), [address(Z, 1)]);
    let nowhere: IpAddr = [0, 0, 0, 0].into();
    assert!(world.sent(A).all(|record| record.to != nowhere));
    let of_paths = |event: &Event| matches!(event, Event::Path { .. });
    let late = world.events(A)[events..].to_vec();
    assert!(!late.iter().any(of_paths), "{late:?}");
    assert!(world.is_open(A));
}

fn send_now(world: &mut World, payload: &str) {
    assert_eq!(world.offer(A, text(0, payload)), Ok(()));
}

#[test]
fn a_late_sack_for_what_went_to_a_deleted_address_brings_nothing_back() {
    let (mut world, mut peer, serial, _) = with_a_second_primary();
    send_now(&mut world, "hello");
    let data = peer.expect(&mut world, ChunkType::DATA);
    assert_eq!(data.to, address(Z, 2));
    delete_second(&mut world, &mut peer, serial);
    let events = world.events(A).len();
    peer.send_sack(&mut world, 1);
    answer_heartbeats(&mut world, &mut peer);
    assert_gone(&mut world, events);
}

/// Whether the message "two", sent to a deleted address, was acknowledged before the deletion or
/// after it, which had marked the message: once its acknowledgement is revoked, the message is
/// retransmitted.
#[test]
fn a_reneged_chunk_that_went_to_a_deleted_address_is_sent_again() {
    for before in [true, false] {
        let (mut world, mut peer, serial, _) = with_a_second_primary();
        for payload in ["one", "two"] {
            send_now(&mut world, payload);
            peer.expect(&mut world, ChunkType::DATA);
        }
        for deletes in [!before, before] {
            if deletes {
                delete_second(&mut world, &mut peer, serial);
            } else {
                peer.send_sack_with(&mut world, 0, 1 << 20, &[(2, 2)]);
                world.run_for(ms(50));
            }
        }
        peer.send_sack(&mut world, 1);
        let two = |record: &Record| record.data().iter().any(|data| data.payload == b"two");
        let again = peer.expect(&mut world, ChunkType::DATA);
        assert_eq!(again.to, address(Z, 1), "acknowledged before: {before}");
        let again = two(&again) || two(&peer.expect(&mut world, ChunkType::DATA));
        assert!(again, "acknowledged before: {before}");
    }
}

#[test]
fn a_late_heartbeat_ack_for_a_deleted_address_brings_nothing_back() {
    let (mut world, mut peer, serial, confirmed_by) = with_a_second_primary();
    world.heartbeat(A, address(Z, 2));
    let (_, info) = expect_probe(&mut world, &mut peer);
    delete_second(&mut world, &mut peer, serial);
    let events = world.events(A).len();
    for info in [info, confirmed_by] {
        answer_probe(&mut world, &peer, address(Z, 1), &info);
        answer_probe(&mut world, &peer, address(Z, 2), &info);
    }
    answer_heartbeats(&mut world, &mut peer);
    assert_gone(&mut world, events);
}

/// Keeps the path to the first address alive.
fn answer_heartbeats(world: &mut World, peer: &mut Peer) {
    for _ in 0..30 {
        for packet in peer.listen(world, secs(1)) {
            for chunk in packet.chunks() {
                if let Chunk::Heartbeat(Heartbeat { info }) = chunk {
                    answer_probe(world, peer, packet.to, info);
                }
            }
        }
    }
}

#[test]
fn chunks_behind_the_deletion_of_their_own_address_are_answered() {
    let (mut world, mut peer, serial) = connected();
    let (z1, z2) = (address(Z, 1), address(Z, 2));
    let chunk = asconf(serial, z1, &[add(1, z2), delete(2, z1)]);
    let chunk = Chunk::Unknown(RawChunk::parse(&chunk).unwrap());
    let chunks = [chunk, heartbeat(b"are you there")];
    peer.at(z2).send(&mut world, &chunks);
    peer.expect(&mut world, ChunkType::ASCONF_ACK);
    assert_eq!(remotes(&mut world), [z2]);
    let nowhere: IpAddr = [0, 0, 0, 0].into();
    assert!(world.sent(A).all(|record| record.to != nowhere));
    peer.address = z2;
    peer.expect_alive(&mut world);
}

#[test]
fn a_peer_that_wants_changes_authenticated_is_not_asked_for_any_that_are_not() {
    let mut setup = Setup::with(options());
    setup.z_addresses = vec![address(Z, 1)];
    setup.a_addresses = vec![address(A, 1), address(A, 2)];
    let (mut world, mut peer) = Peer::before(&setup);
    let asks = [
        known(),
        Parameter::Random(&[9; 32]),
        Parameter::ChunkList(&[0xc1, 0x80]),
        Parameter::RequestedHmacs(List::from(&[3, 1])),
    ];
    peer.connect(&mut world, &asks);
    let outcome = world.call(A, |it, now| it.delete_address(now, address(A, 2)));
    assert_eq!(outcome, Err(AddressChangeError::Unavailable));
    peer.expect_silence(&mut world, secs(200));
    peer.expect_alive(&mut world);
}

// RFC 5061 §5.3: an address may be added and deleted repeatedly, even with data outstanding.
#[test]
fn an_address_that_comes_and_goes_while_data_is_outstanding_is_taken_each_time() {
    let (mut world, mut peer, first) = connected();
    world.send(A, text(0, "never acknowledged"));
    let mut serials = first..;
    for _ in 0..100 {
        for request in [add(1, address(Z, 2)), delete(1, address(Z, 2))] {
            let serial = serials.next().expect("another serial number");
            let failed = ask(&mut world, &mut peer, serial, &[request]);
            assert_eq!(failed, [], "{request:?}");
        }
    }
    assert_eq!(remotes(&mut world), [address(Z, 1)]);
    let all = [add(1, address(Z, 2)), add(2, address(Z, 3))];
    let serial = serials.next().expect("another serial number");
    assert_eq!(ask(&mut world, &mut peer, serial, &all), []);
    peer.send_sack(&mut world, 1);
    world.run_for(secs(1));
    assert_eq!(world.stats(A).send_buffered, 0);
}

/// Replays the INIT of an association after its peer moved from its first address to its second and
/// after `then`.
fn late_init(then: impl FnOnce(&mut World)) {
    let (mut world, mut peer, serial) = connected();
    let mut init = peer.clone();
    init.tsn = Tsn(serial);
    let (old, new) = (peer.address, address(Z, 2));
    ask(&mut world, &mut peer, serial, &[add(1, new)]);
    peer.address = new;
    let (_, info) = expect_probe(&mut world, &mut peer);
    answer_probe(&mut world, &peer, new, &info);
    world.run_for(secs(1));
    let next = serial.wrapping_add(1);
    let deletion = asconf(next, new, &[delete(1, old)]);
    send_from(&mut world, &peer, new, &deletion);
    world.run_for(secs(1));
    assert_eq!(remotes(&mut world), [new]);
    then(&mut world);
    for parameters in [&[][..], &[ip_parameter(new)]] {
        init.send_init(&mut world, parameters);
    }
    world.run_for(secs(1));
    assert_eq!(world.count(A, ChunkType::ABORT), 0);
    peer.expect_alive(&mut world);
}

#[test]
fn a_late_init_from_an_address_that_the_peer_has_left_ends_nothing() {
    late_init(|_| {});
    late_init(|world| world.endpoint(A).stop_listening(PORT));
}
