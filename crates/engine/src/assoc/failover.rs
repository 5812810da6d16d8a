//! Failover: which path takes over, what counts against the association, and who is asked before it
//! is given up (RFC 9260 §6.4.1, §8.1, §8.2).

use alloc::boxed::Box;

use super::control::Control;
use super::shutdown::Ending;
use super::tcb::{Context, Tcb};
use crate::congestion::Loss;
use crate::outbound::NewData;
use crate::timers::Timer;
use crate::value::ids::PathIndex;
use crate::{LossDetection, Phase, Time};

/// Parts of the time for which a peer may be silent, at the end of each of which in its second half
/// it is asked.
const QUESTIONS: u32 = 32;

/// The watch for a silent peer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Silence {
    /// The packets that had come when it began.
    heard: u64,
    until: Time,
}

impl Tcb {
    /// A send on a path went unanswered (RFC 9260 §8.1, §8.2).
    pub(super) fn count_failure(
        &mut self,
        cx: &mut Context<'_>,
        index: PathIndex,
    ) -> Result<(), Ending> {
        self.count_path_failure(cx, index);
        self.count_association_error(cx)
    }

    /// The same where the peer has shown by another path that it lives.
    pub(super) fn count_path_failure(&mut self, cx: &mut Context<'_>, index: PathIndex) {
        if let Some(path) = self.paths.get_mut(index) {
            path.errors = path.errors.saturating_add(1);
        }
        self.judge(cx, index);
    }

    /// Counts against the association what went unanswered (RFC 9260 §8.1).
    // DEVIATION RFC 9260 §8.1: an association with several paths sends heartbeats on all of them before
    // it is given up. A peer that lives may send the SACKs of duplicates to a dead address of ours.
    pub(super) fn count_association_error(&mut self, cx: &Context<'_>) -> Result<(), Ending> {
        self.paths.count_error();
        self.watch_silence(cx.now);
        self.seek(cx.now);
        let limit = self.most_errors();
        if self.paths.errors() <= limit || self.timers.is_running(Timer::LastCall) {
            return Ok(());
        }
        let asked = self.paths.errors() == limit + 1;
        let others = self.paths.len() > 1;
        match (asked && others).then(|| self.ask(cx.now)).flatten() {
            Some(until) => {
                self.timers.set(Timer::LastCall, until);
                Ok(())
            }
            None => Err(Ending::unreachable()),
        }
    }

    /// Ends the association once all paths had time to answer.
    pub(super) fn on_last_call(&self) -> Result<(), Ending> {
        if self.paths.errors() > self.most_errors() {
            return Err(Ending::unreachable());
        }
        Ok(())
    }

    /// Sends that may go unanswered in a row.
    // DEVIATION RFC 9260 §8.1: with a dead-peer time, Association.Max.Retrans counts for each path. Data
    // that finds no path is sent again on all of them in turn: with four and RTOs of 200 ms, ten
    // are gone in two seconds.
    fn most_errors(&self) -> u32 {
        let limit = self.options.association_max_retrans;
        match self.options.dead_peer_timeout {
            Some(_) => limit.saturating_mul(self.paths.confirmed()),
            None => limit,
        }
    }

    /// Probes every path once none is active any more: each may have come back since it was last
    /// asked.
    fn seek(&mut self, now: Time) {
        if self.paths.len() > 1 && self.paths.active().next().is_none() {
            self.ask(now);
        }
    }

    /// Sends a heartbeat to each confirmed address, even where one is still unanswered. When all
    /// answers should be there; `None` if there is nobody to ask.
    // DEVIATION RFC 9260 §5.4: HB.Max.Burst does not bound the heartbeats that ask whether the peer
    // lives; they leave once a timeout, which backs off.
    fn ask(&mut self, now: Time) -> Option<Time> {
        if !(Phase::Established..Phase::ShutdownSent).contains(&self.phase) {
            return None;
        }
        let mut last = None;
        for index in self.paths.indices() {
            let Some(path) = self.paths.get(index).filter(|path| path.is_confirmed()) else {
                continue;
            };
            let (rto, max_ack_delay) = (path.rto.rto(), path.rto.fresh(&self.options));
            // One that is overdue counts as ever: to be asked again must not put that off.
            if !path.is_probed() {
                self.timers.set(Timer::Heartbeat(index), now + rto);
            }
            self.queue(index, Control::Heartbeat);
            last = last.max(Some(now + max_ack_delay));
        }
        last
    }

    /// A path is active again. What waits for others that are not, to be sent or to time out, goes
    /// to those that are.
    pub(super) fn take_over(&mut self, cx: &mut Context<'_>) {
        let mut moved = false;
        for from in self.paths.indices() {
            if self.paths.is_active(from) && self.is_displaced(from) {
                self.probe_unless_probed(cx, from);
            }
            let Some(path) = self.paths.get(from).filter(|path| !path.is_active()) else {
                continue;
            };
            let in_flight = path.flow.flight() > 0;
            let onto = self.repeat_path(from, Loss::Timeout);
            if !self.paths.is_active(onto) {
                continue;
            }
            self.outbound.redirect_marked(from, onto);
            if in_flight {
                self.withdraw(cx.now, from, onto);
                moved = true;
            }
        }
        if moved {
            self.settle_partial(cx);
        }
    }

    /// A path that failed has answered a heartbeat, which measured its RTO anew. T3-rtx may still run
    /// for as long as the path was dead, and what is in flight there would wait for it.
    // DEVIATION RFC 9260 §6.3.2: with RACK, T3-rtx then runs no longer than the new RTO. Else data could
    // stand still for as long again as the network was dead.
    pub(super) fn hasten_retransmission(&mut self, now: Time, index: PathIndex) {
        let timer = Timer::Retransmission(index);
        let Some((path, due)) = self.paths.get(index).zip(self.timers.due(timer)) else {
            return;
        };
        if self.options.loss_detection == LossDetection::Rack {
            self.timers.set(timer, due.min(now + path.rto.rto()));
        }
    }

    /// Sends again on `onto` all that is in flight on `from`, without waiting for T3-rtx.
    pub(super) fn withdraw(&mut self, now: Time, from: PathIndex, onto: PathIndex) {
        if let Some(path) = self.paths.get_mut(from) {
            path.on_withdrawn();
        }
        self.outbound
            .on_timeout(now, from, onto, self.paths.as_mut_slice());
        self.send_scout(onto);
        for timer in [
            Timer::Retransmission(from),
            Timer::TailProbe(from),
            Timer::Reordering(from),
        ] {
            self.timers.stop(timer);
        }
    }

    /// Sends a scout ahead of what timed out and goes to `onto`: a packet that brings an answer for
    /// sure.
    pub(super) fn send_scout(&mut self, onto: PathIndex) {
        if self.paths.len() < 2 {
            return;
        }
        let waits = self.outbound.has_new(self.fragment(), self.is_nagle());
        let waits = if waits { NewData::Waits } else { NewData::None };
        self.outbound.send_scout(onto, waits);
    }

    /// Starts the watch for a silent peer, after something went unanswered: if nothing at all comes
    /// for as long as the peer may be silent, the association ends. In the second half of that time
    /// the peer is asked again and again, since timeouts that back off ask too seldom where packets
    /// are lost.
    fn watch_silence(&mut self, now: Time) {
        let Some(span) = self.options.dead_peer_timeout else {
            return;
        };
        let heard = self.paths.packets_received();
        let known = self.extensions.silence.as_deref();
        if known.is_some_and(|known| known.heard == heard) && self.timers.is_running(Timer::Silence)
        {
            return;
        }
        let silence = Silence {
            heard,
            until: now + span,
        };
        self.extensions.put(
            |extensions| &mut extensions.silence,
            Some(Box::new(silence)),
        );
        self.timers.set(Timer::Silence, now + span / 2);
    }

    /// Whether an answer is overdue, and its lack would end the association in time.
    pub(super) fn is_silence_watched(&self) -> bool {
        self.extensions.silence.is_some()
    }

    pub(super) fn on_silence_timeout(&mut self, now: Time) -> Result<(), Ending> {
        let known = self.extensions.take(|extensions| &mut extensions.silence);
        if self.paths.errors() == 0 {
            return Ok(());
        }
        match known.filter(|known| known.heard == self.paths.packets_received()) {
            Some(known) if known.until <= now => return Err(Ending::unreachable()),
            Some(known) => self.ask_in_silence(now, known),
            None => {
                // The peer was heard, so its answer is near: it ends the wait for a T3-rtx that has backed off.
                self.ask(now);
                self.watch_silence(now);
            }
        }
        Ok(())
    }

    /// Asks the peer for a sign of life, and goes on to watch.
    fn ask_in_silence(&mut self, now: Time, silence: Box<Silence>) {
        self.ask(now);
        let span = self.options.dead_peer_timeout.unwrap_or_default();
        let next = (now + span / QUESTIONS).min(silence.until);
        self.extensions
            .put(|extensions| &mut extensions.silence, Some(silence));
        self.timers.set(Timer::Silence, next);
    }
}
