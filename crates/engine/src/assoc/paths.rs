use core::net::IpAddr;
use core::time::Duration;

use sheave_wire::Heartbeat;

use super::control::Control;
use super::shutdown::Ending;
use super::tcb::{Context, Tcb};
use crate::congestion::Cumulative;
use crate::flight::share::SignOfLife;
use crate::outbound::SackOutcome;
use crate::path::{HeartbeatLength, HeartbeatProbe, MtuSearch, Occasion, Path, WindowCut};
use crate::timers::Timer;
use crate::value::event::Events;
use crate::value::ids::PathIndex;
use crate::{Event, FirstHeartbeat, Heartbeats, PathChange, PathError, PathState, Phase, Time};

/// Heartbeat Info: the path's number, three zero bytes, the nonce. All other probe state stays
/// local, where it cannot be tampered with.
pub(super) const HEARTBEAT_INFO_LEN: usize = 12;

/// Whether an answer made an inactive path active.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Answered {
    AsEver,
    Again,
}

impl Tcb {
    /// Starts heartbeats on all paths; unconfirmed paths are probed at once (RFC 9260 §5.4, §8.3).
    pub(super) fn start_probing(&mut self, cx: &mut Context<'_>) {
        for index in self.paths.indices() {
            if self.paths.is_confirmed(index) {
                self.begin_heartbeats(cx, index, cx.now);
            } else {
                self.timers.set(Timer::Heartbeat(index), cx.now);
            }
        }
        self.measure_round_trips(cx.now);
        self.probe_due_paths(cx);
    }

    /// Runs the heartbeat timers of unconfirmed paths, so that their probes leave with the current
    /// packet.
    fn probe_due_paths(&mut self, cx: &mut Context<'_>) {
        for index in self.paths.indices() {
            let due = self
                .paths
                .get(index)
                .is_some_and(|path| !path.is_confirmed());
            if due {
                self.probe_within_burst(cx, index);
            }
        }
    }

    /// Starts the periods after which a path is probed if unused, at `from` or at a random time
    /// after it.
    fn begin_heartbeats(&mut self, cx: &mut Context<'_>, index: PathIndex, from: Time) {
        let Some(path) = self.paths.get(index) else {
            return;
        };
        match (self.options.first_heartbeat, path.heartbeats(&self.options)) {
            (FirstHeartbeat::AtRandom, Heartbeats::Every(interval))
                if !self.is_displaced(index) =>
            {
                let most = u64::try_from(interval.as_nanos()).unwrap_or(u64::MAX);
                let part = Duration::from_nanos(cx.rng.below(most));
                self.set_heartbeat(cx, index, from, part);
            }
            _ => self.await_heartbeat(cx, index, from),
        }
    }

    /// Waits for the next regular heartbeat of a path, whose period began at `from`, the time of
    /// its last heartbeat if any.
    fn await_heartbeat(&mut self, cx: &mut Context<'_>, index: PathIndex, from: Time) {
        let Some(path) = self.paths.get(index) else {
            return;
        };
        match path.heartbeats(&self.options) {
            Heartbeats::Every(interval) => {
                let interval = match self.is_displaced(index) {
                    true => path.interval_away(interval),
                    false => interval,
                };
                self.set_heartbeat(cx, index, from, interval);
            }
            Heartbeats::Off => self.timers.stop(Timer::Heartbeat(index)),
        }
    }

    /// Ends a heartbeat period `interval` plus about one RTO after `from`.
    fn set_heartbeat(
        &mut self,
        cx: &mut Context<'_>,
        index: PathIndex,
        from: Time,
        interval: Duration,
    ) {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "sixteen random bits are wanted"
        )]
        let jitter = cx.rng.u32() as u16;
        if let Some(path) = self.paths.get(index) {
            let due = from + path.heartbeat_wait(interval, jitter);
            self.timers.set(Timer::Heartbeat(index), due.max(cx.now));
        }
    }

    /// The heartbeat timer of a path expired: a probe is unanswered, or one is due.
    pub(super) fn on_heartbeat_timeout(
        &mut self,
        cx: &mut Context<'_>,
        index: PathIndex,
    ) -> Result<(), Ending> {
        let Some(path) = self.paths.get(index) else {
            return Ok(());
        };
        // T2-shutdown tries the confirmed ones.
        let is_closing = matches!(self.phase, Phase::ShutdownSent | Phase::ShutdownAckSent);
        if is_closing && path.is_confirmed() {
            return Ok(());
        }
        if path.extensions.probe.is_some() {
            return self.on_probe_unanswered(cx, index);
        }
        let idle_rule = path.is_confirmed() && !path.is_potentially_failed();
        let asks_home = path.is_active() && self.is_displaced(index);
        if idle_rule && !asks_home && path.was_used_lately(cx.now, &self.options) {
            match path.look_interval(&self.options) {
                Some(interval) => self.set_heartbeat(cx, index, cx.now, interval),
                None => self.timers.stop(Timer::Heartbeat(index)),
            }
        } else {
            self.probe_within_burst(cx, index);
        }
        Ok(())
    }

    /// Probes a path now, or when the next burst of heartbeats begins (RFC 9260 §5.4).
    pub(super) fn probe_within_burst(&mut self, cx: &Context<'_>, index: PathIndex) {
        let Some(path) = self.paths.get(index) else {
            return;
        };
        let (wait, used_at) = (self.probe_wait(index, path), path.used_at);
        // The path unused longest goes first; otherwise paths with short intervals would starve
        // others.
        let goes_first = |(other, path): &(PathIndex, &Path)| {
            let due = self.timers.due(Timer::Heartbeat(*other));
            let waits = due.is_some_and(|due| due <= cx.now) && !path.is_probed();
            *other != index && waits && path.used_at < used_at
        };
        let others = self.paths.numbered().filter(goes_first).count();
        let most = usize::from(self.options.hb_max_burst.max(1)).saturating_sub(others);
        if let Err(next) = self.paths.count_heartbeat(cx.now, most) {
            self.timers.set(Timer::Heartbeat(index), next);
            return;
        }
        self.send_heartbeat(index, cx.now + wait);
    }

    /// Like `probe_within_burst`, unless a heartbeat is already pending.
    pub(super) fn probe_unless_probed(&mut self, cx: &Context<'_>, index: PathIndex) {
        let idle = |path: &Path| !path.is_probed();
        if self.paths.get(index).is_some_and(idle) {
            self.probe_within_burst(cx, index);
        }
    }

    /// Sends a heartbeat, even if another one is unanswered. That one keeps its deadline, which
    /// frequent questions would postpone forever; otherwise the answer is due after an RTO.
    pub(super) fn probe_again(&mut self, now: Time, index: PathIndex) {
        let Some(path) = self.paths.get(index) else {
            return;
        };
        if path.is_probed() {
            self.queue(index, Control::Heartbeat);
        } else {
            self.send_heartbeat(index, now + path.rto.rto());
        }
    }

    /// Sends a heartbeat that counts as unanswered at `due`.
    pub(super) fn send_heartbeat(&mut self, index: PathIndex, due: Time) {
        self.timers.set(Timer::Heartbeat(index), due);
        self.queue(index, Control::Heartbeat);
    }

    fn on_probe_unanswered(
        &mut self,
        cx: &mut Context<'_>,
        index: PathIndex,
    ) -> Result<(), Ending> {
        let carries_data = index == self.paths.current();
        let Some(path) = self.paths.get_mut(index) else {
            return Ok(());
        };
        let probe = path.give_up_probe();
        let sent_at = probe.as_ref().map_or(cx.now, |probe| probe.sent_at);
        let is_full = |probe: &HeartbeatProbe| probe.length == HeartbeatLength::Full;
        let full = probe.as_deref().is_some_and(is_full);
        // A probe from another source says nothing about a working path.
        if path.is_active() && probe.is_some_and(|probe| probe.source != path.local) {
            self.await_heartbeat(cx, index, sent_at);
            return Ok(());
        }
        if full {
            self.with_mtu_search(cx.now, index, MtuSearch::on_heartbeat_lost);
        }
        let Some(path) = self.paths.get_mut(index) else {
            return Ok(());
        };
        path.congestion.on_probe_unanswered();
        path.rto.back_off(&self.options);
        let confirmed = path.is_confirmed();
        let max_retrans = path.max_retrans(&self.options);
        let silent = path.heartbeats(&self.options) == Heartbeats::Off;
        let failed = path.errors > max_retrans;
        if !failed {
            path.errors += 1;
        }
        let failing = path.errors > max_retrans;
        if confirmed {
            self.judge(cx, index);
        }
        // RFC 9260 §8.1: only on the path that carries data.
        // DEVIATION RFC 9260 §5.4: errors of an unconfirmed path count, too, if no path is confirmed:
        // after the peer has deleted the others, no other path shows that it is gone.
        if carries_data {
            self.count_association_error(cx)?;
        }
        let path = self.paths.get(index);
        let pressing = path.is_some_and(Path::is_potentially_failed)
            || self.seeks_return(index)
            || carries_data && (!confirmed || self.extensions.silence.is_some());
        if pressing {
            self.probe_within_burst(cx, index);
        } else if confirmed || failing {
            self.await_heartbeat(cx, index, sent_at);
            if silent {
                // An unconfirmed address must be probed eventually, if slowly.
                self.timers
                    .set(Timer::Heartbeat(index), cx.now + self.options.rto_max);
            }
        } else {
            self.probe_within_burst(cx, index);
        }
        Ok(())
    }

    pub(super) fn take_down(&mut self, cx: &mut Context<'_>, index: PathIndex) {
        let Some(path) = self.paths.get_mut(index) else {
            return;
        };
        if matches!(path.state, PathState::Active | PathState::PotentiallyFailed) {
            path.state = PathState::Inactive;
            let remote = path.remote.ip;
            cx.events.push(
                self.id,
                Event::Path {
                    remote,
                    change: PathChange::Down,
                },
            );
        }
        self.paths.choose_current();
        self.outbound.redirect_marked(index, self.paths.current());
    }

    /// A packet sent on a path was answered: an inactive path becomes active and takes over.
    pub(super) fn on_path_answered(&mut self, cx: &mut Context<'_>, index: PathIndex) {
        if self.note_answer(cx, index) == Answered::Again {
            self.take_over(cx);
            self.relieve_others(index);
            self.check_overdue_paths(cx.now);
        }
    }

    /// Notes an answer on a path. Returns whether it made the path active.
    #[inline]
    fn note_answer(&mut self, cx: &mut Context<'_>, index: PathIndex) -> Answered {
        let Some(path) = self.paths.get_mut(index) else {
            return Answered::AsEver;
        };
        path.errors = 0;
        let was_silent = core::mem::take(&mut path.is_silent);
        match path.state {
            PathState::Active => {
                if was_silent {
                    self.paths.choose_current();
                }
                Answered::AsEver
            }
            _ => self.note_return(cx, index),
        }
    }

    /// Notes an answer on an inactive path.
    #[cold]
    #[inline(never)]
    fn note_return(&mut self, cx: &mut Context<'_>, index: PathIndex) -> Answered {
        let Some(path) = self.paths.get_mut(index) else {
            return Answered::AsEver;
        };
        let change = match path.state {
            PathState::Active => return Answered::AsEver,
            PathState::Unconfirmed => PathChange::Confirmed,
            PathState::PotentiallyFailed | PathState::Inactive => PathChange::Up,
        };
        path.state = PathState::Active;
        path.forget_unanswered();
        let remote = path.remote.ip;
        cx.events.push(self.id, Event::Path { remote, change });
        self.paths.choose_current();
        self.strand_paths(cx);
        Answered::Again
    }

    /// Full-size packets get through on a path.
    #[inline]
    fn on_path_delivers(&mut self, now: Time, index: PathIndex) {
        if let Some(path) = self.paths.get_mut(index)
            && path.is_doubtful()
        {
            path.end_doubt();
        }
        self.clear_black_hole(now, index);
    }

    /// Starts a heartbeat about to leave, from `source` if it differs from the path's own address.
    pub(super) fn begin_probe(
        &mut self,
        now: Time,
        (index, source): (PathIndex, Option<IpAddr>),
        nonce: u64,
    ) -> [u8; HEARTBEAT_INFO_LEN] {
        if let Some(path) = self.paths.get_mut(index) {
            let source = source.unwrap_or(path.local);
            path.begin_probe(now, nonce, source, &self.options);
        }
        let [a, b, c, d, e, f, g, h] = nonce.to_be_bytes();
        [index.0, 0, 0, 0, a, b, c, d, e, f, g, h]
    }

    /// Handles HEARTBEAT ACK, which counts only with the nonce sent on the same path.
    pub(super) fn on_heartbeat_ack(&mut self, cx: &mut Context<'_>, ack: &Heartbeat<'_>) {
        if self.on_mtu_answer(cx.now, ack.info) {
            return;
        }
        let &[index, 0, 0, 0, a, b, c, d, e, f, g, h] = ack.info else {
            return;
        };
        let index = PathIndex(index);
        let nonce = u64::from_be_bytes([a, b, c, d, e, f, g, h]);
        let Some(path) = self.paths.get_mut(index) else {
            return;
        };
        let Some(probe) = path.take_probe(cx.now, nonce) else {
            return;
        };
        let was_failing = path.errors > 0;
        // The answer was late; the path had not failed.
        if path.errors == 1 && path.is_potentially_failed() {
            path.on_needless_hedge(cx.now);
        }
        // Bounded by the timeout of the route the path used when the heartbeat left.
        let round_trip = path.believed(cx.now.since(probe.sent_at), &self.options);
        if path.local != probe.source && self.local.contains(&probe.source) {
            path.move_to(probe.source, &self.options);
        }
        path.congestion.on_probe_answered();
        path.on_round_trip(round_trip, &self.options);
        path.counters.heartbeats_acked += 1;
        let proved = path.is_proved_by(&probe);
        self.paths.clear_errors();
        if !proved {
            return self.probe_within_burst(cx, index);
        }
        if probe.length == HeartbeatLength::Full {
            self.on_path_delivers(cx.now, index);
        }
        self.on_path_answered(cx, index);
        self.on_heartbeat_under_check(cx, index, probe.sent_at);
        if was_failing {
            self.hasten_retransmission(cx.now, index);
        }
        match probe.occasion {
            Occasion::Idleness => self.await_heartbeat(cx, index, probe.sent_at),
            Occasion::Question => self.begin_heartbeats(cx, index, probe.sent_at),
        }
    }

    /// Applies a SACK to the paths: windows, round trips, errors, T3-rtx (RFC 9260 §6.3.2, §8.2).
    /// `from` is the path it came on, if any.
    pub(super) fn apply(
        &mut self,
        cx: &mut Context<'_>,
        outcome: SackOutcome,
        from: Option<PathIndex>,
    ) {
        let digest = outcome.digest;
        let mut answered = Answered::AsEver;
        let mut any = digest.cumulative == Cumulative::Advanced;
        if self.outbound.is_concurrent() {
            self.couple();
        }
        for index in self.paths.indices() {
            let share = outcome.share(index);
            let loss = self.loss_to_answer(index, &share);
            let own = self.outbound.digest_of(index, &digest);
            let Some(path) = self.paths.get_mut(index) else {
                continue;
            };
            let cut = path.on_digest(cx.now, &own, &share, loss, &self.options);
            let acked = share.acked > 0;
            let lives = match share.sign {
                SignOfLife::None => false,
                SignOfLife::Ambiguous => from == Some(index),
                SignOfLife::Sure => true,
            };
            let restart = share.earliest_moved;
            let (flight, rto) = (path.flow.flight(), path.rto.rto());
            // SACKs that keep advertising a window too small for the next chunk must not delay its
            // window probe.
            let awaits_probe =
                !acked && flight == 0 && index == self.paths.current() && self.is_window_blocked();
            if flight == 0 {
                if !awaits_probe {
                    self.timers.stop(Timer::Retransmission(index));
                }
            } else if restart {
                self.timers.set(Timer::Retransmission(index), cx.now + rto);
            } else {
                self.timers
                    .set_if_stopped(Timer::Retransmission(index), cx.now + rto);
            }
            if let Some(marks) = self.extensions.marks()
                && cut == WindowCut::Made
            {
                marks.on_loss_answered(index, self.outbound.next_seq());
            }
            any |= acked;
            if lives {
                answered = answered.max(self.note_answer(cx, index));
                self.on_path_delivers(cx.now, index);
            }
        }
        if answered == Answered::Again {
            self.take_over(cx);
        }
        if any {
            self.paths.clear_errors();
        }
        self.watch_losses(cx.now, &outcome);
        self.note_waits(cx, &outcome, from);
        self.outbound.take_back(outcome);
        self.remind_of_skip(cx.now);
        if digest.cumulative == Cumulative::Advanced && self.outbound.is_empty() {
            cx.events.push(self.id, Event::Drained);
        }
    }

    pub(crate) fn set_primary(
        &mut self,
        events: &mut Events,
        remote: IpAddr,
    ) -> Result<(), PathError> {
        let index = self.paths.find(remote).ok_or(PathError::Unknown)?;
        if !self.paths.is_confirmed(index) {
            return Err(PathError::Unconfirmed);
        }
        let changed = index != self.paths.primary();
        self.paths.set_primary(index);
        if changed {
            events.push(
                self.id,
                Event::Path {
                    remote,
                    change: PathChange::Primary,
                },
            );
        }
        Ok(())
    }

    /// Sends a heartbeat on demand; unanswered within an RTO it counts as an error (RFC 9260 §8.3).
    /// A pending heartbeat serves instead.
    pub(crate) fn request_heartbeat(
        &mut self,
        cx: &Context<'_>,
        remote: IpAddr,
    ) -> Result<(), PathError> {
        let index = self.paths.find(remote).ok_or(PathError::Unknown)?;
        if self.phase >= Phase::Established
            && let Some(path) = self.paths.get(index)
            && !path.is_probed()
        {
            let due = cx.now + path.rto.rto();
            self.send_heartbeat(index, due);
        }
        Ok(())
    }
}
