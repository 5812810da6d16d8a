//! Ends of associations and their effect on sockets (RFC 6458 §6.1.1, §6.1.5).

use std::collections::VecDeque;

use sheave_engine::{AssocId, CloseReason, Event, Received, Time};

use crate::abi::System;
use crate::notification::{self, AssocState, ChangeDetail};
use crate::settings::EventType;
use crate::socket::{Fate, Half, Held, Kind, Stage};
use crate::stack::Stack;
use crate::{AssocId32, ConnectState, Errno};

/// Cause code of a User-Initiated Abort (RFC 9260 §3.3.10.12).
const USER_INITIATED_ABORT: u16 = 12;

impl Stack {
    /// Stores the cause of the end, for reports of undelivered messages.
    pub(super) fn note_end(&mut self, engine: AssocId, reason: &CloseReason) {
        let number = self.numbers.get(&engine);
        if let Some(association) = number.and_then(|number| self.assocs.get_mut(number)) {
            association.end_cause = match reason {
                CloseReason::Aborted => USER_INITIATED_ABORT,
                CloseReason::AbortedByPeer { cause, .. } => cause.unwrap_or(0),
                CloseReason::PeerFault { cause, .. } => *cause,
                _ => 0,
            };
        }
    }

    pub(super) fn on_peer_shutdown(&mut self, number: AssocId32) {
        self.notify(number, EventType::Shutdown, |abi| {
            notification::plain(abi, number, EventType::Shutdown)
        });
        if let Some(socket) = self.owner_of(number)
            && socket.fate == Fate::Alive
            && socket.writing == Half::Open
        {
            socket.fate = Fate::HalfClosed;
        }
    }

    /// Reports the end of an association, then the events in `later`, and removes the association.
    pub(super) fn on_closed(
        &mut self,
        now: Time,
        number: AssocId32,
        (reason, unread): (&CloseReason, Vec<Received>),
        later: &mut VecDeque<(AssocId, Event)>,
    ) {
        self.tally.ended(reason);
        self.return_open(number);
        if let Some(stage) = self.assocs.get(&number).map(|found| found.stage) {
            self.fill_in(now, number, unread);
            self.tell_end(number, stage, reason);
            self.handle_all(now, later);
            self.dismiss(number, stage, error(stage, reason));
        }
    }

    /// Moves unread messages from the engine to the socket.
    fn fill_in(&mut self, now: Time, number: AssocId32, unread: Vec<Received>) {
        let Some(association) = self.assocs.get_mut(&number) else {
            return;
        };
        let pieces = unread
            .into_iter()
            .map(|received| {
                let arrived = association.unread.take().unwrap_or(now);
                association.piece(number, received, arrived)
            })
            .collect();
        if let Some(socket) = self.owner_of(number) {
            socket.inbox.fill_in(number, pieces);
        }
    }

    fn tell_end(&mut self, number: AssocId32, stage: Stage, reason: &CloseReason) {
        let Some(association) = self.assocs.get(&number) else {
            return;
        };
        let system = self.abi.system();
        let state = state(stage, reason);
        let detail = detail(system, stage, reason);
        let streams = match (state, system) {
            // Linux reports 0 streams for an association that is gone.
            (_, System::Linux) => (0, 0),
            (AssocState::CannotStart, System::FreeBsd) => (association.outbound_streams, 0),
            _ => (association.outbound_streams, association.inbound_streams),
        };
        self.notify(number, EventType::AssocChange, |abi| {
            notification::assoc_change(abi, number, state, streams, detail)
        });
    }

    /// Removes an association that is gone.
    fn dismiss(&mut self, number: AssocId32, stage: Stage, error: Option<Errno>) {
        let Some(association) = self.assocs.remove(&number) else {
            return;
        };
        self.numbers.remove(&association.engine);
        let Some(owner) = association.owner else {
            return;
        };
        self.touch(owner);
        let Some(socket) = self.sockets.get_mut(&owner) else {
            return;
        };
        socket.assocs.remove(&number);
        socket.soft_error = None;
        if stage == Stage::Opening {
            socket.connect = ConnectState::Failed(error.unwrap_or(Errno::ECONNREFUSED));
        }
        if (stage, error) == (Stage::Up, None) {
            socket.ended += 1;
        }
        match (socket.kind, stage, error) {
            (Kind::OneToMany, ..) => {}
            // The socket may connect again.
            (_, Stage::Opening, error) => socket.error = error,
            (_, Stage::Up, None) if socket.fate == Fate::Alive => socket.fate = Fate::Left,
            (_, Stage::Up, None) => {
                socket.fate = match socket.held {
                    Held::Waiting(_) => Fate::EndedWaiting,
                    _ => Fate::Ended,
                }
            }
            (_, Stage::Up, error) => {
                socket.fate = Fate::Lost;
                socket.error = error;
            }
        }
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
        // An ICMP error carries no ABORT chunk.
        (
            _,
            CloseReason::AbortedByPeer {
                cause: None,
                detail,
                ..
            },
        ) if !detail.is_empty() => ChangeDetail::None,
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

/// The socket error for the end of an association.
const fn error(stage: Stage, reason: &CloseReason) -> Option<Errno> {
    match (stage, reason) {
        (_, CloseReason::Graceful) => None,
        (_, CloseReason::TimedOut) => Some(Errno::ETIMEDOUT),
        (Stage::Opening, _) => Some(Errno::ECONNREFUSED),
        (Stage::Up, CloseReason::AbortedByPeer { .. }) => Some(Errno::ECONNRESET),
        (Stage::Up, _) => Some(Errno::ECONNABORTED),
    }
}
