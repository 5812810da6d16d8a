use super::*;

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
        ..Options::default()
    };
    *Pacer::chosen(&options).unwrap()
}

/// Sends packets as soon as the bucket is open, for a second. When and how many.
fn run(pace: &Pace) -> alloc::vec::Vec<(Time, u64)> {
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
        now = pacer.opens_at().unwrap();
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
fn before_the_first_round_trip_nothing_waits() {
    let mut pacer = pacer();
    pacer.on_time(Time::ZERO, None);
    for _ in 0..1000 {
        pacer.on_sent(Time::ZERO, PMDCS, None);
    }
    assert!(pacer.is_open());
}

#[test]
fn who_was_idle_has_one_burst_no_more() {
    let pace = pace(1_000_000);
    let mut pacer = pacer();
    pacer.on_time(Time::ZERO, Some(&pace));
    pacer.on_time(Time::from_millis(5000), Some(&pace));
    pacer.on_sent(Time::from_millis(5000), 2 * PMDCS, Some(&pace));
    assert!(!pacer.is_open());
}
