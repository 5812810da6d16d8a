use core::fmt;

/// Bytes that are not SCTP: the receiver drops and counts them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Malformed {
    /// Offset of the fault in bytes, from the start of what was parsed: the packet for chunks,
    /// the first parameter or cause for what stands inside a chunk.
    pub at: usize,
    /// The fault, in lower case and without a full stop.
    pub what: &'static str,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "malformed at byte {}: {}", self.at, self.what)
    }
}

impl core::error::Error for Malformed {}
