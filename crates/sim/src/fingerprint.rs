use core::fmt;

use sheave_engine::{Ecn, Time};

use crate::Packet;
use crate::world::InterfaceId;

/// A hash of a run: when and where each packet arrived, its length, and its first bytes (headers
/// and some data). Equal runs have equal fingerprints; different runs almost never do.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint(u64);

/// Bytes hashed per packet.
const BEGINNING: usize = 64;

impl Fingerprint {
    pub(crate) const fn new() -> Self {
        Self(0x9e37_79b9_7f4a_7c15)
    }

    /// The hash.
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
        self.words(now.as_nanos(), at.0 as u64);
        let mut short = [0; BEGINNING];
        let beginning = payload.first_chunk().unwrap_or_else(|| {
            short[..payload.len()].copy_from_slice(payload);
            &short
        });
        let (pairs, _) = beginning.as_chunks::<16>();
        for pair in pairs {
            let [one, other] = [0, 8].map(|at| {
                let word: [u8; 8] = core::array::from_fn(|byte| pair[at + byte]);
                u64::from_le_bytes(word)
            });
            self.words(one, other);
        }
        self.words(whole, 0);
    }

    const fn words(&mut self, one: u64, other: u64) {
        const ODD: u64 = 0xa076_1d64_78bd_642f;
        let product = (one ^ ODD) as u128 * (other ^ self.0) as u128;
        #[expect(clippy::cast_possible_truncation, reason = "both halves are used")]
        let folded = (product >> 64) as u64 ^ product as u64;
        // Addition keeps zeros from being absorbed.
        self.0 = folded.wrapping_add(self.0.rotate_left(23));
    }
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
