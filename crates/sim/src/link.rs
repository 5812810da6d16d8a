use core::time::Duration;
use std::collections::VecDeque;

use sheave_engine::{Ecn, Fragmentation, Time};

use crate::capture::{Capture, Tap};
use crate::corruption::{Corruptor, Damage};
use crate::delay::Propagation;
use crate::error_model::{ErrorModel, Hit};
use crate::events::{Event, EventKey, Events};
use crate::icmp::Word;
use crate::packets::{PacketId, Packets};
use crate::queue::{LinkQueue, Queue, Verdict, Waiting};
use crate::rate::Serialiser;
use crate::world::{LinkId, Port};
use crate::{
    Bitrate, Corruption, Delay, Discipline, ErrorWarning, Errors, LongPackets, Narrowing, Pace,
    Packet, Probability, Random, Reordering, icmp,
};

/// Properties of one direction of a link, applied to a packet in this order:
///
/// 1. `outages`: packets at either end are lost while the link is down;
/// 2. `mtu`: longer packets are dropped or fragmented (`long_packets`);
/// 3. `loss`: the selected packets vanish without using queue space or time;
/// 4. `queue`: packets wait while another one is being sent;
/// 5. `pace`: the packet is sent, with `overhead`;
/// 6. `delay`: propagation;
/// 7. `duplication`, `reordering`, `corruption`: drawn when the last bit leaves.
///
/// The default is an ideal link: no limits, no delay, infinite rate.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkSpec {
    /// Periods during which the link is down.
    pub outages: Vec<Outage>,
    /// The longest IP packet, bytes.
    pub mtu: u32,
    /// A later change of the MTU.
    pub narrowing: Option<Narrowing>,
    /// Treatment of packets that exceed the MTU.
    pub long_packets: LongPackets,
    /// The error model that selects lost packets.
    pub loss: Errors,
    /// The queue before the link.
    pub queue: Discipline,
    /// The rate at which packets are sent.
    pub pace: Pace,
    /// Bytes added to each packet on the link.
    pub overhead: u32,
    /// The propagation delay of packets.
    pub delay: Delay,
    /// Share of packets delivered twice, at the same time.
    pub duplication: Probability,
    /// The reordering of packets; `None` keeps their order.
    pub reordering: Option<Reordering>,
    /// The bit errors of packets.
    pub corruption: Corruption,
    /// Whether senders are notified of packets hit by `loss` or `corruption`.
    pub error_warning: ErrorWarning,
}

impl Default for LinkSpec {
    fn default() -> Self {
        Self {
            outages: Vec::new(),
            mtu: u32::MAX,
            narrowing: None,
            long_packets: LongPackets::default(),
            loss: Errors::None,
            queue: Discipline::default(),
            pace: Pace::Instant,
            overhead: 0,
            delay: Delay::default(),
            duplication: Probability::NEVER,
            reordering: None,
            corruption: Corruption::None,
            error_warning: ErrorWarning::Off,
        }
    }
}

impl LinkSpec {
    /// An otherwise ideal link with that rate and delay.
    #[must_use]
    pub fn new(rate: Bitrate, delay: Duration) -> Self {
        Self {
            pace: Pace::Constant(rate),
            delay: Delay::constant(delay),
            ..Self::default()
        }
    }

    /// Whether any bits can be flipped.
    pub fn corrupts(&self) -> bool {
        self.corruption != Corruption::None
    }

    /// Sending time of a medium packet (500 bytes), for quantities measured in packets.
    fn packet_time(&self) -> Duration {
        match &self.pace {
            Pace::Constant(rate) => rate.time_for(500),
            Pace::Instant | Pace::Trace(_) => Duration::from_millis(1),
        }
    }
}

/// A period during which a link is down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outage {
    /// Start.
    pub from: Time,
    /// End, exclusive.
    pub until: Time,
}

/// Packet counters of a link, by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkStats {
    /// Packets offered to the link.
    pub offered: u64,
    /// Packets lost because the link was down at departure or arrival.
    pub cut: u64,
    /// Packets dropped because they exceeded the MTU.
    pub too_long: u64,
    /// Packets lost to the error model.
    pub lost: u64,
    /// Packets dropped by the queue.
    pub dropped: u64,
    /// Packets marked by the queue.
    pub marked: u64,
    /// Packets sent.
    pub sent: u64,
    /// Bytes of the IP packets sent.
    pub bytes_sent: u64,
    /// Packets duplicated.
    pub duplicated: u64,
    /// Packets held back for reordering.
    pub held_back: u64,
    /// Notices sent about lost or damaged packets.
    pub warned: u64,
    /// Packets delivered with bit errors in the transport's bytes.
    pub corrupted: u64,
    /// Packets dropped on arrival because of bit errors in the IP header.
    pub bad_header: u64,
    /// Packets delivered.
    pub delivered: u64,
    /// Largest queue length, packets.
    pub longest_queue: usize,
}

/// A packet in flight.
#[derive(Debug)]
struct InFlight {
    key: EventKey,
    packet: PacketId,
    damage: Damage,
}

/// Whether [`Event::Free`] is scheduled for the end of the current transmission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Planned {
    No,
    Yes,
}

/// Whether the queue is given the packets' flow hashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flows {
    Ignored,
    Told,
}

/// A link's access to the network.
pub(crate) struct Around<'w> {
    pub(crate) now: Time,
    pub(crate) packets: &'w mut Packets,
    pub(crate) events: &'w mut Events,
}

/// State of a link.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) id: LinkId,
    pub(crate) label: String,
    pub(crate) to: Port,
    pub(crate) stats: LinkStats,
    capture: Option<(Tap, Capture)>,
    outages: Vec<Outage>,
    mtu: u32,
    narrowing: Option<Narrowing>,
    long_packets: LongPackets,
    loss: Option<Box<dyn ErrorModel>>,
    queue: LinkQueue,
    flows: Flows,
    serialiser: Serialiser,
    overhead: u32,
    /// End of the current or last transmission.
    free_at: Time,
    planned: Planned,
    propagation: Propagation,
    duplication: Option<(Probability, Random)>,
    reordering: Option<(Reordering, Random)>,
    corruptor: Option<Corruptor>,
    error_warning: ErrorWarning,
    /// Packets in flight, in the order of arrival.
    flight: VecDeque<InFlight>,
    dropped: Vec<PacketId>,
}

impl Link {
    /// Creates the state of a link; `random` must be used by this link only.
    pub(crate) fn new(id: LinkId, label: &str, to: Port, spec: &LinkSpec, random: &Random) -> Self {
        let duplicates = spec.duplication != Probability::NEVER;
        Self {
            id,
            label: label.to_owned(),
            to,
            stats: LinkStats::default(),
            capture: None,
            outages: spec.outages.clone(),
            mtu: spec.mtu,
            narrowing: spec.narrowing,
            long_packets: spec.long_packets,
            loss: spec.loss.model(random.fork("loss")),
            queue: spec.queue.queue(spec.packet_time(), random.fork("queue")),
            flows: match spec.queue {
                Discipline::Custom(..) => Flows::Told,
                _ => Flows::Ignored,
            },
            serialiser: Serialiser::new(&spec.pace),
            overhead: spec.overhead,
            free_at: Time::ZERO,
            planned: Planned::No,
            propagation: Propagation::new(spec.delay.clone(), random.fork("delay")),
            duplication: duplicates.then(|| (spec.duplication, random.fork("duplication"))),
            reordering: (spec.reordering).map(|rule| (rule, random.fork("reordering"))),
            corruptor: spec.corruption.corruptor(&random.fork("corruption")),
            error_warning: spec.error_warning,
            flight: VecDeque::new(),
            dropped: Vec::new(),
        }
    }

    pub(crate) fn set_capture(&mut self, tap: Tap, capture: Capture) {
        self.capture = Some((tap, capture));
    }

    pub(crate) fn take_capture(&mut self) -> Option<Capture> {
        let (_, capture) = self.capture.take()?;
        Some(capture)
    }

    /// Number of queued packets.
    pub(crate) fn queue_len(&self) -> usize {
        self.queue.len()
    }

    /// Handles a packet that arrives at the near end.
    pub(crate) fn offer(&mut self, around: &mut Around<'_>, packet: PacketId) {
        let now = around.now;
        self.stats.offered += 1;
        let parcel = &around.packets.get(packet).packet;
        let len = u32::try_from(parcel.len()).unwrap_or(u32::MAX);
        let mtu = self.mtu(now);
        let is_long = len > mtu;
        let len = if is_long {
            len + self.fragment_headers(parcel, mtu)
        } else {
            len
        };
        let waiting = Waiting {
            packet,
            len,
            since: now,
            ecn: parcel.ecn,
            flow: match self.flows {
                Flows::Ignored => 0,
                Flows::Told => parcel.flow(),
            },
        };
        if self.is_down(now) {
            self.stats.cut += 1;
            return around.packets.give_back(packet);
        }
        if is_long && !self.may_be_fragmented(parcel) {
            self.stats.too_long += 1;
            let word = Word::TooBig {
                mtu: u16::try_from(mtu).unwrap_or(u16::MAX),
            };
            let reports = self.long_packets == LongPackets::Reported;
            let icmp = reports.then(|| said(around, packet, word)).flatten();
            self.warn(around, icmp, now);
            return around.packets.give_back(packet);
        }
        if self.loses(now, len) {
            let icmp = self.icmp_of(around, packet);
            self.warn(around, icmp, now);
            return around.packets.give_back(packet);
        }
        let idle = self.queue.len() == 0 && self.free_at <= now;
        if idle {
            self.queue.on_idle(self.free_at, now);
        }
        match self.queue.push(now, waiting) {
            Verdict::Queued => {}
            Verdict::Dropped => {
                self.stats.dropped += 1;
                return around.packets.give_back(packet);
            }
            Verdict::QueuedInsteadOf(other) => {
                self.stats.dropped += 1;
                around.packets.give_back(other);
            }
        }
        if idle {
            self.send_next(around);
        } else {
            self.stats.longest_queue = self.stats.longest_queue.max(self.queue.len());
            self.plan_free(around);
        }
    }

    /// Handles the end of the current transmission.
    pub(crate) fn on_free(&mut self, around: &mut Around<'_>) {
        self.planned = Planned::No;
        self.send_next(around);
    }

    /// Delivers the first packet in flight to the far end, if it has that key and is not lost.
    pub(crate) fn land(&mut self, around: &mut Around<'_>, key: EventKey) -> Option<PacketId> {
        // An overtaking packet leaves the event of the overtaken one behind.
        if self.flight.front()?.key != key {
            return None;
        }
        let InFlight { packet, damage, .. } = self.flight.pop_front()?;
        if let Some(next) = self.flight.front() {
            around.events.plan(next.key, Event::Arrival(self.id));
        }
        let fate = if self.is_down(around.now) {
            &mut self.stats.cut
        } else if damage == Damage::Header {
            &mut self.stats.bad_header
        } else {
            self.stats.delivered += 1;
            self.stats.corrupted += u64::from(damage == Damage::Payload);
            if let Some((Tap::Arrival, capture)) = &mut self.capture {
                let parcel = around.packets.get(packet);
                capture.record(around.now, 0, &parcel.packet);
            }
            return Some(packet);
        };
        *fate += 1;
        around.packets.give_back(packet);
        None
    }

    /// The longest IP packet.
    fn mtu(&self, now: Time) -> u32 {
        let narrowed = self.narrowing.filter(|narrowing| narrowing.from <= now);
        narrowed.map_or(self.mtu, |narrowing| narrowing.mtu)
    }

    /// Whether a packet above the MTU can be fragmented.
    fn may_be_fragmented(&self, packet: &Packet) -> bool {
        self.long_packets != LongPackets::Dropped && packet.fragmentation == Fragmentation::Allowed
    }

    /// Header bytes of all fragments but the first.
    fn fragment_headers(&self, packet: &Packet, mtu: u32) -> u32 {
        if !self.may_be_fragmented(packet) {
            return 0;
        }
        let header = packet.header_len();
        let pieces = packet.len().saturating_sub(header).div_ceil(
            // Fragment payloads are multiples of eight bytes.
            ((mtu as usize).saturating_sub(header) & !7).max(8),
        );
        u32::try_from(pieces.saturating_sub(1) * header).unwrap_or(u32::MAX / 2)
    }

    /// Whether the loss model drops a packet.
    fn loses(&mut self, now: Time, len: u32) -> bool {
        let lost = match &mut self.loss {
            Some(loss) => loss.judge(now, len) == Hit::Hit,
            None => false,
        };
        self.stats.lost += u64::from(lost);
        lost
    }

    /// The ICMP message to send if the packet is hit.
    fn icmp_of(&self, around: &Around<'_>, packet: PacketId) -> Option<Packet> {
        match self.error_warning {
            ErrorWarning::On => said(around, packet, Word::LinkError),
            ErrorWarning::Off => None,
        }
    }

    /// Schedules an ICMP message from the node before the link for `due`.
    fn warn(&mut self, around: &mut Around<'_>, icmp: Option<Packet>, due: Time) {
        let Some(icmp) = icmp else { return };
        self.stats.warned += 1;
        let packet = around.packets.take();
        let parcel = around.packets.get_mut(packet);
        parcel.packet = icmp;
        parcel.tag = None;
        let key = around.events.key(due);
        around.events.plan(key, Event::Icmp(self.id, packet));
    }

    fn is_down(&self, now: Time) -> bool {
        self.outages
            .iter()
            .any(|outage| outage.from <= now && now < outage.until)
    }

    fn plan_free(&mut self, around: &mut Around<'_>) {
        if self.planned == Planned::No {
            self.planned = Planned::Yes;
            let key = around.events.key(self.free_at);
            around.events.plan(key, Event::Free(self.id));
        }
    }

    /// Starts to send the next packet; the link must be idle.
    fn send_next(&mut self, around: &mut Around<'_>) {
        let next = self.queue.pop(around.now, &mut self.dropped);
        for packet in self.dropped.drain(..) {
            self.stats.dropped += 1;
            around.packets.give_back(packet);
        }
        let Some(next) = next else { return };
        let parcel = around.packets.get_mut(next.packet);
        if next.ecn == Ecn::Ce && parcel.packet.ecn != Ecn::Ce {
            parcel.packet.ecn = Ecn::Ce;
            self.stats.marked += 1;
        }
        if let Some((Tap::Departure, capture)) = &mut self.capture {
            capture.record(around.now, 0, &parcel.packet);
        }
        self.stats.sent += 1;
        self.stats.bytes_sent += u64::from(next.len);
        self.free_at = self.serialiser.finish(around.now, next.len + self.overhead);
        self.launch(around, next.packet);
        if self.queue.len() > 0 {
            self.plan_free(around);
        }
    }

    /// Puts a packet in flight; its last bit leaves at `free_at`.
    fn launch(&mut self, around: &mut Around<'_>, packet: PacketId) {
        let mut due = self.propagation.arrival(self.free_at);
        let twice = match &mut self.duplication {
            Some((probability, random)) => random.happens(*probability),
            None => false,
        };
        let second = twice.then(|| around.packets.duplicate(packet));
        self.stats.duplicated += u64::from(twice);
        if let Some((rule, random)) = &mut self.reordering
            && random.happens(rule.probability)
        {
            self.stats.held_back += 1;
            due = due + rule.extra;
        }
        self.fly(around, packet, due);
        if let Some(second) = second {
            self.fly_again(around, second, due);
        }
    }

    #[cold]
    fn fly_again(&mut self, around: &mut Around<'_>, packet: PacketId, due: Time) {
        self.fly(around, packet, due);
    }

    #[inline(always)] // For each packet; duplicates are seldom.
    fn fly(&mut self, around: &mut Around<'_>, packet: PacketId, due: Time) {
        let damage = match self.corruptor {
            None => Damage::None,
            Some(_) => self.corrupt(around, packet, due),
        };
        let key = around.events.key(due);
        let in_flight = InFlight {
            key,
            packet,
            damage,
        };
        let at = match self.flight.back() {
            Some(last) if last.key > key => self.overtake(in_flight),
            _ => {
                self.flight.push_back(in_flight);
                self.flight.len() - 1
            }
        };
        if at == 0 {
            around.events.plan(key, Event::Arrival(self.id));
        }
    }

    /// Applies corruption to a packet, and notifies its sender if enabled.
    fn corrupt(&mut self, around: &mut Around<'_>, packet: PacketId, due: Time) -> Damage {
        let icmp = self.icmp_of(around, packet);
        let Some(corruptor) = &mut self.corruptor else {
            return Damage::None;
        };
        let parcel = around.packets.get_mut(packet);
        let damage = corruptor.corrupt(self.free_at, &mut parcel.packet);
        if damage != Damage::None {
            // By then the far end's acknowledgement would have arrived.
            self.warn(around, icmp, due + due.since(self.free_at));
        }
        damage
    }

    /// Inserts a packet among those in flight by arrival time; returns its position.
    fn overtake(&mut self, in_flight: InFlight) -> usize {
        let behind = self.flight.iter().rev();
        let overtaken = behind.take_while(|other| other.key > in_flight.key).count();
        let at = self.flight.len() - overtaken;
        self.flight.insert(at, in_flight);
        at
    }
}

/// Sends an ICMP message to a packet's sender.
fn said(around: &Around<'_>, packet: PacketId, word: Word) -> Option<Packet> {
    let parcel = around.packets.get(packet);
    // Senders of visitor packets are outside the simulation.
    let resident = parcel.tag.is_none();
    resident
        .then(|| icmp::icmp_of(&parcel.packet, word))
        .flatten()
}
