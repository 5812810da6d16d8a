//! The one bounded reader of a peer's bytes.

use std::fmt;

/// Bytes that are no message of this protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// The field that is wrong.
    pub field: &'static str,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "malformed message: {}", self.field)
    }
}

impl std::error::Error for Malformed {}

/// The unread rest of a message. Each function fails with the field that is missing.
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// A reader of these bytes.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Whether all was read.
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// All that is left.
    pub fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.rest)
    }

    /// The next `len` bytes.
    pub fn take(&mut self, len: usize, field: &'static str) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.rest.split_at_checked(len).ok_or(Malformed { field })?;
        self.rest = rest;
        Ok(taken)
    }

    /// The next bytes, as many as the array has.
    fn array<const N: usize>(&mut self, field: &'static str) -> Result<[u8; N], Malformed> {
        let taken = self.take(N, field)?;
        taken.try_into().map_err(|_| Malformed { field })
    }

    /// The next byte.
    pub fn u8(&mut self, field: &'static str) -> Result<u8, Malformed> {
        self.array(field).map(u8::from_be_bytes)
    }

    /// Two bytes.
    pub fn u16(&mut self, field: &'static str) -> Result<u16, Malformed> {
        self.array(field).map(u16::from_be_bytes)
    }

    /// Four bytes.
    pub fn u32(&mut self, field: &'static str) -> Result<u32, Malformed> {
        self.array(field).map(u32::from_be_bytes)
    }

    /// Eight bytes.
    pub fn u64(&mut self, field: &'static str) -> Result<u64, Malformed> {
        self.array(field).map(u64::from_be_bytes)
    }

    /// A hash.
    pub fn hash(&mut self) -> Result<[u8; 32], Malformed> {
        self.array("hash")
    }

    /// A length in two bytes, then that many, at most `max`.
    pub fn block(&mut self, max: usize, field: &'static str) -> Result<&'a [u8], Malformed> {
        let len = usize::from(self.u16(field)?);
        if len > max {
            return Err(Malformed { field });
        }
        self.take(len, field)
    }

    /// A length in four bytes, then that many, at most `max`.
    pub fn bytes(&mut self, max: usize, field: &'static str) -> Result<&'a [u8], Malformed> {
        let len = usize::try_from(self.u32(field)?).unwrap_or(usize::MAX);
        if len > max {
            return Err(Malformed { field });
        }
        self.take(len, field)
    }

    /// A block of text, at most `max` bytes; what is no UTF-8 is replaced.
    pub fn text(&mut self, max: usize) -> Result<String, Malformed> {
        let bytes = self.block(max, "reason")?;
        Ok(String::from_utf8_lossy(bytes).into_owned())
    }
}
