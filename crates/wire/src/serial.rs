use core::fmt;

/// Serial number arithmetic (RFC 1982): comparison of wrapping numbers.
macro_rules! serial {
    ($(#[$doc:meta])* $name:ident, $int:ty, $signed:ty) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub struct $name(pub $int);

        impl $name {
            /// The number after this one, wrapping.
            #[must_use]
            pub const fn next(self) -> Self {
                Self(self.0.wrapping_add(1))
            }

            /// The number before this one, wrapping.
            #[must_use]
            pub const fn prev(self) -> Self {
                Self(self.0.wrapping_sub(1))
            }

            /// This number plus `n`, wrapping.
            #[must_use]
            pub const fn plus(self, n: $int) -> Self {
                Self(self.0.wrapping_add(n))
            }

            /// Number of steps from `earlier` to this number, wrapping.
            #[must_use]
            pub const fn distance_from(self, earlier: Self) -> $int {
                self.0.wrapping_sub(earlier.0)
            }

            /// Whether this number comes before `other` (RFC 1982 §3.2).
            #[must_use]
            pub const fn is_before(self, other: Self) -> bool {
                (self.0.wrapping_sub(other.0) as $signed) < 0
            }

            /// Whether this number comes after `other` (RFC 1982 §3.2).
            #[must_use]
            pub const fn is_after(self, other: Self) -> bool {
                other.is_before(self)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

serial!(
    /// Transmission sequence number (RFC 9260 §1.6): one per DATA chunk, wraps at 2^32.
    Tsn, u32, i32
);
serial!(
    /// Stream sequence number: one per ordered message of a stream, wraps at 2^16.
    Ssn, u16, i16
);
serial!(
    /// Message identifier (RFC 8260 §2.1): one per ordered and one per unordered message of a
    /// stream, wraps at 2^32.
    Mid, u32, i32
);
serial!(
    /// Fragment sequence number (RFC 8260 §2.1): one per fragment of a message, wraps at 2^32.
    Fsn, u32, i32
);

/// Identifies one of up to 65535 streams in one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StreamId(pub u16);

impl fmt::Display for StreamId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Verification tag (RFC 9260 §8.5); 0 only in a packet that carries INIT.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Vtag(pub u32);

impl fmt::Display for Vtag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}", self.0)
    }
}
