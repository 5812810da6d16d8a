//! T3-rtx expiries that prove needless: what was in flight had only been slow (F-RTO, RFC 5682, by
//! what SACKs tell of the first transmissions).

use alloc::boxed::Box;
use core::time::Duration;

use super::super::Search;
use super::track::Track;
use super::{PathIndex, Rack};
use crate::Time;
use crate::flight::sent::{ChunkState, Sent};

/// SACKs with news after which an expiry counts as justified (RFC 5682 §2.1, steps 2 and 3).
const SACKS: u8 = 2;

/// The watch over an expiry of T3-rtx.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::outbound) struct TimeoutWatch {
    /// The end of what had been sent before it.
    end: u64,
    at: Time,
    /// SACKs with news that may still show it to be needless.
    sacks: u8,
    verdict: Verdict,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Open,
    /// Something arrived that had been sent before and not again since.
    Needless,
}

impl TimeoutWatch {
    /// Takes note of an acknowledged chunk, as it stood; `least` is the least round trip.
    // RFC 5682 §3.1, step 3 b
    pub(in crate::outbound) fn on_delivered(
        &mut self,
        chunk: &Sent,
        seq: u64,
        now: Time,
        least: Option<Duration>,
    ) {
        let waited = chunk.state == ChunkState::Marked && chunk.is_first_transmission();
        // It left again since, and no answer is that quick: the first transmission was acknowledged.
        let was_slow = chunk.retransmissions == 1
            && chunk.sent_at >= self.at
            && least.is_some_and(|least| now.since(chunk.sent_at) < least);
        if seq < self.end && (waited || was_slow) {
            self.verdict = Verdict::Needless;
        }
    }
}

impl Rack {
    /// T3-rtx of a path expired for the first time since something was acknowledged there, and all
    /// of it is to be sent again on the same path. `end` is the chunk that is cut next.
    pub(in crate::outbound) fn watch_timeout(&mut self, path: PathIndex, first: u64, end: u64) {
        let Some(track) = self.track_mut(path) else {
            return;
        };
        let Some(at) = track.cut_at else {
            return;
        };
        // RFC 5682 §2.1, step 1: not while an earlier expiry is being repaired.
        let repaired = track.timeout_end <= first;
        track.timeout_end = end;
        track.timeout = repaired.then(|| {
            Box::new(TimeoutWatch {
                end,
                at,
                sacks: SACKS,
                verdict: Verdict::Open,
            })
        });
    }

    /// Undoes expiries that have proved needless (RFC 4015 §3.2): what was not sent again stays in
    /// flight, and the window is as before.
    pub(in crate::outbound) fn undo_timeouts(&mut self, news: bool, search: &mut Search<'_>) {
        for (index, track) in (0..).map(PathIndex).zip(&mut self.tracks) {
            let Some(watch) = &mut track.timeout else {
                continue;
            };
            let watch = match watch.verdict {
                Verdict::Needless => **watch,
                Verdict::Open => {
                    watch.sacks -= u8::from(news);
                    if watch.sacks == 0 {
                        track.timeout = None;
                    }
                    continue;
                }
            };
            track.timeout = None;
            // The window that a later loss has cut is another one.
            if track.cut_at == Some(watch.at) {
                track.undo(&watch, index, search);
            }
        }
    }
}

impl Track {
    fn undo(&mut self, watch: &TimeoutWatch, index: PathIndex, search: &mut Search<'_>) {
        self.cut_at = self.cut_before;
        let Some(path) = search.paths.get_mut(usize::from(index.0)) else {
            return;
        };
        for seq in search.ring.marked_on(index, watch.end) {
            if let Some(chunk) = search.ring.unmark(seq) {
                path.on_reneged(seq, chunk.wire_len());
                self.departures.on_unmarked(&chunk, seq);
            }
        }
        path.on_timeout_undone();
        path.congestion.on_spurious_loss(search.now);
        // The round trip that was too long for the timer (RFC 4015 §3.3).
        if let Some(share) = search.shares.get_mut(index)
            && let Some(sent_at) = share.sent_at
        {
            let round_trip = search.now.since(sent_at);
            share.round_trip.get_or_insert(round_trip);
        }
    }
}
