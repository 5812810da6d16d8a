//! The clock of a DTLS session.

use std::time::{Duration, Instant};

/// Longest wait before a flight is repeated.
///
/// DEVIATION RFC 9147 §5.8.2: the wait is not doubled up to 60 s. ICE sends its checks at least
/// this often, and a peer that returns after a minute should connect quickly.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// Tolerance by which a session may consider the time earlier than it is.
const GRAIN: Duration = Duration::from_millis(1);

/// The session's time, which can be ahead of real time: a session doubles its wait without bound,
/// so it is told early that a wait has ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    ahead: Duration,
    /// Session time at its last call.
    told: Instant,
    /// When the session wants to be called, in session time.
    due: Option<Instant>,
    /// Real time at which that was recorded.
    since: Instant,
}

impl Clock {
    pub(super) const fn new(now: Instant) -> Self {
        Self {
            ahead: Duration::ZERO,
            told: now,
            due: None,
            since: now,
        }
    }

    /// The session's time now.
    pub(super) fn time(&self, now: Instant) -> Instant {
        now + self.ahead
    }

    /// The session time to pass in, if a call is due.
    pub(super) fn news(&mut self, now: Instant) -> Option<Instant> {
        let time = self.time(now);
        let is_news = time.saturating_duration_since(self.told) >= GRAIN;
        is_news.then(|| self.tell(time))
    }

    /// The time to pass to a session called at or before the time from [`poll`](Self::poll).
    pub(super) fn advance(&mut self, now: Instant) -> Instant {
        if let Some(due) = self.due
            && self.poll().is_some_and(|at| at <= now)
        {
            let left = due.saturating_duration_since(self.time(now));
            self.ahead += left;
        }
        self.tell(self.time(now))
    }

    /// Records when the session wants to be called, in session time.
    pub(super) fn set(&mut self, now: Instant, due: Option<Instant>) {
        if self.due != due {
            self.due = due;
            self.since = now;
        }
    }

    /// When to call the session.
    pub(super) fn poll(&self) -> Option<Instant> {
        let left = self.due?.saturating_duration_since(self.time(self.since));
        Some(self.since + left.min(LONGEST_WAIT))
    }

    fn tell(&mut self, time: Instant) -> Instant {
        self.told = self.told.max(time);
        self.told
    }
}
