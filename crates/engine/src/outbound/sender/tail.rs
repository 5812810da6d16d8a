//! Tail loss probes of a path (RFC 8985 §7).

use crate::Time;
use crate::flight::sent::{ChunkState, Sent};
use crate::outbound::Outbound;
use crate::outbound::loss_detection::rack::tail::{Again, MaxAckDelay, NewData, Tail};
use crate::outbound::loss_detection::rack::track::{Sample, Track};
use crate::path::{Path, Urgency};
use crate::value::ids::PathIndex;
use core::time::Duration;

impl Outbound {
    /// Time of silence after which a path's tail is probed; `None` if no probe is due.
    pub(crate) fn pto(
        &self,
        index: PathIndex,
        path: &Path,
        max_ack_delay: MaxAckDelay,
    ) -> Option<Duration> {
        let rack = self.detector.rack()?;
        let base = self.ring.first_seq();
        // No probe until a new round-trip sample: the round trip may now exceed this timeout, and
        // the retransmission used as a probe does not measure it (RFC 8985 §7.3, condition 2).
        let busy = rack.track(index).is_some_and(|track| {
            track.tail.is_probed(base)
                || track.reo_timeout().is_some()
                || track.sample == Sample::Awaited
        });
        let flight = path.flow.flight();
        // A peer with a closed window answers the window probe.
        if flight == 0 || busy || path.errors > 0 || !path.is_active() {
            return None;
        }
        if self.probe().is_some() {
            return None;
        }
        let srtt = path.rto.srtt()?;
        // RFC 9260 §6.2: a peer with a gap answers every packet at once.
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

    /// Whether the next packet, with `room` bytes for chunks, ends a burst: nothing is queued after
    /// it, and enough is in flight to justify one more SACK. The packet then asks the peer for an
    /// immediate SACK (RFC 7053), at most once per round trip, to learn soon whether the tail
    /// arrived.
    #[inline]
    pub(crate) fn ends_burst(&self, index: PathIndex, path: &Path, room: usize) -> bool {
        self.queue.unsent_bytes() <= room
            && path.flow.flight() >= BURST * path.pmdcs()
            && self.detector.rack().is_some_and(|rack| {
                let track = rack.track(index);
                track.is_none_or(|track| track.asked <= self.ring.first_seq())
            })
    }

    /// The last packet of a path asked for an immediate SACK.
    pub(crate) fn note_asked(&mut self, index: PathIndex) {
        let end = self.ring.next_seq();
        let rack = self.detector.rack_mut();
        if let Some(track) = rack.and_then(|rack| rack.track_mut(index)) {
            track.asked = end;
        }
    }

    /// Probes the tail: with new data if `new` waits only for the path's window, otherwise by
    /// retransmitting the last chunk. One packet may exceed the path's window. Returns whether
    /// there is a probe to send.
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
            // Marked chunks leave first and serve as the probe.
            (Some(_), _) if self.retransmission_path() != Some(index) => return false,
            (Some(seq), _) => Tail::Hastened { seq },
            (None, NewData::Waits) => Tail::Hastened { seq: next },
            (None, NewData::None) => {
                let Some((seq, chunk)) = self.last_in_flight(index) else {
                    return false;
                };
                // A chunk that must not be retransmitted is left to T3-rtx.
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

/// Timer granularity of drivers; RFC 8985 leaves the value open.
const LEAST_WAIT: Duration = Duration::from_millis(1);

/// Longest delay of an immediate SACK beside the round trip; the peer's thread may wait for a
/// processor.
const PROMPT: Duration = Duration::from_millis(10);

/// Full-size packets in flight from which a burst counts as long.
const BURST: u64 = 4;
