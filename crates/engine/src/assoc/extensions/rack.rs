//! Timers of loss detection by time (RFC 8985).

use crate::Time;
use crate::assoc::tcb::{Context, Tcb};
use crate::outbound::{MaxAckDelay, NewData, SackOutcome};
use crate::timers::Timer;
use crate::value::ids::PathIndex;

impl Tcb {
    /// Sets the reordering timers of all paths after a search for losses.
    pub(in crate::assoc) fn watch_losses(&mut self, now: Time, outcome: &SackOutcome) {
        if !self.outbound.watches_time() {
            return;
        }
        for index in self.paths.indices() {
            let timer = Timer::Reordering(index);
            match self.outbound.reo_timeout(index) {
                Some(at) => self.timers.set(timer, at.max(now)),
                None => self.timers.stop(timer),
            }
            let heard = outcome.share(index).acked > 0;
            if heard || !self.timers.is_running(Timer::TailProbe(index)) {
                self.await_tail(now, index);
            }
        }
    }

    /// Restarts the tail probe timer after a packet was sent, or data acknowledged, on a path.
    // DEVIATION RFC 8985 §7.2: where T3-rtx would expire sooner, or no round trip was measured yet,
    // there is no probe; and there is one in Fast Recovery, too, whose last retransmission may be
    // lost.
    #[inline]
    pub(in crate::assoc) fn await_tail(&mut self, now: Time, index: PathIndex) {
        if self.outbound.watches_time() {
            self.time_tail(now, index);
        }
    }

    fn time_tail(&mut self, now: Time, index: PathIndex) {
        let timer = Timer::TailProbe(index);
        let last = self.timers.due(Timer::Retransmission(index));
        match self.tail_due(now, index) {
            Some(at) if last.is_none_or(|last| at < last) => self.timers.set(timer, at),
            _ => self.timers.stop(timer),
        }
    }

    /// Time at which the path's tail will be probed if nothing happens before.
    fn tail_due(&self, now: Time, index: PathIndex) -> Option<Time> {
        if !self.phase.sends_data() {
            return None;
        }
        // The peer's values are unknown; ours are the best estimate.
        let max_ack_delay = MaxAckDelay {
            packets: self.options.sack_frequency.saturating_sub(1).max(1),
            delay: self.options.sack_delay,
        };
        let wait = self
            .outbound
            .pto(index, self.paths.get(index)?, max_ack_delay)?;
        Some(now + wait)
    }

    pub(in crate::assoc) fn on_reordering_timeout(&mut self, cx: &mut Context<'_>) {
        let outcome = self
            .outbound
            .on_reordering_timeout(cx.now, self.paths.as_mut_slice());
        self.apply(cx, outcome, None);
        self.redirect_fast();
    }

    /// RFC 8985 §7.3. T3-rtx restarts so that the probe can be answered before it expires.
    pub(in crate::assoc) fn on_tail_timeout(&mut self, now: Time, index: PathIndex) {
        if self.tail_due(now, index).is_none() {
            return;
        }
        let waits =
            self.takes_new_data(index) && self.outbound.has_new(self.fragment(), self.is_nagle());
        let new = if waits { NewData::Waits } else { NewData::None };
        if !self
            .outbound
            .probe_tail(now, index, new, self.paths.as_mut_slice())
        {
            return;
        }
        let Some(path) = self.paths.get(index) else {
            return;
        };
        let due = now + path.rto.rto();
        self.timers.set(Timer::Retransmission(index), due);
    }
}
