use alloc::string::String;
use core::str;

use bytes::Bytes;

/// The type of a message, transmitted with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// UTF-8 text: a string in a browser.
    Text,
    /// Binary data.
    Binary,
}

/// A message on a data channel; may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Text or binary.
    pub kind: Kind,
    /// The payload; reference-counted. Received text is not checked for valid UTF-8.
    pub payload: Bytes,
}

impl Message {
    /// Creates a text message.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            kind: Kind::Text,
            payload: Bytes::from(text.into()),
        }
    }

    /// Creates a binary message.
    #[must_use]
    pub fn binary(payload: impl Into<Bytes>) -> Self {
        Self {
            kind: Kind::Binary,
            payload: payload.into(),
        }
    }

    /// The text; `None` if the message is binary or not valid UTF-8.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self.kind {
            Kind::Text => str::from_utf8(&self.payload).ok(),
            Kind::Binary => None,
        }
    }
}
