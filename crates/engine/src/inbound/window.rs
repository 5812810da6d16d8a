/// Memory cost of a stored message beyond its payload, bytes: its queue entry and the allocator's
/// overhead.
pub(super) const MESSAGE_OVERHEAD: usize = 64;

/// Memory cost of a chunk beyond a gap, besides its payload, bytes: its map entries.
pub(super) const CHUNK_OVERHEAD: usize = 160;

/// The receive window: bytes buffered and bytes advertised (RFC 9260 §6.2).
///
/// Payload alone may take the size of the buffer; payload and overhead together may take a quarter
/// more, which full-sized chunks beyond a gap need. The advertised window allows for a sixteenth of
/// overhead. With small messages, whose overhead dominates, the window shrinks in proportion, so
/// that a peer, which counts payload only, never exceeds the memory.
#[derive(Clone, Debug)]
pub(super) struct Window {
    /// Buffer size in bytes; at most 32 bits can be advertised.
    size: u32,
    /// Bytes charged.
    payload: u32,
    overhead: u32,
    /// Remainder of the last advertised window, from the peer's view.
    promised: u32,
    /// Mean payload of a chunk, in 4096ths of a byte.
    mean: u32,
    /// The largest payload of a chunk so far, bytes.
    segment: u32,
}

/// Bits of fraction in the mean.
const FRACTION: u32 = 12;
/// The weight of a new sample in the mean, as a right shift.
const WEIGHT: u32 = 4;

/// Payload of a full chunk at an MTU of 1500 bytes, until a larger one arrives.
const INITIAL_SEGMENT: u32 = 1452;

impl Window {
    pub(super) fn new(size: usize) -> Self {
        Self {
            size: u32::try_from(size).unwrap_or(u32::MAX),
            payload: 0,
            overhead: 0,
            promised: u32::try_from(size).unwrap_or(u32::MAX),
            mean: INITIAL_SEGMENT << FRACTION,
            segment: INITIAL_SEGMENT,
        }
    }

    /// Notes the payload of a chunk that was accepted.
    #[inline]
    pub(super) fn on_arrival(&mut self, payload: usize) {
        let payload = u32::from(u16::try_from(payload).unwrap_or(u16::MAX));
        self.promised = self.promised.saturating_sub(payload);
        self.mean = self.mean - (self.mean >> WEIGHT) + (payload << (FRACTION - WEIGHT));
        self.segment = self.segment.max(payload);
    }

    #[inline]
    pub(super) fn charge(&mut self, payload: usize, overhead: usize) {
        self.payload = self.payload.saturating_add(narrow(payload));
        self.overhead = self.overhead.saturating_add(narrow(overhead));
    }

    #[inline]
    pub(super) fn release(&mut self, payload: usize, overhead: usize) {
        self.payload = self.payload.saturating_sub(narrow(payload));
        self.overhead = self.overhead.saturating_sub(narrow(overhead));
    }

    /// Bytes of the receive buffer.
    pub(super) const fn size(&self) -> usize {
        self.size as usize
    }

    /// Grows the buffer to at least that size.
    pub(super) fn widen(&mut self, size: usize) {
        let size = u32::try_from(size).unwrap_or(u32::MAX);
        self.size = self.size.max(size);
    }

    const fn payload(&self) -> usize {
        self.payload as usize
    }

    const fn promised(&self) -> usize {
        self.promised as usize
    }

    /// Bytes charged, overhead included.
    #[inline]
    pub(super) fn buffered(&self) -> usize {
        self.payload() + self.overhead as usize
    }

    /// Bytes that may still be charged, overhead included.
    #[inline]
    pub(super) fn room(&self) -> usize {
        let free = self.size().saturating_sub(self.payload());
        let most = self.size() + self.size() / 4;
        free.min(most.saturating_sub(self.buffered()))
    }

    /// Whether the rest of the advertised window has no room for a full-sized chunk.
    #[inline]
    pub(super) fn is_tight(&self) -> bool {
        self.payload() + self.step() > self.size()
    }

    /// Whether the window that could be advertised has no room for a full-sized chunk.
    pub(super) fn is_narrow(&self) -> bool {
        let available = self.available();
        available < self.step() && available < self.whole() / 2
    }

    /// The window to advertise now, bytes.
    ///
    /// The window opens in large steps only (silly window avoidance, RFC 1122 §4.2.3.3).
    pub(super) fn advertisement(&self) -> u32 {
        let available = self.available();
        let opened = available >= self.size() / 2
            || available >= self.promised() + self.step()
            || available >= self.whole() / 2;
        let rwnd = if opened {
            available
        } else {
            available.min(self.promised())
        };
        u32::try_from(rwnd).unwrap_or(u32::MAX)
    }

    pub(super) fn on_advertised(&mut self, rwnd: u32) {
        self.promised = rwnd;
    }

    /// Whether an opened window must be advertised at once (RFC 9260 §6.2).
    ///
    /// True if the advertised window is less than half of the buffer and has grown by a quarter of
    /// the buffer; or if no full-sized chunk fitted the advertised window, one fits now, and
    /// nothing is left to read (`drained`) that would open it further.
    #[inline]
    pub(super) fn update_is_due(&self, drained: Drained) -> bool {
        if self.promised() >= self.size() / 2 {
            return false;
        }
        if self.can_grant(self.promised() + self.size() / 4) {
            return true;
        }
        if drained == Drained::No {
            return false;
        }
        let least = self.step().min(self.whole() / 2);
        self.promised() < least && self.can_grant(self.promised() + least)
    }

    /// Whether at least `payload` bytes are [available](Self::available), computed without a
    /// division because every read asks.
    #[inline]
    fn can_grant(&self, payload: usize) -> bool {
        let wide = |bytes: usize| u64::try_from(bytes).unwrap_or(u64::MAX);
        let room = self.limit().saturating_sub(self.buffered());
        let (mean, with_overhead) = self.mean_chunk();
        payload <= self.size().saturating_sub(self.payload())
            && wide(payload).saturating_mul(with_overhead) <= wide(room).saturating_mul(mean)
    }

    /// Payload that the peer may send now, bytes.
    fn available(&self) -> usize {
        let free = self.size().saturating_sub(self.payload());
        free.min(self.scaled(self.limit().saturating_sub(self.buffered())))
    }

    /// Payload bytes that the peer could send if nothing were buffered; with a small buffer and
    /// small messages, this may be less than a packet holds.
    fn whole(&self) -> usize {
        self.size().min(self.scaled(self.limit()))
    }

    /// Payload that fits `room` bytes after overhead.
    fn scaled(&self, room: usize) -> usize {
        let (mean, with_overhead) = self.mean_chunk();
        let room = u64::try_from(room).unwrap_or(u64::MAX);
        let scaled = room.saturating_mul(mean) / with_overhead;
        usize::try_from(scaled).unwrap_or(usize::MAX)
    }

    /// The mean payload of a chunk, without and with overhead, as fixed-point numbers.
    fn mean_chunk(&self) -> (u64, u64) {
        let mean = u64::from(self.mean.max(1));
        (mean, mean + ((MESSAGE_OVERHEAD as u64) << FRACTION))
    }

    /// Least step by which a narrow window opens, bytes.
    fn step(&self) -> usize {
        let segment = usize::try_from(self.segment).unwrap_or(usize::MAX);
        segment.min(self.size() / 2)
    }

    /// Bytes that payload and overhead together may use for the advertised window.
    fn limit(&self) -> usize {
        self.size() + self.size() / 16
    }
}

/// Converts a charge to 32 bits; buffer size plus one chunk bounds it.
#[inline]
fn narrow(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

/// Whether anything is left to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Drained {
    Yes,
    No,
}

#[cfg(test)]
mod tests;
