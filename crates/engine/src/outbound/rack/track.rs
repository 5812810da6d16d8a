use core::time::Duration;

use super::super::ring::Sent;
use super::cut::Losses;
use super::departures::Departures;
use super::least_rtt::LeastRtt;
use super::reordering::ReorderingWindow;
use super::tail::Tail;
use crate::Time;
use crate::congestion::Recovery;

/// What times tell of one path.
#[derive(Debug, Default)]
pub(super) struct Track {
    /// When the chunk was sent that was sent last of those delivered, and which it was.
    newest: Option<(Time, u64)>,
    /// How long that took.
    rtt: Duration,
    least: LeastRtt,
    /// The chunk after the highest delivered.
    highest: u64,
    pub(super) departures: Departures,
    /// What the last cut of the window was made for.
    pub(super) cut: Losses,
    pub(super) window: ReorderingWindow,
    /// Of the search at hand: how wide the window is.
    width: Duration,
    /// What the last search left in doubt: the first instant that may settle some of it.
    doubt: Option<Time>,
    /// When the congestion window was last cut: losses of what was sent before are answered.
    cut_at: Option<Time>,
    pub(super) tail: Tail,
    pub(super) sample: Sample,
}

/// Whether a round trip was measured since the last probe of the tail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Sample {
    /// There was one; or no probe yet.
    #[default]
    Taken,
    Awaited,
}

/// What time says of a chunk in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Loss {
    Lost,
    /// Something sent later was delivered, but that may be reordering.
    Perhaps,
    /// Nothing sent later was delivered.
    TooYoung,
}

impl Track {
    // RFC 8985 §6.2, steps 1 to 3
    pub(super) fn on_delivered(&mut self, chunk: &Sent, seq: u64, now: Time) {
        let rtt = now.since(chunk.sent_at);
        self.tail.on_delivered(seq, now, self.least.get());
        if chunk.is_first_transmission() {
            self.sample = Sample::Taken;
            self.least.on_sample(rtt, now);
            if seq + 1 < self.highest {
                self.window.on_reordering();
            }
        } else if self.least.get().is_some_and(|least| rtt < least) {
            // The answer to an earlier transmission.
            return;
        }
        self.highest = self.highest.max(seq + 1);
        if self
            .newest
            .is_none_or(|newest| newest < (chunk.sent_at, seq))
        {
            self.newest = Some((chunk.sent_at, seq));
            self.rtt = rtt;
        }
    }

    pub(super) fn begin_search(&mut self, recovery: Recovery, srtt: Option<Duration>) {
        let least = self.least.get().unwrap_or(self.rtt);
        self.width = self.window.width(recovery, least, srtt);
        self.doubt = None;
    }

    // RFC 8985 §6.2, step 5
    pub(super) fn judge(&mut self, chunk: &Sent, seq: u64, now: Time) -> Loss {
        if self
            .newest
            .is_none_or(|newest| newest <= (chunk.sent_at, seq))
        {
            return Loss::TooYoung;
        }
        let lost_at = chunk.sent_at + self.rtt + self.width;
        if lost_at <= now {
            return Loss::Lost;
        }
        self.doubt = Some(self.doubt.map_or(lost_at, |doubt| doubt.min(lost_at)));
        Loss::Perhaps
    }

    pub(super) const fn overdue_at(&self) -> Option<Time> {
        self.doubt
    }

    /// Whether no cut has answered the loss of that chunk: it was sent after the last one. What was
    /// sent again in the instant of the cut was sent because of it.
    pub(super) fn is_news(&self, chunk: &Sent) -> bool {
        self.cut_at.is_none_or(|cut_at| {
            chunk.sent_at > cut_at || chunk.sent_at == cut_at && !chunk.is_first_transmission()
        })
    }

    /// As [`is_news`](Self::is_news) for a chunk that was sent then and has been acknowledged since.
    pub(super) fn was_news(&self, sent_at: Time) -> bool {
        self.cut_at.is_none_or(|cut_at| sent_at > cut_at)
    }

    pub(super) fn on_cut(&mut self, now: Time) {
        self.cut_at = Some(now);
        self.cut.on_cut();
    }

    pub(super) fn on_timeout(&mut self, now: Time) {
        self.doubt = None;
        self.tail = Tail::default();
        self.departures.clear();
        self.on_cut(now);
        self.cut = Losses::default();
    }
}
