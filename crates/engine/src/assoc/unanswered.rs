//! Repeating unanswered requests when both ends negotiate extensions for a second time.

use super::tcb::{Context, Tcb};
use crate::value::extension::ExtensionSet;

impl Tcb {
    /// Enables the extensions that both ends support, perhaps for a second time, and repeats our
    /// user's unanswered requests.
    pub(super) fn adopt_anew(&mut self, cx: &mut Context<'_>, agreed: ExtensionSet) {
        let request = self.take_back_request();
        let changes = self.take_back_address_changes();
        self.adopt(agreed);
        self.request_again(cx, request);
        self.change_addresses_again(cx, changes);
    }
}
