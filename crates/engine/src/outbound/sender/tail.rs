//! Probes of the tail of a path (RFC 8985 §7).

use crate::Time;
use crate::flight::sent::{ChunkState, Sent};
use crate::outbound::Outbound;
use crate::outbound::loss_detection::rack::tail::{Again, MaxAckDelay, NewData, Tail};
use crate::outbound::loss_detection::rack::track::{Sample, Track};
use crate::path::{Path, Urgency};
use crate::value::ids::PathIndex;
use core::time::Duration;

impl Outbound {
    /// Silence after which a path's tail is probed; `None` if it is not to
    /// be.
    pub(crate) fn pto(
        &self,
        index: PathIndex,
        path: &Path,
        max_ack_delay: MaxAckDelay,
    ) -> Option<Duration> {
        let rack = self.detector.rack()?;
        let base = self.ring.first_seq();
        // The round trip may have become longer than the wait: what a probe sends again does not
        // measure it (RFC 8985 §7.3, condition 2).
        let busy = rack.track(index).is_some_and(|track| {
            track.tail.is_probed(base)
                || track.reo_timeout().is_some()
                || track.sample == Sample::Awaited
        });
        let flight = path.flow.flight();
        // A peer without room answers to the probe of its window.
        if flight == 0 || busy || path.errors > 0 || !path.is_active() {
            return None;
        }
        if self.probe().is_some() {
            return None;
        }
        let srtt = path.rto.srtt()?;
        // RFC 9260 §6.2: a peer that misses something answers each packet at once.
        let kept_back = self.acked.highest().is_none()
            && flight <= path.pmdcs() * u64::from(max_ack_delay.packets);
        let asked = |track: &Track| track.asked == self.ring.next_seq();
        let delay = match kept_back {
            true if rack.track(index).is_some_and(asked) => max_ack_delay.delay.min(PROMPT),
            true => max_ack_delay.delay,
            false => Duration::ZERO,
        };
        Some((srtt * 2).max(LEAST_WAIT) + delay)
    }

    /// Whether the next packet, with that much room for chunks, ends a burst: nothing waits after it, and
    /// it is long enough for an answer beside those that the peer gives anyway. The peer is asked for one
    /// then (RFC 7053), at most once a round trip, which tells soon whether the tail has arrived.
    #[inline]
    pub(crate) fn ends_burst(&self, index: PathIndex, path: &Path, room: usize) -> bool {
        self.queue.unsent_bytes() <= room
            && path.flow.flight() >= BURST * path.pmdcs()
            && self.detector.rack().is_some_and(|rack| {
                let track = rack.track(index);
                track.is_none_or(|track| track.asked <= self.ring.first_seq())
            })
    }

    /// The peer was asked for an answer to the last packet of a path.
    pub(crate) fn note_asked(&mut self, index: PathIndex) {
        let end = self.ring.next_seq();
        let rack = self.detector.rack_mut();
        if let Some(track) = rack.and_then(|rack| rack.track_mut(index)) {
            track.asked = end;
        }
    }

    /// Asks for the tail of a path: with new data, if `new` waits for nothing but the window of the
    /// path, else with the last chunk again. One packet leaves regardless of that window. Whether
    /// there is something to ask with.
    pub(crate) fn probe_tail(
        &mut self,
        now: Time,
        index: PathIndex,
        new: NewData,
        paths: &mut [Path],
    ) -> bool {
        let next = self.ring.next_seq();
        let marked = self.ring.first_marked_seq();
        let tail = match (marked, new) {
            // What is marked goes first, and is as good.
            (Some(_), _) if self.retransmission_path() != Some(index) => return false,
            (Some(seq), _) => Tail::Hastened { seq },
            (None, NewData::Waits) => Tail::Hastened { seq: next },
            (None, NewData::None) => {
                let Some((seq, chunk)) = self.last_in_flight(index) else {
                    return false;
                };
                // What is not to be sent again is left to T3-rtx.
                if self.is_spent(seq, now) {
                    return false;
                }
                self.mark(seq, ChunkState::Marked, paths);
                Tail::Again(Again {
                    seq,
                    first_at: chunk.sent_at,
                    at: now,
                })
            }
        };
        let Some(rack) = self.detector.rack_mut() else {
            return false;
        };
        rack.tail_probes += 1;
        if let Some(track) = rack.track_mut(index) {
            track.tail = tail;
            track.sample = Sample::Awaited;
        }
        if let Some(path) = paths.get_mut(usize::from(index.0)) {
            path.urgency = Urgency::Probe;
        }
        true
    }

    fn last_in_flight(&self, path: PathIndex) -> Option<(u64, Sent)> {
        (self.ring.first_seq()..self.ring.next_seq())
            .rev()
            .filter_map(|seq| Some((seq, *self.ring.get(seq)?)))
            .find(|(_, chunk)| chunk.path == path && chunk.state == ChunkState::InFlight)
    }
}

/// Drivers keep their timers no more exactly than this; RFC 8985 leaves it to us.
const LEAST_WAIT: Duration = Duration::from_millis(1);

/// The longest that a peer takes for an answer that it was asked for, beside the round trip: its thread
/// may have to wait for a processor.
const PROMPT: Duration = Duration::from_millis(10);

/// Packets in flight, of full size, after which a burst is long.
const BURST: u64 = 4;
