mod acks;
mod board;
mod counts;
mod persist;
mod recovery;
mod repair;
mod tail;
mod window;

use bytes::Bytes;
use sheave_engine::Time;

pub(crate) use self::acks::{AckNews, Content, Digest};
use self::board::{Board, Search};
pub use self::counts::SendCounts;
use self::persist::Persist;
use self::recovery::{Due, Recovery};
use self::tail::Tail;
pub(crate) use self::window::SendWindow;
use super::congestion::{self, CongestionControl, SynLoss};
use super::range_set::Range;
use super::rto::Rto;
use super::send_buffer::SendBuffer;
use super::timed_board::Repair;
use super::{LossDetection, Nagle, Options, Selective, earlier};

/// The sending half of a connection: data in flight, loss detection, and transmission.
///
/// Offsets are positions (SYN 0, bytes from 1, FIN last); headers and connection states are handled
/// elsewhere.
#[derive(Debug)]
pub(crate) struct Sender {
    options: Options,
    smss: u64,
    /// Whether both ends agreed on SACK.
    selective: Selective,
    buffer: SendBuffer,
    fin: Fin,
    /// First unacknowledged position (SND.UNA).
    una: u64,
    /// First position never sent (SND.NXT); it never decreases.
    nxt: u64,
    window: SendWindow,
    board: Board,
    tail: Tail,
    recovery: Recovery,
    /// `nxt` at the start of the last recovery (recover of RFC 6582 §3.2).
    recover: u64,
    /// `una` before the last acknowledgement that advanced it.
    prev_una: u64,
    dup_acks: u32,
    /// Bytes sent by limited transmit (RFC 3042) since the first duplicate.
    limited: u64,
    congestion: Box<dyn CongestionControl>,
    /// `nxt` when the congestion window last prevented transmission.
    held_back: u64,
    rto: Rto,
    retransmit_at: Option<Time>,
    /// Expiries of the retransmission timer since the last acknowledgement of new data.
    expiries: u32,
    persist: Option<Persist>,
    last_sent: Time,
    counts: SendCounts,
}

/// Whether the application has finished sending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fin {
    /// The application may write more.
    Open,
    /// The application has finished; the FIN follows the buffered data.
    Wanted,
}

/// Result of `on_timeout`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expiry {
    /// The connection continues, possibly with retransmissions.
    Alive,
    /// The peer did not respond to the maximum number of retransmissions.
    GaveUp,
}

impl Sender {
    /// Creates a sender whose first segment is the SYN.
    pub(crate) fn new(options: &Options) -> Self {
        let smss = u64::from(options.mss);
        Self {
            smss,
            selective: Selective::Off,
            buffer: SendBuffer::new(options.send_buffer),
            fin: Fin::Open,
            una: 0,
            nxt: 0,
            window: SendWindow::default(),
            board: Board::chosen(LossDetection::Sack, Selective::Off, smss),
            tail: Tail::default(),
            recovery: Recovery::Open,
            recover: 0,
            prev_una: 0,
            dup_acks: 0,
            limited: 0,
            congestion: congestion::start(options, smss, SynLoss::None),
            held_back: 0,
            rto: Rto::new(options),
            retransmit_at: None,
            expiries: 0,
            persist: None,
            last_sent: Time::ZERO,
            counts: SendCounts::default(),
            options: options.clone(),
        }
    }

    /// Applies what both SYNs agreed on, before our SYN's acknowledgement is processed.
    pub(crate) fn agree(&mut self, smss: u64, selective: Selective) {
        let syn = if self.counts.timeouts > 0 {
            SynLoss::Lost
        } else {
            SynLoss::None
        };
        self.smss = smss;
        self.selective = selective;
        self.board = Board::chosen(self.options.loss_detection, selective, smss);
        self.congestion = congestion::start(&self.options, smss, syn);
        self.recovery = Recovery::Open;
        self.recover = 0;
        if syn == SynLoss::Lost {
            self.rto.after_lost_syn();
        }
    }

    /// Buffers the application's bytes as far as they fit; returns their number.
    pub(crate) fn write(&mut self, bytes: &Bytes) -> usize {
        match self.fin {
            Fin::Open => self.buffer.write(bytes),
            Fin::Wanted => 0,
        }
    }

    /// Finishes sending: the FIN follows the buffered data.
    pub(crate) fn finish(&mut self) {
        self.fin = Fin::Wanted;
    }

    /// Whether the application has finished.
    pub(crate) fn is_finishing(&self) -> bool {
        self.fin == Fin::Wanted
    }

    /// Number of acknowledged bytes of the stream.
    pub(crate) fn bytes_acked(&self) -> u64 {
        self.una.min(self.buffer.end()).saturating_sub(1)
    }

    /// Maximum segment size, bytes of payload and options.
    pub(crate) const fn smss(&self) -> u64 {
        self.smss
    }

    /// Whether the FIN was acknowledged.
    pub(crate) fn fin_is_acked(&self) -> bool {
        self.fin == Fin::Wanted && self.una > self.buffer.end()
    }

    /// Whether a range returned by `poll` ends with the FIN.
    pub(crate) fn has_fin(&self, range: Range) -> bool {
        self.fin == Fin::Wanted && range.end > self.buffer.end()
    }

    /// Whether a range returned by `poll` includes the last buffered byte.
    pub(crate) fn is_pushed(&self, range: Range) -> bool {
        range.end >= self.buffer.end()
    }

    /// Whether at least a third of the send buffer is free, enough to wake a waiting application.
    pub(crate) fn has_much_room(&self) -> bool {
        self.buffer.room() >= self.options.send_buffer.div_ceil(3)
    }

    /// Appends the bytes of a range returned by `poll` to `out`.
    pub(crate) fn copy(&mut self, range: Range, out: &mut Vec<u8>) {
        self.buffer.copy(range, out);
    }

    /// Number of bytes that `write` would accept.
    pub(crate) fn room(&self) -> usize {
        self.buffer.room()
    }

    /// The first position never sent, which a bare acknowledgement carries as its sequence number.
    pub(crate) const fn nxt(&self) -> u64 {
        self.nxt
    }

    /// The first unacknowledged position.
    pub(crate) const fn una(&self) -> u64 {
        self.una
    }

    /// Bytes sent but not acknowledged, including lost ones.
    pub(crate) const fn flight(&self) -> u64 {
        self.nxt - self.una
    }

    pub(crate) fn cwnd(&self) -> u64 {
        self.congestion.cwnd()
    }

    pub(crate) fn ssthresh(&self) -> u64 {
        self.congestion.ssthresh()
    }

    pub(crate) const fn rto(&self) -> &Rto {
        &self.rto
    }

    pub(crate) const fn counts(&self) -> SendCounts {
        self.counts
    }

    /// When `on_timeout` must be called.
    pub(crate) fn deadline(&self) -> Option<Time> {
        match self.persist {
            Some(persist) => Some(persist.at),
            None => {
                let due = earlier(self.retransmit_at, self.board.doubt());
                earlier(due, self.tail.at)
            }
        }
    }

    /// Bytes in flight, as estimated by the current recovery algorithm.
    #[inline]
    fn pipe(&self) -> u64 {
        match self.recovery {
            Recovery::Reno { .. } => self.flight(),
            _ => self.board.pipe(self.una, self.nxt),
        }
    }

    /// Handles all timers that have expired.
    pub(crate) fn on_timeout(&mut self, now: Time) -> Expiry {
        if let Some(persist) = &mut self.persist {
            persist.on_timeout(now);
            return Expiry::Alive;
        }
        if self.board.doubt().is_some_and(|at| at <= now) {
            self.find_losses(now, 0);
        }
        self.run_tail(now);
        if self.retransmit_at.is_none_or(|at| at > now) {
            return Expiry::Alive;
        }
        let retries = if self.una == 0 {
            self.options.syn_retries
        } else {
            self.options.retries
        };
        if self.expiries >= retries {
            self.retransmit_at = None;
            return Expiry::GaveUp;
        }
        self.on_expiry();
        Expiry::Alive
    }

    /// Whether everything was sent and acknowledged, so that an acknowledgement can only update the
    /// window. Always true at an end that only receives.
    #[inline]
    fn is_at_rest(&self) -> bool {
        self.una == self.nxt
            && self.nxt == self.end()
            && self.una > 0
            && self.recovery == Recovery::Open
            && self.persist.is_none()
            && self.tail.is_idle()
    }

    fn unsent(&self) -> u64 {
        self.end() - self.nxt.min(self.end())
    }

    /// Position after everything to be sent, including the FIN.
    fn end(&self) -> u64 {
        match self.fin {
            Fin::Open => self.buffer.end(),
            Fin::Wanted => self.buffer.end() + 1,
        }
    }

    /// The next range to send, with at most `max` bytes of payload; counts as sent.
    pub(crate) fn poll(&mut self, now: Time, max: u64) -> Option<Range> {
        if self.una == 0 {
            return self.poll_syn(now);
        }
        if self.persist.is_some() {
            return self.poll_probe(now, max);
        }
        if self.is_at_rest() {
            return None;
        }
        self.restart_after_idle(now);
        let range = match self.recovery {
            Recovery::Open if self.tail.due == Due::Yes => self.poll_tail(now, max),
            Recovery::Open => {
                self.poll_new(now, max, self.congestion.cwnd() + self.limited_transmit())
            }
            Recovery::Sack { first, .. } => self.poll_sack(now, max, first),
            Recovery::Reno(reno) => self.poll_reno(now, max, reno),
            Recovery::Timeout { .. } => self.poll_after_timeout(now, max),
        };
        if range.is_none() && self.flight() == 0 && self.unsent() > 0 {
            self.enter_persist(now);
        }
        range
    }

    // RFC 3042. With SACK, the pipe algorithm has the same effect (RFC 6675 §5, step 3).
    fn limited_transmit(&self) -> u64 {
        match self.selective {
            Selective::On => 0,
            Selective::Off => u64::from(self.dup_acks.min(2)) * self.smss,
        }
    }

    fn poll_syn(&mut self, now: Time) -> Option<Range> {
        let syn = Range::new(0, 1);
        if self.nxt == 0 {
            self.send_new(now, syn);
            return Some(syn);
        }
        self.board.next_lost(0)?;
        self.send_again(now, syn);
        Some(syn)
    }

    /// Retransmits the SYN at once, since the peer has not received it.
    pub(crate) fn repeat_syn(&mut self) {
        if self.una == 0 && self.nxt > 0 {
            self.board.on_timeout(0, 1);
        }
    }

    /// The next new data, if the peer's window, the congestion window and Nagle's algorithm allow
    /// it.
    fn poll_new(&mut self, now: Time, max: u64, budget: u64) -> Option<Range> {
        let max = max.min(self.smss);
        let data = self.buffer.end().saturating_sub(self.nxt);
        let window = self.window.edge().saturating_sub(self.nxt);
        let len = data.min(max).min(window);
        let mut range = Range::new(self.nxt, self.nxt + len);
        if len == data && self.fin == Fin::Wanted && window > len {
            range.end = self.end();
        }
        if range.end <= self.nxt || !self.is_worth_sending(range, max) {
            return None;
        }
        if self.pipe() + len > budget {
            self.held_back = self.nxt;
            return None;
        }
        if self.recovery == Recovery::Open && self.dup_acks > 0 {
            self.limited += range.len();
        }
        self.send_new(now, range);
        Some(range)
    }

    // RFC 9293 §3.8.6.2.1 (silly window avoidance) with §3.7.4 (Nagle).
    fn is_worth_sending(&self, range: Range, max: u64) -> bool {
        if range.len() >= max || self.has_fin(range) {
            return true;
        }
        if range.end == self.end() {
            return self.una == self.nxt || self.options.nagle == Nagle::Off;
        }
        range.len() >= (self.window.largest() / 2).max(1)
            && (self.una == self.nxt || self.options.nagle == Nagle::Off)
    }

    // RFC 5681 §4.1
    fn restart_after_idle(&mut self, now: Time) {
        if self.flight() == 0 && self.unsent() > 0 && self.last_sent + self.rto.rto() < now {
            self.congestion.on_idle();
            self.last_sent = now;
        }
    }

    fn send_new(&mut self, now: Time, range: Range) {
        self.nxt = range.end;
        self.board.on_sent(now, range);
        self.counts.segments += 1;
        self.rto.on_sent(now, range.end);
        self.on_sent(now);
        self.arm_tail(now);
    }

    fn send_again(&mut self, now: Time, range: Range) {
        self.board.on_retransmit(now, range);
        if self.board.restarts_timer() && range.start == self.una {
            self.retransmit_at = Some(now + self.rto.rto());
        }
        self.count_again(now);
    }

    fn count_again(&mut self, now: Time) {
        self.counts.retransmissions += 1;
        self.rto.on_retransmit();
        self.on_sent(now);
    }

    // RFC 6298 §5.1
    fn on_sent(&mut self, now: Time) {
        self.last_sent = now;
        let at = now + self.rto.rto();
        self.retransmit_at.get_or_insert(at);
    }
}

#[cfg(test)]
mod tests;
