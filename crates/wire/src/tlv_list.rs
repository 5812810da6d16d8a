use alloc::vec::Vec;
use core::fmt;

use crate::Malformed;
use crate::print::MAX_ITEMS;
use crate::tlv::{self, Tlv, Walk};

/// A list of parameters or causes: borrowed from the wire if parsed, from a slice if written.
///
/// Items are checked during iteration. Lists are equal if iterating yields equal items, whatever
/// their representation.
#[derive(Clone, Copy)]
pub struct TlvList<'a, T>(Source<'a, T>);

#[derive(Clone, Copy)]
enum Source<'a, T> {
    Wire(&'a [u8]),
    Slice(&'a [T]),
}

/// An element of a [`TlvList`].
pub trait TlvItem<'a>: Copy {
    /// Parses an item from its type, value and complete bytes.
    #[doc(hidden)]
    fn from_wire(kind: u16, value: &'a [u8], whole: &'a [u8]) -> Result<Self, &'static str>;
    /// Length on the wire in bytes, without padding.
    fn encoded_len(&self) -> usize;
    /// Appends the item without padding.
    fn write(&self, out: &mut Vec<u8>);
}

impl<'a, T> TlvList<'a, T> {
    /// The empty list.
    pub const EMPTY: Self = Self(Source::Slice(&[]));

    /// Creates a list from wire bytes, unchecked.
    #[inline]
    #[must_use]
    pub const fn from_wire(bytes: &'a [u8]) -> Self {
        Self(Source::Wire(bytes))
    }

    /// The wire bytes of a parsed list; `None` for a list made from a slice.
    #[inline]
    #[must_use]
    pub const fn wire_bytes(&self) -> Option<&'a [u8]> {
        match self.0 {
            Source::Wire(bytes) => Some(bytes),
            Source::Slice(_) => None,
        }
    }

    /// Whether the list is empty.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        match self.0 {
            Source::Wire(bytes) => bytes.is_empty(),
            Source::Slice(slice) => slice.is_empty(),
        }
    }
}

impl<'a, T: TlvItem<'a>> TlvList<'a, T> {
    /// The items in order; iteration ends after the first error.
    #[inline]
    #[must_use]
    pub const fn iter(&self) -> TlvListIter<'a, T> {
        TlvListIter(match self.0 {
            Source::Wire(bytes) => Steps::Wire(Walk::new(bytes, 0)),
            Source::Slice(slice) => Steps::Slice(slice),
        })
    }

    /// Length on the wire in bytes, including padding between items but not after the last (RFC
    /// 9260 §3.2).
    #[must_use]
    pub fn encoded_len(&self) -> usize {
        match self.0 {
            Source::Wire(bytes) => bytes.len(),
            Source::Slice(slice) => slice
                .iter()
                .fold(0, |len, item| tlv::padded(len) + item.encoded_len()),
        }
    }

    /// Appends the items with zero padding between them and none after the last; an item longer
    /// than 65535 bytes is not representable.
    pub fn write(&self, out: &mut Vec<u8>) {
        match self.0 {
            Source::Wire(bytes) => out.extend_from_slice(bytes),
            Source::Slice(slice) => {
                let start = out.len();
                for item in slice {
                    tlv::pad(out, start);
                    item.write(out);
                }
            }
        }
    }
}

impl<'a, T> From<&'a [T]> for TlvList<'a, T> {
    #[inline]
    fn from(slice: &'a [T]) -> Self {
        Self(Source::Slice(slice))
    }
}

impl<'a, T, const N: usize> From<&'a [T; N]> for TlvList<'a, T> {
    #[inline]
    fn from(array: &'a [T; N]) -> Self {
        Self(Source::Slice(array))
    }
}

impl<T> Default for TlvList<'_, T> {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl<'a, T: TlvItem<'a> + PartialEq> PartialEq for TlvList<'a, T> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl<'a, T: TlvItem<'a> + Eq> Eq for TlvList<'a, T> {}

impl<'a, T: TlvItem<'a> + fmt::Debug> fmt::Debug for TlvList<'a, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// The items in brackets, at most 64 of them.
impl<'a, T: TlvItem<'a> + fmt::Display> fmt::Display for TlvList<'a, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (index, item) in self.iter().take(MAX_ITEMS).enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            match item {
                Ok(item) => write!(f, "{comma}{item}")?,
                Err(malformed) => write!(f, "{comma}{malformed}")?,
            }
        }
        match self.iter().skip(MAX_ITEMS).count() {
            0 => f.write_str("]"),
            more => write!(f, " and {more} more]"),
        }
    }
}

impl<'a, T: TlvItem<'a>> IntoIterator for TlvList<'a, T> {
    type Item = Result<T, Malformed>;
    type IntoIter = TlvListIter<'a, T>;

    #[inline]
    fn into_iter(self) -> TlvListIter<'a, T> {
        self.iter()
    }
}

impl<'a, T: TlvItem<'a>> IntoIterator for &TlvList<'a, T> {
    type Item = Result<T, Malformed>;
    type IntoIter = TlvListIter<'a, T>;

    #[inline]
    fn into_iter(self) -> TlvListIter<'a, T> {
        self.iter()
    }
}

/// Iterates over the items of a [`TlvList`]; ends after an error.
#[derive(Clone)]
pub struct TlvListIter<'a, T>(Steps<'a, T>);

#[derive(Clone)]
enum Steps<'a, T> {
    Wire(Walk<'a>),
    Slice(&'a [T]),
}

impl<'a, T: TlvItem<'a>> Iterator for TlvListIter<'a, T> {
    type Item = Result<T, Malformed>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Steps::Slice(slice) => {
                let (item, rest) = slice.split_first()?;
                *slice = rest;
                Some(Ok(*item))
            }
            Steps::Wire(walk) => {
                let at = walk.at();
                let item = walk.next()?.and_then(|tlv: Tlv<'a>| {
                    T::from_wire(tlv.kind(), tlv.value, tlv.whole)
                        .map_err(|what| Malformed { at, what })
                });
                if item.is_err() {
                    walk.stop();
                }
                Some(item)
            }
        }
    }
}

#[cfg(test)]
mod tests;
