//! What congestion controls that go by rates must know of the whole association.

use super::tcb::Tcb;

impl Tcb {
    /// A sender that has nothing to send shows nothing of what the network could carry.
    #[inline]
    pub(super) fn note_starvation(&mut self) {
        if self.options.congestion.goes_by_rates() && self.outbound.is_starved() {
            for path in &mut self.paths {
                path.on_starved();
            }
        }
    }
}
