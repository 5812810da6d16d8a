use alloc::vec::Vec;

use super::*;
use crate::CongestionAlgorithm;
use crate::Profile;

const PACKET: u64 = 1000;

/// A path on which a packet of 1000 bytes is delivered each millisecond, 20 ms after it left.
struct Bench {
    rates: DeliveryRate,
    now: Time,
    flight: Vec<(u64, Time)>,
    next: u64,
}

impl Bench {
    fn new() -> Self {
        let options = Options {
            congestion: CongestionAlgorithm::Bbr,
            ..Profile::Rfc9260.options()
        };
        Self {
            rates: *DeliveryRate::chosen(&options).unwrap(),
            now: Time::from_millis(1000),
            flight: Vec::new(),
            next: 0,
        }
    }

    fn pass(&mut self, millis: u64) {
        self.now = self.now + Duration::from_millis(millis);
    }

    fn send(&mut self) -> u64 {
        let seq = self.next;
        self.next += 1;
        self.flight.push((seq, self.now));
        let flight = self.flight.len() as u64 * PACKET;
        self.rates.on_sent(self.now, PACKET, flight);
        seq
    }

    fn take(&mut self, seq: u64) -> (u64, Time) {
        let at = self.flight.iter().position(|(other, _)| *other == seq);
        self.flight.remove(at.unwrap())
    }

    fn deliver(&mut self, seq: u64) {
        let (_, sent_at) = self.take(seq);
        self.acknowledge(seq, sent_at, FirstTransmission::Yes);
    }

    fn acknowledge(&mut self, seq: u64, sent_at: Time, first_transmission: FirstTransmission) {
        let chunk = DeliveredChunk {
            seq,
            bytes: PACKET,
            sent_at,
            standing: ChunkStanding::InFlight,
            first_transmission,
        };
        self.rates.on_delivered(self.now, &chunk);
    }

    fn lose(&mut self, seq: u64) {
        let (_, sent_at) = self.take(seq);
        self.rates.on_lost(seq, PACKET, sent_at);
    }

    /// Sends a packet per millisecond, `packets` in all, and delivers each after 20 ms. Returns the
    /// last sample.
    fn flow(&mut self, packets: u64) -> RateSample {
        let mut last = RateSample::default();
        for _ in 0..packets {
            self.send();
            self.pass(1);
            if let Some((seq, _)) = self.flight.first().copied()
                && self.now.since(self.flight[0].1) >= Duration::from_millis(20)
            {
                self.deliver(seq);
                last = self.rates.take_sample().unwrap();
            }
        }
        last
    }
}

fn rate(sample: &RateSample) -> u64 {
    sample.newest.unwrap().rate.unwrap().bytes_per_second
}

#[test]
fn only_who_goes_by_rates_has_one() {
    assert!(DeliveryRate::chosen(&Profile::Rfc9260.options()).is_none());
}

#[test]
fn a_steady_flow_has_its_rate() {
    let sample = Bench::new().flow(200);
    assert_eq!(rate(&sample), 1_000_000);
    let newest = sample.newest.unwrap();
    assert_eq!(newest.volume, 20 * PACKET);
    assert_eq!(sample.round_trip, Some(Duration::from_millis(20)));
    assert_eq!(newest.limit, Limit::Network);
}

#[test]
fn acknowledgements_that_come_together_tell_no_higher_rate_than_that_of_sending() {
    let mut bench = Bench::new();
    bench.flow(100);
    for gap in 1..60 {
        for _ in 0..gap {
            bench.send();
            bench.pass(1);
        }
        let all: Vec<u64> = bench.flight.iter().map(|(seq, _)| *seq).collect();
        for seq in all {
            bench.deliver(seq);
        }
        let newest = bench.rates.take_sample().unwrap().newest.unwrap();
        let told = newest.rate.map_or(0, |rate| rate.bytes_per_second);
        assert!(told <= 1_000_000, "{gap}: {told}");
    }
}

#[test]
fn a_chunk_taken_back_and_acknowledged_again_counts_once() {
    let mut bench = Bench::new();
    bench.flow(100);
    let (seq, sent_at) = bench.flight[0];
    bench.deliver(seq);
    let before = bench.rates.take_sample().unwrap().delivered;
    for _ in 0..1000 {
        bench.rates.on_taken_back(PACKET);
        bench.acknowledge(seq, sent_at, FirstTransmission::Yes);
        assert_eq!(bench.rates.take_sample(), None);
    }
    let (next, _) = bench.flight[0];
    bench.deliver(next);
    assert_eq!(
        bench.rates.take_sample().unwrap().delivered,
        before + PACKET
    );
}

#[test]
fn a_lack_of_data_shows_in_the_samples_of_a_round_trip() {
    let mut bench = Bench::new();
    bench.flow(100);
    bench.rates.on_starved(bench.flight.len() as u64 * PACKET);
    let limits: Vec<Limit> = (0..60)
        .map(|_| bench.flow(1).newest.unwrap().limit)
        .collect();
    // Samples of data in flight at starvation are limited by the network, those of data sent before
    // its arrival by supply.
    assert!(limits[..19].iter().all(|limit| *limit == Limit::Network));
    assert!(limits[21..38].iter().all(|limit| *limit == Limit::Supply));
    assert!(limits[42..].iter().all(|limit| *limit == Limit::Network));
}

#[test]
fn a_chunk_that_was_sent_twice_tells_no_round_trip() {
    let mut bench = Bench::new();
    bench.flow(100);
    let (seq, sent_at) = bench.flight[0];
    bench.take(seq);
    bench.acknowledge(seq, sent_at, FirstTransmission::No);
    assert_eq!(bench.rates.take_sample().unwrap().round_trip, None);
}

#[test]
fn a_sample_shorter_than_any_round_trip_tells_no_rate() {
    let mut bench = Bench::new();
    bench.flow(100);
    bench.pass(20);
    let all: Vec<u64> = bench.flight.iter().map(|(seq, _)| *seq).collect();
    for seq in all {
        bench.deliver(seq);
    }
    bench.rates.take_sample();
    bench.pass(50);
    // The SACK answers an earlier transmission.
    let seq = bench.send();
    let (_, sent_at) = bench.take(seq);
    bench.pass(3);
    bench.acknowledge(seq, sent_at, FirstTransmission::No);
    let sample = bench.rates.take_sample().unwrap();
    assert_eq!(sample.newest.unwrap().rate, None);
}

#[test]
fn the_first_loss_that_is_one_too_many_tells_how_much_was_in_flight() {
    let mut bench = Bench::new();
    for _ in 0..100 {
        bench.send();
        bench.pass(1);
    }
    // Two of a hundred are tolerated.
    bench.lose(98);
    bench.lose(99);
    assert_eq!(bench.rates.take_sample().unwrap().excess, None);
    bench.lose(97);
    let sample = bench.rates.take_sample().unwrap();
    let excess = sample.excess.unwrap();
    assert_eq!(excess.flight, 97_000);
    assert_eq!((sample.newly_lost, sample.lost_runs), (PACKET, 1));
}

#[test]
fn runs_of_losses_are_counted_by_their_gaps() {
    let mut bench = Bench::new();
    for _ in 0..20 {
        bench.send();
    }
    for seq in [0, 3, 4, 5, 8, 10] {
        bench.lose(seq);
    }
    assert_eq!(bench.rates.take_sample().unwrap().lost_runs, 4);
}

#[test]
fn the_record_of_departures_is_bounded() {
    let mut bench = Bench::new();
    bench.flow(100);
    for _ in 0..100_000 {
        bench.send();
        bench.now = bench.now + Duration::from_micros(500);
    }
    assert!(bench.rates.departures.len() <= 8192);
    bench.rates.on_timeout(0);
    assert_eq!(bench.rates.departures.len(), 0);
}

#[test]
fn departures_within_a_small_part_of_the_round_trip_are_one() {
    let mut bench = Bench::new();
    bench.flow(100);
    let before = bench.rates.departures.len();
    for _ in 0..1000 {
        bench.send();
        bench.now = bench.now + Duration::from_nanos(50);
    }
    // 50 µs, and a 256th of 20 ms is 78 µs.
    assert_eq!(bench.rates.departures.len(), before + 1);
}
