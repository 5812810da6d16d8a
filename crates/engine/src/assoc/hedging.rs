//! Failover within round trips: a silent path is checked, and its data moves to a path that answers
//! in its place.
//!
//! A check sends the oldest data in flight on another path, the stand-in, with a request for an
//! immediate SACK (RFC 9260 §3.3.1, the I bit), and a heartbeat on the silent path. T3-rtx is
//! unchanged. If the silent path answers, the check was needless. If only the stand-in answers,
//! this counts as one failure of the silent path. If neither answers, timeouts decide as usual.

use core::net::IpAddr;
use core::time::Duration;

use super::control::Control;
use super::tcb::{Context, Tcb};
use crate::congestion::Loss;
use crate::flight::share::SignOfLife;
use crate::outbound::SackOutcome;
use crate::path::{Check, Hedge, MOST_UNANSWERED, MtuSearch, Path, Stage, Urgency};
use crate::timers::Timer;
use crate::value::ids::PathIndex;
use crate::{Failover, Heartbeats, Time};

/// Longest pause between heartbeats of a failed path.
const LONGEST_PAUSE: Duration = Duration::from_secs(4);

/// Meaning of a timeout for its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    Certain,
    /// A check will show whether the path has failed.
    Checked,
}

impl Tcb {
    /// Whether paths fail over within round trips and another path exists.
    #[inline]
    pub(super) fn hedges(&self) -> bool {
        self.paths.len() > 1 && self.options.failover == Failover::RoundTrips
    }

    /// Whether a failed path is probed repeatedly for its return: any except the one for data.
    pub(super) fn seeks_return(&self, index: PathIndex) -> bool {
        let path = self.paths.get(index);
        let failed = |path: &Path| path.is_confirmed() && !path.is_active();
        self.hedges() && path.is_some_and(failed) && index != self.paths.current()
    }

    /// Time after which a heartbeat on a path counts as unanswered.
    // DEVIATION RFC 9260 §8.3: a path that failed is probed after an RTO, which doubles, and HB.Interval or 4 s
    // at most, so that it is used again soon after it is back; though not before an answer can have come, and
    // an eighth of the RTO at least, since the answers to the last eight heartbeats count.
    pub(super) fn probe_wait(&self, index: PathIndex, path: &Path) -> Duration {
        let rto = path.rto.rto();
        match path.heartbeats(&self.options) {
            Heartbeats::Every(interval) if self.seeks_return(index) => {
                let answerable = path.rto.fresh(&self.options).max(self.options.rto_initial);
                let remembered = rto / MOST_UNANSWERED;
                let least = interval.max(answerable).max(remembered);
                rto.min(least).min(LONGEST_PAUSE)
            }
            _ => rto,
        }
    }

    /// The first data in flight on a path leaves.
    #[inline]
    pub(super) fn await_first_answer(&mut self, now: Time, index: PathIndex) {
        if self.hedges()
            && let Some(path) = self.paths.get_mut(index)
        {
            path.begin_wait(now);
            self.keep_waiting(index);
        }
    }

    /// Keeps the timer for the end of a path's wait running; it may expire early, never late.
    fn keep_waiting(&mut self, index: PathIndex) {
        if self.timers.is_running(Timer::Hedge(index)) {
            return;
        }
        let oldest = self.oldest_departure(index);
        let path = self.paths.get(index);
        let due = path.and_then(|path| path.hedge_due(oldest, &self.options));
        if let Some(due) = due {
            self.timers.set(Timer::Hedge(index), due);
        }
    }

    /// Send time of the oldest data in flight on a path.
    pub(super) fn oldest_departure(&self, index: PathIndex) -> Time {
        let path = self.paths.get(index);
        let departure = |seq| self.outbound.departure(seq);
        let oldest = path
            .and_then(|path| path.flow.earliest())
            .and_then(departure);
        oldest.unwrap_or(Time::ZERO)
    }

    pub(super) fn on_hedge_timeout(&mut self, cx: &mut Context<'_>, index: PathIndex) {
        let oldest = self.oldest_departure(index);
        let Some(path) = self.paths.get_mut(index) else {
            return;
        };
        match path.check() {
            Some(check) if check.stage == Stage::Answered => self.fail_checked_path(cx, index),
            // Neither path answered: timeouts decide.
            Some(_) => {
                path.end_check();
                self.paths.choose_current();
            }
            None if path.flow.flight() == 0 || !path.is_active() => {}
            None if path.hedge_due(oldest, &self.options) > Some(cx.now) => {
                self.keep_waiting(index);
            }
            None if self.check_path(cx.now, index) == Failure::Checked => {}
            // A failed path may work again since its last probe.
            None => {
                for other in self.paths.indices() {
                    let asked = |path: &Path| path.is_probed() && !path.is_active();
                    if self.paths.get(other).is_some_and(asked) {
                        self.queue(other, Control::Heartbeat);
                    }
                }
            }
        }
    }

    /// A path is active again and can take over data of silent paths.
    pub(super) fn check_overdue_paths(&mut self, now: Time) {
        if !self.hedges() {
            return;
        }
        for index in self.paths.indices() {
            let oldest = self.oldest_departure(index);
            let overdue = |path: &Path| {
                let due = path.hedge_due(oldest, &self.options);
                let waits = path.is_active() && path.flow.flight() > 0 && path.check().is_none();
                waits && due.is_some_and(|due| due <= now)
            };
            if self.paths.get(index).is_some_and(overdue) {
                self.check_path(now, index);
            }
        }
    }

    /// Checks a path, if another can take its data and the peer can accept any.
    fn check_path(&mut self, now: Time, index: PathIndex) -> Failure {
        if !self.phase.sends_data() || !self.outbound.is_hedgeable() {
            return Failure::Certain;
        }
        match self.paths.stand_in(index) {
            Some(onto) => {
                self.begin_check(now, index, onto);
                Failure::Checked
            }
            None => Failure::Certain,
        }
    }

    /// T3-rtx of a path expired; an active path without errors is checked first.
    pub(super) fn check_timed_out(&mut self, now: Time, index: PathIndex) -> Failure {
        let Some(path) = self.paths.get(index).filter(|path| path.is_active()) else {
            return Failure::Certain;
        };
        match path.check() {
            _ if !self.hedges() || path.errors > 0 => Failure::Certain,
            Some(check) if check.stage == Stage::Answered => Failure::Checked,
            Some(_) => Failure::Certain,
            // The path works; a retransmission was lost.
            None if path.acknowledges(now) => Failure::Checked,
            None => self.check_path(now, index),
        }
    }

    /// A router or the own system has no way to an address: its path is checked as soon as what is on
    /// the way, in the queues that make its round trip longer than the stand-in's, has arrived;
    /// unless a check was needless of late.
    #[cold]
    pub(crate) fn on_unreachable(&mut self, now: Time, remote: IpAddr) {
        let Some(index) = self.paths.find(remote).filter(|_| self.hedges()) else {
            return;
        };
        let there = self.paths.stand_in(index);
        let other = there.and_then(|onto| self.paths.get(onto)?.rto.srtt());
        let (Some(other), Some(path)) = (other, self.paths.get_mut(index)) else {
            return;
        };
        let round_trip = path.longest_round_trip().unwrap_or_default();
        let due = now + round_trip.saturating_sub(other);
        if path.is_active() && path.flow.flight() > 0 && path.end_wait_at(due) {
            self.timers.set(Timer::Hedge(index), due);
        }
    }

    fn begin_check(&mut self, now: Time, index: PathIndex, onto: PathIndex) {
        let paths = self.paths.as_mut_slice();
        let hedged = self.outbound.hedge(now, index, onto, paths);
        if hedged.is_some()
            && let Some(path) = self.paths.get_mut(onto)
            && !path.is_about_to_have_room(now)
        {
            path.urgency = Urgency::Hedge;
        }
        let Some(path) = self.paths.get_mut(index) else {
            return;
        };
        path.begin_check(Check {
            seq: hedged.unwrap_or(self.outbound.next_seq()),
            onto,
            began: now,
            stage: Stage::Asked,
        });
        let due = now + path.rto.rto();
        if path.flow.flight() == 0 {
            self.timers.stop_data(index);
        }
        self.timers.set(Timer::Hedge(index), due);
        // DEVIATION RFC 9260 §5.4: HB.Max.Burst does not bound this heartbeat; there is one for each check.
        self.probe_again(now, index);
    }

    /// Applies a SACK that came by `from` to the waits of all paths.
    #[inline]
    pub(super) fn note_waits(
        &mut self,
        cx: &mut Context<'_>,
        outcome: &SackOutcome,
        from: Option<PathIndex>,
    ) {
        if !self.hedges() {
            return;
        }
        for index in self.paths.indices() {
            let share = outcome.share(index);
            let Some(path) = self.paths.get_mut(index) else {
                continue;
            };
            // Data resent here after being sent elsewhere may have arrived by the other path.
            let own = from == Some(index);
            if share.acked > 0 && (own || share.sent_at.is_some()) {
                path.restart_wait(cx.now, share.sent_at);
            }
            if let Some(check) = path.check() {
                let later = outcome.share(check.onto).sent_at >= Some(check.began);
                if share.sign == SignOfLife::Sure && own {
                    self.on_checked_path_works(cx, index);
                } else if later || self.outbound.has_arrived(check.seq) {
                    self.on_stand_in_answered(cx, index, check);
                }
            } else if share.acked > 0 && path.flow.flight() > 0 {
                if path.hedge().is_none() {
                    path.begin_wait(cx.now);
                }
                self.keep_waiting(index);
            }
        }
    }

    /// The stand-in answered, the silent path did not.
    #[cold]
    fn on_stand_in_answered(&mut self, cx: &mut Context<'_>, index: PathIndex, check: Check) {
        if check.stage == Stage::Answered {
            return;
        }
        let hedge = self.paths.get(index).and_then(Path::hedge);
        let since = hedge.map_or(check.began, Hedge::since);
        if let Some(event) = self.paths.failover(index, check.onto, cx.now.since(since)) {
            cx.events.push_if_room(self.id, event);
        }
        self.move_in_flight(cx, index, check.onto);
        let Some(path) = self.paths.get_mut(index) else {
            return;
        };
        let due = path.on_stand_in_answered(cx.now);
        self.timers.set(Timer::Hedge(index), due);
        if index == self.paths.current() {
            self.paths.set_current(check.onto);
        }
        self.paths.avoid(index);
    }

    /// Resends everything in flight on a path on `onto`, if `onto` is active.
    fn move_in_flight(&mut self, cx: &mut Context<'_>, index: PathIndex, onto: PathIndex) {
        let in_flight = |path: &Path| path.flow.flight() > 0;
        if onto != index
            && self.paths.is_active(onto)
            && self.paths.get(index).is_some_and(in_flight)
        {
            self.withdraw(cx.now, index, onto);
            self.settle_partial(cx);
        }
    }

    /// A heartbeat sent at `sent_at` was answered on a path.
    pub(super) fn on_heartbeat_under_check(
        &mut self,
        cx: &mut Context<'_>,
        index: PathIndex,
        sent_at: Time,
    ) {
        let check = self.paths.get(index).and_then(Path::check);
        let Some(check) = check.filter(|check| check.began <= sent_at) else {
            return;
        };
        self.on_checked_path_works(cx, index);
        let waits = self.outbound.departure(check.seq).is_some();
        if !waits || self.outbound.has_arrived(check.seq) {
            return;
        }
        // The path carries heartbeats, and perhaps nothing as long as the data.
        self.with_mtu_search(cx.now, index, MtuSearch::on_overtaken);
        let path = self.paths.get(index);
        if path.and_then(Path::hedge).is_some_and(Hedge::is_exhausted) {
            self.doubt(cx.now, index);
        }
        // Or the SACKs leave the peer on another path, which is dead, though its late acknowledgements seem to show
        // that it works.
        for other in self.paths.indices().filter(|other| *other != index) {
            let suspect = |path: &Path| {
                path.is_active() && path.flow.flight() > 0 && path.is_hedged_readily(cx.now)
            };
            if self.paths.get(other).is_some_and(suspect) {
                self.check_path(cx.now, other);
            }
        }
    }

    /// The checked path works.
    fn on_checked_path_works(&mut self, cx: &mut Context<'_>, index: PathIndex) {
        let Some(path) = self.paths.get_mut(index) else {
            return;
        };
        path.end_check();
        path.on_needless_hedge(cx.now);
        self.timers.stop(Timer::Hedge(index));
        if path.flow.flight() > 0 {
            self.keep_waiting(index);
        }
        self.paths.choose_current();
    }

    /// The silent path did not answer, but the stand-in did.
    fn fail_checked_path(&mut self, cx: &mut Context<'_>, index: PathIndex) {
        let Some(path) = self.paths.get_mut(index) else {
            return;
        };
        path.end_check();
        let due = cx.now + path.rto.rto();
        self.doubt(cx.now, index);
        self.count_path_failure(cx, index);
        // The unanswered heartbeat predates this failure and does not count as a second one.
        self.send_heartbeat(index, due);
        let onto = self.repeat_path(index, Loss::Timeout);
        self.move_in_flight(cx, index, onto);
        self.paths.avoid(index);
    }

    /// DATA came by a path that is neither the previous nor the current one. The peer may have lost
    /// the current path, and answers leave on the path it uses (RFC 9260 §6.4). For a peer that
    /// sends copies on both paths, the first check shows this, and further checks are rare.
    #[cold]
    pub(super) fn on_asked_elsewhere(&mut self, now: Time, from: PathIndex) {
        let current = self.paths.current();
        let left_current = self.paths.sack_path() == current && from != current;
        if !left_current || !self.hedges() || self.outbound.is_concurrent() {
            return;
        }
        let usable = |path: &Path| path.is_active() && path.rto.srtt().is_some();
        let both = [current, from].map(|index| self.paths.get(index).is_some_and(usable));
        let readily = self
            .paths
            .get(current)
            .is_some_and(|path| path.is_hedged_readily(now));
        if both == [true; 2] && readily && self.phase.sends_data() && self.outbound.is_hedgeable() {
            self.begin_check(now, current, from);
            self.paths.set_current(from);
        }
    }
}
