#![expect(
    clippy::cast_possible_truncation,
    reason = "the numbers of these tests are small, or meant to be cut"
)]

use super::*;

fn text(buffer: &mut ReceiveBuffer) -> String {
    let mut out = Vec::new();
    buffer.read(&mut out, usize::MAX);
    String::from_utf8(out).unwrap()
}

/// The first example of RFC 2018 §6 (case 2): the first of eight segments of 500 bytes is lost.
#[test]
fn blocks_grow_as_in_rfc_2018_case_2() {
    let mut buffer = ReceiveBuffer::new();
    for n in 1..8_u64 {
        buffer.insert(1 + 500 * n, &[0; 500]);
        assert_eq!(buffer.blocks(), [Range::new(501, 1 + 500 * (n + 1))]);
    }
}

/// RFC 2018 §6, case 3: the second, fourth, sixth and eighth segments are lost, and two arrive
/// late.
#[test]
fn blocks_stand_in_the_order_of_rfc_2018_case_3() {
    let mut buffer = ReceiveBuffer::new();
    let at = |n: u64| 1 + 500 * n;
    let block = |n: u64| Range::new(at(n), at(n + 1));
    buffer.insert(at(0), &[0; 500]);
    buffer.insert(at(2), &[0; 500]);
    buffer.insert(at(4), &[0; 500]);
    buffer.insert(at(6), &[0; 500]);
    assert_eq!(buffer.blocks(), [block(6), block(4), block(2)]);
    buffer.insert(at(3), &[0; 500]);
    assert_eq!(buffer.blocks(), [Range::new(at(2), at(5)), block(6)]);
    buffer.insert(at(1), &[0; 500]);
    assert_eq!(buffer.nxt(), at(5));
    assert_eq!(buffer.blocks(), [block(6)]);
}

#[test]
fn any_order_of_arrival_gives_the_stream() {
    let stream: Vec<u8> = (0..1000_u32).map(|n| (n * 7) as u8).collect();
    let mut state = 5_u64;
    for _ in 0..200 {
        let mut buffer = ReceiveBuffer::new();
        let mut out = Vec::new();
        while out.len() < stream.len() {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let start = (state >> 33) as usize % stream.len();
            let end = (start + (state >> 20) as usize % 90).min(stream.len());
            buffer.insert(1 + start as u64, &stream[start..end]);
            if state.is_multiple_of(5) {
                buffer.read(&mut out, (state >> 40) as usize % 50);
            }
            if buffer.nxt() > 1000 {
                buffer.read(&mut out, usize::MAX);
            }
        }
        assert_eq!(out, stream);
    }
}

#[test]
fn messages_are_read_out_of_the_buffer_whatever_came_ahead() {
    let mut buffer = ReceiveBuffer::new();
    let stream = [&[0, 0, 0, 5][..], b"hello", &[0, 0, 0, 2], b"you"].concat();
    buffer.insert(13, &stream[12..]);
    buffer.insert(1, &stream[..7]);
    assert_eq!(buffer.read_message(10), Ok(None));
    assert_eq!(buffer.readable(), 0);
    buffer.insert(8, &stream[7..12]);
    assert_eq!(buffer.read_message(10).unwrap().unwrap(), "hello");
    assert_eq!(buffer.read_message(10).unwrap().unwrap(), "yo");
    assert_eq!(buffer.read_message(10), Ok(None));
    // The first byte of a length prefix is kept for the message and not returned twice.
    buffer.insert(17, b"!");
    assert_eq!(text(&mut buffer), "!");
}
