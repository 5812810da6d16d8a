//! The bounded reader for bytes of a peer.

use std::fmt;

/// Invalid bytes in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// The invalid field.
    pub field: &'static str,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "malformed message: {}", self.field)
    }
}

impl std::error::Error for Malformed {}

/// The unread rest of a message. Each method fails with the name of the missing field.
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Creates a reader.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Whether everything was read.
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Takes the remaining bytes.
    pub fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.rest)
    }

    /// The next `len` bytes.
    pub fn take(&mut self, len: usize, field: &'static str) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.rest.split_at_checked(len).ok_or(Malformed { field })?;
        self.rest = rest;
        Ok(taken)
    }

    /// The next `N` bytes.
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

    /// Reads a 16-bit length and that many bytes, at most `max`.
    pub fn block(&mut self, max: usize, field: &'static str) -> Result<&'a [u8], Malformed> {
        let len = usize::from(self.u16(field)?);
        if len > max {
            return Err(Malformed { field });
        }
        self.take(len, field)
    }

    /// Reads a 32-bit length and that many bytes, at most `max`.
    pub fn bytes(&mut self, max: usize, field: &'static str) -> Result<&'a [u8], Malformed> {
        let len = usize::try_from(self.u32(field)?).unwrap_or(usize::MAX);
        if len > max {
            return Err(Malformed { field });
        }
        self.take(len, field)
    }

    /// Reads a block of text, at most `max` bytes; invalid UTF-8 is replaced.
    pub fn text(&mut self, max: usize) -> Result<String, Malformed> {
        let bytes = self.block(max, "reason")?;
        Ok(String::from_utf8_lossy(bytes).into_owned())
    }
}
