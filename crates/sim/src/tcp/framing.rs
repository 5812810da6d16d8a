use core::fmt;
use std::collections::VecDeque;

use bytes::Bytes;

/// Bytes before each message: its length, most significant byte first.
pub const LENGTH_LEN: usize = 4;

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
    bytes: VecDeque<u8>,
    max: usize,
}

impl FrameReader {
    /// Takes messages of at most `max` bytes.
    #[must_use]
    pub const fn new(max: usize) -> Self {
        Self {
            bytes: VecDeque::new(),
            max,
        }
    }

    /// Takes in the next bytes of the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
    }

    /// The next message, once all of it has come.
    ///
    /// # Errors
    /// [`TooLong`]; the stream is of no more use then.
    pub fn poll_message(&mut self) -> Result<Option<Bytes>, TooLong> {
        let mut prefix = [0; LENGTH_LEN];
        if self.bytes.len() < LENGTH_LEN {
            return Ok(None);
        }
        for (to, from) in prefix.iter_mut().zip(&self.bytes) {
            *to = *from;
        }
        let len = usize::try_from(u32::from_be_bytes(prefix)).unwrap_or(usize::MAX);
        if len > self.max {
            return Err(TooLong { len });
        }
        if self.bytes.len() - LENGTH_LEN < len {
            return Ok(None);
        }
        self.bytes.drain(..LENGTH_LEN);
        Ok(Some(self.bytes.drain(..len).collect()))
    }
}

#[cfg(test)]
mod tests;
