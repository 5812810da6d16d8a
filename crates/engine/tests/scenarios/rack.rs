//! Loss detection by time: RACK-TLP (RFC 8985) for SCTP.

mod goodput;
mod slow;

use crate::prelude::*;
use std::collections::BTreeMap;

/// Rate at which no queue builds up, bits per second; a draining queue would add to the reordering.
const FAST: u64 = 1_000_000_000;
/// User bytes of a chunk that fills a packet.
const FULL: usize = 1452;

fn rack(options: &mut Options) {
    options.loss_detection = LossDetection::Rack;
}

/// Two ends without heartbeats, with this loss detection and a 20 ms round trip.
fn world(detection: LossDetection) -> World {
    world_at(detection, 50_000_000)
}

fn world_at(detection: LossDetection, rate: u64) -> World {
    let setup = Setup::quiet(|options| {
        options.loss_detection = detection;
        options.max_burst = None;
    });
    setup.linked(|link| link.rate = Some(rate)).established()
}

/// Like [`world`] with RACK, with changes of the options; for 1 Gbit/s.
fn fast(edit: impl FnOnce(&mut Options)) -> Setup {
    let setup = Setup::quiet(|options| {
        rack(options);
        edit(options);
    });
    setup.linked(|link| link.rate = Some(FAST))
}

fn send(world: &mut World, packets: usize) {
    world.send_times(A, packets, &blob(0, FULL));
}

/// Loses the first `times` transmissions of the `nth` chunks that A sends from now on.
fn lose(world: &mut World, nth: &[usize], times: usize) {
    let nth = nth.to_vec();
    let mut seen: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
    world.add_rule(move |record| {
        let mut verdict = Verdict::Deliver;
        for data in record.data() {
            let place = seen.len();
            let (place, sent) = seen.entry(data.tsn.0).or_insert((place, 0));
            *sent += 1;
            if nth.contains(place) && *sent <= times {
                verdict = Verdict::Drop;
            }
        }
        verdict
    });
}

/// Delays every `nth` packet with DATA.
fn reorder(world: &mut World, nth: usize, by: Duration) {
    let mut count = 0;
    world.when(Verdict::Delay(by), move |record| {
        count += usize::from(record.has(ChunkType::DATA));
        record.has(ChunkType::DATA) && count % nth == 0
    });
}

/// Time until Z has `messages` messages.
fn time_for(world: &mut World, messages: usize) -> Duration {
    let began = world.now();
    world.wait(secs(60), |world| world.messages(Z).len() == messages);
    world.now().since(began)
}

fn ssthresh(world: &mut World) -> u64 {
    world.first_path(A).ssthresh
}

/// Sends packets of which the `lost` ones are lost `times` times; returns the time until all have
/// arrived.
fn repair(world: &mut World, packets: usize, lost: &[usize], times: usize) -> Duration {
    lose(world, lost, times);
    send(world, packets);
    time_for(world, packets)
}

#[test]
fn a_lost_tail_is_repaired_without_a_timeout() {
    // The delay of a SACK alone is 200 ms.
    for (lost, most) in [
        (&[29][..], 200),
        (&[28, 29], 500),
        (&[25, 26, 27, 28, 29], 500),
    ] {
        let mut world = world(LossDetection::Rack);
        let took = repair(&mut world, 30, lost, 1);
        world.run_for(secs(3));
        let stats = world.stats(A);
        assert_eq!((stats.timeouts, stats.tail_probes), (0, 1), "{lost:?}");
        assert_eq!(stats.retransmissions, lost.len() as u64, "{lost:?}");
        assert!(took < ms(most), "{took:?}");
    }
}

/// A's packets with the I bit, and all its packets with new data.
fn asking(world: &World) -> (usize, usize) {
    let sent: Vec<_> = world.sent_with(A, ChunkType::DATA).collect();
    let asks = |record: &&&Record| {
        let mut data = record.data().into_iter();
        data.any(|data| data.flags.contains(DataFlags::IMMEDIATE))
    };
    let asked = sent.iter().filter(asks);
    (asked.count(), sent.len())
}

#[test]
fn the_last_packet_of_a_burst_asks_for_an_answer() {
    for (detection, asked) in [(LossDetection::Rack, 1), (LossDetection::MissingReports, 0)] {
        let mut world = world(detection);
        send(&mut world, 29);
        world.run_for(secs(3));
        assert_eq!(asking(&world), (asked, 29), "{detection:?}");
        assert_eq!(world.stats(A).tail_probes, 0);
    }
}

#[test]
fn a_few_packets_ask_for_nothing() {
    let mut world = world(LossDetection::Rack);
    for _ in 0..20 {
        send(&mut world, 3);
        world.run_for(ms(300));
    }
    assert_eq!(asking(&world), (0, 60));
}

#[test]
fn a_stream_of_single_packets_asks_once_a_round_trip_at_most() {
    let mut world = world(LossDetection::Rack);
    world.send_every(A, ms(1), 400, &blob(0, FULL));
    world.run_for(secs(1));
    let (asked, sent) = asking(&world);
    assert_eq!(sent, 400);
    assert!((10..=20).contains(&asked), "{asked}");
}

#[test]
fn without_it_a_lost_tail_costs_a_timeout() {
    let mut world = world(LossDetection::MissingReports);
    let took = repair(&mut world, 30, &[29], 1);
    let stats = world.stats(A);
    assert_eq!((stats.timeouts, stats.tail_probes), (1, 0));
    assert!(took > secs(1), "{took:?}");
}

#[test]
fn a_lost_retransmission_is_repaired_without_a_timeout() {
    for (detection, timeouts) in [(LossDetection::Rack, 0), (LossDetection::MissingReports, 1)] {
        for times in [2, 3] {
            let mut world = world(detection);
            repair(&mut world, 300, &[40], times);
            let stats = world.stats(A);
            assert_eq!(stats.timeouts.min(1), timeouts, "{detection:?}");
            if detection == LossDetection::Rack {
                assert_eq!(stats.retransmissions, times as u64);
            }
        }
    }
}

#[test]
fn losses_of_one_round_trip_cut_the_window_once() {
    let threshold = |lost: &[usize]| {
        let mut world = world(LossDetection::Rack);
        repair(&mut world, 60, lost, 1);
        assert_eq!(world.stats(A).timeouts, 0);
        ssthresh(&mut world)
    };
    let one = threshold(&[20]);
    assert!(one < 1 << 20);
    assert_eq!(threshold(&[20, 21, 23]), one);
}

#[test]
fn reordering_within_a_quarter_of_a_round_trip_causes_no_retransmission() {
    for by in [ms(1), ms(3), Duration::from_micros(4900)] {
        let mut world = world_at(LossDetection::Rack, FAST);
        reorder(&mut world, 7, by);
        send(&mut world, 1000);
        time_for(&mut world, 1000);
        let stats = world.stats(A);
        let again = (stats.retransmissions, stats.timeouts);
        assert_eq!(again, (0, 0), "{by:?}, {} probes", stats.tail_probes);
    }
}

/// Time from the first to the second transmission of the lost chunk.
fn time_to_repair(world: &mut World, packets: usize) -> Duration {
    let before = world.messages(Z).len();
    lose(world, &[packets - 10], 1);
    send(world, packets);
    time_for(world, before + packets);
    let mut sent: BTreeMap<u32, Vec<Time>> = BTreeMap::new();
    for record in world.sent_with(A, ChunkType::DATA) {
        for data in record.data() {
            sent.entry(data.tsn.0).or_default().push(record.at);
        }
    }
    let again = sent.values().find(|times| times.len() == 2);
    let times = again.expect("one chunk was sent twice");
    times[1].since(times[0])
}

/// RFC 8985 §6.2, step 4: DupThresh.
#[test]
fn a_loss_with_three_reports_is_repaired_without_a_wait_for_reordering() {
    let mut world = world_at(LossDetection::Rack, FAST);
    let took = time_to_repair(&mut world, 60);
    assert!(took < ms(21), "{took:?}");
}

#[test]
fn where_order_was_broken_a_loss_waits_for_reordering() {
    let mut world = world_at(LossDetection::Rack, FAST);
    reorder(&mut world, 7, ms(3));
    send(&mut world, 60);
    time_for(&mut world, 60);
    let took = time_to_repair(&mut world, 60);
    assert!((ms(25)..ms(30)).contains(&took), "{took:?}");
}

#[test]
fn missing_reports_take_the_same_reordering_for_losses() {
    let mut world = world_at(LossDetection::MissingReports, FAST);
    reorder(&mut world, 7, Duration::from_micros(4900));
    send(&mut world, 1000);
    time_for(&mut world, 1000);
    let spurious = world.stats(Z).duplicates_received;
    assert!(spurious > 20, "{spurious}");
}

#[test]
fn the_reordering_window_grows_with_duplicates_until_retransmissions_stay_below_two_percent() {
    for by in [ms(6), ms(9), ms(12), ms(18)] {
        let mut world = world(LossDetection::Rack);
        reorder(&mut world, 7, by);
        send(&mut world, 4000);
        time_for(&mut world, 4000);
        let stats = world.stats(A);
        let again = stats.retransmissions;
        println!("reordering by {by:?}: {again} of 4000 sent again needlessly");
        assert_eq!(stats.timeouts, 0, "{by:?}");
        assert!(again > 0, "{by:?}: the window was wide enough at first");
        assert!(again * 100 < 4000 * 2, "{by:?}: {again}");
    }
}

#[test]
fn a_retransmission_that_the_peer_reports_twice_is_counted_as_spurious() {
    let mut world = world(LossDetection::Rack);
    let mut count = 0;
    world.when(Verdict::Delay(ms(15)), move |record| {
        count += usize::from(record.has(ChunkType::DATA));
        record.has(ChunkType::DATA) && count == 41
    });
    send(&mut world, 200);
    time_for(&mut world, 200);
    world.run_for(secs(1));
    let stats = world.stats(A);
    let again = (stats.retransmissions, stats.spurious_retransmissions);
    assert_eq!(again, (1, 1));
}

#[test]
fn a_loss_that_the_probe_repaired_cuts_the_window() {
    let threshold = |lost: &[usize]| {
        let mut world = world(LossDetection::Rack);
        lose(&mut world, lost, 1);
        send(&mut world, 30);
        world.run_for(ms(600));
        send(&mut world, 2);
        world.run_for(ms(600));
        assert_eq!(world.messages(Z).len(), 32);
        assert_eq!(world.stats(A).timeouts, 0);
        ssthresh(&mut world)
    };
    assert!(threshold(&[29]) < 1 << 20);
    assert!(threshold(&[]) > 1 << 20);
}

#[test]
fn a_probe_of_a_tail_that_was_not_lost_cuts_nothing() {
    let mut world = world(LossDetection::Rack);
    send(&mut world, 30);
    world.wait(secs(5), |world| world.messages(Z).len() >= 22);
    let silent = world.drop_while(Z, ChunkType::SACK);
    world.wait(secs(5), |world| world.stats(A).tail_probes == 1);
    *silent.borrow_mut() = false;
    world.run_for(ms(600));
    send(&mut world, 4);
    world.run_for(ms(600));
    assert_eq!(world.messages(Z).len(), 34);
    let stats = world.stats(A);
    assert_eq!((stats.timeouts, stats.tail_probes), (0, 1));
    assert!(ssthresh(&mut world) > 1 << 20);
}

/// Sends data that is never answered.
fn unanswered(messages: usize) -> (World, Peer) {
    let (mut world, mut peer) = Peer::serving(quiet_but(rack));
    for n in 1..=2 {
        world.send(A, blob(0, FULL));
        peer.listen(&mut world, ms(20));
        peer.send_sack(&mut world, n);
        world.run_for(ms(20));
    }
    world.send_times(A, messages, &blob(0, FULL));
    (world, peer)
}

#[test]
fn there_is_one_probe_and_then_the_timer() {
    let (mut world, _peer) = unanswered(2);
    let began = world.now();
    world.run_for(ms(990));
    let mut times = world.delays(A, ChunkType::DATA, began);
    times.retain(|at| *at > ms(1));
    assert_eq!(times.len(), 1, "{times:?}");
    assert_eq!(world.stats(A).tail_probes, 1);
    assert_eq!(world.stats(A).timeouts, 0);
    world.run_for(secs(2));
    assert_eq!(world.stats(A).tail_probes, 1, "none after a timeout");
    assert!(world.stats(A).timeouts >= 1);
}

#[test]
fn a_probe_is_new_data_if_some_waits_and_leaves_beyond_the_window() {
    let (mut world, _peer) = unanswered(20);
    world.run_for(ms(10));
    let path = world.first_path(A);
    assert!(path.flight >= path.cwnd, "the window is full");
    let sent = world.stats(A).messages_sent;
    world.run_for(ms(500));
    let stats = world.stats(A);
    assert_eq!((stats.messages_sent, stats.retransmissions), (sent + 1, 0));
    assert_eq!(stats.tail_probes, 1);
}

#[test]
fn a_single_packet_is_given_the_time_that_its_sack_may_take() {
    let mut world = world(LossDetection::Rack);
    world.send_every(A, ms(700), 10, &blob(0, FULL));
    let stats = world.stats(A);
    assert_eq!((stats.tail_probes, stats.retransmissions), (0, 0));
}

/// RFC 9260 §6.2: data received beyond a gap is acknowledged at once.
#[test]
fn a_lost_repair_is_probed_for_without_the_time_that_a_sack_may_take() {
    let setup = fast(set("max_burst=off, sack_delay=400 ms"));
    let mut world = setup.established();
    let took = repair(&mut world, 31, &[29], 2);
    let stats = world.stats(A);
    assert_eq!((stats.timeouts, stats.retransmissions), (0, 2));
    assert!(took < ms(400), "{took:?}");
}

/// RFC 8985 §7.3, condition 2: probes must not prevent round-trip measurements for ever.
#[test]
fn a_round_trip_that_became_longer_is_learned_in_spite_of_probes() {
    let setup = Setup::quiet(|options| {
        rack(options);
        options.sack_delay = Duration::ZERO;
    });
    let mut world = setup.established();
    let exchange = |world: &mut World, messages| {
        let before = world.stats(A).tail_probes;
        world.send_every(A, secs(2), messages, &blob(0, 100));
        world.stats(A).tail_probes - before
    };
    assert_eq!(exchange(&mut world, 10), 0);
    world.edit_link(address(A, 1), address(Z, 1), |link| link.delay = ms(200));
    assert!(exchange(&mut world, 40) > 0);
    assert_eq!(exchange(&mut world, 10), 0, "needless probes for ever");
}

#[test]
fn a_closed_window_is_left_to_its_own_probes() {
    let setup = fast(|options| options.receive_buffer = 20_000);
    let mut world = setup
        .linked(|link| link.rate = Some(50_000_000))
        .established();
    world.set_reading(Z, Reading::Stopped);
    send(&mut world, 60);
    world.run_for(secs(30));
    let probes = world.stats(A).tail_probes;
    assert!(probes <= 1, "{probes}");
    world.set_reading(Z, Reading::Eager);
    time_for(&mut world, 60);
}

#[test]
fn a_path_that_is_down_is_not_probed_for_its_tail() {
    let setup = fast(|options| options.path_max_retrans = 1).paths(2);
    let mut world = setup
        .linked(|link| link.rate = Some(50_000_000))
        .established();
    world.run_for(secs(10));
    send(&mut world, 50);
    time_for(&mut world, 50);
    world.cut_path(1);
    send(&mut world, 50);
    time_for(&mut world, 100);
    world.wait(secs(60), |world| {
        world.first_path(A).state == PathState::Inactive || {
            send(world, 1);
            false
        }
    });
    let probes = world.stats(A).tail_probes;
    let sent = data_to(&world, 1);
    world.run_for(secs(5));
    send(&mut world, 50);
    world.run_for(secs(20));
    assert_eq!(data_to(&world, 1), sent);
    assert_eq!(world.stats(A).tail_probes, probes);
    assert_eq!(world.stats(A).send_buffered, 0);
}

fn data_to(world: &World, n: u8) -> usize {
    let sent = world.sent_with(A, ChunkType::DATA);
    sent.filter(|record| record.to == address(Z, n)).count()
}
