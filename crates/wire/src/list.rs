use alloc::vec::Vec;
use core::fmt;

use crate::print::MAX_ITEMS;

/// A list of fixed-size elements: borrowed from the wire if parsed, from a slice if written.
///
/// Lists are equal if their elements are equal, whatever their representation.
#[derive(Clone, Copy)]
pub struct List<'a, T>(Source<'a, T>);

#[derive(Clone, Copy)]
enum Source<'a, T> {
    /// A multiple of the element's length in bytes.
    Wire(&'a [u8]),
    Slice(&'a [T]),
}

/// An element of a [`List`].
pub trait Element: Copy {
    /// Bytes of one element on the wire.
    const LEN: usize;
    /// Parses the first element of `bytes`; returns the rest, too.
    fn split(bytes: &[u8]) -> Option<(Self, &[u8])>;
    /// Appends the element.
    fn write(self, out: &mut Vec<u8>);
}

impl<T> List<'_, T> {
    /// The empty list.
    pub const EMPTY: Self = Self(Source::Slice(&[]));
}

impl<'a, T: Element> List<'a, T> {
    /// Parses a list; `None` if `bytes` end within an element.
    #[inline]
    pub(crate) const fn from_wire(bytes: &'a [u8]) -> Option<Self> {
        if bytes.len().is_multiple_of(T::LEN) {
            Some(Self(Source::Wire(bytes)))
        } else {
            None
        }
    }

    /// Number of elements.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        match self.0 {
            Source::Wire(bytes) => bytes.len() / T::LEN,
            Source::Slice(slice) => slice.len(),
        }
    }

    /// Whether the list is empty.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The elements in order.
    #[inline]
    #[must_use]
    pub const fn iter(&self) -> ListIter<'a, T> {
        ListIter(self.0)
    }

    /// Bytes on the wire.
    #[inline]
    pub(crate) const fn encoded_len(&self) -> usize {
        self.len() * T::LEN
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        match self.0 {
            Source::Wire(bytes) => out.extend_from_slice(bytes),
            Source::Slice(slice) => slice.iter().for_each(|element| element.write(out)),
        }
    }
}

impl<'a, T> From<&'a [T]> for List<'a, T> {
    #[inline]
    fn from(slice: &'a [T]) -> Self {
        Self(Source::Slice(slice))
    }
}

impl<'a, T, const N: usize> From<&'a [T; N]> for List<'a, T> {
    #[inline]
    fn from(array: &'a [T; N]) -> Self {
        Self(Source::Slice(array))
    }
}

impl<T> Default for List<'_, T> {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl<T: Element + PartialEq> PartialEq for List<'_, T> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl<T: Element + Eq> Eq for List<'_, T> {}

impl<T: Element + fmt::Debug> fmt::Debug for List<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Prints elements separated by spaces: at most 64, then the number of further ones.
impl<T: Element + fmt::Display> fmt::Display for List<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, element) in self.iter().take(MAX_ITEMS).enumerate() {
            let space = if index == 0 { "" } else { " " };
            write!(f, "{space}{element}")?;
        }
        match self.len().checked_sub(MAX_ITEMS) {
            None | Some(0) => Ok(()),
            Some(more) => write!(f, " and {more} more"),
        }
    }
}

impl<'a, T: Element> IntoIterator for List<'a, T> {
    type Item = T;
    type IntoIter = ListIter<'a, T>;

    #[inline]
    fn into_iter(self) -> ListIter<'a, T> {
        self.iter()
    }
}

impl<'a, T: Element> IntoIterator for &List<'a, T> {
    type Item = T;
    type IntoIter = ListIter<'a, T>;

    #[inline]
    fn into_iter(self) -> ListIter<'a, T> {
        self.iter()
    }
}

/// The elements of a [`List`] in order.
#[derive(Clone)]
pub struct ListIter<'a, T>(Source<'a, T>);

impl<T: Element> Iterator for ListIter<'_, T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        match &mut self.0 {
            Source::Wire(bytes) => {
                let (element, rest) = T::split(bytes)?;
                *bytes = rest;
                Some(element)
            }
            Source::Slice(slice) => {
                let (element, rest) = slice.split_first()?;
                *slice = rest;
                Some(*element)
            }
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = List(self.0).len();
        (len, Some(len))
    }
}

impl<T: Element> ExactSizeIterator for ListIter<'_, T> {}

impl Element for u16 {
    const LEN: usize = 2;

    #[inline]
    fn split(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let (number, rest) = bytes.split_first_chunk()?;
        Some((Self::from_be_bytes(*number), rest))
    }

    #[inline]
    fn write(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_be_bytes());
    }
}

#[cfg(test)]
mod tests;
