use core::fmt;

use sheave_engine::{Ecn, Time};

use crate::Packet;
use crate::world::InterfaceId;

/// A run in one number: when each packet arrived, where, how long it was and how it began (its
/// headers and some of its data). Equal runs have equal fingerprints; different ones practically
/// never.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint(u64);

/// Bytes of a packet that count.
const BEGINNING: usize = 64;

impl Fingerprint {
    pub(crate) const fn new() -> Self {
        Self(0x9e37_79b9_7f4a_7c15)
    }

    /// The number.
    #[must_use]
    pub const fn as_u64(self) -> u64 {
        self.0
    }

    pub(crate) fn add(&mut self, now: Time, at: InterfaceId, packet: &Packet) {
        let ecn: u64 = match packet.ecn {
            Ecn::NotEct => 0,
            Ecn::Ect1 => 1,
            Ecn::Ect0 => 2,
            Ecn::Ce => 3,
        };
        let payload = &packet.payload;
        let protocol = u64::from(packet.protocol.number());
        let whole = (payload.len() as u64) << 32 | ecn << 16 | protocol;
        let mut short = [0; BEGINNING];
        let beginning = payload.first_chunk().unwrap_or_else(|| {
            short[..payload.len()].copy_from_slice(payload);
            &short
        });
        let (words, _) = beginning.as_chunks::<8>();
        let word = |at: usize| u64::from_le_bytes(words[at]);
        // None of these waits for another.
        let lanes = [
            product(now.as_nanos() ^ ODD[0], u64::from(at.0) ^ ODD[1]),
            product(word(0) ^ ODD[1], word(1) ^ ODD[2]),
            product(word(2) ^ ODD[2], word(3) ^ ODD[3]),
            product(word(4) ^ ODD[3], word(5) ^ ODD[4]),
            product(word(6) ^ ODD[4], word(7) ^ ODD[5]),
            product(whole ^ ODD[5], ODD[0]),
        ];
        let sum = lanes.into_iter().fold(0, u64::wrapping_add);
        // The second summand keeps a zero from swallowing what came before.
        self.0 = product(sum ^ ODD[0], self.0 ^ ODD[5]).wrapping_add(self.0.rotate_left(23));
    }
}

/// Numbers without a pattern.
const ODD: [u64; 6] = [
    0xa076_1d64_78bd_642f,
    0xe703_7ed1_a0b4_28db,
    0x8ebc_6af0_9c88_c6e3,
    0x5899_65cc_7537_4cc3,
    0x1d8e_4e27_c47d_124f,
    0xeb44_acca_b455_d165,
];

/// Both halves of a product, folded.
const fn product(one: u64, other: u64) -> u64 {
    let product = one as u128 * other as u128;
    #[expect(clippy::cast_possible_truncation, reason = "both halves are used")]
    let folded = (product >> 64) as u64 ^ product as u64;
    folded
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fingerprint({self})")
    }
}
