#![expect(
    clippy::cast_possible_truncation,
    reason = "the numbers of these tests are small, or meant to be cut"
)]

use super::*;

fn write(buffer: &mut SendBuffer, bytes: &[u8]) -> usize {
    buffer.write(&Bytes::copy_from_slice(bytes))
}

fn read(buffer: &mut SendBuffer, start: u64, end: u64) -> Vec<u8> {
    let mut out = Vec::new();
    buffer.copy(Range::new(start, end), &mut out);
    out
}

#[test]
fn it_takes_what_fits() {
    let mut buffer = SendBuffer::new(8);
    assert_eq!(write(&mut buffer, b"abcde"), 5);
    assert_eq!(write(&mut buffer, b"fghij"), 3);
    assert_eq!(buffer.room(), 0);
    assert_eq!(read(&mut buffer, 1, 9), b"abcdefgh");
    assert_eq!(read(&mut buffer, 3, 5), b"cd");
}

#[test]
fn bytes_keep_their_positions_while_others_go_and_come() {
    let mut buffer = SendBuffer::new(100);
    let mut written = 1_u64;
    for round in 0..200_u64 {
        let chunk: Vec<u8> = (0..37).map(|n| (written + n) as u8).collect();
        written += write(&mut buffer, &chunk) as u64;
        buffer.release(written.saturating_sub(round % 60));
        let start = buffer.start;
        let expected: Vec<u8> = (start..written).map(|n| n as u8).collect();
        assert_eq!(read(&mut buffer, start, written), expected);
        if written > start + 3 {
            assert_eq!(
                read(&mut buffer, start + 1, written - 1),
                expected[1..expected.len() - 1]
            );
        }
    }
}

#[test]
fn a_range_beyond_the_end_is_cut() {
    let mut buffer = SendBuffer::new(8);
    write(&mut buffer, b"abc");
    assert_eq!(read(&mut buffer, 2, 90), b"bc");
    assert_eq!(read(&mut buffer, 50, 90), b"");
    buffer.release(90);
    assert_eq!(buffer.end(), 4);
}
