use alloc::vec::Vec;

use sheave_wire::ChunkType;

/// Chunk types that cannot be authenticated (RFC 4895 §3.2).
const NEVER: [ChunkType; 4] = [
    ChunkType::INIT,
    ChunkType::INIT_ACK,
    ChunkType::SHUTDOWN_COMPLETE,
    ChunkType::AUTH,
];

/// Types that an association holds once it is up, or may hold, and that are not authenticated by
/// default: COOKIE ECHO, since else nobody could restart an association whose keys he has lost (RFC
/// 4895 §6.3), NR-SACK, which comes [with](ChunkSet::with_other_formats) SACK, and DTLS, which is
/// not agreed on beside AUTH (draft-ietf-tsvwg-sctp-dtls-chunk-04 §3.2).
const NOT_IN_ALL: [ChunkType; 3] = [ChunkType::COOKIE_ECHO, ChunkType::NR_SACK, ChunkType::DTLS];

/// Groups of chunk types that carry the same content in other formats; authenticating only one of a
/// group would leave the others open to forgery (A43).
const ALIKE: [&[ChunkType]; 3] = [
    &[ChunkType::DATA, ChunkType::I_DATA, ChunkType::CHECKED_DATA],
    &[ChunkType::SACK, ChunkType::NR_SACK],
    &[ChunkType::FORWARD_TSN, ChunkType::I_FORWARD_TSN],
];

/// A set of chunk types to authenticate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ChunkSet([u64; 4]);

impl ChunkSet {
    /// The empty set.
    pub const NONE: Self = Self([0; 4]);

    /// Creates a set of these types; INIT, INIT ACK, SHUTDOWN COMPLETE and AUTH are left out (RFC
    /// 4895 §3.2).
    #[must_use]
    pub fn of(types: impl IntoIterator<Item = ChunkType>) -> Self {
        let mut set = Self::NONE;
        for chunk_type in types {
            set.insert(chunk_type);
        }
        set
    }

    /// Every chunk type of an established association, extensions included, and COOKIE ACK: without
    /// the key, an attacker can neither send data nor end the association. COOKIE ECHO is left out,
    /// since otherwise an end that lost its keys could not restart the association (RFC 4895 §6.3).
    #[must_use]
    pub fn all() -> Self {
        Self::of(ChunkType::known().filter(|known| !NOT_IN_ALL.contains(known)))
    }

    /// Adds one type.
    pub fn insert(&mut self, chunk_type: ChunkType) {
        if !NEVER.contains(&chunk_type)
            && let Some(word) = self.0.get_mut(usize::from(chunk_type.0 / 64))
        {
            *word |= 1 << (chunk_type.0 % 64);
        }
    }

    /// Adds the other formats of every type in the set.
    #[must_use]
    pub(crate) fn with_other_formats(mut self) -> Self {
        for formats in ALIKE {
            if formats.iter().any(|one| self.contains(*one)) {
                formats.iter().for_each(|one| self.insert(*one));
            }
        }
        self
    }

    /// The intersection of both sets.
    #[must_use]
    pub(crate) fn intersection(self, other: Self) -> Self {
        let Self([a, b, c, d]) = self;
        let Self([e, f, g, h]) = other;
        Self([a & e, b & f, c & g, d & h])
    }

    /// The union of both sets.
    #[must_use]
    pub(crate) fn union(self, other: Self) -> Self {
        let Self([a, b, c, d]) = self;
        let Self([e, f, g, h]) = other;
        Self([a | e, b | f, c | g, d | h])
    }

    /// Whether the type is in the set.
    #[inline]
    #[must_use]
    pub fn contains(&self, chunk_type: ChunkType) -> bool {
        let word = self.0.get(usize::from(chunk_type.0 / 64));
        word.is_some_and(|word| word & 1 << (chunk_type.0 % 64) != 0)
    }

    /// Whether the set is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::NONE
    }

    /// The numbers of the types, ascending.
    pub(crate) fn numbers(&self) -> Vec<u8> {
        (0..=u8::MAX)
            .filter(|number| self.contains(ChunkType(*number)))
            .collect()
    }
}
