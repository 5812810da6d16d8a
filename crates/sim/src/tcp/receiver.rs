use bytes::{BufMut, Bytes};
use sheave_engine::Time;

use super::framing::TooLong;
use super::range_set::Range;
use super::receive_buffer::{Arrived, ReceiveBuffer};
use super::{Acknowledgement, Options};

/// The receiving half of a connection: reassembly, acknowledgements and the offered window.
///
/// Positions are those of the peer's stream (SYN 0, bytes from 1, FIN last).
#[derive(Debug)]
pub(crate) struct Receiver {
    buffer: ReceiveBuffer,
    capacity: u64,
    mss: u64,
    policy: Acknowledgement,
    /// The shift of the window in headers.
    scale: u8,
    /// First position beyond the offered window; never decreases.
    edge: u64,
    fin: PeerFin,
    /// Acknowledgements due now.
    owed: u32,
    /// Bytes received since the last acknowledgement.
    unacked: u64,
    /// Largest segment received, bytes: defines "full-sized".
    full_size: u64,
    /// When a delayed acknowledgement is due.
    delayed: Option<Time>,
}

/// Whether the peer has finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PeerFin {
    /// The FIN has not arrived.
    Open,
    /// The FIN arrived, but earlier data is missing.
    At(u64),
    /// The FIN and all earlier data have arrived.
    Reached,
}

/// A segment's payload in terms of the peer's stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece<'a> {
    /// Position of its first byte.
    pub(crate) position: u64,
    pub(crate) payload: &'a [u8],
    pub(crate) end: PieceEnd,
}

/// Whether a FIN follows the segment's payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PieceEnd {
    More,
    Fin,
}

impl Receiver {
    /// Creates the receiver when the peer's SYN arrives. `mss` limits a segment's payload, bytes;
    /// `scale` is the shift of our offered windows.
    pub(crate) fn new(options: &Options, mss: u64, scale: u8) -> Self {
        // RFC 7323 §2.3: the largest window that a header can express.
        let capacity = (options.receive_buffer as u64).min(0xFFFF << scale);
        Self {
            buffer: ReceiveBuffer::new(),
            capacity,
            mss,
            policy: options.acknowledgement,
            scale,
            // The SYN's own window is not scaled.
            edge: 1 + capacity.min(0xFFFF),
            fin: PeerFin::Open,
            owed: 0,
            unacked: 0,
            full_size: 0,
            delayed: None,
        }
    }

    /// The next expected position (RCV.NXT), including the FIN.
    pub(crate) fn nxt(&self) -> u64 {
        self.buffer.nxt() + u64::from(self.fin == PeerFin::Reached)
    }

    /// Whether the FIN and all earlier data have arrived.
    pub(crate) fn is_finished(&self) -> bool {
        self.fin == PeerFin::Reached
    }

    /// Number of bytes received in order.
    pub(crate) fn bytes_received(&self) -> u64 {
        self.buffer.nxt() - 1
    }

    /// Bytes that can be read.
    pub(crate) fn readable(&self) -> usize {
        self.buffer.readable()
    }

    /// Whether a segment of `len` positions from `position` overlaps the window
    /// (RFC 9293 §3.10.7.4).
    pub(crate) fn accepts(&self, position: u64, len: u64) -> bool {
        if len == 0 {
            // After filling the window, the peer sends bare acknowledgements from its edge.
            return self.nxt() <= position && position <= self.edge;
        }
        position < self.edge && position + len > self.nxt()
    }

    /// Handles a segment's payload and FIN.
    pub(crate) fn on_piece(&mut self, now: Time, piece: Piece<'_>) {
        let len = piece.payload.len() as u64;
        self.full_size = self.full_size.max(len).min(self.mss);
        let room = self.edge.saturating_sub(piece.position);
        let fitting = usize::try_from(room).unwrap_or(usize::MAX);
        let payload = piece.payload.get(..fitting).unwrap_or(piece.payload);
        let before = self.buffer.nxt();
        let arrived = match self.fin {
            PeerFin::Reached => Arrived::Nothing,
            PeerFin::Open | PeerFin::At(_) => self.buffer.insert(piece.position, payload),
        };
        if piece.end == PieceEnd::Fin && payload.len() == piece.payload.len() {
            self.on_fin(piece.position + len);
        }
        self.take_fin();
        if arrived == Arrived::InOrder && piece.end == PieceEnd::More {
            self.delay(now, self.buffer.nxt() - before);
        } else {
            // RFC 5681 §4.2: at once if out of order, or if a gap is being filled.
            self.owed = self.owed.saturating_add(1);
        }
    }

    fn on_fin(&mut self, position: u64) {
        if self.fin == PeerFin::Open && position >= self.buffer.nxt() {
            self.fin = PeerFin::At(position);
        }
    }

    fn take_fin(&mut self) {
        if self.fin == PeerFin::At(self.buffer.nxt()) {
            self.fin = PeerFin::Reached;
        }
    }

    // RFC 5681 §4.2, RFC 9293 §3.8.6.3
    fn delay(&mut self, now: Time, bytes: u64) {
        self.unacked += bytes;
        match self.policy {
            Acknowledgement::Immediate => self.owed = self.owed.max(1),
            Acknowledgement::Delayed { segments, timeout } => {
                if self.unacked >= u64::from(segments) * self.full_size {
                    self.owed = self.owed.max(1);
                } else {
                    self.delayed.get_or_insert(now + timeout);
                }
            }
        }
    }

    /// Schedules an acknowledgement for now.
    pub(crate) fn owe(&mut self) {
        self.owed = self.owed.saturating_add(1);
    }

    /// When `on_timeout` must be called.
    pub(crate) const fn deadline(&self) -> Option<Time> {
        self.delayed
    }

    /// Handles the timer if it has expired.
    pub(crate) fn on_timeout(&mut self, now: Time) {
        if self.delayed.is_some_and(|at| at <= now) {
            self.delayed = None;
            self.owed = self.owed.max(1);
        }
    }

    /// Whether an acknowledgement needs a segment of its own.
    pub(crate) const fn owes(&self) -> bool {
        self.owed > 0
    }

    /// Records that a departing segment acknowledges everything received.
    pub(crate) fn on_acked(&mut self) {
        self.owed = self.owed.saturating_sub(1);
        self.unacked = 0;
        self.delayed = None;
    }

    /// The window to offer now, in header units, from `nxt`; it moves in worthwhile steps only (RFC
    /// 9293 §3.8.6.2.2).
    pub(crate) fn offer(&mut self) -> u16 {
        let possible = self.possible_edge();
        if possible >= self.edge + self.step() {
            self.edge = possible;
        }
        u16::try_from(self.offered() >> self.scale).unwrap_or(u16::MAX)
    }

    /// The window that the peer sees: whole multiples of the scale.
    fn offered(&self) -> u64 {
        (self.edge.saturating_sub(self.nxt()) >> self.scale) << self.scale
    }

    fn possible_edge(&self) -> u64 {
        self.buffer.nxt() + self.capacity.saturating_sub(self.buffer.readable() as u64)
    }

    fn step(&self) -> u64 {
        self.mss.min(self.capacity / 2).max(1)
    }

    /// Appends at most `max` readable bytes to `out`; returns the number.
    pub(crate) fn read(&mut self, out: &mut impl BufMut, max: usize) -> usize {
        let count = self.buffer.read(out, max);
        self.on_read();
        count
    }

    /// Reads all readable bytes and returns the first complete message.
    ///
    /// # Errors
    /// [`TooLong`] if the message exceeds `max`.
    pub(crate) fn read_message(&mut self, max: usize) -> Result<Option<Bytes>, TooLong> {
        let message = self.buffer.read_message(max);
        self.on_read();
        message
    }

    /// Drops at most `max` readable bytes; returns the number.
    pub(crate) fn discard(&mut self, max: usize) -> usize {
        let count = self.buffer.discard(max);
        self.on_read();
        count
    }

    /// Announces the window at once if it has grown by two segments, or by half of the buffer.
    fn on_read(&mut self) {
        let grown = self.possible_edge().saturating_sub(self.edge);
        let closed = self.offered() < self.step() && grown >= self.step();
        if closed || grown >= self.capacity / 2 {
            self.owed = self.owed.max(1);
        }
    }

    /// Ranges beyond the first gap, the most recent first.
    pub(crate) fn blocks(&self) -> &[Range] {
        self.buffer.blocks()
    }
}

#[cfg(test)]
mod tests;
