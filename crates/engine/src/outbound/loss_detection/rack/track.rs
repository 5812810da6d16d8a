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

/// Time for which a transmission is not judged, however short the round trip: a SACK that comes in the
/// instant in which a chunk left tells nothing of it, and a retransmission would follow each one.
const LEAST_AGE: Duration = Duration::from_micros(1);

/// The times of one path.
#[derive(Clone, Debug, Default)]
pub(in crate::outbound) struct Track {
    /// When the chunk was sent that was sent last of those delivered, and which it was.
    newest: Option<(Time, u64)>,
    /// Round-trip time of that chunk.
    rtt: Duration,
    least: MinRtt,
    /// The chunk after the highest delivered.
    highest: u64,
    pub(in crate::outbound) departures: RackDepartures,
    /// The losses for which the window was last cut.
    pub(super) cut: CutLosses,
    pub(in crate::outbound) window: ReorderingWindow,
    /// Width of the window in the search at hand.
    width: Duration,
    /// First instant that may settle a chunk that the last search left in doubt.
    doubt: Option<Time>,
    /// When the congestion window was last cut: losses of what was sent before are answered.
    pub(in crate::outbound) cut_at: Option<Time>,
    /// When it had been cut before the last expiry of T3-rtx.
    pub(in crate::outbound) cut_before: Option<Time>,
    /// The watch over that expiry, while it may prove needless.
    pub(in crate::outbound) timeout: Option<Box<TimeoutWatch>>,
    /// The end of what was sent before that expiry.
    pub(in crate::outbound) timeout_end: u64,
    pub(in crate::outbound) tail: Tail,
    /// The end of what was sent when the peer was last asked to answer at once.
    pub(in crate::outbound) asked: u64,
    pub(in crate::outbound) sample: Sample,
}

/// Whether a round trip was measured since the last probe of the tail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::outbound) enum Sample {
    /// There was one; or no probe yet.
    #[default]
    Taken,
    Awaited,
}

/// The verdict of time about a chunk in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::outbound) enum RackLoss {
    Lost,
    /// Something sent later was delivered, but that may be reordering.
    Perhaps,
    /// Nothing sent later was delivered.
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

    /// The least round trip lately, and the last one.
    pub(in crate::outbound) fn round_trips(&self) -> Option<(Duration, Duration)> {
        Some((self.least.get()?, self.rtt))
    }

    /// `needed` SACKs that report something beyond a gap make it a loss.
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

    /// Whether no cut has answered the loss of that chunk: it was sent after the last one. What was
    /// sent again in the instant of the cut was sent because of it.
    pub(in crate::outbound) fn is_news(&self, chunk: &Sent) -> bool {
        self.cut_at.is_none_or(|cut_at| {
            chunk.sent_at > cut_at || chunk.sent_at == cut_at && !chunk.is_first_transmission()
        })
    }

    /// Tests like [`is_news`](Self::is_news) a chunk that was sent then and has been acknowledged
    /// since.
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
