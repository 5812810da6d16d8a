//! Hedging: if data on a path is unacknowledged for two round trips, its oldest part is also sent
//! on another path, along with a heartbeat on the silent one. The answers show which of the two
//! paths failed.
//!
//! The wait starts when the oldest data in flight was sent, or the newest acknowledged data,
//! whichever is later; data sent afterwards does not delay it. The wait doubles after each needless
//! hedge and shrinks again slowly.

use core::time::Duration;

use super::Path;
use crate::value::ids::PathIndex;
use crate::{Options, Time};

/// Allowance for the peer's answer beyond the round trip: its SACK delay, and its thread's wait for
/// a processor.
const PROMPT: Duration = Duration::from_millis(10);

/// Timer granularity of drivers.
const LEAST_WAIT: Duration = Duration::from_millis(1);

/// Acknowledgements after which a doubled wait is halved, so that needless hedges stay below 1 % of
/// packets.
const CALM: u16 = 1000;

/// Full packets in flight, of which one is acknowledged soon.
const LARGE_FLIGHT: u64 = 8;

/// Largest number of doublings.
const MOST_DOUBLINGS: u8 = 5;

/// A path's wait, and its check if one is running.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hedge {
    /// Send time of the newest acknowledged data; before the first acknowledgement, that of the
    /// oldest data in flight.
    since: Time,
    /// Number of doublings in effect.
    doublings: u8,
    /// Acknowledgements since the last change of the wait.
    calm: u16,
    /// The wait ends then, as the path was said to lead nowhere.
    told: Option<Time>,
    check: Option<Check>,
}

/// A check of a silent path: a probe on it and on another path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Check {
    /// The first chunk sent on the other path.
    pub(crate) seq: u64,
    pub(crate) onto: PathIndex,
    pub(crate) began: Time,
    pub(crate) stage: Stage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Neither path has answered.
    Asked,
    /// The other path has answered.
    Answered,
}

impl Hedge {
    fn new(now: Time) -> Self {
        Self {
            since: now,
            doublings: 0,
            calm: 0,
            told: None,
            check: None,
        }
    }

    /// Send time of the newest acknowledged data; before the first acknowledgement, that of the
    /// oldest data in flight.
    pub(crate) const fn since(&self) -> Time {
        self.since
    }

    /// Number of recent hedges that were needless: the path answered heartbeats, and data late or never.
    pub(crate) const fn doublings(&self) -> u8 {
        self.doublings
    }

    /// Whether as many hedges were needless as count: the path answers heartbeats, again and again
    /// without the data sent before.
    pub(crate) const fn is_exhausted(&self) -> bool {
        self.doublings == MOST_DOUBLINGS
    }

    /// Data sent on this path at `sent_at` was acknowledged.
    fn on_acked(&mut self, sent_at: Time) {
        self.since = self.since.max(sent_at);
        self.told = self.told.filter(|told| *told > sent_at);
        self.calm += 1;
        if self.calm == CALM {
            self.calm = 0;
            self.doublings = self.doublings.saturating_sub(1);
        }
    }

    /// The hedge was needless because the path works.
    fn on_needless(&mut self, now: Time) {
        self.since = now;
        self.told = None;
        self.calm = 0;
        self.doublings = (self.doublings + 1).min(MOST_DOUBLINGS);
    }

    /// Whether the state can be dropped while no data is in flight.
    const fn is_trivial(&self) -> bool {
        self.doublings == 0 && self.check.is_none()
    }
}

impl Path {
    #[inline]
    pub(crate) fn hedge(&self) -> Option<&Hedge> {
        self.extensions.get(|extensions| &extensions.hedge)
    }

    fn hedge_mut(&mut self) -> Option<&mut Hedge> {
        self.extensions.part(|extensions| &mut extensions.hedge)
    }

    /// Data leaves while none is in flight: starts the wait for its acknowledgement.
    pub(crate) fn begin_wait(&mut self, now: Time) {
        let hedge = self
            .extensions
            .part_or_else(|extensions| &mut extensions.hedge, || Hedge::new(now));
        hedge.since = now;
    }

    /// Data sent on this path was acknowledged; the newest left at `sent_at`, if it was sent only
    /// once.
    #[inline]
    pub(crate) fn restart_wait(&mut self, now: Time, sent_at: Option<Time>) {
        let srtt = self.rto.srtt().unwrap_or_default();
        if let Some(hedge) = self.hedge_mut() {
            hedge.on_acked(sent_at.unwrap_or(now - srtt));
        }
    }

    /// Time at which an acknowledgement is overdue, if the oldest data in flight left at `oldest`;
    /// `None` before the first round trip.
    pub(crate) fn hedge_due(&self, oldest: Time, options: &Options) -> Option<Time> {
        let hedge = self.hedge()?;
        let wait =
            (self.longest_round_trip()? * 2).max(LEAST_WAIT) + options.sack_delay.min(PROMPT);
        let due = hedge.since.max(oldest) + wait * (1 << hedge.doublings);
        Some(hedge.told.map_or(due, |told| due.min(told)))
    }

    /// The smoothed round trip, which lags behind a growing queue, or the last one.
    pub(crate) fn longest_round_trip(&self) -> Option<Duration> {
        self.rto.srtt().max(self.last_round_trip())
    }

    /// Whether data was acknowledged that left little more than a round trip ago.
    pub(crate) fn acknowledges(&self, now: Time) -> bool {
        let round_trip = self.longest_round_trip().unwrap_or_default();
        let is_new = |hedge: &Hedge| hedge.since + round_trip + round_trip / 4 > now;
        self.hedge().is_some_and(is_new)
    }

    /// Whether acknowledgements of a large flight keep coming, so that a packet which waits for the window
    /// leaves soon. One that does not wait may be lost in a full queue.
    pub(crate) fn is_about_to_have_room(&self, now: Time) -> bool {
        self.flow.flight() >= LARGE_FLIGHT * self.pmdcs() && self.acknowledges(now)
    }

    /// Whether the path may be hedged at once: data in flight, if any, is unacknowledged for a
    /// round trip and a half, and no recent hedge was needless.
    pub(crate) fn is_hedged_readily(&self, now: Time) -> bool {
        let silent = |hedge: &Hedge| {
            let srtt = self.rto.srtt().unwrap_or_default();
            hedge.is_trivial() && (self.flow.flight() == 0 || hedge.since + srtt + srtt / 2 <= now)
        };
        self.hedge().is_none_or(silent)
    }

    /// Ends the wait at `due`, since the path is said to lead nowhere. Returns false, and changes
    /// nothing, if that was known, a check runs, or a recent hedge was needless.
    pub(crate) fn end_wait_at(&mut self, due: Time) -> bool {
        let open = |hedge: &&mut Hedge| hedge.is_trivial() && hedge.told.is_none();
        let Some(hedge) = self.hedge_mut().filter(open) else {
            return false;
        };
        hedge.told = Some(due);
        true
    }

    pub(crate) fn check(&self) -> Option<Check> {
        self.hedge()?.check
    }

    pub(crate) fn begin_check(&mut self, check: Check) {
        let hedge = self.extensions.part_or_else(
            |extensions| &mut extensions.hedge,
            || Hedge::new(check.began),
        );
        hedge.told = None;
        hedge.check = Some(check);
    }

    /// The other path has answered. Returns the time by which this one must have answered.
    pub(crate) fn on_stand_in_answered(&mut self, now: Time) -> Time {
        let round_trip = self.longest_round_trip().unwrap_or_default();
        let Some(check) = self.hedge_mut().and_then(|hedge| hedge.check.as_mut()) else {
            return now;
        };
        check.stage = Stage::Answered;
        now.max(check.began + round_trip + round_trip / 2 + PROMPT)
    }

    /// Ends the check and returns it.
    pub(crate) fn end_check(&mut self) -> Option<Check> {
        self.hedge_mut()?.check.take()
    }

    pub(crate) fn on_needless_hedge(&mut self, now: Time) {
        if let Some(hedge) = self.hedge_mut() {
            hedge.on_needless(now);
        }
    }

    /// Frees the hedge state if it holds nothing worth keeping.
    pub(super) fn trim_hedge(&mut self) {
        if self.hedge().is_some_and(Hedge::is_trivial) {
            self.extensions.take(|extensions| &mut extensions.hedge);
        }
    }
}
