//! Message ids for interleaving (RFC 8260).

use super::Outbound;

impl Outbound {
    /// Starts using I-DATA, which both sides want; what is outstanding left as I-DATA.
    pub(crate) fn interleave(&mut self) {
        self.extensions
            .part_or_else(|extensions| &mut extensions.mids, Default::default);
        self.queue.interleave();
        self.ring.interleave();
    }

    /// The packet is complete.
    #[inline]
    pub(crate) fn on_packet_end(&mut self) {
        // A message that must be finished before others also reserves the packet after the one it
        // began in.
        if self.extensions.mids.is_some() || self.ring.partial().is_none() {
            self.queue.on_packet_end();
        }
    }
}
