use alloc::vec::Vec;
use core::time::Duration;

use bytes::Bytes;
use sheave_wire::{Abort, Cause, Causes, Shutdown, TagReflection, Tsn};

use super::control::Control;
use super::input::Reading;
use super::tcb::{Context, Tcb, Wish, report_failed};
use crate::phase::{Transition, Trigger};
use crate::timers::Timer;
use crate::value::error::PeerFault;
use crate::value::event::Events;
use crate::{CloseReason, Event, Phase, ShutdownError};

/// Most bytes of a cause reported to the user.
const MAX_DETAIL: usize = 256;

/// Most bytes of all causes of an ABORT reported to the user.
const MAX_CAUSES: usize = 1024;

/// Minimum time without progress after which the guard ends a shutdown (our choice).
const LEAST_GUARD: Duration = Duration::from_secs(30);

/// Bytes of a cause's code and length.
const HEADER: usize = 4;

/// The end of an association: the trigger, the reason, and the message to the peer.
#[derive(Clone, Debug)]
pub(crate) struct Ending {
    /// The trigger, for the phase table.
    pub(crate) trigger: Trigger,
    pub(crate) reason: CloseReason,
    pub(crate) farewell: Farewell,
}

/// The last chunk sent by an association.
#[derive(Clone, Debug)]
pub(crate) enum Farewell {
    Silent,
    /// ABORT with this encoded cause.
    Abort {
        causes: Bytes,
        reflected: TagReflection,
    },
    ShutdownComplete,
}

impl Farewell {
    pub(super) fn abort(cause: &Cause<'_>) -> Self {
        Self::Abort {
            causes: Self::encode(cause),
            reflected: TagReflection::Own,
        }
    }

    /// Encodes a cause.
    pub(super) fn encode(cause: &Cause<'_>) -> Bytes {
        let mut bytes = Vec::with_capacity(cause.encoded_len());
        cause.write(&mut bytes);
        bytes.into()
    }
}

impl Ending {
    pub(crate) fn by_user(reason: &Bytes) -> Self {
        let told = reason
            .get(..reason.len().min(MAX_DETAIL))
            .unwrap_or_default();
        Self {
            trigger: Trigger::UserAbort,
            reason: CloseReason::Aborted,
            farewell: Farewell::abort(&Cause::UserInitiatedAbort(told)),
        }
    }

    /// INIT or COOKIE ECHO was never answered, so no ABORT is sent.
    pub(super) const fn never_answered() -> Self {
        Self::timed_out(Farewell::Silent)
    }

    /// The peer stopped answering. An ABORT informs a peer that is alive but cannot be heard (RFC
    /// 9260 §8.1; both kernels do this).
    pub(super) fn unreachable() -> Self {
        let cause = Cause::ProtocolViolation(b"no answer for too long");
        Self::timed_out(Farewell::abort(&cause))
    }

    const fn timed_out(farewell: Farewell) -> Self {
        Self {
            trigger: Trigger::RetransmissionsExceeded,
            reason: CloseReason::TimedOut,
            farewell,
        }
    }

    pub(super) fn no_user_data(tsn: Tsn) -> Self {
        let cause = Cause::NoUserData(tsn);
        Self {
            trigger: Trigger::PeerFault,
            reason: CloseReason::PeerFault {
                cause: cause.code(),
                rule: "a DATA chunk without data",
            },
            farewell: Farewell::abort(&cause),
        }
    }

    /// ICMP reports that the peer's last address has no SCTP.
    pub(super) const fn no_sctp_there(reason: CloseReason) -> Self {
        Self {
            trigger: Trigger::AbortReceived,
            reason,
            farewell: Farewell::Silent,
        }
    }

    pub(super) fn aborted_by_peer(abort: &Abort<'_>) -> Self {
        let cause = abort.causes.iter().next().and_then(Result::ok);
        Self {
            trigger: Trigger::AbortReceived,
            reason: CloseReason::AbortedByPeer {
                cause: cause.map(|cause| cause.code()),
                detail: cause.map(|cause| opaque(&cause)).unwrap_or_default(),
                causes: as_sent(&abort.causes),
            },
            farewell: Farewell::Silent,
        }
    }
}

impl From<PeerFault> for Ending {
    fn from(fault: PeerFault) -> Self {
        Self {
            trigger: Trigger::PeerFault,
            reason: CloseReason::PeerFault {
                cause: fault.cause,
                rule: fault.rule,
            },
            farewell: Farewell::abort(&Cause::ProtocolViolation(fault.rule.as_bytes())),
        }
    }
}

/// The first bytes of a cause's opaque value.
fn opaque(cause: &Cause<'_>) -> Bytes {
    let value = cause.value();
    Bytes::copy_from_slice(value.get(..value.len().min(MAX_DETAIL)).unwrap_or_default())
}

/// The first bytes after a cause's code and length.
pub(super) fn own_bytes(cause: &Cause<'_>) -> Bytes {
    if !cause.value().is_empty() {
        return opaque(cause);
    }
    let whole = Farewell::encode(cause);
    whole.slice(HEADER.min(whole.len())..whole.len().min(HEADER + MAX_DETAIL))
}

/// The encoded causes of an ABORT, as many as fit; if the first does not fit, its beginning.
fn as_sent(causes: &Causes<'_>) -> Bytes {
    let mut bytes = Vec::new();
    for cause in causes.iter().map_while(Result::ok) {
        let start = bytes.len().next_multiple_of(4);
        if start + cause.encoded_len() > MAX_CAUSES {
            break;
        }
        bytes.resize(start, 0);
        cause.write(&mut bytes);
    }
    if bytes.is_empty()
        && let Some(Ok(first)) = causes.iter().next()
    {
        let value = opaque(&first);
        Cause::Unknown {
            code: first.code(),
            value: &value,
        }
        .write(&mut bytes);
    }
    bytes.into()
}

impl Tcb {
    /// The user requests a shutdown (RFC 9260 §9.2).
    pub(crate) fn shutdown(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Result<Option<Ending>, ShutdownError> {
        if self.wish == Wish::Closed {
            return Err(ShutdownError::AlreadyShuttingDown);
        }
        match self.step(Trigger::UserShutdown) {
            Transition::To(_) => {
                self.wish = Wish::Closed;
                self.advance_shutdown(cx);
                Ok(None)
            }
            Transition::Later => {
                self.wish = Wish::Closed;
                Ok(None)
            }
            Transition::Close => Ok(Some(Ending {
                trigger: Trigger::UserShutdown,
                reason: CloseReason::Graceful,
                farewell: Farewell::Silent,
            })),
            Transition::Stay | Transition::Ignore => Err(ShutdownError::AlreadyShuttingDown),
        }
    }

    /// Continues a shutdown once all data is acknowledged and a TSN reset is answered: the peer's
    /// TSNs may have jumped already, and we could not accept its data before learning them. SHUTDOWN
    /// waits for protection: a peer that has it drops it, and the SACKs beside it, in plain text.
    pub(crate) fn advance_shutdown(&mut self, cx: &Context<'_>) {
        let dialogue = self.extensions.dialogue.as_ref();
        let awaits_new_tsns = dialogue.is_some_and(|dialogue| dialogue.awaits_new_tsns());
        let awaits_protection =
            self.phase == Phase::ShutdownPending && self.extensions.awaits_protection(self.phase);
        if awaits_new_tsns || awaits_protection || !self.outbound.is_empty() {
            return;
        }
        if let Transition::To(phase) = self.step(Trigger::AllDataAcknowledged) {
            self.enter_shutdown(cx, phase);
        }
    }

    fn enter_shutdown(&mut self, cx: &Context<'_>, phase: Phase) {
        let control = match phase {
            Phase::ShutdownSent => Control::Shutdown,
            Phase::ShutdownAckSent => {
                self.control.unqueue(&Control::Shutdown);
                Control::ShutdownAck
            }
            _ => return,
        };
        self.paths.clear_errors();
        if phase == Phase::ShutdownSent {
            self.restart_shutdown_guard(cx);
        }
        self.queue(self.paths.current(), control);
        self.restart_shutdown_timer(cx);
    }

    /// RFC 9260 §9.2: at the end that sends SHUTDOWN, the guard ends a sequence longer than five
    /// times RTO.Max. The answering end has Association.Max.Retrans.
    // DEVIATION RFC 9260 §9.2: the guard, which may be left out, bounds the time without progress and
    // is no shorter than LEAST_GUARD. The peer still has data to send, and with a small RTO.Max a
    // sequence of five is over before a slow link has carried it.
    fn restart_shutdown_guard(&mut self, cx: &Context<'_>) {
        let span = (self.options.rto_max * 5).max(LEAST_GUARD);
        self.timers.set(Timer::ShutdownGuard, cx.now + span);
    }

    fn restart_shutdown_timer(&mut self, cx: &Context<'_>) {
        if let Some(path) = self.paths.current_path() {
            self.timers.set(Timer::Shutdown, cx.now + path.rto.rto());
        }
    }

    pub(super) fn on_shutdown(
        &mut self,
        cx: &mut Context<'_>,
        shutdown: Shutdown,
        reading: &Reading,
    ) -> Result<(), Ending> {
        let from = reading.from();
        let transition = self.phase.next(Trigger::ShutdownReceived);
        if matches!(transition, Transition::Ignore | Transition::Later) {
            return Ok(());
        }
        let outcome = self.outbound.on_cumulative_ack(
            cx.now,
            shutdown.cumulative_tsn_ack,
            from,
            self.paths.as_mut_slice(),
        );
        // pion and sctp-proto send a TSN of their own here. A TSN never sent acknowledges nothing,
        // but the shutdown is still valid.
        if let Ok(Some(outcome)) = outcome {
            self.apply(cx, outcome, Some(from));
            self.advance_reconfiguration(cx);
        }
        match self.step(Trigger::ShutdownReceived) {
            Transition::To(Phase::ShutdownReceived) => {
                cx.events.push(self.id, Event::PeerShutdown);
            }
            Transition::To(phase) => self.enter_shutdown(cx, phase),
            Transition::Stay if self.phase == Phase::ShutdownAckSent => {
                let path = self.paths.reply_path(from);
                self.answer(reading, path, Control::ShutdownAck);
            }
            _ => {}
        }
        self.advance_shutdown(cx);
        Ok(())
    }

    pub(super) fn on_shutdown_ack(&mut self) -> Result<(), Ending> {
        match self.step(Trigger::ShutdownAckReceived) {
            Transition::Close => Err(Ending {
                trigger: Trigger::ShutdownAckReceived,
                reason: CloseReason::Graceful,
                farewell: Farewell::ShutdownComplete,
            }),
            _ => Ok(()),
        }
    }

    pub(super) fn on_shutdown_complete(&mut self) -> Result<(), Ending> {
        match self.step(Trigger::ShutdownCompleteReceived) {
            Transition::Close => Err(Ending {
                trigger: Trigger::ShutdownCompleteReceived,
                reason: CloseReason::Graceful,
                farewell: Farewell::Silent,
            }),
            _ => Ok(()),
        }
    }

    /// In SHUTDOWN-SENT, answers DATA, which shows that the peer still sends, with another SHUTDOWN
    /// (RFC 9260 §9.2). `cumulative` is the Cumulative TSN before the packet.
    // DEVIATION RFC 9260 §9.2: no other packet restarts T2-shutdown or clears its count, as any
    // should: with heartbeats that come more often than T2 expires, a lost SHUTDOWN would never be
    // sent again (A44).
    pub(super) fn on_packet_while_shutting_down(
        &mut self,
        cx: &Context<'_>,
        reading: &Reading,
        cumulative: Tsn,
    ) {
        if self.phase == Phase::ShutdownSent && reading.seen().has_data() {
            if self.inbound.cumulative_tsn() != cumulative {
                self.restart_shutdown_guard(cx);
            }
            self.paths.clear_errors();
            self.restart_shutdown_timer(cx);
            let path = self.paths.reply_path(reading.from());
            self.answer(reading, path, Control::Shutdown);
        }
    }

    /// T2-shutdown expired.
    pub(super) fn on_shutdown_timeout(&mut self, cx: &mut Context<'_>) -> Result<(), Ending> {
        let control = match self.phase {
            Phase::ShutdownSent => Control::Shutdown,
            Phase::ShutdownAckSent => Control::ShutdownAck,
            _ => return Ok(()),
        };
        self.count_failure(cx, self.paths.current())?;
        let next = self.paths.alternate(self.paths.current());
        if let Some(path) = self.paths.get_mut(self.paths.current()) {
            path.rto.back_off(&self.options);
        }
        self.paths.set_current(next);
        // Heartbeats no longer show which path works.
        let nobody_knows = self.paths.active().next().is_none();
        for index in self.paths.indices() {
            if index == next || nobody_knows && self.paths.is_confirmed(index) {
                self.queue(index, control.clone());
            }
        }
        self.restart_shutdown_timer(cx);
        Ok(())
    }

    /// The peer has not received our SHUTDOWN ACK (RFC 9260 §9.2).
    pub(crate) fn resend_shutdown_ack(&mut self) {
        self.queue(self.paths.current(), Control::ShutdownAck);
    }

    /// The peer restarted while the association was closing (RFC 9260 §5.2.4, action A).
    pub(crate) fn refuse_restart(&mut self) {
        self.queue(self.paths.current(), Control::ShutdownAck);
        let cause = Farewell::encode(&Cause::CookieReceivedWhileShuttingDown);
        self.queue(self.paths.current(), Control::Error(cause));
    }

    /// Ends the association and reports the remaining data to the user.
    pub(crate) fn close(self, reason: CloseReason, events: &mut Events) {
        let id = self.id;
        let hidden = self.extensions.hidden();
        let (outbound, mut unread) = self.into_remains();
        unread.retain(|part| !hidden(&part.message));
        report_failed(id, events, outbound.into_undelivered(), hidden);
        events.push(id, Event::Closed { reason, unread });
    }
}
