//! False SACKs.

use std::collections::BTreeSet;

use crate::prelude::*;

use super::quiet;

/// Ten full chunks, three of them sent and none acknowledged.
fn sender() -> (World, Peer) {
    let (mut world, mut peer) = Peer::serving(quiet());
    world.send_times(A, 10, &blob(0, 1452));
    peer.listen(&mut world, ms(20));
    (world, peer)
}

fn aborted(world: &World) -> bool {
    world.peer_fault(A) == Some(13)
}

/// Acknowledges correctly until everything has arrived.
#[track_caller]
fn finish(world: &mut World, peer: &mut Peer) {
    for _ in 0..60 {
        if world.stats(A).send_buffered == 0 {
            return;
        }
        let seen = BTreeSet::from_iter(peer.numbers(world.inbox(Z)));
        let count = (0..).take_while(|n| seen.contains(n)).count();
        peer.send_sack(world, count as u32);
        world.run_for(secs(1));
    }
    panic!("the flow does not go on: {:?}", world.stats(A));
}

// A14: gap blocks are checked as a whole first. An invalid block invalidates the others, but the
// Cumulative TSN Ack, which is valid by itself, still counts.
#[test]
fn a_gap_block_without_sense_spoils_no_cumulative_ack() {
    for gaps in [
        &[(0, 0)][..],
        &[(0, 2)],
        &[(2, 2), (3, 2)],
        &[(2, 2), (1, 1)],
    ] {
        let (mut world, mut peer) = sender();
        let before = world.stats(A).send_buffered;
        peer.send_sack_with(&mut world, 1, 1 << 20, gaps);
        world.run_for(ms(15));
        let freed = before - world.stats(A).send_buffered;
        assert!((1452..2000).contains(&freed), "{gaps:?}: {freed}");
        finish(&mut world, &mut peer);
    }
}

// A14
#[test]
fn a_gap_block_beyond_what_was_sent_aborts_and_acknowledges_nothing() {
    for gaps in [
        vec![(2, 60_000)],
        vec![(1000, 2000)],
        vec![(2, 2), (2, 2), (900, 900)],
        vec![(65_535, 65_535)],
    ] {
        let (mut world, mut peer) = sender();
        peer.send_sack_with(&mut world, 1, 1 << 20, &gaps);
        peer.expect(&mut world, ChunkType::ABORT);
        assert!(aborted(&world), "{gaps:?}");
        assert_eq!(world.failed(A).len(), 10, "{gaps:?}");
        assert_eq!(world.endpoint(A).stats().buffered, 0);
    }
}

// A14: out-of-order or overlapping blocks of sent data: accepted or dropped completely.
#[test]
fn odd_but_honest_gap_blocks_do_no_harm() {
    for gaps in [[(2, 3), (2, 3)], [(3, 3), (2, 2)], [(2, 3), (3, 3)]] {
        let (mut world, mut peer) = sender();
        peer.send_sack_with(&mut world, 0, 1 << 20, &gaps);
        world.run_for(ms(50));
        if !aborted(&world) {
            finish(&mut world, &mut peer);
        }
    }
}

// A4, A14: acknowledging queued but unsent data, of which the fourth chunk is the first, is false as
// well.
#[test]
fn an_optimistic_cumulative_ack_aborts() {
    for count in [4, 11, 100, 1 << 30, (1 << 31) - 1] {
        let (mut world, mut peer) = sender();
        peer.send_sack(&mut world, count);
        peer.expect(&mut world, ChunkType::ABORT);
        assert!(aborted(&world), "{count}");
    }
}

// A14, RFC 9260 §6.2.1 D i: SACKs in the past half of the serial-number space are old ones.
#[test]
fn a_sack_from_the_past_is_ignored() {
    let (mut world, mut peer) = sender();
    peer.send_sack(&mut world, 3);
    world.run_for(ms(50));
    let standing = |world: &mut World| (world.first_path(A).flight, world.stats(A).peer_rwnd);
    let before = standing(&mut world);
    for back in [1, 2, 1000, 1 << 30] {
        peer.send_sack_with(&mut world, 3_u32.wrapping_sub(back), 0, &[(1, 60_000)]);
    }
    world.run_for(ms(50));
    assert_eq!(standing(&mut world), before);
    finish(&mut world, &mut peer);
}

// A15
#[test]
fn a_sack_whose_counts_pass_its_end_is_malformed() {
    for (gaps, duplicates) in [(1, 0), (0, 1), (65_535, 65_535), (4, 4)] {
        let (mut world, mut peer) = sender();
        let before = world.stats(A).send_buffered;
        let mut chunk = vec![3, 0, 0, 16];
        chunk.extend_from_slice(&peer.engine_tsn.0.to_be_bytes());
        chunk.extend_from_slice(&(1_u32 << 20).to_be_bytes());
        chunk.extend_from_slice(&u16::to_be_bytes(gaps));
        chunk.extend_from_slice(&u16::to_be_bytes(duplicates));
        // A chunk behind it, whose bytes must not be taken for gap blocks.
        chunk.extend_from_slice(&[4, 0, 0, 8, 0, 1, 0, 4]);
        peer.send_bytes(&mut world, &chunk);
        world.run_for(ms(50));
        assert_eq!(world.stats(A).send_buffered, before);
        assert!(world.endpoint(A).stats().malformed >= 1);
        finish(&mut world, &mut peer);
    }
}

// A16
#[test]
fn many_small_acknowledgements_inflate_the_window_by_no_more_than_was_sent() {
    let (mut world, mut peer) = Peer::serving(quiet());
    world.send_together(A, (0..2000).map(|_| blob(0, 20)).collect());
    world.run_for(ms(20));
    let before = world.first_path(A).cwnd;
    // 36 bytes a chunk, 40 chunks a packet; each acknowledged by a SACK of its own.
    for count in 1..=80 {
        peer.send_sack(&mut world, count);
    }
    world.run_for(ms(15));
    let grown = world.first_path(A).cwnd - before;
    assert!(grown <= 80 * 36, "{grown} bytes for {}", 80 * 36);
    peer.take(&world);
}

// A16: nor by reports of duplicates.
#[test]
fn reports_of_duplicates_inflate_no_window() {
    let (mut world, peer) = sender();
    let before = world.first_path(A).cwnd;
    let duplicates: Vec<Tsn> = (0..300).map(|n| peer.engine_tsn.plus(n % 3)).collect();
    let sack = Sack {
        cumulative_tsn_ack: peer.engine_tsn.prev(),
        a_rwnd: 1 << 20,
        gap_blocks: List::EMPTY,
        duplicates: List::from(&duplicates[..]),
        packets: 0,
    };
    for _ in 0..50 {
        peer.send(&mut world, &[Chunk::Sack(sack)]);
    }
    world.run_for(ms(50));
    assert_eq!(world.first_path(A).cwnd, before);
}

// A14, A16: revoking and acknowledging again counts nothing twice.
#[test]
fn acknowledging_and_taking_back_earns_nothing() {
    let (mut world, mut peer) = sender();
    let before = world.first_path(A).cwnd;
    for _ in 0..100 {
        peer.send_sack_with(&mut world, 0, 1 << 20, &[(2, 3)]);
        peer.send_sack_with(&mut world, 0, 1 << 20, &[]);
    }
    world.run_for(ms(50));
    assert!(world.first_path(A).cwnd <= before + 1468);
    let stats = world.stats(A);
    assert!(stats.retransmissions <= 20, "{stats:?}");
    finish(&mut world, &mut peer);
}

// A17: FORWARD TSN is not spoken unless both sides agreed: it moves nothing.
#[test]
fn a_forward_tsn_that_was_not_negotiated_moves_nothing() {
    let (mut world, mut peer) = Peer::serving(quiet());
    let mut chunk = vec![192, 0, 0, 12];
    chunk.extend_from_slice(&peer.tsn.plus(1_000_000).0.to_be_bytes());
    chunk.extend_from_slice(&[0, 1, 0, 9]);
    peer.send_bytes(&mut world, &chunk);
    peer.send_data(&mut world, 0, 0, b"in order");
    world.run_for(secs(1));
    assert_eq!(world.texts(A), ["in order"]);
    let arrived = peer.take(&world);
    let last = arrived.iter().filter_map(Record::sack).next_back();
    assert_eq!(last.unwrap().cumulative_tsn_ack, peer.tsn.prev());
}

// A16: a receiver that delays SACKs and sends them together makes a path look faster than it is.
// Rate estimates are bounded by the sending rate, and excess packets are lost.
#[test]
fn sacks_that_are_held_back_and_come_together_make_no_sender_flood_the_path() {
    let sent = |hold: fn(u64) -> u64| {
        let (mut world, mut peer) = Peer::serving(quiet_but(set(
            "congestion=bbr, loss_detection=rack, send_buffer=1 MiB",
        )));
        // 20 Mbit/s, 20 ms, and a queue of twice what that is.
        world.edit_link(address(A, 1), address(Z, 1), |link| {
            (link.rate, link.queue) = (Some(20_000_000), 100_000);
        });
        let began = world.now();
        let mut receiver = Receiver::default();
        for round in 0.. {
            if world.now().since(began) > secs(10) {
                break;
            }
            while world.stats(A).send_buffered < 900_000 {
                world.send(A, blob(0, 14_520));
                world.run_for(Duration::ZERO);
            }
            world.run_for(ms(hold(round)));
            receiver.answer(&mut world, &mut peer);
        }
        let bytes: usize = world
            .sent_with(A, ChunkType::DATA)
            .map(Record::ip_len)
            .sum();
        bytes as f64 * 8.0 / 10.0
    };
    let honest = sent(|_| 2);
    for liar in [
        sent(|_| 60),
        sent(|round| 1 + 59 * (round & 1)),
        sent(|round| [1, 1, 1, 80][(round & 3) as usize]),
        sent(|round| 1 + round * 37 % 90),
    ] {
        let most = 1.3 * 20_000_000.0;
        assert!(liar < most, "{liar} bit/s into 20 Mbit/s; honest {honest}");
    }
}

/// A receiver by hand: what it has.
#[derive(Default)]
struct Receiver {
    /// Chunks without a gap, and those beyond.
    count: u32,
    beyond: BTreeSet<u32>,
}

impl Receiver {
    /// Reports all arrivals, including gaps, with one SACK per two packets, all at once.
    fn answer(&mut self, world: &mut World, peer: &mut Peer) {
        let arrived = peer.numbers(&peer.clone().take(world));
        peer.take(world);
        for pair in arrived.chunks(2) {
            self.beyond
                .extend(pair.iter().filter(|tsn| **tsn >= self.count));
            while self.beyond.remove(&self.count) {
                self.count += 1;
            }
            let mut gaps: Vec<(u16, u16)> = Vec::new();
            for tsn in &self.beyond {
                let offset = (tsn + 1 - self.count) as u16;
                match gaps.last_mut() {
                    Some((_, end)) if *end + 1 == offset => *end = offset,
                    _ => gaps.push((offset, offset)),
                }
            }
            peer.send_sack_with(world, self.count, 1 << 20, &gaps);
        }
    }
}
