//! Delivery rate of a path, reported to congestion controls that use it.

use super::Path;
use crate::congestion::Ack;
use crate::delivery_rate::{ChunkStanding, DeliveredChunk, DeliveryRate, FirstTransmission};
use crate::flight::sent::{ChunkState, Sent};
use crate::flight::share::PathShare;
use crate::pacing::Pacer;
use crate::{Limit, Time};

impl Path {
    /// A chunk leaves for the first time.
    #[inline]
    pub(crate) fn on_sent(&mut self, seq: u64, bytes: u64, now: Time) {
        self.flow.on_sent(seq, bytes, now);
        self.note_departure(bytes, now);
    }

    /// A chunk is retransmitted on this path, perhaps after being sent on another.
    pub(crate) fn on_resent(&mut self, seq: u64, bytes: u64, now: Time) {
        self.flow.on_retransmitted(seq, bytes);
        self.note_departure(bytes, now);
        if !self.pacer().is_none_or(Pacer::lets_all_repeats) {
            self.spend(now, bytes);
        }
    }

    #[inline]
    fn note_departure(&mut self, bytes: u64, now: Time) {
        let flight = self.flow.flight();
        if let Some(rates) = self.extensions.rates() {
            rates.on_sent(now, bytes, flight);
        }
    }

    /// A chunk sent on this path was newly acknowledged; `share` is the path's share of the SACK.
    #[inline(always)] // For each chunk.
    pub(crate) fn on_acked(&mut self, chunk: &Sent, seq: u64, now: Time, share: &mut PathShare) {
        let bytes = chunk.wire_len();
        let in_flight = chunk.state == ChunkState::InFlight;
        let round_trip = self.flow.on_acked(seq, bytes, in_flight, now);
        share.on_acked(chunk, seq, round_trip);
        if let Some(rates) = self.extensions.rates() {
            let standing = if in_flight {
                ChunkStanding::InFlight
            } else {
                ChunkStanding::Marked
            };
            let first_transmission = if chunk.is_first_transmission() {
                FirstTransmission::Yes
            } else {
                FirstTransmission::No
            };
            rates.on_delivered(
                now,
                &DeliveredChunk {
                    seq,
                    bytes,
                    sent_at: chunk.sent_at,
                    standing,
                    first_transmission,
                },
            );
        }
    }

    /// The peer reneged on a chunk.
    pub(crate) fn on_reneged(&mut self, seq: u64, bytes: u64) {
        self.flow.on_reneged(seq, bytes);
        if let Some(rates) = self.extensions.rates() {
            rates.on_taken_back(bytes);
        }
    }

    /// A chunk in flight will be retransmitted; `now` is its new state.
    pub(crate) fn on_marked(&mut self, chunk: &Sent, now: ChunkState, seq: u64) {
        let bytes = chunk.wire_len();
        self.flow.on_marked(bytes);
        if let Some(rates) = self.extensions.rates() {
            if now == ChunkState::MarkedFast {
                rates.on_lost(seq, bytes, chunk.sent_at);
            } else {
                rates.on_withdrawn(bytes, chunk.sent_at);
            }
        }
    }

    /// The data in flight on this path will be sent on another.
    pub(crate) fn on_withdrawn(&mut self) {
        let flight = self.flow.flight();
        if let Some(rates) = self.extensions.rates() {
            rates.on_timeout(flight);
        }
    }

    /// The sender has no data to send.
    pub(crate) fn on_starved(&mut self) {
        if self.extensions.rates.is_some() && self.may_send() {
            let flight = self.flow.flight();
            if let Some(rates) = self.extensions.rates() {
                rates.on_starved(flight);
            }
        }
    }

    /// The recent limit of the sender's rate, as far as is known.
    pub(super) fn limit(&self) -> Limit {
        let rates = self.extensions.get(|extensions| &extensions.rates);
        rates.map_or(Limit::Network, DeliveryRate::limit)
    }

    /// Reports measurements since the last report to the congestion control.
    pub(super) fn tell_rates(&mut self, ack: &Ack) {
        let Some(sample) = self.extensions.rates().and_then(DeliveryRate::take_sample) else {
            return;
        };
        if self.congestion.on_delivery(ack, &sample) == Limit::Supply
            && let Some(rates) = self.extensions.rates()
        {
            rates.on_starved(ack.flight);
        }
    }

    /// Heap bytes used for rates.
    pub(crate) fn rates_footprint(&self) -> usize {
        let rates = self.extensions.get(|extensions| &extensions.rates);
        rates.map_or(0, DeliveryRate::footprint)
    }

    /// Frees memory needed only by a busy path.
    pub(crate) fn trim(&mut self) {
        if let Some(rates) = self.extensions.rates() {
            rates.trim();
        }
        self.trim_hedge();
    }
}
