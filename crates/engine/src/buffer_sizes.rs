use core::time::Duration;

use crate::Time;

/// The sizing of an association's buffers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BufferSizes {
    /// Sizes stay as [`send_buffer`](crate::Options::send_buffer) and
    /// [`receive_buffer`](crate::Options::receive_buffer) say.
    #[default]
    Fixed,
    /// Sizes begin there and follow the bandwidth-delay product, each end for itself.
    ///
    /// The receive buffer, and with it the advertised window, grows to twice what the user is
    /// expected to read in the next round trip, from what was read in the last ones (dynamic
    /// right-sizing, Fisk and Feng 2001), or to five times what was read in the last one if that is
    /// more, since a queue that others fill makes the sender's round trips longer than ours: a user who does not read makes nothing grow, whatever
    /// the peer sends. It never shrinks again, and it grows only into memory that the
    /// endpoint has left of [`max_memory`](crate::EndpointOptions::max_memory). A side that did not
    /// connect sends one HEARTBEAT as soon as the association is up, to measure the round trip.
    ///
    /// The send buffer is twice the sum of the active paths' congestion windows, the records that
    /// are kept of messages not counted; but no more than five times what the path carries in its
    /// least round trip, where [`LossDetection::Rack`](crate::LossDetection::Rack) knows it.
    Auto {
        /// Bytes that neither buffer grows beyond; one that begins larger stays. 4096 to 1 GiB.
        max: usize,
    },
}

impl BufferSizes {
    /// Bytes that a buffer grows to unless the user says otherwise: what keeps 1 Gbit/s busy for
    /// half a second. Ours.
    pub const USUAL_MAX: usize = 64 << 20;

    /// Both follow the bandwidth-delay product, up to [`USUAL_MAX`](Self::USUAL_MAX).
    pub const AUTO: Self = Self::Auto {
        max: Self::USUAL_MAX,
    };
}

/// Shorter round trips are taken for this, so that not every read ends one.
const LEAST_ROUND_TRIP: Duration = Duration::from_micros(10);
/// Bandwidth-delay products that a buffer may hold at most. Ours: one on its way, and four in the
/// longest queue that a sender shares with others for its part.
pub(crate) const MOST_PRODUCTS: usize = 5;

/// The bytes that a user reads in a round trip.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadRate {
    began: Time,
    /// Bytes read since then.
    read: usize,
    /// Bytes read in the round trip before.
    last: usize,
}

impl ReadRate {
    pub(crate) const fn new(now: Time) -> Self {
        Self {
            began: now,
            read: 0,
            last: 0,
        }
    }

    /// Counts bytes that were read. Where a round trip has passed: the window that is needed,
    /// twice what the next one is expected to bring if reading goes on to grow as it did.
    pub(crate) fn on_read(
        &mut self,
        now: Time,
        bytes: usize,
        round_trip: Duration,
    ) -> Option<usize> {
        self.read = self.read.saturating_add(bytes);
        let round_trip = round_trip.max(LEAST_ROUND_TRIP);
        let elapsed = now.since(self.began);
        if elapsed < round_trip {
            return None;
        }
        let each = (self.read as u128) * round_trip.as_nanos() / elapsed.as_nanos();
        let each = usize::try_from(each).unwrap_or(usize::MAX);
        let growth = each.saturating_sub(self.last);
        *self = Self {
            last: each,
            ..Self::new(now)
        };
        let expected = each.saturating_add(growth).saturating_mul(2);
        Some(expected.max(each.saturating_mul(MOST_PRODUCTS)))
    }
}

#[cfg(test)]
mod tests;
