#![expect(
    clippy::cast_possible_truncation,
    reason = "the numbers of these tests are small, or meant to be cut"
)]

use super::*;

fn framed(message: &[u8]) -> Vec<u8> {
    let mut out = length_prefix(message.len() as u32).to_vec();
    out.extend_from_slice(message);
    out
}

fn take(bytes: &mut BytesMut, max: usize) -> Result<Option<Bytes>, TooLong> {
    let there = bytes.len();
    take_message(bytes, there, max)
}

#[test]
fn messages_come_out_whole_however_the_stream_is_cut() {
    let stream: Vec<u8> = [&b"one"[..], b"", b"three", &[7; 300]]
        .iter()
        .flat_map(|m| framed(m))
        .collect();
    for step in 1..20 {
        let mut bytes = BytesMut::new();
        let mut messages = Vec::new();
        for piece in stream.chunks(step) {
            bytes.extend_from_slice(piece);
            while let Some(message) = take(&mut bytes, 300).unwrap() {
                messages.push(message);
            }
        }
        assert_eq!(messages, [&b"one"[..], b"", b"three", &[7; 300]]);
    }
}

#[test]
fn a_message_above_the_limit_is_refused_by_its_length_alone() {
    let mut bytes = BytesMut::from(&length_prefix(11)[..]);
    assert_eq!(take(&mut bytes, 10), Err(TooLong { len: 11 }));
}
