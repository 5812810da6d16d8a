//! Heartbeats and their answers.

use crate::prelude::*;

use super::quiet;

/// An association whose second address is not confirmed, and the heartbeat sent to it.
fn probed() -> (World, Peer, Record) {
    let (mut world, mut peer) = Peer::before(&Setup::with(quiet()).paths(2));
    peer.connect(&mut world, &[ip_parameter(address(Z, 2))]);
    world.run_for(secs(3));
    let probe = world
        .sent_with(A, ChunkType::HEARTBEAT)
        .find(|record| record.to == address(Z, 2))
        .expect("a heartbeat to the second address")
        .clone();
    (world, peer, probe)
}

fn info(record: &Record) -> Vec<u8> {
    let heartbeat = record.chunks().into_iter().find_map(|chunk| match chunk {
        Chunk::Heartbeat(heartbeat) => Some(heartbeat.info.to_vec()),
        _ => None,
    });
    heartbeat.expect("a heartbeat")
}

fn answer(world: &mut World, peer: &Peer, info: &[u8]) {
    peer.send(world, &[Chunk::HeartbeatAck(Heartbeat { info })]);
    world.run_for(ms(30));
}

// A29
#[test]
fn an_edited_heartbeat_confirms_nothing() {
    let (mut world, peer, probe) = probed();
    let right = info(&probe);
    for at in 0..right.len() {
        for flip in [1, 0x80] {
            let mut wrong = right.clone();
            wrong[at] ^= flip;
            answer(&mut world, &peer, &wrong);
        }
    }
    for len in 0..right.len() {
        answer(&mut world, &peer, &right[..len]);
    }
    answer(&mut world, &peer, &[&right[..], &[0; 8]].concat());
    assert_ne!(world.path(A, address(Z, 2)).state, PathState::Active);
}

// A29
#[test]
fn the_right_nonce_confirms() {
    let (mut world, peer, _) = probed();
    let to_second = |world: &World| {
        let sent = world.sent_with(A, ChunkType::HEARTBEAT);
        sent.filter(|record| record.to == address(Z, 2))
            .cloned()
            .collect::<Vec<_>>()
    };
    let before = to_second(&world).len();
    world.wait(secs(200), |world| to_second(world).len() > before);
    let probe = to_second(&world).pop().unwrap();
    answer(&mut world, &peer, &info(&probe));
    assert_eq!(world.path(A, address(Z, 2)).state, PathState::Active);
}

// A29
#[test]
fn the_answer_for_one_path_does_not_confirm_another() {
    let (mut world, peer, _) = probed();
    world.heartbeat(A, address(Z, 1));
    world.run_for(ms(30));
    let first = world
        .sent_with(A, ChunkType::HEARTBEAT)
        .filter(|record| record.to == address(Z, 1))
        .last()
        .map(info)
        .unwrap();
    let from_second = peer.at(address(Z, 2)).towards(address(A, 2));
    answer(&mut world, &from_second, &first);
    assert_ne!(world.path(A, address(Z, 2)).state, PathState::Active);
}

// A29: the time is kept here, not believed from the wire; an old answer measures nothing.
#[test]
fn a_replayed_answer_measures_nothing() {
    let (mut world, mut peer) = Peer::connected(quiet());
    world.heartbeat(A, address(Z, 1));
    let probe = peer.expect(&mut world, ChunkType::HEARTBEAT);
    let info = info(&probe);
    answer(&mut world, &peer, &info);
    let measured = world.first_path(A);
    world.run_for(secs(20));
    for _ in 0..10 {
        answer(&mut world, &peer, &info);
    }
    let after = world.first_path(A);
    assert_eq!(
        (after.srtt, after.rttvar, after.rto),
        (measured.srtt, measured.rttvar, measured.rto)
    );
    assert_eq!(after.heartbeats_acked, measured.heartbeats_acked);
}

// A29: nor does a replay hide that a path is dead.
#[test]
fn a_replayed_answer_keeps_no_dead_path_alive() {
    let options = parsed("profile=rfc9260,heartbeats=1 s,association_max_retrans=4");
    let (mut world, mut peer) = Peer::connected(options);
    let probe = peer.expect(&mut world, ChunkType::HEARTBEAT);
    let info = info(&probe);
    for _ in 0..600 {
        if !world.is_open(A) {
            return;
        }
        answer(&mut world, &peer, &info);
        world.run_for(ms(170));
    }
    panic!("still taken for alive");
}

// A29
#[test]
fn an_oversize_heartbeat_is_survived() {
    let (mut world, mut peer) = Peer::connected(quiet());
    for len in [1400, 1461, 9000, 60_000] {
        let info = vec![7; len];
        let mtu = 65_535;
        world.edit_link(peer.address, peer.engine, |link| link.mtu = mtu);
        peer.send(&mut world, &[heartbeat(&info)]);
        let arrived = peer.listen(&mut world, ms(100));
        assert!(arrived.len() <= 1);
    }
    peer.expect_alive(&mut world);
}

// A37: what we put into a heartbeat is short and holds no address of memory.
#[test]
fn a_heartbeat_holds_little() {
    let (_, _, probe) = probed();
    assert!(info(&probe).len() <= 64);
}
