//! However an abandonment is detected, the user is notified and the peer skips the message at once.

use crate::prelude::*;

use super::{ONCE, abandoned, finish, losing, options, partial, reset, send, timed};

/// Checks that within 100 ms A is notified of its abandoned message and Z skips it.
#[track_caller]
fn assert_settled(world: &mut World) {
    world.run_for(ms(100));
    assert_eq!(abandoned(world, A).len(), 1);
    assert_eq!(world.count(A, ChunkType::FORWARD_TSN), 1);
    world.send(A, text(1, "behind it"));
    world.run_for(ms(300));
    assert_eq!(world.texts(Z), ["behind it"]);
    finish(world);
}

#[test]
fn a_report_of_a_damaged_packet_settles_what_it_gives_up() {
    let setup = partial(|options| options.packet_drop_reports = PacketDropReports::On);
    let mut world = setup.established();
    let mut damaged = false;
    world.damage(move |record| {
        let first = !damaged && record.has(ChunkType::DATA);
        damaged |= first;
        first
    });
    send(&mut world, blob(1, 100), ONCE);
    assert_settled(&mut world);
}

#[test]
fn an_error_warning_settles_what_it_gives_up() {
    let mut world = losing(1);
    send(&mut world, blob(1, 100), ONCE);
    let lost = world.sent_with(A, ChunkType::DATA).next().unwrap();
    let quoted = lost.bytes.clone();
    let (now, remote) = (world.now(), address(Z, 1));
    let warning = ErrorWarning {
        remote,
        quoted: &quoted,
    };
    world.endpoint(A).handle_error_warning(now, warning);
    world.pump();
    assert_settled(&mut world);
}

/// The peer deletes the address that a message was sent to, when its time has run out.
#[test]
fn the_end_of_an_address_settles_what_it_gives_up() {
    let mut setup = partial(set("address_changes=unauthenticated"));
    setup.z_addresses = vec![address(Z, 1), address(Z, 2)];
    setup.link.mtu = 65_535;
    let (mut world, mut peer) = Peer::before(&setup);
    let serial = peer.tsn.0;
    let extensions = [0x80, 0x08, 0, 6, 0xc1, 0x80];
    peer.connect_announcing(&mut world, &[&[0xC0, 0, 0, 4], &extensions]);
    world.send_with(A, text(1, "too late"), options(timed(50)));
    peer.expect(&mut world, ChunkType::DATA);
    world.run_for(ms(100));
    let [old, new] = [1, 2].map(|n| address(Z, n));
    let add = |id, address| AsconfRequest::Add { id, address };
    let delete = |id, address| AsconfRequest::Delete { id, address };
    let moves = [add(1, new), delete(2, old)];
    let asconf = Asconf {
        serial,
        address: old,
        requests: TlvList::from(&moves[..]),
    };
    peer.address = new;
    peer.send(&mut world, &[Chunk::Asconf(asconf)]);
    let probes = peer.listen(&mut world, ms(100));
    peer.answer_heartbeats(&mut world, &probes);
    world.send(A, text(1, "in time"));
    let arrived = peer.listen(&mut world, ms(200));
    assert_eq!(abandoned(&world, A).len(), 1);
    assert!(any_has(&arrived, ChunkType::FORWARD_TSN));
    let payloads = arrived.iter().flat_map(Record::data);
    let payloads: Vec<_> = payloads.map(|data| data.payload.to_vec()).collect();
    assert_eq!(payloads, [b"in time"]);
}

/// Regression: the packet begun for the message stayed reserved for it.
#[test]
fn a_message_given_up_in_part_gives_its_packet_back() {
    for scheduler in SCHEDULERS {
        let mut world = partial(|options| options.scheduler = scheduler).established();
        let lost = world.drop_while(A, ChunkType::DATA);
        send(&mut world, blob(1, 20_000), timed(100));
        send(&mut world, text(2, "on another stream"), timed(600_000));
        world.run_for(secs(1));
        *lost.borrow_mut() = false;
        world.run_for(secs(5));
        assert_eq!(world.texts(Z), ["on another stream"], "{scheduler:?}");
        finish(&mut world);
    }
}

/// Data that only waits to be skipped is not outstanding.
#[test]
fn with_nagle_a_message_given_up_does_not_hold_the_next() {
    let setup = partial(|options| options.coalescing = Coalescing::Nagle);
    let mut world = setup.established();
    world.drop_next(A, ChunkType::DATA, 1);
    let silent = world.drop_while(A, ChunkType::FORWARD_TSN);
    send(&mut world, text(1, "lost"), ONCE);
    world.wait(secs(5), |world| !abandoned(world, A).is_empty());
    let before = world.count(A, ChunkType::DATA);
    world.send(A, text(2, "next"));
    assert_eq!(world.count(A, ChunkType::DATA), before + 1);
    *silent.borrow_mut() = false;
    world.run_for(secs(10));
    assert_eq!(world.texts(Z), ["next"]);
    finish(&mut world);
}

/// Everything that a reset waits for is abandoned in a window too small for it: no acknowledgement
/// can arrive that would let the reset continue.
#[test]
fn a_reset_goes_on_when_what_it_waits_for_is_given_up() {
    for interleaving in [Interleaving::Off, Interleaving::On] {
        let mut setup = partial(|options| {
            options.reconfiguration = Reconfiguration::On(PeerRequests::ALL);
            options.interleaving = interleaving;
        });
        setup.z.receive_buffer = 4096;
        let mut world = setup.established();
        world.set_reading(Z, Reading::Stopped);
        world.send(A, blob(0, 2000));
        world.run_for(ms(500));
        send(&mut world, blob(1, 3000), timed(100));
        let done = reset(&mut world);
        world.send(A, text(1, "behind it"));
        world.run_for(ms(500));
        assert!(world.saw(A, &done), "{interleaving:?}");
        world.set_reading(Z, Reading::Eager);
        world.run_for(secs(5));
        assert_eq!(world.texts(Z).last().unwrap(), "behind it");
        finish(&mut world);
    }
}

/// Numbers after an SSN/TSN reset are meaningless to an end that does not know of the reset yet.
#[test]
fn a_skip_that_overtakes_the_answer_to_a_tsn_reset_waits_for_it() {
    let setup = partial(set("reconfiguration=on"));
    let mut world = setup.established();
    let held = world.drop_while(Z, ChunkType::RE_CONFIG);
    assert_eq!(world.reset_tsns(A), Ok(()));
    world.run_for(ms(100));
    world.drop_next(Z, ChunkType::DATA, 1);
    world.send_with(Z, text(1, "lost"), options(ONCE));
    world.wait(secs(5), |world| world.count(Z, ChunkType::FORWARD_TSN) > 0);
    world.run_for(ms(100));
    *held.borrow_mut() = false;
    world.run_for(secs(5));
    for kept in ["kept", "after"] {
        world.send(Z, text(1, kept));
        world.run_for(secs(5));
    }
    assert_eq!(world.texts(A), ["kept", "after"]);
    finish(&mut world);
}

/// The same, where another message takes the place of the one it waits for.
#[test]
fn a_reset_goes_on_when_what_it_waits_for_makes_room() {
    let mut setup = partial(set("reconfiguration=on, send_buffer=4000"));
    setup.z.receive_buffer = 4096;
    let mut world = setup.established();
    world.set_reading(Z, Reading::Stopped);
    world.send_every(A, ms(300), 4, &blob(0, 900));
    assert_eq!(world.stats(A).send_buffered, 0);
    send(&mut world, blob(1, 3000), Reliability::Priority(9));
    reset(&mut world);
    send(&mut world, blob(2, 3000), Reliability::Priority(1));
    assert_eq!(abandoned(&world, A).len(), 1);
    assert_eq!(world.count(A, ChunkType::RE_CONFIG), 1);
    world.set_reading(Z, Reading::Eager);
    world.run_for(secs(5));
    finish(&mut world);
}
