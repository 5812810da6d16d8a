use core::time::Duration;

use crate::Time;

/// Sizing of an association's buffers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BufferSizes {
    /// Fixed sizes: [`send_buffer`](crate::Options::send_buffer) and
    /// [`receive_buffer`](crate::Options::receive_buffer).
    #[default]
    Fixed,
    /// Sizes start at the fixed ones and follow the bandwidth-delay product, independently at each
    /// end.
    ///
    /// The receive buffer, and with it the advertised window, grows to twice the amount that the
    /// user is expected to read in the next round trip, estimated from the last ones (dynamic
    /// right-sizing, Fisk and Feng 2001). It grows to five times the amount read in the last round
    /// trip if that is more, since a queue filled by other flows makes the sender's round trips
    /// longer than ours. If the user does not read, the buffer does not grow, whatever the peer
    /// sends. The buffer never shrinks, and it grows only into free memory of the endpoint's
    /// [`max_memory`](crate::EndpointOptions::max_memory). The side that did not connect sends one
    /// HEARTBEAT when the association is established, to measure the round trip.
    ///
    /// The send buffer is twice the sum of the active paths' congestion windows, not counting the
    /// bookkeeping of messages. If [`LossDetection::Rack`](crate::LossDetection::Rack) knows the
    /// minimum round trip, the buffer is at most five bandwidth-delay products.
    Auto {
        /// Maximum bytes of each buffer; a larger initial size is kept. 4096 to 1 GiB.
        max: usize,
    },
}

impl BufferSizes {
    /// Default maximum buffer size in bytes: half a second at 1 Gbit/s (our choice).
    pub const USUAL_MAX: usize = 64 << 20;

    /// Both buffers follow the bandwidth-delay product, up to [`USUAL_MAX`](Self::USUAL_MAX).
    pub const AUTO: Self = Self::Auto {
        max: Self::USUAL_MAX,
    };
}

/// Shorter round trips count as this long, so that not every read ends one.
const LEAST_ROUND_TRIP: Duration = Duration::from_micros(10);
/// Most bandwidth-delay products in a buffer (our choice): one in flight, and four as the sender's
/// share of the longest queue that it shares with others.
pub(crate) const MOST_PRODUCTS: usize = 5;

/// Measures the bytes that a user reads per round trip.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadRate {
    began: Time,
    /// Bytes read since `began`.
    read: usize,
    /// Bytes read in the previous round trip.
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

    /// Counts bytes read. After a round trip, returns the window needed: twice the amount expected
    /// in the next one if reading keeps growing as before.
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
