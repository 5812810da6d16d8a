//! Properties of arbitrary packets and of arbitrary bytes.

#[path = "bodies/wire_parse.rs"]
mod wire_parse;
#[path = "bodies/wire_roundtrip.rs"]
mod wire_roundtrip;

use proptest::collection::vec;
use proptest::prelude::*;
use sheave_wire::{Chunk, CommonHeader, Packet, RawChunk};
use wire_parse::wire_parse;
use wire_roundtrip::wire_roundtrip;

/// Bytes that begin like a packet and go on like chunks: headers with plausible types and lengths
/// before random values, some of them with a wrong length.
fn chunk_like() -> impl Strategy<Value = Vec<u8>> {
    let item =
        (any::<u16>(), vec(any::<u8>(), 0..40), -5_i8..6).prop_map(|(kind, value, wrong)| {
            let len = 4 + value.len();
            let len = u16::try_from(len)
                .expect("short")
                .saturating_add_signed(wrong.max(0).into());
            // Types that are known are rare among all numbers.
            let kind = if kind & 1 == 0 { kind & 0x0f0f } else { kind };
            let mut item = [kind.to_be_bytes(), len.to_be_bytes()].concat();
            item.extend(value);
            item.resize(item.len().next_multiple_of(4), 0);
            item
        });
    vec(item, 0..12).prop_map(|items| [vec![7; CommonHeader::LEN], items.concat()].concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn arbitrary_bytes_are_read_printed_and_written_again(bytes in vec(any::<u8>(), 0..600)) {
        wire_parse(&bytes);
    }

    #[test]
    fn bytes_that_look_like_chunks_are_read_printed_and_written_again(bytes in chunk_like()) {
        wire_parse(&bytes);
        wire_parse(&bytes[CommonHeader::LEN..]);
    }

    #[test]
    fn a_packet_that_was_written_is_read_as_it_was(bytes in vec(any::<u8>(), 0..2000)) {
        wire_roundtrip(&bytes);
    }

    #[test]
    fn a_chunk_of_any_type_and_length_is_read_or_malformed_and_passed_over_unread(
        chunk_type in any::<u8>(),
        value in vec(any::<u8>(), 0..48),
    ) {
        let len = u8::try_from(4 + value.len()).expect("short");
        let mut bytes = vec![0; CommonHeader::LEN];
        bytes.extend([chunk_type, 0, 0, len]);
        bytes.extend(&value);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes.extend([0x0b, 0, 0, 4]);
        let packet = Packet::parse(&bytes).expect("a packet");
        let raws: Vec<_> = packet.chunks().raw().collect::<Result<_, _>>().expect("two chunks");
        prop_assert_eq!(raws.len(), 2);
        prop_assert_eq!(raws[0].value, &value[..]);
        let read = Chunk::from_raw(&raws[0]);
        let walked: Vec<_> = packet.chunks().collect();
        prop_assert_eq!(walked.len(), if read.is_ok() { 2 } else { 1 });
        if let Ok(chunk) = read {
            let mut written = Vec::new();
            chunk.write(&mut written);
            prop_assert_eq!(written.len(), chunk.encoded_len());
            prop_assert_eq!(Chunk::parse(&written), Ok(chunk));
        }
    }

    #[test]
    fn a_chunk_is_the_same_whatever_its_padding(padding in any::<[u8; 3]>(), len in 5_u8..8) {
        let mut bytes = vec![0; CommonHeader::LEN];
        bytes.extend([0xc7, 0, 0, len, 1, 2, 3, 4]);
        let from = CommonHeader::LEN + usize::from(len);
        let to = bytes.len();
        bytes[from..].copy_from_slice(&padding[..to - from]);
        bytes.extend([0x0b, 0, 0, 4]);
        let packet = Packet::parse(&bytes).expect("a packet");
        let raw = RawChunk::parse(&bytes[CommonHeader::LEN..from]).expect("a chunk");
        let chunks: Vec<_> = packet.chunks().collect();
        prop_assert_eq!(chunks, [Ok(Chunk::Unknown(raw)), Ok(Chunk::CookieAck)]);
    }
}
