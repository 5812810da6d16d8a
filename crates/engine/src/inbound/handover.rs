//! Exports and imports the receiving half of an association.

use sheave_wire::{Mid, Ssn};

use super::Inbound;
use crate::handover::Receiving;

impl Inbound {
    /// Whether a message is stored that can neither be read nor completed yet.
    pub(crate) fn is_incomplete(&self) -> bool {
        let interleaved = self.extensions.interleaved.as_ref();
        self.assembly.label().is_some()
            || interleaved.is_some_and(|state| state.has_gatherings())
            || self.buffered() > 0 && !self.is_readable()
    }

    /// The state to export; no message may be readable.
    pub(crate) fn standing(&self, streams: u16) -> Receiving {
        let ordered = match &self.extensions.interleaved {
            Some(state) => {
                let due = state.due();
                due.map(|(stream, mid)| (stream, mid.0)).collect()
            }
            None => {
                let due = self.order.due();
                due.map(|(stream, ssn)| (stream, ssn.0.into())).collect()
            }
        };
        Receiving {
            cumulative_tsn: self.cumulative_tsn(),
            streams,
            ordered,
        }
    }

    /// Restores the exported state, once the extensions in force are set.
    pub(crate) fn resume(&mut self, receiving: &Receiving) {
        for (stream, number) in &receiving.ordered {
            match self
                .extensions
                .part(|extensions| &mut extensions.interleaved)
            {
                Some(state) => state.set_due(*stream, Mid(*number)),
                // The import checked that these are 16-bit SSNs.
                None => {
                    let ssn = Ssn(u16::try_from(*number).unwrap_or_default());
                    self.order.set_due(*stream, ssn);
                }
            }
        }
    }
}
