use core::fmt;

/// A TCP sequence number as in a header; wraps at 2^32 (RFC 9293 §3.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Seq(pub u32);

impl Seq {
    /// The sequence number plus `n`, wrapping.
    #[must_use]
    pub const fn plus(self, n: u32) -> Self {
        Self(self.0.wrapping_add(n))
    }

    /// Whether this number comes before `other` (RFC 1982 §3.2).
    #[must_use]
    pub const fn is_before(self, other: Self) -> bool {
        self.0.wrapping_sub(other.0).cast_signed() < 0
    }
}

impl fmt::Display for Seq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Translates between the numbers in headers and positions that never wrap.
///
/// Position 0 is the SYN, the byte stream starts at 1, and the FIN follows the last byte. Only
/// headers contain sequence numbers; everything else uses positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Origin(pub(crate) Seq);

impl Origin {
    /// The sequence number of a position.
    pub(crate) const fn seq(self, position: u64) -> Seq {
        let bytes = position.to_le_bytes();
        self.0
            .plus(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    /// The position nearest to `near` with this sequence number; `None` if it would precede the
    /// SYN.
    pub(crate) fn position(self, seq: Seq, near: u64) -> Option<u64> {
        let step = seq.0.wrapping_sub(self.seq(near).0).cast_signed();
        near.checked_add_signed(i64::from(step))
    }
}

#[cfg(test)]
mod tests;
