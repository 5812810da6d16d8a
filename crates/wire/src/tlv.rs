use alloc::vec::Vec;

use crate::Malformed;

/// Length of the type and length fields that begin every chunk, parameter and cause, in bytes.
pub(crate) const HEADER_LEN: usize = 4;

/// Treatment of an item of unknown type, encoded in the two high bits of the type (RFC 9260 §3.2,
/// §3.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnknownAction {
    /// 00: stop processing.
    StopSilently,
    /// 01: stop processing, and report the item to its sender.
    StopAndReport,
    /// 10: skip the item and continue.
    SkipSilently,
    /// 11: skip the item, continue, and report the item to its sender.
    SkipAndReport,
}

impl UnknownAction {
    /// The action encoded by `two_bits`, the high bits of a type.
    pub(crate) const fn from_high_bits(two_bits: u8) -> Self {
        match two_bits & 0b11 {
            0b00 => Self::StopSilently,
            0b01 => Self::StopAndReport,
            0b10 => Self::SkipSilently,
            _ => Self::SkipAndReport,
        }
    }

    /// Whether processing continues after the unknown item.
    #[must_use]
    pub const fn continues(self) -> bool {
        matches!(self, Self::SkipSilently | Self::SkipAndReport)
    }

    /// Whether the unknown item is reported to its sender.
    #[must_use]
    pub const fn reports(self) -> bool {
        matches!(self, Self::StopAndReport | Self::SkipAndReport)
    }
}

/// A chunk, parameter or cause in wire format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tlv<'a> {
    /// Type and flags of a chunk, or the 16-bit type of a parameter or cause.
    pub(crate) head: [u8; 2],
    /// Bytes after the four header bytes, without padding.
    pub(crate) value: &'a [u8],
    /// Header and value, without padding.
    pub(crate) whole: &'a [u8],
}

impl Tlv<'_> {
    /// The 16-bit type of a parameter or cause.
    pub(crate) const fn kind(&self) -> u16 {
        u16::from_be_bytes(self.head)
    }
}

/// Iterates over chunks, parameters or causes; all parsing of items goes through this type.
///
/// Each step consumes at least four bytes or ends the iteration, so it takes linear time. Padding
/// is skipped, whatever its content (RFC 9260 §3.2). A last item without its padding is accepted,
/// since its own bytes are complete.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Walk<'a> {
    rest: &'a [u8],
    at: usize,
}

impl<'a> Walk<'a> {
    /// Creates an iterator over `bytes`, whose first byte counts as offset `at` in errors.
    #[inline]
    pub(crate) const fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { rest: bytes, at }
    }

    /// Offset of the next item.
    #[inline]
    pub(crate) const fn at(&self) -> usize {
        self.at
    }

    /// Whether no bytes are left.
    #[inline]
    pub(crate) const fn is_over(&self) -> bool {
        self.rest.is_empty()
    }

    /// Ends the iteration: after an error, nothing that follows can be trusted.
    #[inline]
    pub(crate) const fn stop(&mut self) {
        self.rest = &[];
    }

    /// Takes the next item if its first byte is `first` and the item is well formed.
    #[inline]
    pub(crate) fn next_of(&mut self, first: u8) -> Option<Tlv<'a>> {
        let (&[found, second, high, low], _) = self.rest.split_first_chunk::<HEADER_LEN>()?;
        if found != first {
            return None;
        }
        let len = usize::from(u16::from_be_bytes([high, low]));
        let whole = self.rest.get(..len)?;
        let value = whole.get(HEADER_LEN..)?;
        let step = padded(len);
        self.rest = self.rest.get(step..).unwrap_or_default();
        self.at += step;
        Some(Tlv {
            head: [found, second],
            value,
            whole,
        })
    }

    #[cold]
    fn fail(&mut self, what: &'static str) -> Option<Result<Tlv<'a>, Malformed>> {
        self.stop();
        Some(Err(Malformed { at: self.at, what }))
    }
}

impl<'a> Iterator for Walk<'a> {
    type Item = Result<Tlv<'a>, Malformed>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let Some(&[first, second, high, low]) = self.rest.first_chunk::<HEADER_LEN>() else {
            if self.rest.is_empty() {
                return None;
            }
            return self.fail("fewer than four bytes left");
        };
        let len = usize::from(u16::from_be_bytes([high, low]));
        let Some(whole) = self.rest.get(..len) else {
            return self.fail("length past the end");
        };
        let Some(value) = whole.get(HEADER_LEN..) else {
            return self.fail("length below four");
        };
        let step = padded(len);
        self.rest = self.rest.get(step..).unwrap_or_default();
        self.at += step;
        Some(Ok(Tlv {
            head: [first, second],
            value,
            whole,
        }))
    }
}

/// `len` rounded up to a multiple of four.
#[inline]
pub(crate) const fn padded(len: usize) -> usize {
    len.next_multiple_of(4)
}

/// Appends zero bytes until the length since `start` is a multiple of four.
#[inline]
pub(crate) fn pad(out: &mut Vec<u8>, start: usize) {
    match (out.len() - start) % 4 {
        0 => {}
        1 => out.extend_from_slice(&[0; 3]),
        2 => out.extend_from_slice(&[0; 2]),
        _ => out.push(0),
    }
}

/// The length field of an item of `len` bytes; the packet writer has checked that `len` fits.
#[inline]
pub(crate) fn length_field(len: usize) -> [u8; 2] {
    u16::try_from(len).unwrap_or(u16::MAX).to_be_bytes()
}

/// The four bytes before the value of a parameter or cause.
#[inline]
pub(crate) fn header(kind: u16, len: usize) -> [u8; HEADER_LEN] {
    let [first, second] = kind.to_be_bytes();
    let [high, low] = length_field(len);
    [first, second, high, low]
}

#[cfg(test)]
mod tests;
