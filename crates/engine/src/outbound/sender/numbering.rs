//! Message ids, where messages are interleaved (RFC 8260).

use super::Outbound;
use alloc::boxed::Box;

impl Outbound {
    /// Both sides want I-DATA; nothing was sent yet, or nothing is outstanding.
    pub(crate) fn interleave(&mut self) {
        self.extensions
            .put(|extensions| &mut extensions.mids, Some(Box::default()));
        self.queue.interleave();
        self.ring.interleave();
    }

    /// Nothing more goes into the packet.
    #[inline]
    pub(crate) fn on_packet_end(&mut self) {
        // A message that must go on to its end keeps the packet after the one that it began in, too.
        if self.extensions.mids.is_some() || self.ring.partial().is_none() {
            self.queue.on_packet_end();
        }
    }
}
