//! Facts about the whole association for congestion controls that use delivery rates.

use super::tcb::Tcb;

impl Tcb {
    /// A sender that has nothing to send shows nothing of what the network could carry.
    #[inline]
    pub(super) fn note_starvation(&mut self) {
        if self.outbound.is_starved() && self.options.congestion.goes_by_rates() {
            for path in self.paths.iter_mut() {
                path.on_starved();
            }
        }
    }
}
