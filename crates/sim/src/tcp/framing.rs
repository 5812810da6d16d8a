use core::fmt;

use bytes::{Bytes, BytesMut};

/// Bytes before each message: its length, most significant byte first.
pub const LENGTH_LEN: usize = 4;

/// Bytes for which room is made before they have come, at most.
const RESERVED_MAX: usize = 64 << 10;

/// The peer announced a message that is longer than is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLong {
    /// The length that it announced, bytes.
    pub len: usize,
}

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a message of {} bytes is too long", self.len)
    }
}

impl core::error::Error for TooLong {}

/// The length that goes before a message of `len` bytes on the stream.
#[must_use]
pub fn length_prefix(len: u32) -> [u8; LENGTH_LEN] {
    len.to_be_bytes()
}

/// Finds the messages in a byte stream: each stands behind its length.
#[derive(Clone, Debug)]
pub struct FrameReader {
    bytes: BytesMut,
    max: usize,
}

impl FrameReader {
    /// Takes messages of at most `max` bytes.
    #[must_use]
    pub fn new(max: usize) -> Self {
        Self {
            bytes: BytesMut::new(),
            max,
        }
    }

    /// The place for the next bytes of the stream: they go to its end.
    pub(crate) const fn input(&mut self) -> &mut BytesMut {
        &mut self.bytes
    }

    /// Takes in the next bytes of the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// The next message, once all of it has come.
    ///
    /// # Errors
    /// [`TooLong`]; the stream is of no more use then.
    pub fn poll_message(&mut self) -> Result<Option<Bytes>, TooLong> {
        let Some(prefix) = self.bytes.first_chunk::<LENGTH_LEN>() else {
            return Ok(None);
        };
        let len = usize::try_from(u32::from_be_bytes(*prefix)).unwrap_or(usize::MAX);
        if len > self.max {
            return Err(TooLong { len });
        }
        if self.bytes.len() - LENGTH_LEN < len {
            let missing = LENGTH_LEN + len - self.bytes.len();
            self.bytes.reserve(missing.min(RESERVED_MAX));
            return Ok(None);
        }
        let _prefix = self.bytes.split_to(LENGTH_LEN);
        Ok(Some(self.bytes.split_to(len).freeze()))
    }
}

#[cfg(test)]
mod tests;
