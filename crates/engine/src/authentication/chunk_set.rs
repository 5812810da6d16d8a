use alloc::vec::Vec;

use sheave_wire::ChunkType;

/// Those that cannot be authenticated (RFC 4895 §3.2).
const NEVER: [ChunkType; 4] = [
    ChunkType::INIT,
    ChunkType::INIT_ACK,
    ChunkType::SHUTDOWN_COMPLETE,
    ChunkType::AUTH,
];

/// DATA, SACK, HEARTBEAT, HEARTBEAT ACK, ABORT, SHUTDOWN, SHUTDOWN ACK, ERROR, COOKIE ACK, ECNE, CWR;
/// I-DATA (RFC 8260); ASCONF ACK (RFC 5061), RE-CONFIG (RFC 6525), PAD (RFC 4820); our CHECKED DATA
/// and CORRUPTION; FORWARD TSN (RFC 3758), ASCONF, I-FORWARD-TSN.
const ALL: [u8; 20] = [
    0, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 64, 128, 130, 132, 158, 159, 192, 193, 194,
];

/// A set of chunk types that can be authenticated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ChunkSet([u64; 4]);

impl ChunkSet {
    /// None.
    pub const NONE: Self = Self([0; 4]);

    /// These, but for INIT, INIT ACK, SHUTDOWN COMPLETE and AUTH, which are passed over (RFC 4895
    /// §3.2).
    #[must_use]
    pub fn of(types: impl IntoIterator<Item = ChunkType>) -> Self {
        let mut set = Self::NONE;
        for chunk_type in types {
            set.insert(chunk_type);
        }
        set
    }

    /// All that an association may hold once it is up, extensions included, and COOKIE ACK: whoever
    /// does not know the key can neither send data nor end the association. COOKIE ECHO is not in
    /// it, since then nobody could restart an association whose keys he has lost (RFC 4895 §6.3).
    #[must_use]
    pub fn all() -> Self {
        Self::of(ALL.map(ChunkType))
    }

    /// With one more.
    pub fn insert(&mut self, chunk_type: ChunkType) {
        if !NEVER.contains(&chunk_type)
            && let Some(word) = self.0.get_mut(usize::from(chunk_type.0 / 64))
        {
            *word |= 1 << (chunk_type.0 % 64);
        }
    }

    /// Whether it is in the set.
    #[inline]
    #[must_use]
    pub fn contains(&self, chunk_type: ChunkType) -> bool {
        let word = self.0.get(usize::from(chunk_type.0 / 64));
        word.is_some_and(|word| word & 1 << (chunk_type.0 % 64) != 0)
    }

    /// Whether none is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::NONE
    }

    /// Their numbers, ascending.
    pub(crate) fn numbers(&self) -> Vec<u8> {
        (0..=u8::MAX)
            .filter(|number| self.contains(ChunkType(*number)))
            .collect()
    }
}
