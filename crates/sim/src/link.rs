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

/// The properties of a link, in one direction. They act on a packet in this order:
///
/// 1. `outages`: while the link is down, packets at either end are lost;
/// 2. `mtu`: longer packets are dropped, or fragmented (`long_packets`);
/// 3. `loss`: the packets that are hit vanish before they take room or time;
/// 4. `queue`: the rest waits while another packet is being sent;
/// 5. `pace`: it is sent, `overhead` included;
/// 6. `delay`: it travels;
/// 7. `duplication`, `reordering`, `corruption`: drawn as its last bit leaves.
///
/// The default is a perfect link: no limit, no rate, no delay.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkSpec {
    /// When it is down.
    pub outages: Vec<Outage>,
    /// The longest IP packet, bytes.
    pub mtu: u32,
    /// When it becomes another, if ever.
    pub narrowing: Option<Narrowing>,
    /// Treatment of longer packets.
    pub long_packets: LongPackets,
    /// The packets that are lost.
    pub loss: Errors,
    /// The queue in which packets wait.
    pub queue: Discipline,
    /// The rate at which packets are sent.
    pub pace: Pace,
    /// Bytes that the link adds to each packet when it sends it.
    pub overhead: u32,
    /// The propagation delay of packets.
    pub delay: Delay,
    /// Share of packets that arrive twice, at the same time.
    pub duplication: Probability,
    /// The packets that are held back.
    pub reordering: Option<Reordering>,
    /// The bits that arrive wrong.
    pub corruption: Corruption,
    /// Whether senders are told of what `loss` and `corruption` hit.
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
    /// A link of that rate and propagation delay, perfect otherwise.
    #[must_use]
    pub fn new(rate: Bitrate, delay: Duration) -> Self {
        Self {
            pace: Pace::Constant(rate),
            delay: Delay::constant(delay),
            ..Self::default()
        }
    }

    /// Whether any bit can arrive wrong.
    #[must_use]
    pub fn corrupts(&self) -> bool {
        self.corruption != Corruption::None
    }

    /// Sending time of a packet of middling size (500 bytes), for quantities counted in packets.
    fn packet_time(&self) -> Duration {
        match &self.pace {
            Pace::Constant(rate) => rate.time_for(500),
            Pace::Instant | Pace::Trace(_) => Duration::from_millis(1),
        }
    }
}

/// A time in which a link is down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outage {
    /// From then on.
    pub from: Time,
    /// Until then, exclusive.
    pub until: Time,
}

/// Counts of packets of a link by what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkStats {
    /// Packets that came to it.
    pub offered: u64,
    /// Lost because it was down, at either end.
    pub cut: u64,
    /// Dropped for being longer than the MTU.
    pub too_long: u64,
    /// Lost to the error model.
    pub lost: u64,
    /// Dropped by the queue.
    pub dropped: u64,
    /// Marked by the queue.
    pub marked: u64,
    /// Sent.
    pub sent: u64,
    /// Bytes of the IP packets sent.
    pub bytes_sent: u64,
    /// Delivered a second time.
    pub duplicated: u64,
    /// Held back so that others overtake them.
    pub held_back: u64,
    /// Notices sent of packets that were lost or damaged.
    pub warned: u64,
    /// Delivered with wrong bits in the transport's bytes.
    pub corrupted: u64,
    /// Dropped on arrival for wrong bits in the IP header.
    pub bad_header: u64,
    /// Delivered.
    pub delivered: u64,
    /// Most packets that ever waited.
    pub longest_queue: usize,
}

/// A packet on its way.
#[derive(Debug)]
struct InFlight {
    key: EventKey,
    packet: PacketId,
    damage: Damage,
}

/// Whether [`Event::Free`] is planned for the end of the packet being sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Planned {
    No,
    Yes,
}

/// Whether the queue is told which flows packets belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flows {
    Ignored,
    Told,
}

/// The network as a link sees it.
pub(crate) struct Around<'w> {
    pub(crate) now: Time,
    pub(crate) packets: &'w mut Packets,
    pub(crate) events: &'w mut Events,
}

/// A link at work.
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
    /// When the packet being sent, or the last one, is out.
    free_at: Time,
    planned: Planned,
    propagation: Propagation,
    duplication: Option<(Probability, Random)>,
    reordering: Option<(Reordering, Random)>,
    corruptor: Option<Corruptor>,
    error_warning: ErrorWarning,
    /// In the order of arrival.
    flight: VecDeque<InFlight>,
    dropped: Vec<PacketId>,
}

impl Link {
    /// `random` is the link's own.
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

    /// Packets that wait.
    pub(crate) fn queue_len(&self) -> usize {
        self.queue.len()
    }

    /// A packet comes to the near end.
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

    /// The packet being sent is out.
    pub(crate) fn on_free(&mut self, around: &mut Around<'_>) {
        self.planned = Planned::No;
        self.send_next(around);
    }

    /// The packet in front arrives at the far end, if it has that key and is not lost.
    pub(crate) fn land(&mut self, around: &mut Around<'_>, key: EventKey) -> Option<PacketId> {
        // A packet that overtook the others has left their event behind.
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

    /// Whether a packet that is too long can be made shorter.
    fn may_be_fragmented(&self, packet: &Packet) -> bool {
        self.long_packets != LongPackets::Dropped && packet.fragmentation == Fragmentation::Allowed
    }

    /// Bytes of the headers of all fragments but the first, of a packet that is too long.
    fn fragment_headers(&self, packet: &Packet, mtu: u32) -> u32 {
        if !self.may_be_fragmented(packet) {
            return 0;
        }
        let header = packet.header_len();
        let pieces = packet.len().saturating_sub(header).div_ceil(
            // What a fragment holds is a multiple of eight bytes.
            ((mtu as usize).saturating_sub(header) & !7).max(8),
        );
        u32::try_from(pieces.saturating_sub(1) * header).unwrap_or(u32::MAX / 2)
    }

    /// Whether the error model takes a packet.
    fn loses(&mut self, now: Time, len: u32) -> bool {
        let lost = match &mut self.loss {
            Some(loss) => loss.judge(now, len) == Hit::Hit,
            None => false,
        };
        self.stats.lost += u64::from(lost);
        lost
    }

    /// The ICMP message to the sender of a packet if the packet is hit.
    fn icmp_of(&self, around: &Around<'_>, packet: PacketId) -> Option<Packet> {
        match self.error_warning {
            ErrorWarning::On => said(around, packet, Word::LinkError),
            ErrorWarning::Off => None,
        }
    }

    /// The node before the link sends an ICMP message at `due`.
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

    /// Puts the next packet on the line, which is free.
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

    /// Lets a packet travel whose last bit leaves at `free_at`.
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

    /// Damages a packet, or not, and has its sender warned.
    fn corrupt(&mut self, around: &mut Around<'_>, packet: PacketId, due: Time) -> Damage {
        let icmp = self.icmp_of(around, packet);
        let Some(corruptor) = &mut self.corruptor else {
            return Damage::None;
        };
        let parcel = around.packets.get_mut(packet);
        let damage = corruptor.corrupt(self.free_at, &mut parcel.packet);
        if damage != Damage::None {
            // The far end's acknowledgement would have come back by then.
            self.warn(around, icmp, due + due.since(self.free_at));
        }
        damage
    }

    /// Puts a packet before those in flight that arrive later, and tells its place.
    fn overtake(&mut self, in_flight: InFlight) -> usize {
        let behind = self.flight.iter().rev();
        let overtaken = behind.take_while(|other| other.key > in_flight.key).count();
        let at = self.flight.len() - overtaken;
        self.flight.insert(at, in_flight);
        at
    }
}

/// An ICMP message to the sender of a packet.
fn said(around: &Around<'_>, packet: PacketId, word: Word) -> Option<Packet> {
    let parcel = around.packets.get(packet);
    // Whoever sent a visitor is not in this network.
    let resident = parcel.tag.is_none();
    resident
        .then(|| icmp::icmp_of(&parcel.packet, word))
        .flatten()
}
