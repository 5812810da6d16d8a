//! Buffers sized by the bandwidth-delay product.

use core::time::Duration;

use sheave_wire::Data;

use super::control::Control;
use super::tcb::Tcb;
use crate::buffer_sizes::{MOST_PRODUCTS, ReadRate};
use crate::outbound::Outgoing;
use crate::timers::Timer;
use crate::value::ids::PathIndex;
use crate::{BufferSizes, Time};

/// Received bytes that may be held however much data waits to be sent.
const LEAST_ROOM: usize = 1500;

impl Tcb {
    /// The user read `bytes`; the endpoint may hold `memory_left` more.
    #[inline]
    pub(super) fn note_read(
        &mut self,
        now: Time,
        bytes: usize,
        memory_left: impl FnOnce() -> usize,
    ) {
        if let BufferSizes::Auto { max } = self.options.buffers {
            let most = max.min(self.inbound.buffered().saturating_add(memory_left()));
            self.follow_reader(now, bytes, most);
        }
    }

    /// Bytes of arriving data that may be stored if the endpoint may hold `memory_left` more. Data
    /// waiting to be sent may have used all memory while itself waiting for arriving data, so one
    /// packet is always allowed.
    #[inline]
    pub(super) fn arrival_room(&self, memory_left: usize) -> usize {
        if memory_left > 0 {
            return memory_left;
        }
        let waits = self.outbound.buffered() > 0 && self.inbound.buffered() < LEAST_ROOM;
        usize::from(waits)
    }

    fn follow_reader(&mut self, now: Time, bytes: usize, most: usize) {
        let round_trip = self.longest_round_trip();
        let rate = self.extensions.part_or_else(
            |extensions| &mut extensions.read_rate,
            || ReadRate::new(now),
        );
        if let Some(wanted) = rate.on_read(now, bytes, round_trip) {
            self.inbound.widen(wanted.min(most));
        }
    }

    /// The longest round-trip time of the active paths; without a measurement, a path's RTO is
    /// used.
    fn longest_round_trip(&self) -> Duration {
        let active = self.paths.active();
        let round_trips = active.map(|path| path.rto.srtt().unwrap_or(path.rto.rto()));
        round_trips.max().unwrap_or_default()
    }

    /// Current size of the send buffer, excluding the bookkeeping of messages.
    pub(super) fn send_buffer(&self) -> usize {
        let start = self.options.send_buffer;
        match self.options.buffers {
            BufferSizes::Fixed => start,
            BufferSizes::Auto { max } => {
                let active = self
                    .paths
                    .indices()
                    .filter(|path| self.paths.is_active(*path));
                let useful = active.map(|path| self.useful_window(path));
                let useful = useful.fold(0, u64::saturating_add);
                let useful = usize::try_from(useful).unwrap_or(usize::MAX);
                useful.min(max).max(start)
            }
        }
    }

    /// Twice the congestion window of a path, but at most [`MOST_PRODUCTS`] bandwidth-delay
    /// products with the minimum round trip, if known: more data would only queue. The bandwidth is
    /// the window per round trip; the last round trip is used if it exceeds the smoothed one, which
    /// lags in slow start. If the buffer leaves half of the window unused, this estimate is twice
    /// the actual bandwidth.
    fn useful_window(&self, index: PathIndex) -> u64 {
        let Some(path) = self.paths.get(index) else {
            return 0;
        };
        let cwnd = path.congestion.cwnd();
        let twice = cwnd.saturating_mul(2);
        let round_trips = self.outbound.round_trips(index);
        let (Some((least, last)), Some(srtt)) = (round_trips, path.rto.srtt()) else {
            return twice;
        };
        let now = last.max(srtt).as_nanos().max(1);
        let most =
            (u128::from(cwnd) * MOST_PRODUCTS as u128).saturating_mul(least.as_nanos()) / now;
        twice.min(u64::try_from(most).unwrap_or(u64::MAX))
    }

    /// Size of the send buffer for messages charged `charge` bytes each. Like
    /// [`send_buffer`](Self::send_buffer), but scaled so that the bookkeeping of small messages
    /// does not keep the window from being filled.
    pub(super) fn send_buffer_for(&self, charge: usize) -> usize {
        let BufferSizes::Auto { max } = self.options.buffers else {
            return self.options.send_buffer;
        };
        let start = self.options.send_buffer;
        let sent = charge.saturating_sub(Outgoing::overhead()) + Data::HEADER_LEN;
        let scaled = self.send_buffer() as u128 * charge as u128 / sent as u128;
        let scaled = usize::try_from(scaled).unwrap_or(usize::MAX);
        scaled.min(max).max(start)
    }

    /// Measures the round trip of paths not measured by the handshake.
    pub(super) fn measure_round_trips(&mut self, now: Time) {
        let chooses = self.hedges() || self.outbound.is_concurrent();
        if self.options.buffers == BufferSizes::Fixed && !chooses {
            return;
        }
        for index in self.paths.indices() {
            if let Some(path) = self.paths.get(index)
                && path.is_active()
                && path.rto.srtt().is_none()
            {
                let due = now + path.rto.rto();
                self.timers.set(Timer::Heartbeat(index), due);
                self.queue(index, Control::Heartbeat);
            }
        }
    }
}
