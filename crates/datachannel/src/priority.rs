use core::num::NonZeroU16;

/// Priority of a channel relative to others of the association (RFC 8831 §6.4); a higher priority
/// gets more bandwidth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Priority(pub u16);

impl Priority {
    /// Below normal: `very-low` of the W3C.
    pub const BELOW_NORMAL: Self = Self(128);
    /// Normal: `low` of the W3C, and its default.
    pub const NORMAL: Self = Self(256);
    /// High: `medium` of the W3C.
    pub const HIGH: Self = Self(512);
    /// Extra high: `high` of the W3C.
    pub const EXTRA_HIGH: Self = Self(1024);

    /// Weight for the scheduler of RFC 8260 §3.6, which RFC 8831 §6.4 recommends.
    pub(crate) const fn weight(self) -> NonZeroU16 {
        match NonZeroU16::new(self.0) {
            Some(weight) => weight,
            None => NonZeroU16::MIN,
        }
    }

    /// Priority for the scheduler of RFC 8260 §3.4; the lowest number goes first.
    pub(crate) const fn rank(self) -> u16 {
        u16::MAX - self.0
    }
}

impl Default for Priority {
    fn default() -> Self {
        Self::NORMAL
    }
}
