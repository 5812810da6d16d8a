//! Ends of associations and their effect on sockets (RFC 6458 §6.1.1, §6.1.5).

use sheave_engine::{CloseReason, Received, Time};

use super::Attached;
use crate::abi::System;
use crate::association::Stage;
use crate::notification::{AssocState, ChangeDetail};
use crate::settings::EventType;
use crate::socket::{Fate, Half};

/// Cause code of a User-Initiated Abort (RFC 9260 §3.3.10.12).
const USER_INITIATED_ABORT: u16 = 12;

impl Attached<'_> {
    /// Stores the cause of the end, for reports of undelivered messages.
    pub(crate) fn note_end(&mut self, reason: &CloseReason) {
        self.association.end_cause = match reason {
            CloseReason::Aborted => USER_INITIATED_ABORT,
            CloseReason::AbortedByPeer { cause, .. } => cause.unwrap_or(0),
            CloseReason::PeerFault { cause, .. } => *cause,
            _ => 0,
        };
    }

    pub(super) fn on_peer_shutdown(&mut self) {
        self.notify_plainly(EventType::Shutdown);
        if let Some(socket) = &mut self.socket
            && socket.fate == Fate::Alive
            && socket.writing == Half::Open
        {
            socket.fate = Fate::HalfClosed;
        }
    }

    /// Reports the end, after the messages that were not read yet.
    pub(crate) fn report_end(&mut self, now: Time, reason: &CloseReason, unread: Vec<Received>) {
        self.return_open();
        let pieces = unread
            .into_iter()
            .map(|received| {
                let arrived = self.association.unread.take().unwrap_or(now);
                self.association.piece(self.number, received, arrived)
            })
            .collect();
        if let Some(socket) = &mut self.socket {
            socket.inbox.fill_in(self.number, pieces);
        }
        let (system, stage) = (self.system(), self.association.stage);
        let state = state(stage, reason);
        let detail = detail(system, stage, reason);
        let streams = match (state, system) {
            // Linux reports 0 streams for an association that is gone.
            (_, System::Linux) => (0, 0),
            (AssocState::CannotStart, System::FreeBsd) => (self.association.outbound_streams, 0),
            _ => self.association.streams(),
        };
        self.notify(EventType::AssocChange, |notice| {
            notice.assoc_change(state, streams, detail)
        });
    }
}

/// The state reported at the end of an association, by the stage that it had reached.
const fn state(stage: Stage, reason: &CloseReason) -> AssocState {
    match (stage, reason) {
        (Stage::Opening, _) => AssocState::CannotStart,
        (Stage::Up, CloseReason::Graceful) => AssocState::ShutdownComplete,
        (Stage::Up, _) => AssocState::Lost,
    }
}

fn detail(system: System, stage: Stage, reason: &CloseReason) -> ChangeDetail<'_> {
    match (stage, reason) {
        (_, CloseReason::AbortedByPeer { cause, causes, .. }) => {
            ChangeDetail::Abort(*cause, causes)
        }
        (Stage::Up, CloseReason::PeerFault { cause, .. }) => ChangeDetail::Own(*cause),
        (Stage::Up, CloseReason::Aborted) if system == System::Linux => {
            ChangeDetail::Own(USER_INITIATED_ABORT)
        }
        _ => ChangeDetail::None,
    }
}
