mod recovery;
mod window;

use core::time::Duration;

use sheave_engine::Time;

use self::recovery::{Due, Recovery};
pub(crate) use self::window::SendWindow;
use super::congestion::{self, Ack, CongestionControl, Loss, SynLoss, UseOfWindow};
use super::range_set::Range;
use super::rto::Rto;
use super::scoreboard::Scoreboard;
use super::send_buffer::SendBuffer;
use super::{Nagle, Options, Selective};

/// Duplicate acknowledgements that show a loss (RFC 5681 §3.2).
const DUP_THRESH: u32 = 3;
/// The longest wait between two window probes (RFC 9293 §3.8.6.1 leaves it open).
const PERSIST_MAX: Duration = Duration::from_secs(60);

/// The sending half of a connection: what is in flight, what is lost, what may leave.
///
/// It counts in positions (SYN 0, bytes from 1, FIN last) and knows neither headers nor phases.
#[derive(Debug)]
pub(crate) struct Sender {
    options: Options,
    smss: u64,
    /// Whether both ends agreed on SACK.
    selective: Selective,
    buffer: SendBuffer,
    fin: Fin,
    /// First position not acknowledged (SND.UNA).
    una: u64,
    /// First position never sent (SND.NXT; it never goes back).
    nxt: u64,
    window: SendWindow,
    board: Scoreboard,
    recovery: Recovery,
    /// `nxt` when the last recovery began (recover of RFC 6582 §3.2).
    recover: u64,
    /// `una` before the last acknowledgement that moved it.
    prev_una: u64,
    dup_acks: u32,
    /// Bytes sent by limited transmit (RFC 3042) since the first duplicate.
    limited: u64,
    congestion: Box<dyn CongestionControl>,
    /// `nxt` when the congestion window last held something back.
    held_back: u64,
    rto: Rto,
    retransmit_at: Option<Time>,
    /// Expiries of the retransmission timer since the last acknowledgement of new data.
    expiries: u32,
    persist: Option<Persist>,
    last_sent: Time,
    counts: SendCounts,
}

/// Whether the application has finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fin {
    /// It may write more.
    Open,
    /// What is in the buffer is all; the FIN comes after it.
    Wanted,
}

/// The peer's window is too small to send into, and nothing is in flight that could make it tell
/// of a larger one (RFC 9293 §3.8.6.1).
#[derive(Clone, Copy, Debug)]
struct Persist {
    at: Time,
    interval: Duration,
    probe: Due,
}

/// What the retransmission timer's expiry led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expiry {
    /// Nothing was due, or something is sent again.
    Alive,
    /// The peer did not answer as often as it was asked.
    GaveUp,
}

/// What an acknowledgement says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AckNews<'a> {
    /// The position that it acknowledges up to.
    pub(crate) ack: u64,
    /// The window, bytes from `ack` on.
    pub(crate) window: u64,
    /// The position of the segment in the peer's stream.
    pub(crate) seq: u64,
    /// Its SACK blocks.
    pub(crate) blocks: &'a [Range],
    /// Whether it could be a duplicate acknowledgement (RFC 5681 §2).
    pub(crate) content: Content,
}

/// Whether a segment carries more than an acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// An acknowledgement alone.
    Bare,
    /// Data, SYN or FIN.
    Loaded,
}

/// Whether the acknowledgement was one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Digest {
    /// It was taken in.
    Taken,
    /// It acknowledges what was never sent (RFC 9293 §3.10.7.4: answer, and drop the segment).
    Unsent,
}

/// Counters of the sending half, from the beginning of the connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SendCounts {
    /// Segments with data, SYN or FIN, sent for the first time.
    pub segments: u64,
    /// Segments sent again.
    pub retransmissions: u64,
    /// Times that duplicates or SACKs showed a loss.
    pub fast_retransmits: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
    /// Probes of a closed window.
    pub probes: u64,
    /// Duplicate acknowledgements.
    pub dup_acks: u64,
}

impl SendCounts {
    /// Nothing sent.
    pub const NONE: Self = Self {
        segments: 0,
        retransmissions: 0,
        fast_retransmits: 0,
        timeouts: 0,
        probes: 0,
        dup_acks: 0,
    };

    /// Both together.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            segments: self.segments + other.segments,
            retransmissions: self.retransmissions + other.retransmissions,
            fast_retransmits: self.fast_retransmits + other.fast_retransmits,
            timeouts: self.timeouts + other.timeouts,
            probes: self.probes + other.probes,
            dup_acks: self.dup_acks + other.dup_acks,
        }
    }
}

impl Sender {
    /// The SYN is the first thing that it will send.
    pub(crate) fn new(options: &Options) -> Self {
        let smss = u64::from(options.mss);
        Self {
            smss,
            selective: Selective::Off,
            buffer: SendBuffer::new(options.send_buffer),
            fin: Fin::Open,
            una: 0,
            nxt: 0,
            window: SendWindow::new(),
            board: Scoreboard::new(smss),
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

    /// Both SYNs are there, `smss` and SACK are agreed on, and ours is about to be acknowledged.
    pub(crate) fn agree(&mut self, smss: u64, selective: Selective) {
        let syn = if self.counts.timeouts > 0 {
            SynLoss::Lost
        } else {
            SynLoss::None
        };
        self.smss = smss;
        self.selective = selective;
        self.board = Scoreboard::new(smss);
        self.congestion = congestion::start(&self.options, smss, syn);
        self.recovery = Recovery::Open;
        self.recover = 0;
        if syn == SynLoss::Lost {
            self.rto.after_lost_syn();
        }
    }

    /// Takes what fits of the application's bytes.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> usize {
        match self.fin {
            Fin::Open => self.buffer.write(bytes),
            Fin::Wanted => 0,
        }
    }

    /// The application has no more to say.
    pub(crate) fn finish(&mut self) {
        self.fin = Fin::Wanted;
    }

    /// Whether the application has finished.
    pub(crate) fn is_finishing(&self) -> bool {
        self.fin == Fin::Wanted
    }

    /// Bytes of the stream that are acknowledged.
    pub(crate) fn bytes_acked(&self) -> u64 {
        self.una.min(self.buffer.end()).saturating_sub(1)
    }

    /// The largest segment, bytes of payload and options.
    pub(crate) const fn smss(&self) -> u64 {
        self.smss
    }

    /// Whether the FIN was sent and acknowledged.
    pub(crate) fn fin_is_acked(&self) -> bool {
        self.fin == Fin::Wanted && self.una > self.buffer.end()
    }

    /// Whether a range that `poll` gave ends with the FIN.
    pub(crate) fn has_fin(&self, range: Range) -> bool {
        self.fin == Fin::Wanted && range.end > self.buffer.end()
    }

    /// Whether a range that `poll` gave holds the last of what the application has written.
    pub(crate) fn is_pushed(&self, range: Range) -> bool {
        range.end >= self.buffer.end()
    }

    /// Whether the buffer has room enough to wake an application that waits for it: a third.
    pub(crate) fn has_much_room(&self) -> bool {
        self.buffer.room() >= self.options.send_buffer.div_ceil(3)
    }

    /// The buffer, to copy a range's bytes out of.
    pub(crate) const fn buffer(&self) -> &SendBuffer {
        &self.buffer
    }

    /// The next position to be sent for the first time; what a bare acknowledgement carries.
    pub(crate) const fn nxt(&self) -> u64 {
        self.nxt
    }

    /// The first position not yet acknowledged.
    pub(crate) const fn una(&self) -> u64 {
        self.una
    }

    /// Bytes sent and not acknowledged, lost ones included.
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

    /// When `on_timeout` is due.
    pub(crate) fn deadline(&self) -> Option<Time> {
        match self.persist {
            Some(persist) => Some(persist.at),
            None => self.retransmit_at,
        }
    }

    // ---- Acknowledgements ----

    /// Takes in an acknowledgement.
    pub(crate) fn on_ack(&mut self, now: Time, news: &AckNews<'_>) -> Digest {
        if news.ack > self.nxt {
            return Digest::Unsent;
        }
        if news.ack < self.una {
            return Digest::Taken;
        }
        let use_of_window = self.use_of_window();
        let moved = self.window.update(news.seq, news.ack, news.window);
        let news_of_sack = self.on_blocks(news.blocks);
        if news.ack > self.una {
            self.on_new_ack(now, news.ack, use_of_window);
        } else if self.is_duplicate(news, moved, news_of_sack) {
            self.on_duplicate();
        }
        if news_of_sack > 0 && self.recovery == Recovery::Open && self.board.is_lost(self.una) {
            self.fast_retransmit();
        }
        self.leave_persist();
        Digest::Taken
    }

    fn use_of_window(&self) -> UseOfWindow {
        let full = self.pipe() + self.smss > self.congestion.cwnd();
        if full || self.una < self.held_back {
            UseOfWindow::Full
        } else {
            UseOfWindow::Partial
        }
    }

    /// Bytes in flight as the recovery in force counts them.
    fn pipe(&self) -> u64 {
        match self.recovery {
            Recovery::Reno { .. } => self.flight(),
            _ => self.board.pipe(self.una, self.nxt),
        }
    }

    fn on_blocks(&mut self, blocks: &[Range]) -> u64 {
        if self.selective == Selective::Off {
            return 0;
        }
        let mut new = 0;
        for block in blocks {
            // A block beyond what was sent, or of what is acknowledged, is of no use.
            if block.start >= self.una && block.start < block.end && block.end <= self.nxt {
                new += self.board.report(*block);
            }
        }
        new
    }

    // RFC 6675 §2 with SACK, RFC 5681 §2 without.
    fn is_duplicate(&self, news: &AckNews<'_>, moved: window::Moved, news_of_sack: u64) -> bool {
        match self.selective {
            Selective::On => news_of_sack > 0,
            Selective::Off => {
                self.flight() > 0
                    && self.persist.is_none()
                    && news.content == Content::Bare
                    && moved == window::Moved::No
            }
        }
    }

    fn on_new_ack(&mut self, now: Time, ack: u64, use_of_window: UseOfWindow) {
        let bytes = ack - self.una;
        self.prev_una = self.una;
        self.una = ack;
        self.buffer.release(ack);
        self.board.advance(ack);
        self.rto.on_ack(now, ack);
        self.dup_acks = 0;
        self.expiries = 0;
        let news = Ack {
            now,
            bytes,
            use_of_window,
            srtt: self.rto.srtt(),
        };
        let timer = self.advance_recovery(&news);
        // RFC 6298 §5.2 and §5.3
        if self.flight() == 0 {
            self.retransmit_at = None;
        } else if timer == recovery::Timer::Restart {
            self.retransmit_at = Some(now + self.rto.rto());
        }
    }

    /// An acknowledgement of new data meets the recovery in force.
    fn advance_recovery(&mut self, news: &Ack) -> recovery::Timer {
        let (una, smss) = (self.una, self.smss);
        match &mut self.recovery {
            Recovery::Open => {
                self.limited = 0;
                // The SYN's acknowledgement opens nothing.
                if self.prev_una > 0 {
                    self.congestion.on_ack(news);
                }
            }
            Recovery::Sack { point, .. } => {
                if una >= *point {
                    self.recovery = Recovery::Open;
                }
            }
            Recovery::Reno(reno) => {
                if una >= reno.point {
                    self.congestion.on_recovered(self.nxt - una);
                    self.recovery = Recovery::Open;
                } else {
                    return reno.on_partial_ack(news.bytes, smss);
                }
            }
            Recovery::Timeout { point } => {
                let over = una >= *point;
                self.congestion.on_ack(news);
                if over {
                    self.recovery = Recovery::Open;
                }
            }
        }
        recovery::Timer::Restart
    }

    fn on_duplicate(&mut self) {
        self.counts.dup_acks += 1;
        self.dup_acks = self.dup_acks.saturating_add(1);
        if let Recovery::Reno(reno) = &mut self.recovery {
            reno.on_duplicate(self.smss);
        } else if self.recovery == Recovery::Open
            && self.dup_acks >= DUP_THRESH
            && self.may_fast_retransmit()
        {
            self.fast_retransmit();
        }
    }

    // RFC 6582 §3.2, step 1, with the heuristic of its §4.1: duplicates of what go-back-N sent
    // twice are no loss. With SACK duplicates carry news, and cannot mislead.
    fn may_fast_retransmit(&self) -> bool {
        self.selective == Selective::On
            || self.una > self.recover
            || (self.congestion.cwnd() > self.smss && self.una - self.prev_una <= 4 * self.smss)
    }

    fn fast_retransmit(&mut self) {
        // RFC 5681 §3.2, step 2: limited transmit's bytes do not count.
        let flight = self.flight().saturating_sub(self.limited);
        self.congestion.on_loss(Loss::Duplicates, flight);
        self.counts.fast_retransmits += 1;
        self.limited = 0;
        self.recover = self.nxt;
        self.board.begin(self.una);
        self.recovery = match self.selective {
            Selective::On => Recovery::on_sacks(self.nxt),
            Selective::Off => Recovery::on_duplicates(self.nxt, self.smss),
        };
    }

    // ---- Timers ----

    /// Runs what is due.
    pub(crate) fn on_timeout(&mut self, now: Time) -> Expiry {
        if let Some(persist) = &mut self.persist {
            if persist.at <= now {
                persist.probe = Due::Yes;
                persist.interval = (persist.interval * 2).min(PERSIST_MAX);
                persist.at = now + persist.interval;
            }
            return Expiry::Alive;
        }
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

    // RFC 6298 §5.4 to §5.6, RFC 5681 §3.1, RFC 6582 §3.2 step 4, RFC 6675 §5.1
    fn on_expiry(&mut self) {
        let loss = match self.recovery {
            _ if self.expiries > 0 => Loss::RepeatedTimeout,
            Recovery::Sack { .. } | Recovery::Reno(_) => Loss::TimeoutInRecovery,
            Recovery::Open | Recovery::Timeout { .. } => Loss::Timeout,
        };
        self.expiries += 1;
        self.counts.timeouts += 1;
        self.congestion.on_loss(loss, self.flight());
        self.rto.back_off();
        self.board.on_timeout(self.una, self.nxt);
        self.recover = self.nxt;
        self.recovery = Recovery::Timeout { point: self.nxt };
        self.dup_acks = 0;
        self.limited = 0;
        self.retransmit_at = None;
    }

    /// The window is open again, or what was probed was taken.
    fn leave_persist(&mut self) {
        if self.persist.is_none() || !(self.window.edge() > self.nxt || self.fits_whole()) {
            return;
        }
        self.persist = None;
        if self.flight() > 0 {
            // The probe's byte was not taken: it goes first now.
            self.board.on_timeout(self.una, self.nxt);
            self.recovery = Recovery::Timeout { point: self.nxt };
        }
    }

    /// Whether nothing is left that the window could hold back.
    fn fits_whole(&self) -> bool {
        self.flight() == 0 && self.unsent() == 0
    }

    fn unsent(&self) -> u64 {
        self.end() - self.nxt.min(self.end())
    }

    /// Position after all that is to be sent, FIN included.
    fn end(&self) -> u64 {
        match self.fin {
            Fin::Open => self.buffer.end(),
            Fin::Wanted => self.buffer.end() + 1,
        }
    }

    // ---- Sending ----

    /// What to send now, at most `max` bytes of payload; it counts as sent.
    pub(crate) fn poll(&mut self, now: Time, max: u64) -> Option<Range> {
        if self.una == 0 {
            return self.poll_syn(now);
        }
        if self.persist.is_some() {
            return self.poll_probe(now, max);
        }
        self.restart_after_idle(now);
        let range = match self.recovery {
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

    // RFC 3042. With SACK the pipe tells what has left, which comes to the same (RFC 6675 §5, step 3).
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

    /// Has the SYN sent again at once: the peer has not heard of ours.
    pub(crate) fn repeat_syn(&mut self) {
        if self.una == 0 && self.nxt > 0 {
            self.board.on_timeout(0, 1);
        }
    }

    // RFC 6675 §5: step 4.3, then step C with the rules of NextSeg() in turn.
    fn poll_sack(&mut self, now: Time, max: u64, first: Due) -> Option<Range> {
        let max = max.min(self.smss);
        if first == Due::Yes {
            self.recovery.on_due_sent();
            let lost = self.board.next_lost(self.una);
            let hole = lost
                .or_else(|| self.board.next_doubtful(self.una))
                .unwrap_or(Range::new(self.una, self.nxt));
            let range = cut(hole, max);
            self.send_again(now, range);
            // RFC 6675 §6: the timer may be set anew for the first retransmission.
            self.retransmit_at = Some(now + self.rto.rto());
            return Some(range);
        }
        if self.pipe() + self.smss > self.congestion.cwnd() {
            return None;
        }
        if let Some(lost) = self.board.next_lost(self.una) {
            let range = cut(lost, max);
            self.send_again(now, range);
            return Some(range);
        }
        if let Some(range) = self.poll_new(now, max, self.congestion.cwnd()) {
            return Some(range);
        }
        if let Some(doubtful) = self.board.next_doubtful(self.una) {
            let range = cut(doubtful, max);
            self.send_again(now, range);
            return Some(range);
        }
        let rescue = self.board.next_rescue(self.una, self.nxt)?;
        let range = Range::new(rescue.start.max(rescue.end.saturating_sub(max)), rescue.end);
        self.board.on_rescue(self.recover);
        self.count_again(now);
        Some(range)
    }

    // RFC 6582 §3.2
    fn poll_reno(&mut self, now: Time, max: u64, reno: recovery::Reno) -> Option<Range> {
        if reno.due == Due::Yes {
            self.recovery.on_due_sent();
            let range = cut(Range::new(self.una, self.nxt), max.min(self.smss));
            self.send_again(now, range);
            return Some(range);
        }
        let budget = reno.budget(self.congestion.cwnd(), self.smss);
        self.poll_new(now, max, budget)
    }

    // Slow start through what is lost (RFC 5681 §3.1), then on with new data.
    fn poll_after_timeout(&mut self, now: Time, max: u64) -> Option<Range> {
        let Some(lost) = self.board.next_lost(self.una) else {
            return self.poll_new(now, max, self.congestion.cwnd());
        };
        let range = cut(lost, max.min(self.smss));
        if self.pipe() + range.len() > self.congestion.cwnd() {
            self.held_back = self.nxt;
            return None;
        }
        self.send_again(now, range);
        Some(range)
    }

    /// New data, where window, congestion window and Nagle let it go.
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

    fn poll_probe(&mut self, now: Time, max: u64) -> Option<Range> {
        let persist = self.persist.as_mut().filter(|p| p.probe == Due::Yes)?;
        persist.probe = Due::No;
        self.counts.probes += 1;
        if self.flight() > 0 {
            self.counts.retransmissions += 1;
            return Some(Range::new(self.una, self.nxt));
        }
        let window = self.window.edge().saturating_sub(self.nxt);
        let len = self.unsent().min(max).min(window.max(1));
        let range = Range::new(self.nxt, self.nxt + len);
        self.nxt = range.end;
        self.last_sent = now;
        if window > 0 {
            // The override of silly window avoidance: this is no probe but data.
            self.persist = None;
            self.retransmit_at = Some(now + self.rto.rto());
        }
        Some(range)
    }

    fn enter_persist(&mut self, now: Time) {
        let interval = self.rto.rto().min(PERSIST_MAX);
        self.retransmit_at = None;
        self.persist = Some(Persist {
            at: now + interval,
            interval,
            probe: Due::No,
        });
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
        self.counts.segments += 1;
        self.rto.on_sent(now, range.end);
        self.on_sent(now);
    }

    fn send_again(&mut self, now: Time, range: Range) {
        self.board.on_retransmit(range.end);
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

/// At most `max` positions from the beginning of a range.
fn cut(range: Range, max: u64) -> Range {
    Range::new(range.start, range.end.min(range.start + max))
}

#[cfg(test)]
mod tests;
