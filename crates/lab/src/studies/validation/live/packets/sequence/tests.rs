use core::time::Duration;

use super::{Comparison, Exchange, Seen};

/// Packets sent 10 ms apart, starting at `first` milliseconds.
fn way(first: u64, chunks: &[&str]) -> Vec<Seen> {
    let seen = chunks.iter().zip(0..).map(|(chunks, place)| Seen {
        at: Duration::from_millis(first + 10 * place),
        chunks: (*chunks).to_owned(),
    });
    seen.collect()
}

fn compared(live: [Vec<Seen>; 2], simulated: [Vec<Seen>; 2]) -> Comparison {
    Comparison::new(
        &Exchange(live),
        &Exchange(simulated),
        Duration::from_millis(100),
    )
}

#[test]
fn the_same_packets_agree_and_their_times_are_compared() {
    let simulated = [way(0, &["a", "b", "c"]), way(5, &["x"])];
    let live = [way(2, &["a", "b", "c", "later"]), way(9, &["x"])];
    let comparison = compared(live, simulated);
    let (compared, agreeing) = (comparison.compared, comparison.agreeing);
    assert_eq!((compared, agreeing), (4, 4));
    assert_eq!(comparison.difference, None);
    assert_eq!(comparison.apart, Some([0.002, 0.004]));
}

#[test]
fn a_way_agrees_up_to_its_first_difference_and_the_earliest_is_told() {
    let simulated = [way(0, &["a", "b", "c", "d"]), way(5, &["x", "y"])];
    let live = [way(0, &["a", "b", "d", "d"]), way(5, &["x"])];
    let comparison = compared(live, simulated);
    let (compared, agreeing) = (comparison.compared, comparison.agreeing);
    assert_eq!((compared, agreeing), (6, 3));
    let difference = comparison.difference.expect("one");
    assert_eq!(difference, "back, packet 2: nothing, not y");
}

#[test]
fn one_packet_more_leaves_the_rest_in_common() {
    let simulated = [way(0, &["a", "b", "c", "d"]), Vec::new()];
    let live = [way(0, &["a", "b", "b", "c", "d", "later"]), Vec::new()];
    let comparison = compared(live, simulated.clone());
    assert_eq!((comparison.agreeing, comparison.common), (2, 4));
    assert_eq!((comparison.further, comparison.differing()), (1, 1));
    assert_eq!(comparison.apart, Some([0.01, 0.01]));
    let live = [way(0, &["a", "c", "d"]), Vec::new()];
    let comparison = compared(live, simulated);
    assert_eq!((comparison.agreeing, comparison.common), (1, 3));
    assert_eq!((comparison.further, comparison.differing()), (0, 1));
}

#[test]
fn packets_after_the_time_do_not_count() {
    let simulated = [way(95, &["a", "b"]), Vec::new()];
    let comparison = compared([way(95, &["a"]), Vec::new()], simulated);
    assert_eq!((comparison.compared, comparison.agreeing), (1, 1));
    assert_eq!(comparison.difference, None);
}
