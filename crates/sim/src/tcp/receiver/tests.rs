#![expect(
    clippy::cast_possible_truncation,
    reason = "the numbers of these tests are small, or meant to be cut"
)]

use core::time::Duration;

use super::*;

const MSS: u64 = 1000;

fn ms(n: u64) -> Time {
    Time::from_millis(n)
}

fn receiver(buffer: usize) -> Receiver {
    let options = Options {
        mss: 1000,
        receive_buffer: buffer,
        ..Options::default()
    };
    Receiver::new(&options, MSS, options.scale())
}

/// Segment `n` of 1000 bytes arrives.
fn take(receiver: &mut Receiver, time: u64, n: u64) {
    receiver.on_piece(
        ms(time),
        Piece {
            position: 1 + n * MSS,
            payload: &[0; MSS as usize],
            end: PieceEnd::More,
        },
    );
}

#[test]
fn every_second_segment_is_acknowledged_at_once() {
    let mut r = receiver(60_000);
    take(&mut r, 0, 0);
    assert!(!r.owes());
    assert_eq!(r.deadline(), Some(ms(200)));
    take(&mut r, 10, 1);
    assert!(r.owes());
    r.on_acked();
    assert!(!r.owes());
    assert_eq!(r.deadline(), None);
}

#[test]
fn a_lone_segment_is_acknowledged_after_the_timeout() {
    let mut r = receiver(60_000);
    take(&mut r, 30, 0);
    r.on_timeout(ms(229));
    assert!(!r.owes());
    r.on_timeout(ms(230));
    assert!(r.owes());
}

#[test]
fn the_timeout_counts_from_the_first_segment() {
    let options = Options {
        mss: 1000,
        acknowledgement: Acknowledgement::Delayed {
            segments: 4,
            timeout: Duration::from_millis(40),
        },
        ..Options::default()
    };
    let mut r = Receiver::new(&options, MSS, 0);
    for n in 0..3 {
        take(&mut r, 10 * n, n);
        assert!(!r.owes());
    }
    assert_eq!(r.deadline(), Some(ms(40)));
    take(&mut r, 30, 3);
    assert!(r.owes());
}

#[test]
fn out_of_order_segments_and_those_that_fill_holes_are_acknowledged_at_once() {
    let mut r = receiver(60_000);
    for n in [1, 3] {
        take(&mut r, 0, n);
        assert!(r.owes());
        r.on_acked();
    }
    take(&mut r, 0, 0);
    assert!(r.owes());
    assert_eq!(r.nxt(), 1 + 2 * MSS);
}

#[test]
fn each_duplicate_is_answered_with_an_acknowledgement_of_its_own() {
    let mut r = receiver(60_000);
    for n in [2, 3, 4] {
        take(&mut r, 0, n);
    }
    for _ in 0..3 {
        assert!(r.owes());
        r.on_acked();
    }
    assert!(!r.owes());
}

#[test]
fn the_window_closes_as_the_buffer_fills_and_opens_by_a_whole_segment() {
    let mut r = receiver(4000);
    for n in 0..4 {
        take(&mut r, 0, n);
    }
    assert_eq!(r.offer(), 0);
    r.on_acked();
    r.on_acked();
    assert!(!r.owes());
    r.discard(600);
    assert!(!r.owes());
    assert_eq!(r.offer(), 0);
    r.discard(600);
    assert!(r.owes());
    assert_eq!(r.offer(), 1200);
}

#[test]
fn a_reader_that_keeps_up_sends_no_updates() {
    let mut r = receiver(60_000);
    let mut acks = 0;
    for n in 0..100 {
        take(&mut r, n, n);
        r.discard(usize::MAX);
        while r.owes() {
            r.offer();
            r.on_acked();
            acks += 1;
        }
    }
    assert_eq!(acks, 50);
    assert!(r.offer() >= 58_000);
}

#[test]
fn a_large_window_is_named_in_units() {
    let mut r = receiver(1 << 20);
    assert_eq!(r.scale, 5);
    take(&mut r, 0, 0);
    take(&mut r, 0, 1);
    r.discard(usize::MAX);
    assert_eq!(r.offer(), ((1 << 20) >> 5) as u16);
}

#[test]
fn data_beyond_the_window_is_not_taken() {
    let mut r = receiver(1500);
    take(&mut r, 0, 0);
    take(&mut r, 0, 1);
    assert_eq!(r.nxt(), 1501);
    assert!(!r.accepts(1501, 1));
    assert!(r.accepts(1501, 0));
}

#[test]
fn a_fin_counts_once_all_before_it_has_come() {
    let mut r = receiver(60_000);
    r.on_piece(
        ms(0),
        Piece {
            position: 1001,
            payload: b"bye",
            end: PieceEnd::Fin,
        },
    );
    assert!(!r.is_finished());
    assert!(r.owes());
    take(&mut r, 1, 0);
    assert!(r.is_finished());
    assert_eq!(r.nxt(), 1005);
    assert_eq!(r.bytes_received(), 1003);
}
