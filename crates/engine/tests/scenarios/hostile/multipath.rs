//! A peer that lies to a sender using several of its addresses concurrently.

use crate::prelude::*;

/// An engine that sends to both addresses of this peer, with no chunk acknowledged.
fn sender() -> (World, Peer) {
    Peer::with_two_addresses(quiet_but(set("multipath=concurrent")))
}

/// Windows of both paths.
fn windows(world: &mut World) -> [u64; 2] {
    [1, 2].map(|n| world.path(A, address(Z, n)).cwnd)
}

/// The user bytes sent to each address, chunk by chunk, in order of their TSNs.
fn sent(world: &World, peer: &Peer) -> Vec<(usize, u64)> {
    let mut chunks: Vec<(u32, usize, u64)> = Vec::new();
    for record in world.sent_with(A, ChunkType::DATA) {
        let path = usize::from(record.to == address(Z, 2));
        for data in record.data() {
            let place = data.tsn.distance_from(peer.engine_tsn);
            let bytes = (data.payload.len() as u64 + 16).next_multiple_of(4);
            chunks.push((place, path, bytes));
        }
    }
    chunks.sort_unstable();
    chunks.dedup_by_key(|chunk| chunk.0);
    let chunks = chunks.into_iter();
    chunks.map(|(_, path, bytes)| (path, bytes)).collect()
}

// A16
#[test]
fn split_acknowledgements_inflate_no_window_of_several_paths() {
    let (mut world, mut peer) = sender();
    world.send_together(A, (0..2000).map(|_| blob(0, 20)).collect());
    peer.listen(&mut world, ms(20));
    let before = windows(&mut world);
    let sent = sent(&world, &peer);
    assert!(sent.iter().any(|(path, _)| *path == 0) && sent.iter().any(|(path, _)| *path == 1));
    let count = sent.len().min(200);
    for acknowledged in 1..=count {
        peer.send_sack(&mut world, acknowledged as u32);
    }
    world.run_for(ms(15));
    let after = windows(&mut world);
    for path in [0, 1] {
        let own = sent[..count].iter().filter(|(on, _)| *on == path);
        let own: u64 = own.map(|(_, bytes)| bytes).sum();
        let grown = after[path] - before[path];
        assert!(grown <= own, "path {path}: {grown} for {own}");
    }
}

// A16: gap reports of one path's chunks move nothing on the other.
#[test]
fn a_sack_grows_only_the_window_of_the_path_that_it_acknowledges() {
    let (mut world, mut peer) = sender();
    world.send_times(A, 40, &blob(0, 1452));
    peer.listen(&mut world, ms(20));
    let before = windows(&mut world);
    let sent = sent(&world, &peer);
    let second = sent.iter().position(|(path, _)| *path == 1);
    let second = second.expect("both are used");
    let at = second as u16 + 1;
    for _ in 0..20 {
        peer.send_sack_with(&mut world, 0, 1 << 20, &[(at, at)]);
    }
    world.run_for(ms(15));
    let after = windows(&mut world);
    assert_eq!(after[0], before[0]);
    assert!(after[1] - before[1] <= 1468, "{before:?} {after:?}");
}

// A14, A16: revoked and acknowledged again, in any order of SACKs.
#[test]
fn taking_back_what_was_acknowledged_earns_nothing_on_several_paths() {
    let (mut world, mut peer) = sender();
    world.send_times(A, 40, &blob(0, 1452));
    peer.listen(&mut world, ms(20));
    let before = windows(&mut world);
    for _ in 0..100 {
        peer.send_sack_with(&mut world, 0, 1 << 20, &[(2, 3)]);
        peer.send_sack_with(&mut world, 0, 1 << 20, &[]);
    }
    world.run_for(ms(50));
    let after = windows(&mut world);
    let grown = after[0] + after[1] - before[0] - before[1];
    assert!(grown <= 2 * 1468, "{before:?} {after:?}");
}

// A16: nor does a SACK that claims to answer more packets than it does.
#[test]
fn a_false_number_of_packets_changes_nothing_without_a_gap() {
    let run = |packets| {
        let (mut world, mut peer) = sender();
        world.send_times(A, 40, &blob(0, 1452));
        peer.listen(&mut world, ms(20));
        for count in 1..=4 {
            let sack = Sack {
                packets,
                ..sack(peer.nth(count), 1 << 20, &[])
            };
            peer.send(&mut world, &[Chunk::Sack(sack)]);
        }
        world.run_for(ms(15));
        (windows(&mut world), world.stats(A).retransmissions)
    };
    assert_eq!(run(3), run(0));
}
