//! Non-renegable SACKs (draft-natarajan-tsvwg-sctp-nrsack).

use crate::prelude::*;

/// User bytes of a chunk that fills a packet.
const FULL: usize = 1452;

fn never_dropped(options: &mut Options) {
    options.selective_acks = SelectiveAcks::NonRenegable;
}

fn sacks(world: &World) -> (usize, usize) {
    let of = |kind| world.sent_with(Z, kind).count();
    (of(ChunkType::SACK), of(ChunkType::NR_SACK))
}

#[test]
fn nr_sacks_acknowledge_if_both_ends_want_them() {
    let mut world = Setup::quiet(never_dropped).established();
    world.send_times(A, 20, &blob(0, FULL));
    world.run_for(secs(2));
    assert_eq!(world.messages(Z).len(), 20);
    let (sacks, nr_sacks) = sacks(&world);
    assert_eq!(sacks, 0);
    assert!(nr_sacks >= 5, "{nr_sacks}");
    assert_eq!(world.stats(A).send_buffered, 0);
}

#[test]
fn sacks_acknowledge_if_one_end_does_not_want_nr_sacks_or_loses_what_it_has() {
    let unwanted = Setup::quiet(never_dropped);
    let unwanted = unwanted.z(|options| options.selective_acks = SelectiveAcks::Renegable);
    // Go-back-N has nothing to keep.
    let go_back_n = Setup::quiet(|options| {
        never_dropped(options);
        options.loss_recovery = LossRecovery::GoBackN;
    });
    for (why, setup) in [("unwanted", unwanted), ("go-back-N", go_back_n)] {
        let mut world = setup.established();
        world.send(A, blob(0, FULL));
        world.run_for(secs(2));
        assert_eq!(sacks(&world).1, 0, "{why}");
        assert_eq!(world.stats(A).send_buffered, 0, "{why}");
    }
}

/// Maximum bytes that a sender holds of 40 messages in the round trips after a loss.
fn held_during_a_repair(acks: SelectiveAcks) -> usize {
    let setup = Setup::quiet(|options| {
        options.selective_acks = acks;
        options.max_burst = None;
    });
    let mut world = setup
        .linked(|link| link.rate = Some(50_000_000))
        .established();
    world.send_times(A, 100, &blob(0, FULL));
    world.wait(secs(20), |world| world.stats(A).send_buffered == 0);
    let mut seen = 0;
    let mut first: Option<Tsn> = None;
    world.when(Verdict::Drop, move |record| {
        let lost = record.data().iter().any(|data| {
            first = first.or(Some(data.tsn));
            Some(data.tsn) == first && seen < 2
        });
        seen += usize::from(lost);
        lost
    });
    world.send_times(A, 40, &blob(0, FULL));
    // The first message is lost twice: while T3-rtx runs all others have arrived.
    world.run_for(ms(600));
    let held = world.stats(A).send_buffered;
    world.wait(secs(60), |world| world.messages(Z).len() == 140);
    world.wait(secs(60), |world| world.stats(A).send_buffered == 0);
    held
}

#[test]
fn data_behind_a_loss_is_not_held_by_the_sender() {
    let renegable = held_during_a_repair(SelectiveAcks::Renegable);
    let kept = held_during_a_repair(SelectiveAcks::NonRenegable);
    println!("held while one of 40 messages is repaired: {renegable} bytes, with NR-SACK {kept}");
    assert!(renegable > 40 * FULL, "{renegable}");
    assert!(kept < 2 * FULL, "{kept}");
}

#[test]
fn a_receiver_short_of_memory_drops_nothing_that_it_has_acknowledged_and_goes_on() {
    run_short_of_memory(|_| {});
    // Nor after the numbers began anew.
    run_short_of_memory(|world| {
        assert_eq!(world.reset_tsns(A), Ok(()));
        world.run_for(secs(30));
    });
}

fn run_short_of_memory(prepare: impl Fn(&mut World)) {
    for seed in 0..6 {
        let mut setup = Setup::quiet(|options| {
            never_dropped(options);
            options.receive_buffer = 12_000;
            options.reconfiguration = Reconfiguration::On(PeerRequests::ALL);
        });
        setup.seed = seed;
        setup.link.loss = 100;
        let mut world = setup.established();
        prepare(&mut world);
        world.set_reading(Z, Reading::Stopped);
        world.send_by_turns(A, 40, 10, 1_400);
        world.run_for(secs(20));
        world.set_reading(Z, Reading::Eager);
        world.run_for(secs(600));
        assert_eq!(world.messages(Z).len(), 40, "seed {seed}");
        // No chunk that an NR-SACK has named is missing in a later one.
        let mut named = std::collections::BTreeSet::new();
        for record in world.sent_with(Z, ChunkType::NR_SACK) {
            let (cumulative, tsns) = reported(record);
            let kept = |tsn: &u32| !Tsn(*tsn).is_after(cumulative) || tsns.contains(tsn);
            assert!(named.iter().all(kept), "seed {seed}");
            named.extend(tsns);
        }
    }
}

/// The contents of an NR-SACK: the cumulative TSN, and the TSNs beyond.
fn reported(record: &Record) -> (Tsn, std::collections::BTreeSet<u32>) {
    let chunks = record.chunks().into_iter();
    let mut sacks = chunks.filter_map(|chunk| match chunk {
        Chunk::NrSack(sack) => Some(sack),
        _ => None,
    });
    let chunk = sacks.next().expect("an NR-SACK");
    let base = chunk.cumulative_tsn_ack;
    let tsns = chunk
        .nr_gap_blocks
        .iter()
        .flat_map(|block| (block.start..=block.end).map(move |offset| base.plus(offset.into()).0));
    (base, tsns.collect())
}

/// A sender of ten chunks, three of them sent, and a scripted peer with NR-SACK.
fn sender() -> (World, Peer) {
    let options = quiet_but(|options| options.selective_acks = SelectiveAcks::NonRenegable);
    let (mut world, mut peer) = Peer::awaited(options);
    let extensions = parameter(&[0x80, 8, 0, 5, 16, 0, 0, 0]);
    peer.accept_saying(&mut world, &[extensions]);
    world.send_times(A, 10, &blob(0, FULL));
    peer.listen(&mut world, ms(20));
    (world, peer)
}

fn inject(
    world: &mut World,
    peer: &mut Peer,
    count: u32,
    gaps: &[(u16, u16)],
    kept: &[(u16, u16)],
) {
    let (gaps, kept) = (gap_blocks(gaps), gap_blocks(kept));
    let chunk = NrSack {
        cumulative_tsn_ack: peer.engine_tsn.prev().plus(count),
        a_rwnd: 1 << 20,
        gap_blocks: List::from(&gaps[..]),
        nr_gap_blocks: List::from(&kept[..]),
        duplicates: List::EMPTY,
    };
    peer.send(world, &[Chunk::NrSack(chunk)]);
    world.run_for(ms(50));
}

// A14
#[test]
fn an_nr_sack_with_a_bad_block_in_either_list_frees_nothing() {
    let good: &[(u16, u16)] = &[(2, 2)];
    for bad in [&[(0, 0)][..], &[(3, 2)], &[(2, 60_000)], &[(1, 65_535)]] {
        for (gaps, kept) in [(bad, good), (good, bad)] {
            let (mut world, mut peer) = sender();
            let before = world.stats(A).send_buffered;
            inject(&mut world, &mut peer, 0, gaps, kept);
            if world.close_reason(A).is_none() {
                assert_eq!(world.stats(A).send_buffered, before, "{gaps:?} {kept:?}");
            }
        }
    }
}

// A14
#[test]
fn a_chunk_that_an_nr_sack_takes_back_is_neither_sent_again_nor_freed_twice() {
    let (mut world, mut peer) = sender();
    let before = world.stats(A).send_buffered;
    inject(&mut world, &mut peer, 0, &[], &[(2, 3)]);
    let after = world.stats(A).send_buffered;
    assert!(after + 2 * FULL <= before, "{before} {after}");
    for _ in 0..3 {
        inject(&mut world, &mut peer, 0, &[], &[(3, 3)]);
        inject(&mut world, &mut peer, 0, &[], &[(2, 3)]);
        inject(&mut world, &mut peer, 0, &[(2, 3)], &[]);
    }
    assert_eq!(world.stats(A).send_buffered, after);
    peer.send_sack(&mut world, 3);
    world.run_for(ms(50));
    assert!(world.stats(A).send_buffered < after);
}

// A15
#[test]
fn an_nr_sack_whose_counts_pass_its_end_is_passed_over() {
    for (gaps, kept, duplicates) in [(1, 0, 0), (0, 1, 0), (0, 0, 1), (65_535, 65_535, 65_535)] {
        let (mut world, peer) = sender();
        let before = world.stats(A).send_buffered;
        let mut chunk = vec![16, 0, 0, 20];
        chunk.extend_from_slice(&peer.engine_tsn.0.to_be_bytes());
        chunk.extend_from_slice(&(1_u32 << 20).to_be_bytes());
        for count in [gaps, kept, duplicates, 0_u16] {
            chunk.extend_from_slice(&count.to_be_bytes());
        }
        peer.send_bytes(&mut world, &chunk);
        world.run_for(ms(50));
        assert_eq!(world.stats(A).send_buffered, before);
    }
}

// A14
#[test]
fn an_nr_sack_that_was_not_agreed_on_acknowledges_nothing() {
    let (mut world, mut peer) = Peer::serving(Profile::Rfc9260.options());
    world.send(A, blob(0, FULL));
    peer.listen(&mut world, ms(20));
    let before = world.stats(A).send_buffered;
    inject(&mut world, &mut peer, 1, &[], &[]);
    assert_eq!(world.stats(A).send_buffered, before);
}
