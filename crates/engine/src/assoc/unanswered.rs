//! What our user has asked of the peer and is unanswered, where both ends agree on extensions for a
//! second time.

use alloc::vec::Vec;

use super::extensions::reconfiguration::RequestKind;
use super::tcb::{Context, Tcb};
use crate::AddressChange;
use crate::extensions::ExtensionSet;

/// Requests that were taken back.
pub(super) struct Unanswered {
    reconfiguration: Option<RequestKind>,
    address_changes: Vec<AddressChange>,
}

impl Tcb {
    pub(super) fn take_back_requests(&mut self) -> Unanswered {
        Unanswered {
            reconfiguration: self.take_back_request(),
            address_changes: self.take_back_address_changes(),
        }
    }

    pub(super) fn request_again(&mut self, cx: &mut Context<'_>, unanswered: Unanswered) {
        self.reconfigure_again(cx, unanswered.reconfiguration);
        self.change_addresses_again(cx, unanswered.address_changes);
    }

    /// Both ends agree on extensions, maybe for the second time.
    pub(super) fn adopt_anew(&mut self, cx: &mut Context<'_>, agreed: ExtensionSet) {
        let unanswered = self.take_back_requests();
        self.adopt(agreed);
        self.request_again(cx, unanswered);
    }
}
