use alloc::string::String;
use core::str;

use bytes::Bytes;

/// The kind of a message, which travels with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// UTF-8 text: a string in a browser.
    Text,
    /// Bytes.
    Binary,
}

/// A message on a data channel; may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Text or binary.
    pub kind: Kind,
    /// The bytes; reference-counted. Text that was received has not been checked.
    pub payload: Bytes,
}

impl Message {
    /// A message of text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            kind: Kind::Text,
            payload: Bytes::from(text.into()),
        }
    }

    /// A message of bytes.
    #[must_use]
    pub fn binary(payload: impl Into<Bytes>) -> Self {
        Self {
            kind: Kind::Binary,
            payload: payload.into(),
        }
    }

    /// The text; `None` if the message is binary, or is not UTF-8.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self.kind {
            Kind::Text => str::from_utf8(&self.payload).ok(),
            Kind::Binary => None,
        }
    }
}
