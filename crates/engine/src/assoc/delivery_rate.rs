//! Association-wide input to congestion controls that use delivery rates.

use super::tcb::Tcb;

impl Tcb {
    /// Notes that the sender has nothing to send, so that its rate says nothing about the network.
    #[inline]
    pub(super) fn note_starvation(&mut self) {
        if self.outbound.is_starved() && self.options.congestion.goes_by_rates() {
            for path in self.paths.iter_mut() {
                path.on_starved();
            }
        }
    }
}
