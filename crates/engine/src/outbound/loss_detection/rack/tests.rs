use core::time::Duration;

use super::*;
use crate::outbound::sender::tests::Bench;
use crate::{LossDetection, Options, Profile};

fn bench() -> Bench {
    let options = Options {
        loss_detection: LossDetection::Rack,
        ..Profile::Rfc9260.options()
    };
    Bench::with(u32::MAX, &options)
}

fn looked_at(bench: &Bench) -> u64 {
    let rack = bench.outbound.detector.rack().unwrap();
    rack.tracks
        .iter()
        .map(|track| track.departures.looked_at)
        .sum()
}

/// Sends `window` chunks 1 us apart, of which every hundredth is lost; acknowledges the rest pair by
/// pair, 10 ms later. Returns the SACKs, and the chunks that were looked at.
fn work(window: u32) -> (u64, u64) {
    let mut bench = bench();
    for _ in 0..window {
        bench.send(1);
        bench.now = bench.now + Duration::from_micros(1);
    }
    bench.now = bench.now + Duration::from_millis(10);
    let lost = |n: u32| n % 100 == 50;
    let mut blocks: Vec<(u16, u16)> = Vec::new();
    let mut sacks = 0;
    for n in (2..=window).step_by(2) {
        bench.now = bench.now + Duration::from_micros(2);
        let arrived = [n - 1, n].into_iter().filter(|n| !lost(*n) && *n > 49);
        for n in arrived {
            let offset = u16::try_from(n - 49).unwrap();
            match blocks.last_mut() {
                Some((_, end)) if *end + 1 == offset => *end = offset,
                _ if offset > 1 => blocks.push((offset, offset)),
                _ => {}
            }
        }
        bench.sack(n.min(49), &blocks);
        while bench.resend().is_some() {}
        sacks += 1;
    }
    (sacks, looked_at(&bench))
}

#[test]
fn the_work_for_a_sack_does_not_grow_with_the_window() {
    for window in [1_000, 10_000, 60_000] {
        let (sacks, looked_at) = work(window);
        // Each chunk is passed once, and each search ends at one or two that are not lost.
        let most = u64::from(window) + 4 * sacks;
        assert!(looked_at <= most, "{window}: {looked_at} for {sacks} SACKs");
    }
}

#[test]
fn a_peer_that_gives_back_and_takes_again_makes_no_search_long() {
    let mut bench = bench();
    for _ in 0..10_000 {
        bench.send(1);
        bench.now = bench.now + Duration::from_micros(1);
    }
    bench.now = bench.now + Duration::from_millis(10);
    bench.sack(0, &[(2, 10_000)]);
    let before = looked_at(&bench);
    for n in 0..1_000 {
        bench.sack(
            0,
            if n % 2 == 0 {
                &[(3, 10_000)]
            } else {
                &[(2, 10_000)]
            },
        );
        while bench.resend().is_some() {}
    }
    assert!(looked_at(&bench) - before <= 4_000);
}

#[test]
fn a_chunk_is_not_judged_in_the_instant_in_which_it_left() {
    let mut bench = bench();
    bench.send(3);
    // The third chunk is acknowledged at the instant it was sent, in repeated SACKs.
    let mut resent = 0;
    for _ in 0..10 {
        bench.sack(0, &[(3, 3)]);
        resent += core::iter::from_fn(|| bench.resend()).count();
    }
    assert_eq!(resent, 0);
    assert_eq!(
        bench.outbound.reo_timeout(PathIndex(0)),
        Some(bench.now + Duration::from_micros(1))
    );
    for _ in 0..10 {
        bench.now = bench.now + Duration::from_micros(1);
        bench.sack(0, &[(3, 3)]);
        resent += core::iter::from_fn(|| bench.resend()).count();
    }
    assert_eq!(resent, 2);
}
