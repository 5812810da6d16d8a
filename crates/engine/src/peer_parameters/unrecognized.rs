use alloc::vec::Vec;

use sheave_wire::{Cause, RawParameter};

/// Most bytes of reported parameters, wrappers included, so that the INIT ACK or ERROR fits a
/// packet and does not amplify.
const BUDGET: usize = 512;
/// Overhead of each reported parameter in INIT ACK, bytes.
const WRAPPER_LEN: usize = 4;

/// Unrecognized parameters of an INIT or INIT ACK that their type requires us to report (RFC 9260
/// §3.2.2).
// DEVIATION RFC 9260 §3.2.2: unrecognized parameters beyond 512 bytes in all are not reported.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Unrecognized {
    /// Complete parameters, with padding between them.
    wire: Vec<u8>,
    /// Their size in INIT ACK, each wrapped and padded, bytes.
    wrapped_len: usize,
}

impl Unrecognized {
    /// Adds a complete parameter if the budget allows.
    pub(super) fn push(&mut self, whole: &[u8]) {
        let wrapped = self.wrapped_len + WRAPPER_LEN + whole.len().next_multiple_of(4);
        if wrapped <= BUDGET {
            self.wrapped_len = wrapped;
            self.wire.resize(self.wire.len().next_multiple_of(4), 0);
            self.wire.extend_from_slice(whole);
        }
    }

    /// The parameters without padding: the values of Unrecognized Parameter in INIT ACK.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> + '_ {
        let mut rest = self.wire.as_slice();
        core::iter::from_fn(move || {
            let whole = RawParameter::parse(rest).ok()?.bytes();
            let step = whole.len().next_multiple_of(4);
            rest = rest.get(step..).unwrap_or_default();
            Some(whole)
        })
    }

    /// The cause reporting the parameters in an ERROR bundled with COOKIE ECHO; `None` if there are
    /// none.
    pub(crate) fn cause(&self) -> Option<Cause<'_>> {
        (!self.wire.is_empty()).then_some(Cause::UnrecognizedParameters(&self.wire))
    }
}
