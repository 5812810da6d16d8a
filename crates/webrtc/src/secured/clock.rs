//! The clock of a DTLS session.

use std::time::{Duration, Instant};

/// Longest wait before a flight is sent again.
///
/// DEVIATION RFC 9147 §5.8.2: the wait is not doubled up to 60 s. ICE sends its checks as often as that,
/// and a peer that was away for a minute is to be connected soon after it is back.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// A session may take it to be that much earlier than it is.
const GRAIN: Duration = Duration::from_millis(1);

/// The time of a session, which can be ahead of the true one: a session that doubles each wait without
/// bound is told that a wait is over before it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    ahead: Duration,
    /// The session's time when it was told it last.
    told: Instant,
    /// When the session is to be called, by its own time.
    due: Option<Instant>,
    /// The true time since when that is known.
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

    /// The session's time.
    pub(super) fn time(&self, now: Instant) -> Instant {
        now + self.ahead
    }

    /// The session's time, if it has to be told.
    pub(super) fn news(&mut self, now: Instant) -> Option<Instant> {
        let time = self.time(now);
        let is_news = time.saturating_duration_since(self.told) >= GRAIN;
        is_news.then(|| self.tell(time))
    }

    /// The time to tell a session that is called since [`poll`](Self::poll) said so, or before.
    pub(super) fn advance(&mut self, now: Instant) -> Instant {
        if let Some(due) = self.due
            && self.poll().is_some_and(|at| at <= now)
        {
            let left = due.saturating_duration_since(self.time(now));
            self.ahead += left;
        }
        self.tell(self.time(now))
    }

    /// Notes when the session wants to be called, by its own time.
    pub(super) fn set(&mut self, now: Instant, due: Option<Instant>) {
        if self.due != due {
            self.due = due;
            self.since = now;
        }
    }

    /// When the session is to be called.
    pub(super) fn poll(&self) -> Option<Instant> {
        let left = self.due?.saturating_duration_since(self.time(self.since));
        Some(self.since + left.min(LONGEST_WAIT))
    }

    fn tell(&mut self, time: Instant) -> Instant {
        self.told = self.told.max(time);
        self.told
    }
}
