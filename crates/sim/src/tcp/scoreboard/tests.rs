#![expect(
    clippy::cast_possible_truncation,
    reason = "the numbers of these tests are small, or meant to be cut"
)]

use super::*;

const SMSS: u64 = 1000;

/// Segment `n` of 1000 bytes, counted from 0.
fn segment(n: u64) -> Range {
    Range::new(1 + n * SMSS, 1 + (n + 1) * SMSS)
}

fn board(sacked: &[u64]) -> Scoreboard {
    let mut board = Scoreboard::new(SMSS);
    for &n in sacked {
        board.report(segment(n));
    }
    board
}

#[test]
fn lost_parts_are_named_in_order_and_once() {
    let mut board = board(&[1, 3, 5, 6]);
    board.begin(1);
    for n in [0, 2] {
        let lost = board.next_lost(1).unwrap();
        assert_eq!(lost, segment(n));
        board.on_retransmit(lost.end);
    }
    // Only two segments are SACKed above segment 4: it may be lost.
    assert_eq!(board.next_lost(1), None);
    assert_eq!(board.next_doubtful(1), Some(segment(4)));
}

#[test]
fn a_rescue_is_the_last_segment_and_comes_once() {
    let mut board = board(&[1, 2, 3]);
    board.begin(1);
    board.on_retransmit(segment(0).end);
    let nxt = segment(5).end;
    // RFC 6675 §4, rule 4: only if HighACK is beyond RescueRxt.
    assert_eq!(board.next_rescue(segment(0).end, nxt), None);
    let una = segment(3).end;
    board.advance(una);
    assert_eq!(board.next_rescue(una, nxt), Some(segment(5)));
    board.on_rescue(nxt);
    assert_eq!(board.next_rescue(una, nxt), None);
}

#[test]
fn a_timeout_makes_all_but_the_sacked_lost() {
    let mut board = board(&[1, 2]);
    let nxt = segment(5).end;
    board.on_timeout(1, nxt);
    assert_eq!(board.pipe(1, nxt), 0);
    assert_eq!(board.next_lost(1), Some(segment(0)));
    board.on_retransmit(segment(0).end);
    assert_eq!(board.pipe(1, nxt), SMSS);
    let rest = Range::new(segment(3).start, nxt);
    assert_eq!(board.next_lost(1), Some(rest));
}

#[test]
fn pipe_agrees_with_the_definition_byte_by_byte() {
    let mut state = 3_u64;
    let mut random = |n: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % n
    };
    for _ in 0..300 {
        let mut board = Scoreboard::new(10);
        let (una, nxt) = (1 + random(50), 200 + random(100));
        let mut sacked = vec![false; 400];
        for _ in 0..random(9) {
            let start = una + random(nxt - una);
            let end = (start + 1 + random(25)).min(nxt);
            board.report(Range::new(start, end));
            sacked[start as usize..end as usize].fill(true);
        }
        board.begin(una);
        board.on_retransmit(una + random(nxt - una));
        let lost = |at: u64| {
            let above = &sacked[at as usize + 1..];
            let bytes = above.iter().filter(|s| **s).count();
            let ranges = above.windows(2).filter(|w| !w[0] && w[1]).count()
                + usize::from(above.first() == Some(&true));
            ranges >= 3 || bytes > 20
        };
        let mut pipe = 0;
        for at in una..nxt {
            if !sacked[at as usize] {
                assert_eq!(board.is_lost(at), lost(at));
                pipe += u64::from(!lost(at)) + u64::from(at < board.high_rxt);
            }
        }
        assert_eq!(board.pipe(una, nxt), pipe);
    }
}
