use super::*;
use crate::live::stamp;

const SECOND: Duration = Duration::from_secs(1);

/// A message from a sender that started at 100 s.
fn message(len: usize) -> Vec<u8> {
    let mut message = vec![0; len];
    message[..STAMP].copy_from_slice(&stamp(100 * SECOND));
    message
}

#[test]
fn an_amount_takes_from_the_senders_beginning_to_the_last_byte() {
    let mut tally = Tally::new(Work::Bytes(1500));
    tally.take_at(&message(1000), 101 * SECOND);
    assert!(!tally.is_over());
    tally.take_at(&[0; 500], 103 * SECOND);
    assert!(tally.is_over());
    assert_eq!((tally.bytes, tally.last), (1500, 3 * SECOND));
}

#[test]
fn a_stamp_may_come_in_pieces() {
    let mut tally = Tally::new(Work::Bytes(1000));
    let message = message(1000);
    tally.take_at(&message[..3], 101 * SECOND);
    tally.take_at(&message[3..], 102 * SECOND);
    assert_eq!((tally.bytes, tally.last), (1000, 2 * SECOND));
}

#[test]
fn only_bytes_of_the_time_that_is_measured_count() {
    let mut tally = Tally::new(Work::During {
        from: 10 * SECOND,
        until: 20 * SECOND,
    });
    for (bytes, at) in [(message(8), 101), (vec![0; 7], 110), (vec![0; 5], 120)] {
        tally.take_at(&bytes, at * SECOND);
    }
    tally.take_at(&[0; 3], 121 * SECOND);
    assert_eq!(tally.bytes, 12);
    assert!(tally.is_over());
}
