//! Export and import of the sender in a handover between endpoints.

use super::Outbound;
use alloc::vec::Vec;

use crate::handover::Sending;

impl Outbound {
    /// Whether part of the data handed in was never sent.
    pub(crate) fn has_unsent(&self) -> bool {
        !self.queue.is_empty() || self.queue.has_begun() || self.ring.partial_stream().is_some()
    }

    /// The state to export; no data may be unsent or outstanding.
    pub(crate) fn standing(&self) -> Sending {
        let (ordered, unordered) = match &self.extensions.mids {
            Some(mids) => mids.standing(),
            None => {
                let ssns = self.ssns.entries();
                let ssns = ssns.map(|(stream, ssn)| (stream, ssn.into()));
                (ssns.collect(), Vec::new())
            }
        };
        Sending {
            next_tsn: self.next_tsn(),
            streams: self.streams,
            peer_rwnd: self.peer_rwnd(),
            widest_rwnd: self.widest_rwnd,
            ordered,
            unordered,
        }
    }

    /// Resumes from an exported state, once the extensions in force are known.
    pub(crate) fn resume(&mut self, sending: &Sending) {
        self.told_rwnd = sending.peer_rwnd;
        self.widest_rwnd = sending.widest_rwnd.max(sending.peer_rwnd);
        if let Some(mids) = self.extensions.part(|extensions| &mut extensions.mids) {
            return mids.resume(&sending.ordered, &sending.unordered);
        }
        for (stream, number) in &sending.ordered {
            // SSNs were checked to fit 16 bits.
            let ssn = u16::try_from(*number).unwrap_or_default();
            self.ssns.replace(*stream, ssn);
        }
    }
}
