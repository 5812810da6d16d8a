use core::fmt;

use crate::dtls;
use crate::print::MAX_ITEMS;

/// Value of the DTLS Key Management parameter: how the sender can agree on keys for DTLS chunks
/// (draft-ietf-tsvwg-sctp-dtls-chunk-04 §4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyManagement<'a> {
    /// A random number that selects the server if both ends support both roles.
    pub tie_breaker: u32,
    /// Roles of the sender, such as [`CLIENT_BIT`](dtls::CLIENT_BIT); undefined bits are kept.
    pub flags: u8,
    /// Methods of the sender, in order of preference; at least one.
    pub methods: &'a [u8],
}

impl<'a> KeyManagement<'a> {
    /// Bytes between the parameter header and the methods.
    pub(crate) const FIXED_LEN: usize = 5;

    pub(crate) fn from_wire(value: &'a [u8]) -> Option<Self> {
        let (&[t0, t1, t2, t3, flags], methods) = value.split_first_chunk()?;
        (!methods.is_empty()).then_some(Self {
            tie_breaker: u32::from_be_bytes([t0, t1, t2, t3]),
            flags,
            methods,
        })
    }

    /// The value before its methods.
    pub(crate) const fn fixed(&self) -> [u8; 5] {
        let [t0, t1, t2, t3] = self.tie_breaker.to_be_bytes();
        [t0, t1, t2, t3, self.flags]
    }
}

impl fmt::Display for KeyManagement<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tie breaker {:#010x}", self.tie_breaker)?;
        for (bit, word) in [
            (dtls::CLIENT_BIT, "client"),
            (dtls::SERVER_BIT, "server"),
            (dtls::RESTART_BIT, "restart"),
        ] {
            if self.flags & bit != 0 {
                write!(f, ", {word}")?;
            }
        }
        f.write_str(", methods")?;
        for method in self.methods.iter().take(MAX_ITEMS) {
            write!(f, " {method}")?;
        }
        match self.methods.len().checked_sub(MAX_ITEMS) {
            None | Some(0) => Ok(()),
            Some(more) => write!(f, " and {more} more"),
        }
    }
}
