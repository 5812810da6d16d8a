use super::*;

const SIZE: u64 = 1000;

fn ms(n: u64) -> Time {
    Time::from_millis(n)
}

fn segment(n: u64) -> Range {
    Range::new(n * SIZE, (n + 1) * SIZE)
}

/// A board with `segments` segments, sent at 0, 1, 2, ... ms.
fn board(segments: u64) -> TimedBoard {
    let mut board = TimedBoard::default();
    for n in 0..segments {
        board.on_sent(ms(n), segment(n));
    }
    board
}

fn report(board: &mut TimedBoard, at: u64, from: u64, to: u64) -> u64 {
    board.report(ms(at), Range::new(from * SIZE, to * SIZE))
}

#[test]
fn a_segment_is_in_doubt_until_it_is_old_enough() {
    let mut board = board(3);
    assert_eq!(report(&mut board, 41, 1, 2), SIZE);
    // With one segment above the hole, a quarter of the minimum round trip is tolerated.
    assert!(!board.find_losses(ms(41), Repair::None, None));
    assert_eq!(board.doubt(), Some(ms(50)));
    assert!(board.find_losses(ms(50), Repair::None, None));
    assert_eq!(board.next_lost(), Some(segment(0)));
    assert_eq!(board.pipe(), SIZE);
}

#[test]
fn three_segments_above_a_hole_leave_no_doubt() {
    let mut board = board(6);
    assert_eq!(report(&mut board, 43, 1, 4), 3 * SIZE);
    assert!(board.find_losses(ms(43), Repair::None, None));
    assert_eq!(board.next_lost(), Some(segment(0)));
}

#[test]
fn a_lost_retransmission_is_found() {
    let mut board = board(6);
    report(&mut board, 43, 1, 4);
    assert!(board.find_losses(ms(43), Repair::None, None));
    board.on_retransmit(ms(43), segment(0));
    assert!(!board.find_losses(ms(43), Repair::UnderWay, None));
    board.on_sent(ms(44), segment(6));
    // Segments sent after the retransmission have arrived.
    report(&mut board, 84, 4, 7);
    assert!(board.find_losses(ms(84), Repair::UnderWay, None));
    assert_eq!(board.next_lost(), Some(segment(0)));
}

#[test]
fn reordering_widens_the_window() {
    let mut board = board(6);
    report(&mut board, 43, 1, 2);
    board.advance(ms(44), 2 * SIZE);
    assert_eq!(board.reordering, Reordering::Seen);
    report(&mut board, 46, 3, 6);
    assert!(!board.find_losses(ms(46), Repair::None, None));
    assert!(board.doubt().is_some());
    board.advance(ms(47), 6 * SIZE);
    assert!(!board.find_losses(ms(47), Repair::None, None));
    assert_eq!((board.doubt(), board.pipe()), (None, 0));
}

#[test]
fn a_report_counts_once_however_often_it_comes() {
    let mut board = board(10);
    assert_eq!(report(&mut board, 40, 2, 4), 2 * SIZE);
    assert_eq!(report(&mut board, 41, 2, 4), 0);
    assert_eq!(report(&mut board, 42, 6, 7), SIZE);
    assert_eq!(report(&mut board, 43, 1, 8), 4 * SIZE);
    assert_eq!((board.sacked_segments, board.pipe()), (7, 3 * SIZE));
    board.advance(ms(44), 8 * SIZE);
    assert_eq!((board.sacked_segments, board.pipe()), (0, 2 * SIZE));
}

#[test]
fn a_timeout_makes_everything_lost_that_was_not_reported() {
    let mut board = board(4);
    report(&mut board, 40, 2, 3);
    board.on_timeout();
    assert_eq!(board.pipe(), 0);
    for n in [0, 1, 3] {
        assert_eq!(board.next_lost(), Some(segment(n)));
        board.on_retransmit(ms(1000 + n), segment(n));
    }
    assert_eq!((board.next_lost(), board.pipe()), (None, 3 * SIZE));
    board.advance(ms(1040), 4 * SIZE);
    assert_eq!((board.pipe(), board.last()), (0, None));
}

#[test]
fn a_segment_that_leaves_again_in_part_is_two() {
    let mut board = board(2);
    board.on_timeout();
    let half = Range::new(0, SIZE / 2);
    board.on_retransmit(ms(100), half);
    assert_eq!(board.pipe(), SIZE / 2);
    assert_eq!(board.next_lost(), Some(Range::new(SIZE / 2, SIZE)));
    board.advance(ms(140), SIZE / 4);
    assert_eq!(board.pipe(), SIZE / 4);
    board.advance(ms(141), SIZE / 2);
    assert_eq!(board.pipe(), 0);
    assert_eq!(board.next_lost(), Some(Range::new(SIZE / 2, SIZE)));
}
