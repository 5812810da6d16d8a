use core::net::IpAddr;
use core::time::Duration;

use sheave_engine::{Checksum, Time};

use super::phase::Step;
use super::range_set::Range;
use super::receiver::{Piece, PieceEnd, Receiver};
use super::segment::{Flags, Header, Sack, SackBlock, SackBlocks, Segment, TimestampsOption, seal};
use super::sender::{AckNews, Content, Digest, Expiry, SendCounts, Sender};
use super::seq::Origin;
use super::{Options, Phase, Selective, Seq, Timestamps, WindowScaling, earlier};

/// Smallest accepted MSS, bytes; a smaller one leaves no room for data beside options.
const MSS_MIN: u16 = 88;
/// MSS of a peer that announces none (RFC 9293 §3.7.1).
const MSS_DEFAULT: u16 = 536;
/// Most SACK blocks beside timestamps, since options have 40 bytes.
const BLOCKS_BESIDE_TIMESTAMPS: usize = 3;

/// The two ends of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tuple {
    /// Our address.
    pub local: IpAddr,
    /// Our port.
    pub local_port: u16,
    /// The peer's address.
    pub remote: IpAddr,
    /// The peer's port.
    pub remote_port: u16,
}

/// The reason why a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CloseReason {
    /// Both ends finished.
    Finished,
    /// The peer refused the connection.
    Refused,
    /// The peer aborted.
    Reset,
    /// The peer did not answer.
    TimedOut,
    /// This end aborted.
    Aborted,
}

/// Consequences of a segment or timer outside the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reaction {
    Nothing,
    /// A RST must be sent.
    Refuse(Header),
    /// The connection has ended.
    Over(CloseReason),
}

/// A snapshot of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionStats {
    /// The phase.
    pub phase: Phase,
    /// The congestion window, bytes.
    pub cwnd: u64,
    /// Slow-start threshold, bytes; `u64::MAX` if not set yet.
    pub ssthresh: u64,
    /// Bytes sent and not acknowledged.
    pub flight: u64,
    /// The smoothed round trip, once measured.
    pub srtt: Option<Duration>,
    /// The retransmission timeout.
    pub rto: Duration,
    /// Bytes of the stream that the peer has acknowledged.
    pub bytes_acked: u64,
    /// In-order bytes received.
    pub bytes_received: u64,
    /// Valid segments received.
    pub segments_received: u64,
    /// Acknowledgements sent in segments of their own.
    pub bare_acks: u64,
    /// Counters of the sending half.
    pub sent: SendCounts,
}

/// Transmission control block (RFC 9293 §3.3.1): one connection.
#[derive(Debug)]
pub(crate) struct Tcb {
    tuple: Tuple,
    options: Options,
    phase: Phase,
    origin: Origin,
    /// The options of the peer's SYN; `None` before its arrival.
    peer: Option<Peer>,
    sender: Sender,
    time_wait: Option<Time>,
    segments_received: u64,
    bare_acks: u64,
}

/// The options of the peer's SYN, and the receiver for its data.
#[derive(Debug)]
struct Peer {
    origin: Origin,
    /// Most payload bytes per segment to the peer.
    mss: u16,
    selective: Selective,
    /// Scale of the windows in the peer's headers; `None` if the peer offered none.
    scale: Option<u8>,
    /// Last clock value received from the peer (TS.Recent of RFC 7323 §4.3); `None` without
    /// timestamps.
    clock: Option<u32>,
    receiver: Receiver,
}

impl Tcb {
    /// A connection that starts with our SYN, numbered `isn`.
    pub(crate) fn connect(tuple: Tuple, options: &Options, isn: Seq) -> Self {
        let mut options = options.clone();
        options.mss = options.mss.max(MSS_MIN);
        Self {
            tuple,
            phase: Phase::SynSent,
            origin: Origin(isn),
            peer: None,
            sender: Sender::new(&options),
            time_wait: None,
            segments_received: 0,
            bare_acks: 0,
            options,
        }
    }

    /// A connection that starts with the peer's SYN.
    pub(crate) fn accept(tuple: Tuple, options: &Options, isn: Seq, syn: &Header) -> Self {
        let mut tcb = Self::connect(tuple, options, isn);
        tcb.meet(syn);
        tcb.phase = tcb.phase.after(Step::SynAlone);
        tcb
    }

    pub(crate) const fn phase(&self) -> Phase {
        self.phase
    }

    pub(crate) const fn tuple(&self) -> Tuple {
        self.tuple
    }

    pub(crate) const fn sender(&self) -> &Sender {
        &self.sender
    }

    pub(crate) const fn sender_mut(&mut self) -> &mut Sender {
        &mut self.sender
    }

    pub(crate) fn receiver(&self) -> Option<&Receiver> {
        self.peer.as_ref().map(|peer| &peer.receiver)
    }

    pub(crate) fn receiver_mut(&mut self) -> Option<&mut Receiver> {
        self.peer.as_mut().map(|peer| &mut peer.receiver)
    }

    pub(crate) fn stats(&self) -> ConnectionStats {
        ConnectionStats {
            phase: self.phase,
            cwnd: self.sender.cwnd(),
            ssthresh: self.sender.ssthresh(),
            flight: self.sender.flight(),
            srtt: self.sender.rto().srtt(),
            rto: self.sender.rto().rto(),
            bytes_acked: self.sender.bytes_acked(),
            bytes_received: self.receiver().map_or(0, Receiver::bytes_received),
            segments_received: self.segments_received,
            bare_acks: self.bare_acks,
            sent: self.sender.counts(),
        }
    }

    /// Finishes sending.
    pub(crate) fn shutdown(&mut self) {
        self.sender.finish();
        self.phase = self.phase.after(Step::Shutdown);
    }

    /// The RST that notifies the peer of an abort.
    pub(crate) fn reset(&self) -> Header {
        Header {
            source_port: self.tuple.local_port,
            destination_port: self.tuple.remote_port,
            seq: self.origin.seq(self.sender.nxt()),
            ack: self.ack(),
            flags: Flags::RST,
            ..Header::default()
        }
    }

    fn ack(&self) -> Option<Seq> {
        let peer = self.peer.as_ref()?;
        Some(peer.origin.seq(peer.receiver.nxt()))
    }

    // ---- Input ----

    /// Handles a segment of this connection (RFC 9293 §3.10.7).
    pub(crate) fn handle(&mut self, now: Time, segment: &Segment<'_>) -> Reaction {
        self.segments_received += 1;
        match self.phase {
            Phase::Closed => Reaction::Nothing,
            Phase::SynSent => self.on_answer(now, &segment.header),
            _ => self.on_segment(now, segment),
        }
    }

    // RFC 9293 §3.10.7.3
    fn on_answer(&mut self, now: Time, header: &Header) -> Reaction {
        let nxt = self.sender.nxt();
        let acks_syn = match header.ack {
            None => false,
            Some(ack) if self.origin.position(ack, nxt) == Some(1) && nxt == 1 => true,
            Some(_) if header.flags.contains(Flags::RST) => return Reaction::Nothing,
            Some(ack) => return Reaction::Refuse(refusal(self.tuple, ack)),
        };
        if header.flags.contains(Flags::RST) {
            return if acks_syn {
                self.over(CloseReason::Refused)
            } else {
                Reaction::Nothing
            };
        }
        if !header.flags.contains(Flags::SYN) {
            return Reaction::Nothing;
        }
        self.meet(header);
        if acks_syn {
            self.establish(now, 0, u64::from(header.window));
            if let Some(receiver) = self.receiver_mut() {
                receiver.owe();
            }
        } else {
            self.phase = self.phase.after(Step::SynAlone);
            self.sender.repeat_syn();
        }
        Reaction::Nothing
    }

    /// Applies the options of the peer's SYN.
    fn meet(&mut self, syn: &Header) {
        let scaling = self.options.window_scaling == WindowScaling::On;
        // RFC 7323 §2.3: a shift above 14 is 14; both ends must offer it.
        let scale = syn.window_scale.filter(|_| scaling).map(|s| s.min(14));
        let mss = syn.mss.unwrap_or(MSS_DEFAULT).max(MSS_MIN);
        let selective = match syn.sack {
            Sack::Permitted => self.options.selective,
            Sack::Absent | Sack::Blocks(_) => Selective::Off,
        };
        let ours = scale.map_or(0, |_| self.options.scale());
        let wanted = self.options.timestamps == Timestamps::On;
        let clock = syn.timestamps.filter(|_| wanted);
        self.peer = Some(Peer {
            origin: Origin(syn.seq),
            mss: mss.min(self.options.mss),
            selective,
            scale,
            clock: clock.map(|stamps| stamps.value),
            receiver: Receiver::new(&self.options, u64::from(self.options.mss), ours),
        });
    }

    /// Handles the acknowledgement of our SYN; the segment is at `seq` and offers `window` bytes.
    fn establish(&mut self, now: Time, seq: u64, window: u64) {
        let Some(peer) = &self.peer else { return };
        // RFC 6691: the MSS that was offered includes options.
        let options = peer.clock.map_or(0, |_| TimestampsOption::LEN as u64);
        let smss = u64::from(peer.mss).saturating_sub(options);
        self.sender.agree(smss, peer.selective);
        self.phase = self.phase.after(Step::Established);
        let news = AckNews {
            ack: 1,
            window,
            seq,
            blocks: &[],
            content: Content::Loaded,
        };
        self.sender.on_ack(now, &news);
        // The application may have finished during the handshake.
        if self.sender.is_finishing() {
            self.phase = self.phase.after(Step::Shutdown);
        }
    }

    // RFC 9293 §3.10.7.4, its checks in order.
    fn on_segment(&mut self, now: Time, segment: &Segment<'_>) -> Reaction {
        let header = &segment.header;
        let Some(peer) = &mut self.peer else {
            return Reaction::Nothing;
        };
        let nxt = peer.receiver.nxt();
        let position = peer
            .origin
            .position(header.seq, nxt)
            .filter(|at| peer.receiver.accepts(*at, segment.span()));
        let Some(position) = position else {
            self.on_unacceptable(now, header);
            return Reaction::Nothing;
        };
        if header.flags.contains(Flags::RST) {
            if position == nxt {
                return self.over(CloseReason::Reset);
            }
            // RFC 5961 §3.2: any other RST may be forged, so it gets a challenge acknowledgement.
            peer.receiver.owe();
            return Reaction::Nothing;
        }
        // RFC 5961 §4.2
        if header.flags.contains(Flags::SYN) {
            peer.receiver.owe();
            return Reaction::Nothing;
        }
        // RFC 7323 §4.3
        if let (Some(clock), Some(stamps)) = (&mut peer.clock, header.timestamps)
            && position <= nxt
        {
            *clock = stamps.value.max(*clock);
        }
        let Some(ack) = header.ack else {
            return Reaction::Nothing;
        };
        if self.phase == Phase::SynReceived {
            let window = u64::from(header.window) << peer.scale.unwrap_or(0);
            if self.origin.position(ack, 1) != Some(1) {
                return Reaction::Refuse(refusal(self.tuple, ack));
            }
            self.establish(now, position, window);
        }
        if self.on_ack(now, position, segment, ack) == Digest::Unsent {
            if let Some(receiver) = self.receiver_mut() {
                receiver.owe();
            }
            return Reaction::Nothing;
        }
        if self.sender.fin_is_acked() {
            self.step(now, Step::FinAcked);
        }
        if segment.span() > 0 {
            self.on_text(now, position, segment);
        }
        if self.phase == Phase::Closed {
            return Reaction::Over(CloseReason::Finished);
        }
        Reaction::Nothing
    }

    fn on_unacceptable(&mut self, now: Time, header: &Header) {
        if header.flags.contains(Flags::RST) {
            return;
        }
        if self.phase == Phase::SynReceived && header.flags.contains(Flags::SYN) {
            // The peer has not received our SYN.
            self.sender.repeat_syn();
            return;
        }
        if self.phase == Phase::TimeWait && header.flags.contains(Flags::FIN) {
            self.time_wait = Some(now + self.options.time_wait);
        }
        if let Some(receiver) = self.receiver_mut() {
            receiver.owe();
        }
    }

    fn on_ack(&mut self, now: Time, seq: u64, segment: &Segment<'_>, ack: Seq) -> Digest {
        // Before our SYN was sent, nothing can be acknowledged.
        let Some(ack) = self.origin.position(ack, self.sender.una()) else {
            return Digest::Unsent;
        };
        let scale = self.peer.as_ref().and_then(|peer| peer.scale).unwrap_or(0);
        let ranges;
        let blocks: &[Range] = match segment.header.sack {
            Sack::Blocks(blocks) => {
                ranges = self.ranges(&blocks);
                ranges.get(..blocks.len()).unwrap_or_default()
            }
            Sack::Absent | Sack::Permitted => &[],
        };
        let content = if segment.span() == 0 {
            Content::Bare
        } else {
            Content::Loaded
        };
        let news = AckNews {
            ack,
            window: u64::from(segment.header.window) << scale,
            seq,
            blocks,
            content,
        };
        self.sender.on_ack(now, &news)
    }

    /// SACK blocks as positions; the rest is empty.
    fn ranges(&self, blocks: &SackBlocks) -> [Range; SackBlocks::MAX] {
        let mut ranges = [Range::new(0, 0); SackBlocks::MAX];
        let near = self.sender.una();
        for (slot, block) in ranges.iter_mut().zip(blocks.iter()) {
            let start = self.origin.position(block.left, near);
            let end = self.origin.position(block.right, near);
            if let (Some(start), Some(end)) = (start, end) {
                *slot = Range::new(start, end);
            }
        }
        ranges
    }

    fn on_text(&mut self, now: Time, position: u64, segment: &Segment<'_>) {
        let Some(peer) = &mut self.peer else { return };
        let was_finished = peer.receiver.is_finished();
        let end = if segment.header.flags.contains(Flags::FIN) {
            PieceEnd::Fin
        } else {
            PieceEnd::More
        };
        let piece = Piece {
            position,
            payload: segment.payload,
            end,
        };
        peer.receiver.on_piece(now, piece);
        if !was_finished && peer.receiver.is_finished() {
            self.step(now, Step::PeerFin);
        }
    }

    fn step(&mut self, now: Time, step: Step) {
        self.phase = self.phase.after(step);
        if self.phase == Phase::TimeWait && self.time_wait.is_none() {
            self.time_wait = Some(now + self.options.time_wait);
        }
    }

    fn over(&mut self, reason: CloseReason) -> Reaction {
        self.phase = Phase::Closed;
        Reaction::Over(reason)
    }

    // ---- Timers ----

    /// When `on_timeout` must be called.
    pub(crate) fn deadline(&self) -> Option<Time> {
        let received = self.receiver().and_then(Receiver::deadline);
        earlier(earlier(self.sender.deadline(), received), self.time_wait)
    }

    /// Handles all timers that have expired.
    pub(crate) fn on_timeout(&mut self, now: Time) -> Reaction {
        if self.phase == Phase::Closed {
            return Reaction::Nothing;
        }
        if self.time_wait.is_some_and(|at| at <= now) {
            return self.over(CloseReason::Finished);
        }
        if let Some(receiver) = self.receiver_mut() {
            receiver.on_timeout(now);
        }
        match self.sender.on_timeout(now) {
            Expiry::Alive => Reaction::Nothing,
            Expiry::GaveUp => self.over(CloseReason::TimedOut),
        }
    }

    // ---- Output ----

    /// Appends the next segment to `out`; returns whether there was one.
    pub(crate) fn poll(&mut self, now: Time, checksum: Checksum, out: &mut Vec<u8>) -> bool {
        if self.phase == Phase::Closed {
            return false;
        }
        let sack = self.sack();
        let options_len = sack.options_len() as u64;
        let max = self.sender.smss().saturating_sub(options_len).max(1);
        let Some(range) = self.sender.poll(now, max) else {
            return self.poll_ack(now, sack, checksum, out);
        };
        let mut header = self.header(now, sack);
        header.seq = self.origin.seq(range.start);
        if range.start == 0 {
            self.dress_syn(&mut header);
        } else {
            if self.sender.has_fin(range) {
                header.flags = header.flags.union(Flags::FIN);
            }
            if self.sender.is_pushed(range) {
                header.flags = header.flags.union(Flags::PSH);
            }
        }
        self.write(&header, range, checksum, out);
        true
    }

    fn poll_ack(&mut self, now: Time, sack: Sack, checksum: Checksum, out: &mut Vec<u8>) -> bool {
        if !self.receiver().is_some_and(Receiver::owes) || !self.phase.is_synchronised() {
            return false;
        }
        self.bare_acks += 1;
        let header = self.header(now, sack);
        self.write(&header, Range::new(0, 0), checksum, out);
        true
    }

    fn write(&mut self, header: &Header, range: Range, checksum: Checksum, out: &mut Vec<u8>) {
        let at = out.len();
        header.write(out);
        self.sender.copy(range, out);
        if checksum == Checksum::Computed
            && let Some(segment) = out.get_mut(at..)
        {
            seal(segment, self.tuple.local, self.tuple.remote);
        }
        if let Some(receiver) = self.receiver_mut() {
            receiver.on_acked();
        }
    }

    /// The header of a bare acknowledgement.
    fn header(&mut self, now: Time, sack: Sack) -> Header {
        Header {
            source_port: self.tuple.local_port,
            destination_port: self.tuple.remote_port,
            seq: self.origin.seq(self.sender.nxt()),
            window: self.receiver_mut().map_or(0, Receiver::offer),
            ack: self.ack(),
            timestamps: self.timestamps(now),
            sack,
            ..Header::default()
        }
    }

    /// Timestamps of a departing segment: our SYN offers them, and later segments carry them if the
    /// peer offered them, too.
    fn timestamps(&self, now: Time) -> Option<TimestampsOption> {
        let echo = match &self.peer {
            None if self.options.timestamps == Timestamps::On => 0,
            None => return None,
            Some(peer) => peer.clock?,
        };
        let millis = now.since(Time::ZERO).as_millis();
        #[expect(clippy::cast_possible_truncation, reason = "the clock wraps around")]
        let value = millis as u32;
        Some(TimestampsOption { value, echo })
    }

    /// Options of a SYN; a SYN-ACK only has options that the peer's SYN had.
    fn dress_syn(&self, header: &mut Header) {
        let scaling = self.options.window_scaling == WindowScaling::On;
        let (scale, selective) = match &self.peer {
            None => (scaling, self.options.selective),
            Some(peer) => (peer.scale.is_some(), peer.selective),
        };
        header.flags = Flags::SYN;
        header.mss = Some(self.options.mss);
        header.window_scale = scale.then(|| self.options.scale());
        header.sack = match selective {
            Selective::On => Sack::Permitted,
            Selective::Off => Sack::Absent,
        };
        header.window = u16::try_from(self.options.receive_buffer).unwrap_or(u16::MAX);
    }

    fn sack(&self) -> Sack {
        let Some(peer) = self.peer.as_ref() else {
            return Sack::Absent;
        };
        let ranges = peer.receiver.blocks();
        if peer.selective == Selective::Off || ranges.is_empty() {
            return Sack::Absent;
        }
        let room = match peer.clock {
            Some(_) => BLOCKS_BESIDE_TIMESTAMPS,
            None => SackBlocks::MAX,
        };
        let mut blocks = SackBlocks::default();
        for range in ranges.iter().take(room) {
            blocks.push(SackBlock {
                left: peer.origin.seq(range.start),
                right: peer.origin.seq(range.end),
            });
        }
        Sack::Blocks(blocks)
    }
}

/// The RST for a segment that acknowledges `ack` but has no connection (RFC 9293 §3.5.2, group 1).
fn refusal(tuple: Tuple, ack: Seq) -> Header {
    Header {
        source_port: tuple.local_port,
        destination_port: tuple.remote_port,
        seq: ack,
        flags: Flags::RST,
        ..Header::default()
    }
}
