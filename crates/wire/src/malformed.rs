use core::fmt;

/// Bytes that are not SCTP: the receiver drops and counts them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Malformed {
    /// Offset of the error in bytes, from the start of the parsed input: the packet for a chunk,
    /// the first parameter or cause for an error inside a chunk.
    pub at: usize,
    /// The error, in lower case without a full stop.
    pub what: &'static str,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "malformed at byte {}: {}", self.at, self.what)
    }
}

impl core::error::Error for Malformed {}
