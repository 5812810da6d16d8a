//! The hedge of a path: where nothing is heard of its data for two round trips, the oldest of that leaves on
//! another path, too, with a heartbeat here. The answers show which of the two paths has failed.
//!
//! The wait begins when the oldest data in flight leaves, or the newest that was acknowledged did. Later data
//! does not put it off. It doubles when a hedge proves needless, and recovers slowly.

use core::time::Duration;

use super::Path;
use crate::value::ids::PathIndex;
use crate::{Options, Time};

/// The part of a peer's answer that is not the round trip: its delay of SACKs, and the wait of its thread
/// for a processor.
const PROMPT: Duration = Duration::from_millis(10);

/// Drivers keep their timers no more exactly than this.
const LEAST_WAIT: Duration = Duration::from_millis(1);

/// Acknowledgements after which a doubled wait is halved: needless hedges stay below one packet in a hundred.
const CALM: u16 = 1000;

/// Doublings of the wait at most.
const MOST_DOUBLINGS: u8 = 5;

/// The wait of a path, and its check, if there is one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hedge {
    /// When the newest data left that was acknowledged; or the oldest in flight, before the first acknowledgement.
    since: Time,
    /// Number of times that the wait was doubled.
    doublings: u8,
    /// Acknowledgements since the last change of the wait.
    calm: u16,
    check: Option<Check>,
}

/// A path that is silent, and a question on it and on another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Check {
    /// The first chunk that was sent on the other path.
    pub(crate) seq: u64,
    pub(crate) onto: PathIndex,
    pub(crate) began: Time,
    pub(crate) stage: Stage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Neither path has answered.
    Asked,
    /// The other path has.
    Answered,
}

impl Hedge {
    fn new(now: Time) -> Self {
        Self {
            since: now,
            doublings: 0,
            calm: 0,
            check: None,
        }
    }

    /// Data was acknowledged that was sent here then.
    fn on_acked(&mut self, sent_at: Time) {
        self.since = self.since.max(sent_at);
        self.calm += 1;
        if self.calm == CALM {
            self.calm = 0;
            self.doublings = self.doublings.saturating_sub(1);
        }
    }

    /// The hedge was needless: the path works.
    fn on_needless(&mut self, now: Time) {
        self.since = now;
        self.calm = 0;
        self.doublings = (self.doublings + 1).min(MOST_DOUBLINGS);
    }

    /// Whether there is something to remember while no data is in flight.
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

    /// The first data in flight leaves: the wait for its acknowledgement begins.
    pub(crate) fn begin_wait(&mut self, now: Time) {
        let hedge = self
            .extensions
            .part_or_else(|extensions| &mut extensions.hedge, || Hedge::new(now));
        hedge.since = now;
    }

    /// Data that was sent here was acknowledged; the newest left at `sent_at`, unless it was sent again.
    #[inline]
    pub(crate) fn restart_wait(&mut self, now: Time, sent_at: Option<Time>) {
        let srtt = self.rto.srtt().unwrap_or_default();
        if let Some(hedge) = self.hedge_mut() {
            hedge.on_acked(sent_at.unwrap_or(now - srtt));
        }
    }

    /// When an acknowledgement is overdue, if the oldest data in flight left at `oldest`; `None` before the
    /// first round trip.
    pub(crate) fn hedge_due(&self, oldest: Time, options: &Options) -> Option<Time> {
        let hedge = self.hedge()?;
        // The smoothed one lags behind a queue that grows.
        let round_trip = self.rto.srtt().max(self.last_round_trip())?;
        let wait = (round_trip * 2).max(LEAST_WAIT) + options.sack_delay.min(PROMPT);
        Some(hedge.since.max(oldest) + wait * (1 << hedge.doublings))
    }

    /// Whether nothing was heard for a round trip of data in flight, if there is any; and whether hedges
    /// have not proved needless lately.
    pub(crate) fn is_hedged_readily(&self, now: Time) -> bool {
        let silent = |hedge: &Hedge| {
            let srtt = self.rto.srtt().unwrap_or_default();
            hedge.is_trivial() && (self.flow.flight() == 0 || hedge.since + srtt + srtt / 2 <= now)
        };
        self.hedge().is_none_or(silent)
    }

    pub(crate) fn check(&self) -> Option<Check> {
        self.hedge()?.check
    }

    pub(crate) fn begin_check(&mut self, check: Check) {
        let hedge = self.extensions.part_or_else(
            |extensions| &mut extensions.hedge,
            || Hedge::new(check.began),
        );
        hedge.check = Some(check);
    }

    /// The other path has answered. When this one must have, too.
    pub(crate) fn on_stand_in_answered(&mut self, now: Time) -> Time {
        let srtt = self.rto.srtt().unwrap_or_default();
        let Some(check) = self.hedge_mut().and_then(|hedge| hedge.check.as_mut()) else {
            return now;
        };
        check.stage = Stage::Answered;
        now.max(check.began + srtt + srtt / 2 + PROMPT)
    }

    /// Takes the check out, whatever it showed.
    pub(crate) fn end_check(&mut self) -> Option<Check> {
        self.hedge_mut()?.check.take()
    }

    pub(crate) fn on_needless_hedge(&mut self, now: Time) {
        if let Some(hedge) = self.hedge_mut() {
            hedge.on_needless(now);
        }
    }

    /// Gives the hedge back where there is nothing to remember.
    pub(super) fn trim_hedge(&mut self) {
        if self.hedge().is_some_and(Hedge::is_trivial) {
            self.extensions.take(|extensions| &mut extensions.hedge);
        }
    }
}
