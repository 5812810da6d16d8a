use core::fmt;

use bytes::{Buf, Bytes, BytesMut};

/// Bytes before each message: its length, most significant byte first.
pub const LENGTH_LEN: usize = 4;

/// Most bytes allocated before they have arrived.
const RESERVED_MAX: usize = 64 << 10;

/// The peer announced a message that exceeds the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLong {
    /// The announced length, bytes.
    pub len: usize,
}

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a message of {} bytes is too long", self.len)
    }
}

impl core::error::Error for TooLong {}

/// The length prefix for a message of `len` bytes.
#[must_use]
pub fn length_prefix(len: u32) -> [u8; LENGTH_LEN] {
    len.to_be_bytes()
}

/// Takes the first message from the front of `bytes`, if the first `there` bytes contain all of it.
///
/// # Errors
/// [`TooLong`] if the message exceeds `max`.
pub(crate) fn take_message(
    bytes: &mut BytesMut,
    there: usize,
    max: usize,
) -> Result<Option<Bytes>, TooLong> {
    let stream = bytes.get(..there).unwrap_or_default();
    let Some(prefix) = stream.first_chunk::<LENGTH_LEN>() else {
        return Ok(None);
    };
    let len = usize::try_from(u32::from_be_bytes(*prefix)).unwrap_or(usize::MAX);
    if len > max {
        return Err(TooLong { len });
    }
    if there - LENGTH_LEN < len {
        let missing = LENGTH_LEN + len - there;
        bytes.reserve(missing.min(RESERVED_MAX));
        return Ok(None);
    }
    bytes.advance(LENGTH_LEN);
    Ok(Some(bytes.split_to(len).freeze()))
}

#[cfg(test)]
mod tests;
