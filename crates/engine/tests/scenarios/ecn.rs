//! Explicit congestion notification (RFC 3168, RFC 4960 Appendix A).

use crate::prelude::*;

/// Bytes of DATA chunks in a packet of 1500 bytes over IPv4.
const PMDCS: u64 = 1468;
/// User bytes of a chunk that fills a packet.
const FULL: usize = 1452;

fn ecn(options: &mut Options) {
    options.ecn = ExplicitCongestion::On;
}

/// A flow of 300 full packets over 20 Mbit/s and 10 ms each way; the packets at these indices are
/// marked.
fn flow(edit: impl FnOnce(&mut Options), marked: &[usize]) -> World {
    let setup = Setup::quiet(edit).linked(|link| link.rate = Some(20_000_000));
    let mut world = setup.established();
    world.mark_nth(A, marked);
    send(&mut world, 300);
    world
}

fn send(world: &mut World, packets: usize) {
    world.send_times(A, packets, &blob(0, FULL));
}

fn echoes(record: &Record) -> Vec<Tsn> {
    let typed = record.chunks().into_iter().filter_map(|chunk| match chunk {
        Chunk::EcnEcho(echo) => Some(echo.lowest_tsn),
        _ => None,
    });
    typed.collect()
}

fn answers(record: &Record) -> Vec<Tsn> {
    let typed = record.chunks().into_iter().filter_map(|chunk| match chunk {
        Chunk::Cwr(cwr) => Some(cwr.lowest_tsn),
        _ => None,
    });
    typed.collect()
}

#[test]
fn a_mark_cuts_the_window_without_a_retransmission() {
    let mut world = flow(ecn, &[60]);
    world.run_for(secs(5));
    assert_eq!(world.messages(Z).len(), 300);
    assert_eq!(world.stats(Z).marks_received, 1);
    assert_eq!(world.stats(A).mark_cuts, 1);
    let path = world.first_path(A);
    assert_eq!((path.retransmissions, path.timeouts), (0, 0));
    assert!(path.ssthresh < 1 << 20, "{path:?}");
}

#[test]
fn a_mark_halves_the_window_as_a_loss_does() {
    let mut world = flow(ecn, &[60]);
    let mut before = 0;
    world.wait(secs(5), |world| {
        let cut = world.stats(A).mark_cuts == 1;
        if !cut {
            before = world.first_path(A).cwnd;
        }
        cut
    });
    let after = world.first_path(A);
    assert!(before > 20 * PMDCS, "a window to halve: {before}");
    // The SACK bundled with the ECNE may have grown the window by a packet.
    let most = before / 2 + PMDCS;
    assert!((before / 2..=most).contains(&after.cwnd), "{after:?}");
    assert_eq!(after.ssthresh, before / 2);
}

#[test]
fn marks_instead_of_losses_cut_the_window_once_a_round_trip() {
    // All packets of several windows are marked.
    let places: Vec<usize> = (60..200).collect();
    let mut world = flow(ecn, &places);
    let mut cuts = vec![world.now()];
    world.run_until(secs(5), |world| {
        if world.stats(A).mark_cuts == cuts.len() as u64 {
            cuts.push(world.now());
        }
        false
    });
    assert_eq!(world.stats(Z).marks_received, 140);
    assert!(cuts.len() > 5, "{cuts:?}");
    for pair in cuts[1..].windows(2) {
        assert!(pair[1].since(pair[0]) >= ms(20), "{cuts:?}");
    }
    assert_eq!(world.first_path(A).retransmissions, 0);
    assert_eq!(world.messages(Z).len(), 300);
}

#[test]
fn new_data_is_ecn_capable_and_nothing_else_is() {
    let mut world = flow(ecn, &[20, 150]);
    world.drop_nth(A, ChunkType::DATA, &[60]);
    world.run_for(secs(5));
    let mut seen = Vec::new();
    let mut repeats = 0;
    for record in world.sent(A) {
        let tsns: Vec<u32> = record.data().iter().map(|data| data.tsn.0).collect();
        let repeated = tsns.iter().any(|tsn| seen.contains(tsn));
        repeats += usize::from(repeated);
        let fresh = !tsns.is_empty() && !repeated;
        let expected = if fresh { Ecn::Ect0 } else { Ecn::NotEct };
        assert_eq!(record.ecn, expected, "{record}");
        seen.extend(tsns);
    }
    assert_eq!(repeats, 1);
    assert!(world.sent(Z).all(|record| record.ecn == Ecn::NotEct));
}

#[test]
fn a_sack_for_which_data_leaves_no_room_is_not_ecn_capable() {
    let setup = Setup::quiet(|options| {
        ecn(options);
        options.bundling = Bundling::SpareFullChunks;
    });
    let mut world = setup.established();
    // The first DATA is acknowledged at once, the second a while later.
    world.send_every(Z, ms(30), 2, &blob(0, 100));
    // A owes a SACK; the first chunk fills its packet, and the second has no room beside the SACK.
    world.send_together(A, vec![blob(0, FULL), blob(0, FULL - 4)]);
    world.run_for(secs(1));
    assert_eq!(world.messages(Z).len(), 2);
    for record in world.sent(A) {
        let data = !record.data().is_empty();
        assert_eq!(record.ecn == Ecn::Ect0, data, "{record}");
    }
}

#[test]
fn the_echo_stands_in_every_sack_until_it_is_answered() {
    let mut world = flow(ecn, &[60]);
    world.run_for(secs(5));
    let first = world.times(Z, ChunkType::ECNE)[0];
    let answered = world.times(A, ChunkType::CWR)[0];
    // The CWR takes 10 ms plus queueing.
    let heard = world.times(Z, ChunkType::ECNE).last().copied().unwrap();
    assert!(heard >= answered && heard < answered + ms(60), "{heard}");
    for record in world.sent_with(Z, ChunkType::SACK) {
        if record.at >= first && record.at <= heard {
            assert_eq!(echoes(record).len(), 1, "{record}");
        }
    }
    let tsns: Vec<Tsn> = world.sent(Z).flat_map(echoes).collect();
    let answers: Vec<Tsn> = world.sent(A).flat_map(answers).collect();
    assert!(answers.iter().all(|tsn| tsns.contains(tsn)), "{answers:?}");
}

#[test]
fn a_lost_echo_is_repeated_with_the_next_sack() {
    let mut world = flow(ecn, &[60]);
    world.drop_next(Z, ChunkType::ECNE, 3);
    world.run_for(secs(5));
    assert_eq!(world.stats(A).mark_cuts, 1);
    assert_eq!(world.messages(Z).len(), 300);
}

#[test]
fn a_lost_answer_costs_neither_a_second_cut_nor_the_end_of_the_echo() {
    let mut world = flow(ecn, &[60]);
    world.drop_next(A, ChunkType::CWR, 2);
    world.run_for(secs(5));
    assert_eq!(world.stats(A).mark_cuts, 1);
    let last = world.times(Z, ChunkType::ECNE).last().copied();
    let sacks = world.times(Z, ChunkType::SACK);
    assert!(
        last < sacks.last().copied(),
        "the last SACKs are without it"
    );
    assert_eq!(world.messages(Z).len(), 300);
}

#[test]
fn a_mark_in_a_later_window_is_heard_although_the_first_answer_was_lost() {
    let mut world = flow(ecn, &[60, 160]);
    world.drop_next(A, ChunkType::CWR, 20);
    world.run_for(secs(5));
    assert_eq!(world.stats(A).mark_cuts, 2);
}

#[test]
fn a_loss_and_a_mark_in_one_window_cut_it_once() {
    for (lost, marked) in [(60, 70), (70, 60)] {
        let mut world = flow(ecn, &[marked]);
        world.drop_nth(A, ChunkType::DATA, &[lost]);
        let mut least = u64::MAX;
        let mut most = 0;
        for _ in 0..200 {
            world.run_for(ms(1));
            let path = world.first_path(A);
            most = most.max(path.cwnd);
            if path.ssthresh < 1 << 20 {
                least = least.min(path.cwnd);
            }
        }
        assert!(least >= most / 2, "{least} of {most}");
        assert_eq!(world.first_path(A).fast_retransmissions, 1);
        world.run_for(secs(5));
        assert_eq!(world.messages(Z).len(), 300);
    }
}

#[test]
fn a_peer_without_ecn_sees_plain_sctp() {
    let (on, off) = (ExplicitCongestion::On, ExplicitCongestion::Off);
    for (a, z) in [(on, off), (off, on)] {
        let mut setup = Setup::quiet(|_| {});
        setup.a.ecn = a;
        setup.z.ecn = z;
        let mut world = setup.established();
        send(&mut world, 50);
        world.run_for(secs(5));
        assert_eq!(world.messages(Z).len(), 50);
        assert!(world.log().iter().all(|record| record.ecn == Ecn::NotEct));
        let chunks = world.log().iter().flat_map(Record::types);
        let ours = [ChunkType::ECNE, ChunkType::CWR];
        assert_eq!(chunks.filter(|chunk| ours.contains(chunk)).count(), 0);
    }
}

#[test]
fn a_restarted_peer_decides_anew() {
    let mut setup = Setup::quiet(ecn);
    let mut world = setup.established();
    let fresh = setup.engine(&mut world, &setup.a_addresses.clone());
    world.reboot(A, fresh);
    setup.a.ecn = ExplicitCongestion::Off;
    setup.connect(&mut world);
    world.run_for(secs(2));
    send(&mut world, 10);
    world.run_for(secs(2));
    world.send_times(Z, 5, &blob(0, FULL));
    let from = world.log().len();
    world.run_for(secs(2));
    let since = &world.log()[from..];
    assert!(since.iter().all(|record| record.ecn == Ecn::NotEct));
}

// ---- a peer that plays by its own rules ----

/// A sender with `packets` full messages to a peer that agreed, 10 ms away.
fn abused(packets: usize) -> (World, Peer) {
    let (mut world, mut peer) = Peer::before_listener(quiet_but(ecn));
    peer.connect(&mut world, &[Parameter::EcnCapable]);
    send(&mut world, packets);
    world.run_for(ms(30));
    (world, peer)
}

/// Reports a mark on the engine's chunk `number`.
fn echo(world: &mut World, peer: &Peer, number: u32) {
    let lowest_tsn = Tsn(peer.engine_tsn.0.wrapping_add(number));
    peer.send(world, &[Chunk::EcnEcho(EcnEcho { lowest_tsn })]);
}

#[test]
fn an_echo_of_what_was_never_sent_is_ignored() {
    let (mut world, mut peer) = abused(3);
    peer.take(&world);
    for number in [3, 4, 1000, 1 << 31, u32::MAX, u32::MAX - 1000] {
        echo(&mut world, &peer, number);
        world.run_for(ms(15));
    }
    assert_eq!(world.stats(A).mark_cuts, 0);
    assert_eq!(world.count(A, ChunkType::CWR), 0);
    peer.expect_alive(&mut world);
}

#[test]
fn a_storm_of_echoes_cuts_once_and_never_widens_the_window() {
    let (mut world, peer) = abused(3);
    let before = world.first_path(A).cwnd;
    for n in 0..300 {
        echo(&mut world, &peer, n % 3);
        world.run_for(ms(1));
    }
    let after = world.first_path(A);
    assert_eq!(world.stats(A).mark_cuts, 1);
    assert!(after.cwnd <= before, "{after:?}");
    assert_eq!(after.retransmissions, 0);
}

/// Sends a CWR for all marks up to the chunk with this offset from the first.
fn answer(world: &mut World, peer: &Peer, number: u32) {
    let lowest_tsn = peer.tsn.plus(number);
    peer.send(world, &[Chunk::Cwr(Cwr { lowest_tsn })]);
}

#[test]
fn forged_answers_change_nothing() {
    let (mut world, mut peer) = abused(3);
    let before = world.first_path(A);
    for number in [0, 1, 1000, 1 << 31, u32::MAX] {
        answer(&mut world, &peer, number);
        world.run_for(ms(1));
    }
    let after = world.first_path(A);
    assert_eq!((after.cwnd, after.ssthresh), (before.cwnd, before.ssthresh));
    assert_eq!(world.count(A, ChunkType::ECNE), 0);
    peer.expect_alive(&mut world);
}

#[test]
fn an_echo_after_a_timeout_does_not_widen_the_window() {
    let (mut world, peer) = abused(3);
    world.run_for(secs(2));
    let timed_out = world.first_path(A);
    assert_eq!(timed_out.cwnd, PMDCS);
    for number in 0..3 {
        echo(&mut world, &peer, number);
        world.run_for(ms(15));
    }
    assert_eq!(world.first_path(A).cwnd, PMDCS);
}

#[test]
fn many_echoes_in_a_packet_bring_one_answer() {
    let (mut world, mut peer) = abused(3);
    peer.take(&world);
    let echoes = (0..150).map(|n| peer.engine_tsn.plus(n % 3));
    let echoes = echoes.map(|lowest_tsn| Chunk::EcnEcho(EcnEcho { lowest_tsn }));
    peer.send(&mut world, &echoes.collect::<Vec<_>>());
    let back = peer.listen(&mut world, ms(25));
    let found: usize = back.iter().map(|record| answers(record).len()).sum();
    assert_eq!(found, 1);
}

#[test]
fn broken_chunks_of_the_extension_are_survived() {
    let (mut world, mut peer) = abused(0);
    for bytes in [[12, 0, 0, 4, 0, 0, 0, 0], [13, 0, 0, 7, 1, 2, 3, 0]] {
        peer.send_raw(&mut world, &bytes);
        world.run_for(ms(15));
    }
    peer.expect_alive(&mut world);
}

#[test]
fn an_echo_without_agreement_is_an_unknown_chunk() {
    let (mut world, mut peer) = Peer::serving(quiet());
    send(&mut world, 3);
    world.run_for(ms(30));
    echo(&mut world, &peer, 0);
    world.run_for(ms(30));
    assert_eq!(world.count(A, ChunkType::CWR), 0);
    assert_eq!(world.first_path(A).cwnd, 3 * PMDCS);
    peer.expect_alive(&mut world);
}
