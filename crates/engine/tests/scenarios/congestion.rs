//! Congestion control: the amount of data in flight (RFC 9260 §6.1, §6.3, §7.2).

use crate::prelude::*;

use core::ops::RangeInclusive;

/// Bytes of DATA chunks in a packet of 1500 bytes over IPv4.
const PMDCS: u64 = 1468;
/// User bytes of a chunk that fills a packet.
const FULL: usize = 1452;

/// An engine that sends full packets to a peer that acknowledges by hand, 10 ms away.
fn sender(edit: impl FnOnce(&mut Options), packets: usize) -> (World, Peer) {
    let (mut world, peer) = Peer::serving(quiet_but(edit));
    world.send_times(A, packets, &blob(0, FULL));
    (world, peer)
}

fn listen(world: &mut World, peer: &mut Peer, span: Duration) -> Vec<u32> {
    let arrived = peer.listen(world, span);
    peer.numbers(&arrived)
}

#[test]
fn the_initial_window_is_that_of_the_rfc() {
    let mut world = Setup::quiet(|_| {}).established();
    assert_eq!(world.first_path(A).cwnd, 4404, "over IPv4");
    assert!(world.first_path(A).ssthresh >= 1 << 20, "arbitrarily high");
    let mut world = Setup::quiet(|_| {}).ipv6().established();
    assert_eq!(world.path(A, address6(Z, 1)).cwnd, 4344, "over IPv6");
    let mut world = Setup::quiet(|options| options.initial_pmtu = 576).established();
    assert_eq!(
        world.first_path(A).cwnd,
        4 * (576 - 20 - 12),
        "four packets"
    );
}

// RFC 9260 §6.1 B: the last packet may exceed cwnd by less than its size.
#[test]
fn the_first_flight_passes_the_window_by_less_than_a_packet() {
    let (mut world, mut peer) = sender(|_| {}, 30);
    assert_eq!(listen(&mut world, &mut peer, ms(500)), [0, 1, 2]);
    // 3 * 1468 = 4404 fills the window exactly.
    assert_eq!(world.first_path(A).flight, 4404);
}

// RFC 9260 §7.2.1: at most one PMDCS per SACK.
#[test]
fn slow_start_grows_by_what_a_sack_acknowledged_and_by_one_packet_at_most() {
    for acknowledged in [1, 3] {
        let (mut world, mut peer) = sender(|_| {}, 100);
        peer.listen(&mut world, ms(20));
        peer.send_sack(&mut world, acknowledged);
        world.run_for(ms(15));
        assert_eq!(world.first_path(A).cwnd, 4404 + PMDCS, "{acknowledged}");
    }
}

#[test]
fn a_window_that_is_not_used_does_not_grow() {
    let mut world = Setup::quiet(|_| {}).established();
    world.send_every(A, ms(300), 50, &blob(0, 100));
    assert_eq!(world.first_path(A).cwnd, 4404);
}

// The window of an association that has not sent yet does not shrink, so slow start has no
// threshold.
#[test]
fn a_first_flight_after_a_long_wait_is_still_slow_start() {
    let (mut world, mut peer) = Peer::serving(quiet());
    world.run_for(secs(60));
    world.send_times(A, 100, &blob(0, FULL));
    grow(&mut world, &mut peer, 0, 20);
    let path = world.first_path(A);
    assert!(path.cwnd >= 15 * PMDCS, "{path:?}");
}

#[test]
fn congestion_avoidance_grows_by_one_packet_for_a_window() {
    let (mut world, mut peer) = sender(|_| {}, 400);
    let mut acknowledged = grow(&mut world, &mut peer, 0, 30);
    // A loss ends slow start.
    acknowledged = lose_one(&mut world, &mut peer, acknowledged);
    let before = world.first_path(A);
    assert!(before.cwnd <= before.ssthresh + 2 * PMDCS, "{before:?}");
    let window = before.cwnd / PMDCS;
    for _ in 0..4 {
        acknowledged = grow(&mut world, &mut peer, acknowledged, window as u32 + 1);
    }
    let grown = (world.first_path(A).cwnd - before.cwnd) / PMDCS;
    assert!((2..=5).contains(&grown), "{grown} packets in four windows");
}

/// Acknowledges `count` packets one by one as they arrive.
fn grow(world: &mut World, peer: &mut Peer, mut acknowledged: u32, count: u32) -> u32 {
    for _ in 0..count {
        world.run_for(ms(1));
        acknowledged += 1;
        peer.send_sack(world, acknowledged);
    }
    world.run_for(ms(25));
    acknowledged
}

/// Reports the next packet missing until it is retransmitted, then acknowledges everything.
fn lose_one(world: &mut World, peer: &mut Peer, acknowledged: u32) -> u32 {
    peer.take(world);
    report(world, peer, acknowledged, 2..=4, ms(1));
    world.run_for(ms(25));
    let fresh = peer.take(world);
    let again = peer.numbers(&fresh).contains(&acknowledged);
    assert!(again, "not fast retransmitted");
    let arrived = world.inbox(Z).to_vec();
    let highest = peer.numbers(&arrived).into_iter().max().unwrap();
    peer.send_sack(world, highest + 1);
    world.run_for(ms(25));
    highest + 1
}

/// Reports `acknowledged` missing, with gap blocks from 2 to each of `lasts`.
fn report(
    world: &mut World,
    peer: &Peer,
    acknowledged: u32,
    lasts: RangeInclusive<u16>,
    between: Duration,
) {
    for last in lasts {
        peer.send_sack_with(world, acknowledged, 1 << 20, &[(2, last)]);
        world.run_for(between);
    }
}

#[test]
fn three_missing_reports_bring_a_fast_retransmission() {
    let (mut world, mut peer) = sender(|_| {}, 100);
    let acknowledged = grow(&mut world, &mut peer, 0, 10);
    peer.take(&world);
    report(&mut world, &peer, acknowledged, 2..=3, ms(0));
    let arrived = listen(&mut world, &mut peer, ms(30));
    assert!(!arrived.contains(&acknowledged), "two are not enough");
    report(&mut world, &peer, acknowledged, 4..=4, ms(0));
    let arrived = listen(&mut world, &mut peer, ms(30));
    assert_eq!(arrived.first(), Some(&acknowledged));
    let path = world.first_path(A);
    assert_eq!((path.fast_retransmissions, path.timeouts), (1, 0));
}

// HTNA: a report counts only for TSNs below one that it newly acknowledges.
#[test]
fn the_same_report_again_counts_for_nothing() {
    let (mut world, mut peer) = sender(|_| {}, 100);
    let acknowledged = grow(&mut world, &mut peer, 0, 10);
    peer.take(&world);
    for _ in 0..6 {
        report(&mut world, &peer, acknowledged, 4..=4, ms(0));
    }
    let arrived = listen(&mut world, &mut peer, ms(30));
    assert!(!arrived.contains(&acknowledged));
}

#[test]
fn a_fast_retransmission_halves_the_window_which_does_not_grow_in_fast_recovery() {
    let (mut world, mut peer) = sender(|_| {}, 400);
    let acknowledged = grow(&mut world, &mut peer, 0, 30);
    let half = world.first_path(A).cwnd / 2;
    report(&mut world, &peer, acknowledged, 2..=4, ms(0));
    world.run_for(ms(15));
    let reduced = world.first_path(A);
    assert_eq!(reduced.cwnd, reduced.ssthresh);
    assert!(
        (half..=half + 2 * PMDCS).contains(&reduced.cwnd),
        "{half} to {}",
        reduced.cwnd
    );
    report(&mut world, &peer, acknowledged, 5..=20, ms(1));
    world.run_for(ms(15));
    assert_eq!(world.first_path(A).cwnd, reduced.cwnd);
}

#[test]
fn several_losses_of_one_window_halve_it_once() {
    let (mut world, mut peer) = sender(|options| options.max_burst = None, 400);
    let acknowledged = grow(&mut world, &mut peer, 0, 40);
    for last in [2, 4, 6, 8, 10, 12, 14] {
        let gaps: Vec<_> = (2..=last).step_by(2).map(|n| (n, n)).collect();
        peer.send_sack_with(&mut world, acknowledged, 1 << 20, &gaps);
        world.run_for(ms(1));
    }
    world.run_for(ms(15));
    let path = world.first_path(A);
    assert_eq!(path.cwnd, path.ssthresh, "one reduction");
    assert!(path.cwnd >= 15 * PMDCS, "{}", path.cwnd);
}

#[test]
fn a_chunk_is_fast_retransmitted_once() {
    let (mut world, mut peer) = sender(|_| {}, 400);
    let acknowledged = grow(&mut world, &mut peer, 0, 20);
    peer.take(&world);
    report(&mut world, &peer, acknowledged, 2..=14, ms(1));
    let arrived = listen(&mut world, &mut peer, ms(30));
    let again = arrived.iter().filter(|tsn| **tsn == acknowledged);
    assert_eq!(again.count(), 1);
}

#[test]
fn a_single_lost_packet_of_many_is_repaired_without_a_timeout() {
    let mut world = Setup::quiet(|_| {})
        .linked(|link| link.rate = Some(50_000_000))
        .established();
    world.drop_nth(A, ChunkType::DATA, &[40]);
    world.send_times(A, 200, &blob(0, FULL));
    world.run_for(secs(5));
    assert_eq!(world.messages(Z).len(), 200);
    let stats = world.stats(A);
    assert_eq!((stats.retransmissions, stats.timeouts), (1, 0));
    assert_eq!(stats.bytes_retransmitted, FULL as u64);
}

// ---- T3-rtx ----

#[test]
fn a_timeout_shrinks_the_window_to_one_packet() {
    let (mut world, mut peer) = sender(|_| {}, 100);
    let acknowledged = grow(&mut world, &mut peer, 0, 10);
    peer.take(&world);
    let before = world.first_path(A).cwnd;
    world.run_for(ms(1100));
    let after = world.first_path(A);
    assert_eq!(after.cwnd, PMDCS);
    assert_eq!(after.ssthresh, (before / 2).max(4 * PMDCS));
    assert_eq!(after.timeouts, 1);
    let arrived = listen(&mut world, &mut peer, ms(30));
    let again: Vec<_> = arrived.iter().filter(|tsn| **tsn == acknowledged).collect();
    assert!(!again.is_empty(), "the earliest chunk");
}

// In ns-2, fast recovery lasts.
#[test]
fn a_timeout_ends_fast_recovery_unless_an_option_lets_it_last() {
    for rule in [FastRecoveryAtTimeout::Ends, FastRecoveryAtTimeout::Lasts] {
        let (mut world, mut peer) = sender(|o| o.fast_recovery_at_timeout = rule, 400);
        let acknowledged = grow(&mut world, &mut peer, 0, 20);
        report(&mut world, &peer, acknowledged, 2..=4, ms(0));
        world.run_for(ms(1200));
        let before = world.first_path(A);
        assert_eq!((before.fast_retransmissions, before.timeouts), (1, 1));
        assert_eq!(before.cwnd, PMDCS);
        // Only the retransmission arrived: part of the data outstanding when recovery began.
        peer.send_sack(&mut world, acknowledged + 4);
        world.run_for(ms(25));
        let grows = world.first_path(A).cwnd > before.cwnd;
        assert_eq!(grows, rule == FastRecoveryAtTimeout::Ends, "{rule:?}");
    }
}

#[test]
fn one_packet_is_in_flight_after_a_timeout() {
    let (mut world, mut peer) = sender(|_| {}, 100);
    peer.listen(&mut world, ms(20));
    let before = world.count(A, ChunkType::DATA);
    world.run_for(ms(1100));
    assert_eq!(world.count(A, ChunkType::DATA), before + 1);
    world.run_for(secs(2));
    assert_eq!(world.count(A, ChunkType::DATA), before + 2);
    // RFC 9260 §6.1: a delayed SACK of the only packet in flight would look like another loss.
    let asks = world.sent(A).flat_map(Record::data);
    let asks: Vec<_> = asks
        .map(|data| data.flags.contains(DataFlags::IMMEDIATE))
        .collect();
    assert!(asks[..before].iter().all(|asks| !asks), "{asks:?}");
    assert!(asks[before..].iter().all(|asks| *asks), "{asks:?}");
}

#[test]
fn timeouts_back_off_to_rto_max() {
    let (mut world, _peer) = sender(|options| options.rto_max = secs(6), 1);
    let began = world.now();
    world.run_for(secs(26));
    let times = world.delays(A, ChunkType::DATA, began);
    assert_eq!(times, [0, 1, 3, 7, 13, 19, 25].map(secs));
}

#[test]
fn an_acknowledgement_of_new_data_brings_the_rto_back() {
    let (mut world, mut peer) = sender(|_| {}, 1);
    world.run_for(secs(4));
    peer.take(&world);
    assert_eq!(world.first_path(A).rto, secs(4));
    peer.send_sack(&mut world, 1);
    world.run_for(ms(50));
    world.send(A, blob(0, 10));
    world.run_for(ms(15));
    peer.send_sack(&mut world, 2);
    world.run_for(ms(15));
    assert_eq!(world.first_path(A).rto, secs(1));
}

// RFC 9260 §6.3.1 C5
#[test]
fn a_retransmitted_chunk_measures_nothing() {
    let (mut world, mut peer) = sender(|_| {}, 1);
    let before = world.first_path(A).srtt;
    world.run_for(ms(1500));
    peer.take(&world);
    peer.send_sack(&mut world, 1);
    world.run_for(ms(50));
    assert_eq!(world.first_path(A).srtt, before);
    assert_eq!(world.first_path(A).rto, secs(2), "still backed off");
}

#[test]
fn the_rto_never_falls_below_rto_min() {
    for floor in [10, 50, 1000] {
        let mut world = Setup::quiet(|options| options.rto_min = ms(floor))
            .linked(|link| link.delay = Duration::from_micros(50))
            .established();
        world.send_every(A, ms(1), 100, &blob(0, 3000));
        assert_eq!(world.first_path(A).rto, ms(floor));
    }
}

#[test]
fn an_rto_of_10_ms_is_kept_to_the_millisecond() {
    let mut world = Setup::quiet(set("rto_min=10 ms, sack_delay=1 ms"))
        .linked(|link| link.delay = Duration::from_micros(100))
        .established();
    world.send_every(A, ms(5), 50, &blob(0, 100));
    world.cut_path(1);
    let began = world.now();
    world.send(A, blob(0, 100));
    world.run_for(ms(200));
    let times = world.delays(A, ChunkType::DATA, began);
    assert_eq!(times, [0, 10, 30, 70, 150].map(ms));
}

// RFC 9260 §6.3.2 R3
#[test]
fn the_timer_starts_over_when_the_earliest_chunk_is_acknowledged() {
    let (mut world, mut peer) = sender(|_| {}, 3);
    let began = world.now();
    world.run_for(ms(800));
    peer.take(&world);
    peer.send_sack(&mut world, 1);
    world.run_for(ms(600));
    assert_eq!(world.first_path(A).timeouts, 0);
    world.run_for(ms(600));
    assert_eq!(world.first_path(A).timeouts, 1);
    let again = *world.times(A, ChunkType::DATA).last().unwrap();
    assert!(again.since(began) >= ms(1810));
}

// RFC 9260 §6.3.2 R2
#[test]
fn the_timer_stops_when_all_is_acknowledged() {
    let (mut world, mut peer) = sender(|_| {}, 3);
    peer.listen(&mut world, ms(20));
    peer.send_sack(&mut world, 3);
    world.run_for(secs(100));
    assert_eq!(world.count(A, ChunkType::DATA), 3);
}

// RFC 9260 §6.1 C
#[test]
fn retransmissions_go_before_new_data() {
    let (mut world, mut peer) = sender(|_| {}, 100);
    peer.listen(&mut world, ms(20));
    world.run_for(ms(1050));
    peer.take(&world);
    peer.send_sack(&mut world, 1);
    let arrived = listen(&mut world, &mut peer, ms(30));
    assert_eq!(arrived[..2], [1, 2]);
}

// ---- bursts and idle times ----

/// Counts the packets sent after a SACK for two packets that opens a much larger window.
fn burst(max_burst: Option<u16>) -> usize {
    let (mut world, mut peer) = sender(|options| options.max_burst = max_burst, 800);
    let mut acknowledged = grow(&mut world, &mut peer, 0, 60);
    let arrived = world.inbox(Z).to_vec();
    let flight = peer.numbers(&arrived).into_iter().max().unwrap() + 1 - acknowledged;
    assert!(flight >= 30, "{flight} packets in flight");
    // The receive window permits two more packets, then all.
    acknowledged += flight;
    peer.take(&world);
    peer.send_sack_with(&mut world, acknowledged, 3000, &[]);
    assert_eq!(listen(&mut world, &mut peer, ms(25)).len(), 2);
    peer.send_sack(&mut world, acknowledged + 2);
    peer.listen(&mut world, ms(25)).len()
}

#[test]
fn max_burst_bounds_what_one_sack_releases() {
    assert_eq!(burst(Some(4)), 4);
    assert_eq!(burst(Some(10)), 10);
    assert!(burst(None) > 20);
}

// RFC 9260 §7.2.1, last item
#[test]
fn an_idle_window_halves_once_per_rto_down_to_four_packets() {
    let (mut world, mut peer) = sender(|options| options.max_burst = None, 120);
    grow(&mut world, &mut peer, 0, 120);
    let full = world.first_path(A).cwnd;
    assert!(full > 30 * PMDCS);
    world.run_for(ms(1100));
    world.send(A, blob(0, 100));
    let idle = world.first_path(A).cwnd;
    assert!((full / 4..=full / 2).contains(&idle), "{full} to {idle}");
    world.run_for(ms(50));
    peer.send_sack(&mut world, 121);
    world.run_for(secs(60));
    world.send(A, blob(0, 100));
    assert_eq!(world.first_path(A).cwnd, 4 * PMDCS);
}

// A full data packet waits until the SACK before it was sent.
#[test]
fn an_idle_window_halves_once_though_a_sack_leaves_first() {
    let (mut world, mut peer) = sender(|options| options.max_burst = None, 120);
    peer.send_data(&mut world, 0, 0, b"x");
    grow(&mut world, &mut peer, 0, 120);
    let full = world.first_path(A).cwnd;
    world.run_for(ms(1000));
    peer.send_data(&mut world, 0, 1, b"y");
    world.run_for(ms(100));
    world.send(A, blob(0, FULL));
    assert_eq!(world.first_path(A).cwnd, full / 2);
}

// ---- acknowledgements ----

#[test]
fn sacks_that_overtake_each_other_do_no_harm() {
    let mut world = Setup::quiet(|_| {}).established();
    let mut nth = 0;
    world.when(Verdict::Delay(ms(7 * (nth % 5))), move |record| {
        nth += u64::from(record.has(ChunkType::SACK));
        record.has(ChunkType::SACK) && nth % 3 == 0
    });
    world.send_times(A, 200, &blob(0, 3000));
    world.run_for(secs(20));
    assert_eq!(world.messages(Z).len(), 200);
    assert_eq!(world.stats(A).retransmissions, 0);
}

#[test]
fn chunks_acknowledged_by_gap_reports_leave_the_flight() {
    let (mut world, mut peer) = sender(|_| {}, 3);
    peer.listen(&mut world, ms(20));
    assert_eq!(world.first_path(A).flight, 3 * PMDCS);
    peer.send_sack_with(&mut world, 0, 1 << 20, &[(2, 3)]);
    world.run_for(ms(15));
    assert_eq!(world.first_path(A).flight, PMDCS);
}

// RFC 9260 §6.2.1 D iii
#[test]
fn data_that_the_peer_gave_back_is_sent_again() {
    let (mut world, mut peer) = sender(|_| {}, 3);
    peer.listen(&mut world, ms(20));
    peer.send_sack_with(&mut world, 1, 1 << 20, &[(2, 2)]);
    world.run_for(ms(20));
    peer.send_sack(&mut world, 1);
    world.run_for(ms(20));
    peer.take(&world);
    let mut arrived = listen(&mut world, &mut peer, secs(2));
    assert!(arrived.contains(&1), "{arrived:?}");
    peer.send_sack(&mut world, 2);
    arrived = listen(&mut world, &mut peer, secs(2));
    assert!(arrived.contains(&2), "{arrived:?}");
    peer.send_sack(&mut world, 3);
    world.run_for(secs(1));
    assert_eq!(world.stats(A).send_buffered, 0);
}
