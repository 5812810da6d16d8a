//! Failover: which path takes over, which failures count against the association, and the final
//! probes before it is given up (RFC 9260 §6.4.1, §8.1, §8.2).

use alloc::boxed::Box;

use super::shutdown::Ending;
use super::tcb::{Context, Tcb};
use crate::congestion::Loss;
use crate::outbound::NewData;
use crate::timers::Timer;
use crate::value::ids::PathIndex;
use crate::{LossDetection, Phase, Time};

/// The peer is probed at the end of each such fraction of the dead-peer time, during its second
/// half.
const QUESTIONS: u32 = 32;

/// State for detecting a silent peer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Silence {
    /// Number of packets received when the silence began.
    heard: u64,
    until: Time,
}

impl Tcb {
    /// A packet sent on a path went unanswered (RFC 9260 §8.1, §8.2).
    pub(super) fn count_failure(
        &mut self,
        cx: &mut Context<'_>,
        index: PathIndex,
    ) -> Result<(), Ending> {
        self.count_path_failure(cx, index);
        self.count_association_error(cx)
    }

    /// Like `count_failure`, if the peer showed on another path that it is alive.
    pub(super) fn count_path_failure(&mut self, cx: &mut Context<'_>, index: PathIndex) {
        if let Some(path) = self.paths.get_mut(index) {
            path.errors = path.errors.saturating_add(1);
        }
        self.judge(cx, index);
    }

    /// Counts a failure against the association (RFC 9260 §8.1).
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

    /// Ends the association after all paths had time to answer.
    pub(super) fn on_last_call(&self) -> Result<(), Ending> {
        if self.paths.errors() > self.most_errors() {
            return Err(Ending::unreachable());
        }
        Ok(())
    }

    /// Most consecutive unanswered sends.
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

    /// Probes every path if none is active: any may work again since its last probe.
    fn seek(&mut self, now: Time) {
        if self.paths.len() > 1 && self.paths.active().next().is_none() {
            self.ask(now);
        }
    }

    /// Sends a heartbeat to each confirmed address, even if another one is unanswered. Returns when
    /// all answers should have arrived; `None` if there is no such address.
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
            let max_ack_delay = path.rto.fresh(&self.options);
            self.probe_again(now, index);
            last = last.max(Some(now + max_ack_delay));
        }
        last
    }

    /// A path is active again: data waiting on inactive paths, to be sent or to time out, moves to
    /// active ones.
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

    /// The peer was heard again on a path, and T3-rtx may still run as long as the path was dead, delaying
    /// the data in flight there. Returns whether the timer was shortened.
    // DEVIATION RFC 9260 §6.3.2: with RACK, T3-rtx then runs no longer than the RTO without back-off. Else
    // data could stand still for as long again as the network was dead.
    pub(super) fn hasten_retransmission(&mut self, now: Time, index: PathIndex) -> bool {
        let timer = Timer::Retransmission(index);
        let Some((path, due)) = self.paths.get(index).zip(self.timers.due(timer)) else {
            return false;
        };
        let sooner = now + path.rto.fresh(&self.options);
        let is_late = sooner < due && self.options.loss_detection == LossDetection::Rack;
        if is_late {
            self.timers.set(timer, sooner);
        }
        is_late
    }

    /// The peer's UDP port changed: the data in flight went to the old one, which a NAT has probably given
    /// up. If the timeout has backed off, a tail probe asks the new one: at most once an RTO, however often
    /// ports change.
    pub(super) fn on_port_moved(&mut self, now: Time, index: PathIndex) {
        let flight = self.paths.get(index).map_or(0, |path| path.flow.flight());
        if flight > 0 && self.phase.sends_data() && self.hasten_retransmission(now, index) {
            self.outbound
                .probe_tail(now, index, NewData::None, self.paths.as_mut_slice());
        }
    }

    /// Retransmits everything in flight on `from` on `onto`, without waiting for T3-rtx.
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

    /// Sends a scout ahead of timed-out data moved to `onto`: a packet that is sure to be answered.
    pub(super) fn send_scout(&mut self, onto: PathIndex) {
        if self.paths.len() < 2 {
            return;
        }
        let waits = self.outbound.has_new(self.fragment(), self.is_nagle());
        let waits = if waits { NewData::Waits } else { NewData::None };
        self.outbound.send_scout(onto, waits);
    }

    /// After an unanswered send, starts watching for a silent peer: the association ends if no
    /// packet arrives within the dead-peer time. In the second half of that time the peer is probed
    /// repeatedly, since backed-off timeouts probe too rarely if packets are lost.
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

    pub(super) fn on_silence_timeout(&mut self, now: Time) -> Result<(), Ending> {
        let known = self.extensions.take(|extensions| &mut extensions.silence);
        if self.paths.errors() == 0 {
            return Ok(());
        }
        match known.filter(|known| known.heard == self.paths.packets_received()) {
            Some(known) if known.until <= now => return Err(Ending::unreachable()),
            Some(known) => self.ask_in_silence(now, known),
            None => {
                // The peer was heard, so an answer is likely soon; a heartbeat avoids waiting for a
                // backed-off T3-rtx.
                self.ask(now);
                self.watch_silence(now);
            }
        }
        Ok(())
    }

    /// Probes the peer and continues watching.
    fn ask_in_silence(&mut self, now: Time, silence: Box<Silence>) {
        self.ask(now);
        let span = self.options.dead_peer_timeout.unwrap_or_default();
        let next = (now + span / QUESTIONS).min(silence.until);
        self.extensions
            .put(|extensions| &mut extensions.silence, Some(silence));
        self.timers.set(Timer::Silence, next);
    }
}
