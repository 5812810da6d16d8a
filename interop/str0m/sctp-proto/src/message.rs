use std::fmt;

use bytes::Bytes;
use sheave_engine::wire::Ppid;

use crate::Error;

/// The kind of a message (RFC 8831 §8).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PayloadProtocolIdentifier {
    /// WebRTC DCEP.
    Dcep = 50,
    /// WebRTC String.
    String = 51,
    /// WebRTC Binary.
    Binary = 53,
    /// WebRTC String Empty.
    StringEmpty = 56,
    /// WebRTC Binary Empty.
    BinaryEmpty = 57,
    /// Any other.
    #[default]
    Unknown,
}

impl PayloadProtocolIdentifier {
    pub(crate) const fn ppid(self) -> Ppid {
        match self {
            Self::Unknown => Ppid(0),
            known => Ppid(known as u32),
        }
    }
}

impl From<u32> for PayloadProtocolIdentifier {
    fn from(number: u32) -> Self {
        let known = [
            Self::Dcep,
            Self::String,
            Self::Binary,
            Self::StringEmpty,
            Self::BinaryEmpty,
        ];
        let found = known.into_iter().find(|known| *known as u32 == number);
        found.unwrap_or_default()
    }
}

impl fmt::Display for PayloadProtocolIdentifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// A whole message that was read.
#[derive(Clone, Debug, Default)]
pub struct Chunks {
    /// Its kind.
    pub ppi: PayloadProtocolIdentifier,
    pub(crate) payload: Bytes,
}

impl Chunks {
    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.payload.is_empty()
    }

    /// Its bytes.
    pub fn len(&self) -> usize {
        self.payload.len()
    }

    /// Copies it to the beginning of `buf`. Returns its length.
    /// Errors: `buf` is shorter.
    pub fn read(&self, buf: &mut [u8]) -> Result<usize, Error> {
        let target = buf.get_mut(..self.payload.len());
        target
            .ok_or(Error::ErrShortBuffer)?
            .copy_from_slice(&self.payload);
        Ok(self.payload.len())
    }
}
