//! Requests to the peer that are unanswered when both ends agree on extensions for a second time.

use super::tcb::{Context, Tcb};
use crate::value::extension::ExtensionSet;

impl Tcb {
    /// Switches on the extensions that both sides have, maybe for the second time: what our user has asked
    /// of the peer is asked for again.
    pub(super) fn adopt_anew(&mut self, cx: &mut Context<'_>, agreed: ExtensionSet) {
        let request = self.take_back_request();
        let changes = self.take_back_address_changes();
        self.adopt(agreed);
        self.request_again(cx, request);
        self.change_addresses_again(cx, changes);
    }
}
