use core::time::Duration;

use super::{COMPARED, Comparison, NAME, PACKETS, scenario, simulated};
use crate::{Run, Settings};

/// The lost packets.
const LOST: [usize; 5] = [40, 120, 121, 160, 300];

fn exchange(losses: &str, seed: u64) -> super::Exchange {
    let settings = Settings::new().with("losses", losses);
    let run = Run::new(NAME, PACKETS, settings, seed);
    let network = scenario(&run, 0).expect("a scenario");
    simulated(&network, seed).expect("a run")
}

#[test]
fn chance_has_no_part_in_the_packets() {
    for losses in ["none", "listed"] {
        let (one, other) = (exchange(losses, 1), exchange(losses, 2));
        let comparison = Comparison::new(&one, &other, COMPARED);
        assert_eq!(comparison.difference, None, "{losses}");
        assert!(comparison.agreeing > 500, "{comparison:?}");
        assert_eq!(comparison.apart, Some([0.0, 0.0]));
    }
}

#[test]
fn the_listed_packets_are_lost_and_sent_again() {
    let [there, back] = exchange("listed", 1).0;
    let numbers = |seen: &super::sequence::Seen| {
        let tsn = seen.chunks.strip_prefix("DATA ")?.split(' ').next()?;
        tsn.parse::<usize>().ok()
    };
    let tsns: Vec<usize> = there.iter().filter_map(numbers).collect();
    let last = *tsns.iter().max().expect("data");
    let mut sorted = tsns.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(sorted.len(), last + 1, "each arrives");
    assert!(!tsns.is_sorted(), "those that were lost come late");
    let gaps = back.iter().filter(|seen| seen.chunks.contains('+'));
    assert!(gaps.count() > LOST.len());
}

#[test]
fn other_losses_are_told_from_none() {
    let (one, other) = (exchange("none", 1), exchange("listed", 1));
    let comparison = Comparison::new(&other, &one, Duration::from_secs(5));
    assert!(comparison.agreeing < comparison.compared);
    // The first lost packet is number 40, counting INIT and COOKIE ECHO.
    let difference = comparison.difference.expect("one");
    assert!(difference.contains("packet 40:"), "{difference}");
}
