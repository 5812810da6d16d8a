use alloc::vec::Vec;

use super::*;

const RTT: Duration = Duration::from_millis(100);

/// The window sizes requested after round trips in which these numbers of bytes were read, in ten
/// reads each.
fn wanted(read: &[usize]) -> Vec<usize> {
    let mut now = Time::from_millis(1000);
    let mut rate = ReadRate::new(now);
    let mut found = Vec::new();
    for bytes in read {
        for _ in 0..10 {
            now = now + RTT / 10;
            found.extend(rate.on_read(now, bytes / 10, RTT));
        }
    }
    found
}

#[test]
fn a_steady_reader_wants_what_it_reads_in_five_round_trips() {
    // A queue of four products that the sender shares with others makes its round trips five times
    // as long.
    assert_eq!(wanted(&[1000, 1000, 1000])[1..], [5000, 5000]);
}

#[test]
fn a_reader_that_doubles_its_rate_is_given_room_for_the_next_doubling() {
    let found = wanted(&[1000, 2000, 4000, 8000]);
    assert!(
        found.windows(2).all(|pair| pair[0] >= pair[1] / 2),
        "{found:?}"
    );
    assert_eq!(found[3], 5 * 8000);
}

#[test]
fn a_pause_does_not_count_as_one_round_trip() {
    let start = Time::from_millis(1000);
    let mut rate = ReadRate::new(start);
    // Everything read at once, after an idle second.
    let wanted = rate.on_read(start + 10 * RTT, 100_000, RTT);
    assert_eq!(wanted, Some(50_000));
}

#[test]
fn no_time_and_no_round_trip_are_taken_for_a_short_one() {
    let start = Time::from_millis(1000);
    let mut rate = ReadRate::new(start);
    assert_eq!(rate.on_read(start, usize::MAX, Duration::ZERO), None);
    let later = start + Duration::from_micros(20);
    assert!(rate.on_read(later, 10, Duration::ZERO).is_some());
}
