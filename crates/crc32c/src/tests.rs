extern crate alloc;

use alloc::vec::Vec;

use proptest::prelude::*;

use super::*;

/// A way to compute it.
type Way = fn(u32, &[u8]) -> u32;

/// Each way that this processor has.
fn ways() -> Vec<(&'static str, Way)> {
    let mut ways: Vec<(&str, Way)> =
        alloc::vec![("as chosen", append), ("by table", table::append)];
    #[cfg(feature = "std")]
    ways.push(("folded", folded));
    #[cfg(target_arch = "x86_64")]
    if lanes::are_available() {
        // SAFETY: the processor has the instructions.
        #[allow(unsafe_code, reason = "asked for one line above")]
        ways.push(("in lanes", |crc, bytes| unsafe {
            lanes::append(crc, bytes)
        }));
    }
    ways
}

/// Bit by bit, as RFC 9260 Appendix A defines it.
fn defined(crc: u32, bytes: &[u8]) -> u32 {
    let step = |register: u32, byte: &u8| {
        (0..8).fold(register ^ u32::from(*byte), |left, _| power::times_x(left))
    };
    !bytes.iter().fold(!crc, step)
}

#[test]
fn the_catalogues_check_value_is_computed() {
    for (name, way) in ways() {
        assert_eq!(way(0, b"123456789"), 0xe306_9283, "{name}");
        assert_eq!(way(0, b""), 0, "{name}");
    }
}

#[test]
fn vectors_of_rfc_3720_are_computed() {
    let ascending: Vec<u8> = (0..32).collect();
    for (name, way) in ways() {
        assert_eq!(way(0, &[0; 32]), 0x8a91_36aa, "{name}");
        assert_eq!(way(0, &[0xff; 32]), 0x62a8_ab43, "{name}");
        assert_eq!(way(0, &ascending), 0x46dd_794e, "{name}");
    }
}

#[test]
fn each_length_up_to_some_packets_is_computed() {
    let bytes: Vec<u8> = (0..7000_u32)
        .map(|at| ((at * at) >> 3).to_le_bytes()[0])
        .collect();
    let mut expected = 0;
    for len in 0..bytes.len() {
        for (name, way) in ways() {
            assert_eq!(way(0, &bytes[..len]), expected, "{len} bytes {name}");
        }
        expected = defined(expected, &bytes[len..=len]);
    }
}

proptest! {
    #[test]
    fn pieces_give_what_the_whole_gives(
        bytes in proptest::collection::vec(any::<u8>(), 0..20_000),
        cut in any::<prop::sample::Index>(),
    ) {
        let (head, tail) = bytes.split_at(cut.index(bytes.len() + 1));
        let expected = defined(0, &bytes);
        for (name, way) in ways() {
            prop_assert_eq!(way(way(0, head), tail), expected, "{}", name);
        }
    }
}
