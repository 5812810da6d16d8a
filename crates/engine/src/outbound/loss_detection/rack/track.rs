use alloc::boxed::Box;
use core::time::Duration;

use super::cut::CutLosses;
use super::departures::RackDepartures;
use super::min_rtt::MinRtt;
use super::needless::TimeoutWatch;
use super::reordering::ReorderingWindow;
use super::tail::Tail;
use crate::Time;
use crate::congestion::Recovery;
use crate::flight::sent::Sent;

/// Minimum age at which a transmission is judged, however short the round trip. A SACK that arrives
/// at the instant a chunk leaves says nothing about that chunk; without a minimum, each such SACK
/// would cause a retransmission.
const LEAST_AGE: Duration = Duration::from_micros(1);

/// Send and delivery times of one path.
#[derive(Clone, Debug, Default)]
pub(in crate::outbound) struct Track {
    /// Send time and number of the most recently sent chunk among those delivered.
    newest: Option<(Time, u64)>,
    /// Round-trip time of that chunk.
    rtt: Duration,
    least: MinRtt,
    /// The chunk after the highest delivered one.
    highest: u64,
    pub(in crate::outbound) departures: RackDepartures,
    /// The losses for which the window was last cut.
    pub(super) cut: CutLosses,
    pub(in crate::outbound) window: ReorderingWindow,
    /// Window width used by the current search.
    width: Duration,
    /// Earliest time at which a chunk that the last search left undecided may count as lost.
    doubt: Option<Time>,
    /// Time of the last congestion window cut; it answers losses of data sent before.
    pub(in crate::outbound) cut_at: Option<Time>,
    /// Time of the last cut before the latest T3-rtx expiry.
    pub(in crate::outbound) cut_before: Option<Time>,
    /// State for detecting that the expiry was spurious, while that is possible.
    pub(in crate::outbound) timeout: Option<Box<TimeoutWatch>>,
    /// End of the chunks sent before that expiry.
    pub(in crate::outbound) timeout_end: u64,
    pub(in crate::outbound) tail: Tail,
    /// End of the chunks sent when an immediate SACK was last requested.
    pub(in crate::outbound) asked: u64,
    pub(in crate::outbound) sample: Sample,
}

/// Whether a round trip was measured since the last tail probe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::outbound) enum Sample {
    /// Measured, or no probe was sent yet.
    #[default]
    Taken,
    Awaited,
}

/// RACK's verdict on a chunk in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::outbound) enum RackLoss {
    Lost,
    /// A chunk sent later was delivered, which may be reordering.
    Perhaps,
    /// No chunk sent later was delivered.
    TooYoung,
}

impl Track {
    // RFC 8985 §6.2, steps 1 to 3
    pub(in crate::outbound) fn on_delivered(&mut self, chunk: &Sent, seq: u64, now: Time) {
        let rtt = now.since(chunk.sent_at);
        self.tail.on_delivered(seq, now, self.least.get());
        if let Some(timeout) = &mut self.timeout {
            timeout.on_delivered(chunk, seq, now, self.least.get());
        }
        if chunk.is_first_transmission() {
            self.sample = Sample::Taken;
            self.least.on_sample(rtt, now);
            if seq + 1 < self.highest {
                self.window.on_reordering();
            }
        } else if self.least.get().is_some_and(|least| rtt < least) {
            // The SACK answers an earlier transmission.
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

    /// The recent minimum round trip and the last one.
    pub(in crate::outbound) fn round_trips(&self) -> Option<(Duration, Duration)> {
        Some((self.least.get()?, self.rtt))
    }

    /// Begins a search; `needed` SACKs that report chunks beyond a gap prove a loss.
    pub(in crate::outbound) fn begin_search(
        &mut self,
        recovery: Recovery,
        needed: u8,
        srtt: Option<Duration>,
    ) {
        let least = self.least.get().unwrap_or(self.rtt);
        self.width = self.window.width(recovery, needed, least, srtt);
        self.doubt = None;
    }

    // RFC 8985 §6.2, step 5
    pub(in crate::outbound) fn judge(&mut self, chunk: &Sent, seq: u64, now: Time) -> RackLoss {
        if self
            .newest
            .is_none_or(|newest| newest <= (chunk.sent_at, seq))
        {
            return RackLoss::TooYoung;
        }
        let lost_at = chunk.sent_at + (self.rtt + self.width).max(LEAST_AGE);
        if lost_at <= now {
            return RackLoss::Lost;
        }
        self.doubt = Some(self.doubt.map_or(lost_at, |doubt| doubt.min(lost_at)));
        RackLoss::Perhaps
    }

    pub(in crate::outbound) const fn reo_timeout(&self) -> Option<Time> {
        self.doubt
    }

    /// Whether no cut has answered the loss of the chunk: it was sent after the last cut, or is a
    /// retransmission sent at the instant of the cut and because of it.
    pub(in crate::outbound) fn is_news(&self, chunk: &Sent) -> bool {
        self.cut_at.is_none_or(|cut_at| {
            chunk.sent_at > cut_at || chunk.sent_at == cut_at && !chunk.is_first_transmission()
        })
    }

    /// Like [`is_news`](Self::is_news), for a chunk sent at `sent_at` and acknowledged since.
    pub(in crate::outbound) fn was_news(&self, sent_at: Time) -> bool {
        self.cut_at.is_none_or(|cut_at| sent_at > cut_at)
    }

    pub(in crate::outbound) fn on_cut(&mut self, now: Time) {
        self.cut_at = Some(now);
        self.cut.on_cut();
    }

    pub(in crate::outbound) fn on_timeout(&mut self, now: Time) {
        self.doubt = None;
        self.tail = Tail::default();
        self.departures.clear();
        self.cut_before = self.cut_at;
        self.timeout = None;
        self.on_cut(now);
        self.cut = CutLosses::default();
    }
}
