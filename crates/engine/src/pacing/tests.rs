use super::*;
use crate::Profile;

const PMDCS: u64 = 1000;

fn pace(bytes_per_second: u64) -> Pace {
    Pace {
        rate: Rate { bytes_per_second },
        pmdcs: PMDCS,
    }
}

fn pacer() -> Pacer {
    let options = Options {
        pacing: Pacing::On,
        ..Profile::Rfc9260.options()
    };
    *Pacer::chosen(&options).unwrap()
}

/// Sends packets whenever the bucket is open, for a second. Returns the times and numbers of
/// packets.
fn run(pace: &Pace) -> alloc::vec::Vec<(Time, u64)> {
    run_in_turns(pace, Duration::from_nanos(1))
}

/// Runs like [`run`], but polls the pacer only at multiples of `turn`.
fn run_in_turns(pace: &Pace, turn: Duration) -> alloc::vec::Vec<(Time, u64)> {
    let mut pacer = pacer();
    let mut now = Time::ZERO;
    let mut bursts = alloc::vec::Vec::new();
    while now < Time::from_millis(1000) {
        pacer.on_time(now, Some(pace));
        let mut packets = 0;
        while pacer.is_open() {
            pacer.on_sent(now, PMDCS, Some(pace));
            packets += 1;
        }
        bursts.push((now, packets));
        let nanos = pacer.opens_at().unwrap().max(now).as_nanos();
        let turn = u64::try_from(turn.as_nanos()).unwrap();
        now = Time::from_nanos(nanos.next_multiple_of(turn));
    }
    bursts
}

#[test]
fn it_keeps_the_rate() {
    for rate in [10_000, 1_000_000, 100_000_000] {
        let sent: u64 = run(&pace(rate))
            .iter()
            .map(|(_, packets)| packets * PMDCS)
            .sum();
        let most = rate + 3 * PMDCS.max(rate / 1000);
        assert!((rate * 99 / 100..=most).contains(&sent), "{rate}: {sent}");
    }
}

#[test]
fn a_burst_is_a_millisecond_or_two_packets() {
    assert!(
        run(&pace(100_000_000))
            .iter()
            .all(|(_, packets)| (100..=101).contains(packets))
    );
    assert!(run(&pace(100_000)).iter().all(|(_, packets)| *packets == 2));
}

#[test]
fn a_driver_that_is_late_keeps_the_rate() {
    for rate in [1_000_000, 100_000_000] {
        for turn in [3, 5, 9] {
            let bursts = run_in_turns(&pace(rate), Duration::from_millis(turn));
            let sent: u64 = bursts.iter().map(|(_, packets)| packets * PMDCS).sum();
            let most = rate + rate * (turn + 3) / 1000;
            assert!((rate * 98 / 100..=most).contains(&sent), "{rate}: {sent}");
        }
    }
}

#[test]
fn it_never_opens_in_the_past() {
    let pace = pace(1_000_000);
    let mut pacer = pacer();
    let mut now = Time::ZERO;
    for late in [0, 1, 4, 9, 30] {
        pacer.on_time(now, Some(&pace));
        while pacer.is_open() {
            pacer.on_sent(now, PMDCS, Some(&pace));
        }
        let opens_at = pacer.opens_at().unwrap();
        assert!(opens_at > now, "{late}");
        now = opens_at + Duration::from_millis(late);
    }
}

#[test]
fn a_driver_that_slept_for_long_makes_up_for_ten_milliseconds() {
    let bursts = run_in_turns(&pace(100_000_000), Duration::from_millis(100));
    let mut by_turn = alloc::collections::BTreeMap::new();
    for (at, packets) in bursts {
        *by_turn.entry(at).or_insert(0) += packets;
    }
    by_turn.remove(&Time::ZERO);
    // 100 packets in a millisecond.
    assert!(
        by_turn.values().all(|sent| (1000..=1200).contains(sent)),
        "{by_turn:?}"
    );
}

#[test]
fn an_idle_stream_earns_no_credit() {
    let pace = pace(1_000_000);
    let mut pacer = pacer();
    pacer.on_time(Time::ZERO, Some(&pace));
    pacer.on_sent(Time::ZERO, 2 * PMDCS, Some(&pace));
    assert!(!pacer.is_open());
    pacer.on_time(Time::from_millis(9), Some(&pace));
    assert!(pacer.is_open());
    // Two milliseconds later there is something to send.
    let now = Time::from_millis(11);
    pacer.on_time(now, Some(&pace));
    pacer.on_sent(now, 2 * PMDCS, Some(&pace));
    assert_eq!(pacer.opens_at(), Some(Time::from_millis(13)));
}

#[test]
fn a_driver_that_is_on_time_earns_nothing_while_there_is_nothing_to_send() {
    let pace = pace(1_000_000);
    let mut pacer = pacer();
    pacer.on_time(Time::ZERO, Some(&pace));
    pacer.on_sent(Time::ZERO, 2 * PMDCS, Some(&pace));
    pacer.on_time(Time::from_millis(2), Some(&pace));
    assert!(pacer.is_open());
    let now = Time::from_millis(2) + Duration::from_micros(500);
    pacer.on_time(now, Some(&pace));
    pacer.on_sent(now, 2 * PMDCS, Some(&pace));
    assert_eq!(pacer.opens_at(), Some(now + Duration::from_millis(2)));
}

#[test]
fn before_the_first_round_trip_nothing_waits() {
    let mut pacer = pacer();
    pacer.on_time(Time::ZERO, None);
    for _ in 0..1000 {
        pacer.on_sent(Time::ZERO, PMDCS, None);
    }
    assert!(pacer.is_open());
}

#[test]
fn an_idle_sender_has_one_burst_and_no_more() {
    let pace = pace(1_000_000);
    let mut pacer = pacer();
    pacer.on_time(Time::ZERO, Some(&pace));
    pacer.on_time(Time::from_millis(5000), Some(&pace));
    pacer.on_sent(Time::from_millis(5000), 2 * PMDCS, Some(&pace));
    assert!(!pacer.is_open());
}

#[test]
fn a_window_of_less_than_a_packet_lets_a_packet_out_in_a_round_trip() {
    let path = crate::NewPath {
        pmdcs: PMDCS,
        rules: Profile::Rfc9260.options().window_rules,
        initial: PMDCS / 4,
    };
    let narrow = crate::CongestionAlgorithm::NewReno.start(&path, crate::Coupling::Uncoupled);
    let srtt = Duration::from_secs(1);
    let pace = Pace::of(&*narrow, Some(srtt), 8 * PMDCS).unwrap();
    assert!(pace.bytes_in(srtt) >= 8 * PMDCS);
}
