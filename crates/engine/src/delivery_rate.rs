//! The delivery rate of a path (draft-ietf-ccwg-bbr-06 §4.1), for congestion controls
//! that use it.

mod departures;

use core::time::Duration;

use self::departures::{Departure, Departures};
use crate::congestion::Rate;
use crate::{Excess, Flown, Limit, Options, RateSample, Time};

/// An acknowledged chunk, as input for rate samples.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeliveredChunk {
    pub(crate) seq: u64,
    pub(crate) bytes: u64,
    /// Time of its last transmission.
    pub(crate) sent_at: Time,
    pub(crate) standing: ChunkStanding,
    pub(crate) first_transmission: FirstTransmission,
}

/// Whether an acknowledged chunk was still counted as in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChunkStanding {
    InFlight,
    /// The chunk was marked as lost.
    Marked,
}

/// Whether a chunk was sent only once; if not, it is unknown which transmission was acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FirstTransmission {
    Yes,
    No,
}

/// Measures the delivery rate of one path.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeliveryRate {
    delivered: u64,
    /// Time of the last increase of `delivered`.
    delivered_at: Time,
    lost: u64,
    /// Send time of the most recently sent delivered chunk; after an idle period, send time of the
    /// first chunk since.
    newest_sent_at: Time,
    /// Samples are limited by the sender's supply of data until this much is delivered; 0 if they
    /// are not.
    limited_until: u64,
    /// The minimum round trip measured.
    least: Option<Duration>,
    departures: Departures,
    /// Bytes that the peer reneged on; they are not counted again when acknowledged again.
    taken_back: u64,
    gathered: Gathered,
}

/// Data collected for the next sample.
#[derive(Clone, Copy, Debug, Default)]
struct Gathered {
    newly_acked: u64,
    newly_lost: u64,
    lost_runs: u32,
    last_lost: Option<u64>,
    round_trip: Option<Duration>,
    newest: Option<(Departure, Time, u64)>,
    excess: Option<Excess>,
}

impl DeliveryRate {
    /// Creates the state if the congestion control uses delivery rates.
    pub(crate) fn chosen(options: &Options) -> Option<alloc::boxed::Box<Self>> {
        options
            .congestion
            .goes_by_rates()
            .then(alloc::boxed::Box::default)
    }

    /// A chunk leaves, after which `flight` bytes are in flight.
    pub(crate) fn on_sent(&mut self, now: Time, bytes: u64, flight: u64) {
        if flight <= bytes {
            (self.newest_sent_at, self.delivered_at) = (now, now);
            self.departures.clear();
        }
        let departure = Departure {
            at: now,
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            lost: self.lost,
            first_sent_at: self.newest_sent_at,
            flight,
            left: bytes,
            limit: self.limit(),
        };
        self.departures.add(departure, self.least);
    }

    /// A chunk was newly acknowledged.
    pub(crate) fn on_delivered(&mut self, now: Time, chunk: &DeliveredChunk) {
        let again = chunk.bytes.min(self.taken_back);
        self.taken_back -= again;
        self.delivered += chunk.bytes - again;
        self.delivered_at = now;
        self.gathered.newly_acked += chunk.bytes - again;
        let departure = self.departures.of(chunk.sent_at);
        if chunk.standing == ChunkStanding::InFlight {
            self.departures.on_gone(chunk.sent_at, chunk.bytes);
        }
        let Some(departure) = departure.filter(|_| again == 0) else {
            return;
        };
        let is_newest = (self.gathered.newest.as_ref())
            .is_none_or(|newest| (chunk.sent_at, chunk.seq) > (newest.1, newest.2));
        if is_newest {
            self.gathered.newest = Some((departure, chunk.sent_at, chunk.seq));
            self.newest_sent_at = chunk.sent_at;
            let took = now.since(chunk.sent_at);
            let known = chunk.first_transmission == FirstTransmission::Yes;
            self.gathered.round_trip = known.then_some(took);
        }
    }

    /// The peer reneged on a chunk.
    pub(crate) const fn on_taken_back(&mut self, bytes: u64) {
        self.taken_back = self.taken_back.saturating_add(bytes);
    }

    /// A chunk in flight was declared lost.
    pub(crate) fn on_lost(&mut self, seq: u64, bytes: u64, sent_at: Time) {
        self.lost += bytes;
        let gathered = &mut self.gathered;
        gathered.newly_lost += bytes;
        let goes_on = seq.checked_sub(1).is_some() && gathered.last_lost == seq.checked_sub(1);
        gathered.lost_runs += u32::from(!goes_on);
        gathered.last_lost = Some(seq);
        if gathered.excess.is_none()
            && let Some(departure) = self.departures.of(sent_at)
        {
            gathered.excess = departure.excess(self.lost, bytes);
        }
        self.departures.on_gone(sent_at, bytes);
    }

    /// A chunk in flight will be retransmitted although it was not declared lost.
    pub(crate) fn on_withdrawn(&mut self, bytes: u64, sent_at: Time) {
        self.departures.on_gone(sent_at, bytes);
    }

    /// Everything in flight will be retransmitted.
    pub(crate) fn on_timeout(&mut self, flight: u64) {
        self.lost += flight;
        self.departures.clear();
    }

    /// The sender could send but has no data: rate samples count as limited until the data in
    /// flight is delivered.
    pub(crate) fn on_starved(&mut self, flight: u64) {
        self.limited_until = (self.delivered + flight).max(1);
    }

    /// The current limit of the sender's rate.
    pub(crate) const fn limit(&self) -> Limit {
        if self.limited_until == 0 {
            Limit::Network
        } else {
            Limit::Supply
        }
    }

    /// Takes a sample of the data since the last one, if any.
    pub(crate) fn take_sample(&mut self) -> Option<RateSample> {
        let gathered = core::mem::take(&mut self.gathered);
        if self.delivered > self.limited_until {
            self.limited_until = 0;
        }
        if let Some(took) = gathered.round_trip {
            self.least = Some(self.least.map_or(took, |least| least.min(took)));
        }
        let newest = gathered
            .newest
            .map(|(departure, sent_at, _)| self.flown(&departure, sent_at));
        let sample = RateSample {
            delivered: self.delivered,
            newly_acked: gathered.newly_acked,
            newly_lost: gathered.newly_lost,
            lost_runs: gathered.lost_runs,
            round_trip: gathered.round_trip,
            newest,
            excess: gathered.excess,
        };
        (!sample.is_empty()).then_some(sample)
    }

    fn flown(&self, departure: &Departure, sent_at: Time) -> Flown {
        let volume = self.delivered - departure.delivered;
        let sending = sent_at.since(departure.first_sent_at);
        let acking = self.delivered_at.since(departure.delivered_at);
        let interval = sending.max(acking);
        let plausible = self.least.is_none_or(|least| interval >= least);
        Flown {
            delivered_before: departure.delivered,
            volume,
            rate: plausible.then(|| Rate::of(volume, interval)).flatten(),
            flight: departure.flight,
            lost: self.lost - departure.lost,
            limit: departure.limit,
        }
    }

    /// Bytes on the heap, itself included.
    pub(crate) fn footprint(&self) -> usize {
        size_of::<Self>() + self.departures.footprint()
    }

    /// Frees memory needed only by a busy path.
    pub(crate) fn trim(&mut self) {
        self.departures.trim();
    }
}

#[cfg(test)]
mod tests;
