//! Detection of spurious T3-rtx expiries, after which the data in flight turned out to be only
//! delayed (F-RTO, RFC 5682, using what SACKs report about first transmissions).

use alloc::boxed::Box;
use core::time::Duration;

use super::super::Search;
use super::track::Track;
use super::{PathIndex, Rack};
use crate::Time;
use crate::flight::sent::{ChunkState, Sent};

/// Number of SACKs with new information after which an expiry counts as justified (RFC 5682 §2.1,
/// steps 2 and 3).
const SACKS: u8 = 2;

/// State kept after a T3-rtx expiry to find out whether it was spurious.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::outbound) struct TimeoutWatch {
    /// End of the chunks sent before the expiry.
    end: u64,
    at: Time,
    /// Remaining SACKs with new information that may still show the expiry to be spurious.
    sacks: u8,
    verdict: Verdict,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Open,
    /// A chunk sent before the expiry and not retransmitted since has arrived.
    Needless,
}

impl TimeoutWatch {
    /// Notes an acknowledged chunk in its previous state; `least` is the minimum round trip.
    // RFC 5682 §3.1, step 3 b
    pub(in crate::outbound) fn on_delivered(
        &mut self,
        chunk: &Sent,
        seq: u64,
        now: Time,
        least: Option<Duration>,
    ) {
        let waited = chunk.state == ChunkState::Marked && chunk.is_first_transmission();
        // Acknowledged sooner after its retransmission than the minimum round trip: the SACK
        // answers the first transmission.
        let was_slow = chunk.retransmissions == 1
            && chunk.sent_at >= self.at
            && least.is_some_and(|least| now.since(chunk.sent_at) < least);
        if seq < self.end && (waited || was_slow) {
            self.verdict = Verdict::Needless;
        }
    }
}

impl Rack {
    /// T3-rtx of a path expired for the first time since a chunk was acknowledged there, and all
    /// its data will be retransmitted on the same path. `end` is the chunk cut next.
    pub(in crate::outbound) fn watch_timeout(&mut self, path: PathIndex, first: u64, end: u64) {
        let Some(track) = self.track_mut(path) else {
            return;
        };
        let Some(at) = track.cut_at else {
            return;
        };
        // RFC 5682 §2.1, step 1: not while the path recovers from an earlier expiry.
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

    /// Undoes spurious expiries (RFC 4015 §3.2): chunks not yet retransmitted stay in flight, and
    /// the window is restored.
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
            // Not if a later loss has cut the window again.
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
        // Sample the round trip that was too long for the timer (RFC 4015 §3.3).
        if let Some(share) = search.shares.get_mut(index)
            && let Some(sent_at) = share.sent_at
        {
            let round_trip = search.now.since(sent_at);
            share.round_trip.get_or_insert(round_trip);
        }
    }
}
