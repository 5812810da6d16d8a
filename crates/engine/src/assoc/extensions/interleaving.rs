//! User message interleaving (RFC 8260).

use sheave_wire::IData;

use crate::assoc::dispatch::Agreement;
use crate::assoc::input::Reading;
use crate::assoc::shutdown::Ending;
use crate::assoc::tcb::{Context, Tcb};
use crate::value::error::PeerFault;
use crate::value::extension::ExtensionSet;

const NOT_AGREED: PeerFault =
    PeerFault::violation("an I-DATA chunk where interleaving was not agreed on");

impl Tcb {
    /// Whether user data is sent in I-DATA.
    pub(in crate::assoc) fn interleaves(&self) -> bool {
        self.agreed.contains(ExtensionSet::INTERLEAVING)
    }

    /// Switches both directions to I-DATA if negotiated.
    pub(in crate::assoc) fn adopt_interleaving(&mut self) {
        if self.interleaves() {
            self.inbound.interleave();
            self.outbound.interleave();
        }
    }

    /// The agreement on I-DATA; the chunk is forbidden if we offered it and the peer did not (RFC
    /// 8260 §2.2.3).
    pub(in crate::assoc) fn agreement_on_i_data(&self) -> Agreement {
        let offered = self
            .options
            .extensions()
            .contains(ExtensionSet::INTERLEAVING);
        if !offered {
            Agreement::Unknown
        } else if !self.interleaves() && self.phase.receives_data() {
            Agreement::Forbidden(NOT_AGREED)
        } else {
            Agreement::Agreed
        }
    }

    /// Handles an I-DATA chunk.
    pub(in crate::assoc) fn on_i_data(
        &mut self,
        cx: &mut Context<'_>,
        data: &IData<'_>,
        reading: &mut Reading,
    ) -> Result<(), Ending> {
        if !self.phase.receives_data() {
            return Ok(());
        }
        if data.payload.is_empty() {
            return Err(Ending::no_user_data(data.tsn));
        }
        let before = self.inbound.memory();
        let room = self.arrival_room(cx.memory_left);
        let arrival = self.inbound.accept_interleaved(data, room, cx.pool)?;
        self.note_data(cx, (data.tsn, data.flags), (before, arrival), reading);
        Ok(())
    }
}
