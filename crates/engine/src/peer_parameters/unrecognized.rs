use alloc::vec::Vec;

use sheave_wire::{Cause, RawParameter};

/// Bytes that reporting may take in all, wrappers included, so that an INIT ACK or ERROR fits a
/// packet and amplifies nothing.
const BUDGET: usize = 512;
/// Overhead of one reported parameter in INIT ACK, bytes.
const WRAPPER_LEN: usize = 4;

/// The parameters of an INIT or INIT ACK that its sender wants to be told are not known here
/// (RFC 9260 §3.2.2).
// DEVIATION RFC 9260 §3.2.2: unrecognized parameters beyond 512 bytes in all are not reported.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Unrecognized {
    /// Whole parameters, padded between them.
    wire: Vec<u8>,
    /// Bytes of them in INIT ACK, each wrapped and padded.
    wrapped_len: usize,
}

impl Unrecognized {
    /// Takes a whole parameter in, if it is still within the budget.
    pub(super) fn push(&mut self, whole: &[u8]) {
        let wrapped = self.wrapped_len + WRAPPER_LEN + whole.len().next_multiple_of(4);
        if wrapped <= BUDGET {
            self.wrapped_len = wrapped;
            self.wire.resize(self.wire.len().next_multiple_of(4), 0);
            self.wire.extend_from_slice(whole);
        }
    }

    /// Each of them whole, without padding: the values of Unrecognized Parameter in INIT ACK.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> + '_ {
        let mut rest = self.wire.as_slice();
        core::iter::from_fn(move || {
            let whole = RawParameter::parse(rest).ok()?.bytes();
            let step = whole.len().next_multiple_of(4);
            rest = rest.get(step..).unwrap_or_default();
            Some(whole)
        })
    }

    /// The cause that reports them in an ERROR beside COOKIE ECHO; `None` if there are none.
    pub(crate) fn cause(&self) -> Option<Cause<'_>> {
        (!self.wire.is_empty()).then_some(Cause::UnrecognizedParameters(&self.wire))
    }
}
