use core::time::Duration;

use super::extensions::protection::Shield;
use super::hedging::Failure;
use super::shutdown::{Ending, Farewell};
use super::tcb::{Context, Spare, Tcb};
use crate::congestion::Loss;
use crate::phase::Trigger;
use crate::timers::Timer;
use crate::value::ids::PathIndex;
use sheave_wire::Cause;

use crate::{CloseReason, Event, FastRecoveryAtTimeout, Phase, ProtectionChange, SpuriousTimeouts};

/// Time without data after which unused memory is freed.
const IDLE_AFTER: Duration = Duration::from_secs(1);

impl Tcb {
    /// Runs all expired timers.
    pub(crate) fn handle_timeout(&mut self, cx: &mut Context<'_>) -> Result<(), Ending> {
        self.acknowledger.handle_timeout(cx.now);
        while let Some(timer) = self.timers.pop_expired(cx.now) {
            match timer {
                Timer::Init => self.on_opening_timeout(cx)?,
                Timer::Shutdown => self.on_shutdown_timeout(cx)?,
                Timer::ShutdownGuard => return Err(guard_expired()),
                Timer::Retransmission(path) => self.on_retransmission_timeout(cx, path)?,
                Timer::Reordering(_) => self.on_reordering_timeout(cx),
                Timer::TailProbe(path) => self.on_tail_timeout(cx.now, path),
                Timer::Hedge(path) => self.on_hedge_timeout(cx, path),
                // The delayed data is polled afterwards.
                Timer::Pacing(_) => {}
                Timer::Heartbeat(path) => self.on_heartbeat_timeout(cx, path)?,
                Timer::PathMtu(path) => self.on_mtu_timeout(cx.now, path),
                Timer::Reconfiguration => self.on_reconfiguration_timeout(cx)?,
                // The peer did not repeat the request for which new data was held back.
                Timer::Yielding => self.outbound.open_gate(),
                Timer::AddressChange => self.on_address_change_timeout(cx)?,
                Timer::LastCall => self.on_last_call()?,
                Timer::Silence => self.on_silence_timeout(cx.now)?,
                Timer::Skip => self.on_skip_timeout(cx)?,
                Timer::Lifetime => self.on_lifetime_timeout(cx),
                Timer::Idle => self.on_idle_timeout(cx.now),
                Timer::KeyManagement => {
                    let due = Event::Protection(ProtectionChange::TimerExpired);
                    cx.events.push(self.id, due);
                }
            }
        }
        Ok(())
    }

    /// T3-rtx expired (RFC 9260 §6.3.3).
    fn on_retransmission_timeout(
        &mut self,
        cx: &mut Context<'_>,
        index: PathIndex,
    ) -> Result<(), Ending> {
        let Some(path) = self.paths.get(index) else {
            return Ok(());
        };
        // Data sent with COOKIE ECHO is retransmitted after COOKIE ACK.
        if self.phase == Phase::CookieEchoed {
            return Ok(());
        }
        if path.flow.flight() == 0 {
            if index == self.paths.current() && self.is_window_blocked() {
                self.probe_window(index);
            }
            return Ok(());
        }
        let errors = path.errors;
        let answered_by = self.outbound.take_probe_answer();
        // A peer that answers by another path is alive, but this path may have failed.
        let refused = answered_by == Some(index);
        let mut has_failed = false;
        if !refused {
            has_failed = self.check_timed_out(cx.now, index) == Failure::Certain;
            if has_failed {
                self.count_path_failure(cx, index);
            }
            self.suspect_black_hole(cx.now, index);
        } else if self.paths.len() > 1 {
            // The path answered before; probe whether it still does, since retransmissions move
            // elsewhere.
            self.probe_unless_probed(cx, index);
        }
        if answered_by.is_none() {
            self.count_association_error(cx)?;
        }
        self.couple();
        let elsewhere = self.paths.confirmed() > 1 || self.local.len() > 1;
        let doubted = !refused && elsewhere;
        let is_probe = refused && self.outbound.has_probe_only();
        if let Some(path) = self.paths.get_mut(index) {
            if is_probe {
                path.on_probe_refused(&self.options);
            } else {
                path.on_timeout(cx.now, &self.options);
            }
        }
        if doubted {
            self.doubt(cx.now, index);
        }
        if let Some(marks) = self.extensions.marks() {
            marks.on_timeout(index, self.outbound.next_seq());
        }
        let onto = self.repeat_path(index, Loss::Timeout);
        let silence = cx.now.since(self.oldest_departure(index));
        if has_failed && let Some(event) = self.paths.failover(index, onto, silence) {
            cx.events.push_if_room(self.id, event);
        }
        let (now, paths) = (cx.now, self.paths.as_mut_slice());
        match self.options.fast_recovery_at_timeout {
            FastRecoveryAtTimeout::Ends => self.outbound.on_timeout(now, index, onto, paths),
            FastRecoveryAtTimeout::Lasts => {
                self.outbound
                    .on_timeout_in_recovery(now, index, onto, paths);
            }
        }
        let undoes = self.options.spurious_timeouts == SpuriousTimeouts::Undone;
        if undoes && !is_probe && onto == index && errors == 0 {
            self.outbound.watch_timeout(index);
        }
        self.send_scout(onto);
        if has_failed && self.hedges() {
            self.paths.avoid(index);
            self.probe_unless_probed(cx, index);
        }
        if !self.paths.is_active(self.paths.current()) {
            self.paths.set_current(onto);
        }
        Ok(())
    }

    /// Notes data activity, to free memory some time after it ends.
    #[inline]
    pub(crate) fn watch_idleness(&mut self, now: crate::Time) {
        let is_warm = || {
            let shield = self.extensions.get(|extensions| &extensions.shield);
            shield.is_some_and(Shield::is_warm)
        };
        // Abandoned messages keep their chunks until the peer has skipped them, though no data.
        let is_laden = || {
            self.memory() > 0 || self.inbound.is_spread() || !self.outbound.is_empty() || is_warm()
        };
        if self.spare == Spare::None && is_laden() {
            self.spare = Spare::Some;
            self.timers.set(Timer::Idle, now + IDLE_AFTER);
        }
    }

    /// Whether the association holds data, or did in the last second.
    pub(crate) fn is_watched(&self) -> bool {
        self.spare == Spare::Some
    }

    /// Frees memory of directions that hold no data.
    fn on_idle_timeout(&mut self, now: crate::Time) {
        self.spare = Spare::None;
        // One direction can be trimmed while the other holds unread data.
        self.inbound.trim();
        self.outbound.trim(self.paths.as_mut_slice());
        if self.memory() > 0 || !self.outbound.is_empty() {
            return self.watch_idleness(now);
        }
        self.extensions.take(|extensions| &mut extensions.read_rate);
        if let Some(shield) = self.extensions.shield() {
            shield.rest();
        }
        self.timers.trim();
        for path in self.paths.iter_mut() {
            path.trim();
        }
    }

    /// Whether data waits only for the peer's window.
    #[inline(always)] // See `watch_window`.
    pub(super) fn is_window_blocked(&self) -> bool {
        self.outbound.is_window_blocked(|| self.fragment()) && self.phase.sends_data()
    }

    /// The window stayed closed for an RTO: probes it, and again after twice that time (RFC 9260
    /// §6.1 A).
    fn probe_window(&mut self, index: PathIndex) {
        self.outbound.allow_probe();
        if let Some(path) = self.paths.get_mut(index) {
            path.on_probe_refused(&self.options);
        }
    }

    /// Keeps T3-rtx of the current path running while the peer's window is closed, so that the
    /// window is probed (RFC 9260 §6.1 A).
    #[inline(always)] // Asked after each packet and message, and hardly ever so.
    pub(crate) fn watch_window(&mut self, now: crate::Time) {
        if self.is_window_blocked()
            && let Some(path) = self.paths.current_path()
        {
            let due = now + path.rto.rto();
            self.timers
                .set_if_stopped(Timer::Retransmission(self.paths.current()), due);
        }
    }
}

fn guard_expired() -> Ending {
    Ending {
        trigger: Trigger::ShutdownGuardExpired,
        reason: CloseReason::TimedOut,
        farewell: Farewell::abort(&Cause::ProtocolViolation(b"the shutdown took too long")),
    }
}
