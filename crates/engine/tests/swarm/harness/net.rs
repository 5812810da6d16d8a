//! The four networks between the two ends.

use std::collections::BTreeMap;

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use core::ops::Range;
use core::time::Duration;

use sheave_engine::{Ecn, Fragmentation, Time};

use super::link::{Line, Link, LossReason, Oversize};
use super::middlebox::Middlebox;
use super::plan::{End, Item, Plan};
use super::random::Random;
use super::verbs::Kind;

pub(crate) const NETWORKS: usize = 4;

/// Bytes of a UDP header.
const UDP_HEADER: usize = 8;

/// A delivery: a packet or an error message.
#[derive(Debug)]
pub(crate) enum Parcel {
    Packet(Packet),
    /// ICMP "packet too big", with a quotation.
    TooBig {
        mtu: u16,
        quoted: Packet,
    },
    /// Loss warning from a node on the path, with a quotation.
    Warning {
        quoted: Packet,
    },
}

/// A packet between the two ends.
#[derive(Clone, Debug)]
pub(crate) struct Packet {
    pub(crate) from: IpAddr,
    pub(crate) to: IpAddr,
    /// UDP source and destination ports, if encapsulated.
    pub(crate) udp: Option<(u16, u16)>,
    pub(crate) ecn: Ecn,
    pub(crate) fragmentation: Fragmentation,
    pub(crate) bytes: Vec<u8>,
    /// Whether the packet was damaged.
    pub(crate) damaged: bool,
}

impl Packet {
    /// Size of the whole IP packet, bytes.
    pub(crate) fn ip_len(&self) -> usize {
        let udp = self.udp.map_or(0, |_| UDP_HEADER);
        overhead(self.from) + udp + self.bytes.len()
    }
}

/// Size of the IP header, bytes.
pub(crate) const fn overhead(ip: IpAddr) -> usize {
    if ip.is_ipv4() { 20 } else { 40 }
}

/// A direction of a network, with what [`Line`] lacks.
#[derive(Default)]
struct Direction {
    line: Line,
    mark: u16,
    middlebox: Middlebox,
    warn: u16,
    icmp: bool,
    holes: Vec<(Range<Time>, usize)>,
    /// MTU changes and their times.
    mtus: Vec<(Time, usize)>,
}

impl Direction {
    fn is_down(&self, now: Time) -> bool {
        self.line.link.down.iter().any(|down| down.contains(&now))
    }

    fn mtu(&self, now: Time) -> usize {
        let begun = self.mtus.iter().filter(|(from, _)| *from <= now);
        let last = begun.max_by_key(|(from, _)| *from);
        last.map_or(self.line.link.mtu, |(_, mtu)| *mtu)
    }

    fn swallows(&self, now: Time, len: usize) -> bool {
        (self.holes.iter()).any(|(when, largest)| len > *largest && when.contains(&now))
    }
}

/// Condition of a network that does not recover.
#[derive(Clone, Copy, Debug)]
enum Ailment {
    Dead,
    /// Nothing arrives from that end.
    DeadFrom(End),
    /// Goes down and up, for that long each.
    Flapping(Duration),
    /// Longer packets are lost, without a report, so that no data arrives.
    Hole(usize),
}

/// The ailments of all networks: a digit each; 0 is dead.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ailments(pub(crate) u32);

impl Ailments {
    const ALL: [Ailment; 7] = [
        Ailment::Dead,
        Ailment::DeadFrom(End::A),
        Ailment::DeadFrom(End::Z),
        Ailment::Flapping(Duration::from_millis(15)),
        Ailment::Flapping(Duration::from_millis(300)),
        Ailment::Flapping(Duration::from_millis(2500)),
        Ailment::Hole(300),
    ];

    /// Number of combinations.
    pub(crate) const COUNT: u32 = (Self::ALL.len() as u32).pow(NETWORKS as u32);

    fn of(self, network: usize) -> Ailment {
        let base = Self::ALL.len() as u32;
        Self::ALL[(self.0 / base.pow(network as u32) % base) as usize]
    }
}

/// Times at which a flapping link is down; at last it stays down.
fn flaps(now: Time, period: Duration) -> impl Iterator<Item = Range<Time>> {
    const FLAPS: u32 = 400;
    (0..=FLAPS).map(move |nth| {
        let down = now + period * (2 * nth);
        down..if nth < FLAPS {
            down + period
        } else {
            Time::MAX
        }
    })
}

/// Faults of the network in a run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Losses {
    pub(crate) packets: u64,
    pub(crate) lost: u64,
    pub(crate) damaged: u64,
}

pub(crate) struct Net {
    directions: [[Direction; NETWORKS]; 2],
    v6: u32,
    pub(crate) random: Random,
    parcels: BTreeMap<(Time, u64), (End, Parcel)>,
    sequence: u64,
    pub(crate) losses: Losses,
    /// Whether damaged packets are lost, as with a lower layer that protects integrity.
    pub(crate) keeps_integrity: bool,
    /// Whether packets with foreign source addresses are dropped.
    pub(crate) checks_sources: bool,
}

impl Net {
    pub(crate) fn new(plan: &Plan, began: Time) -> Self {
        let mut net = Self {
            directions: Default::default(),
            v6: 0,
            random: Random::new(plan.seed),
            parcels: BTreeMap::new(),
            sequence: 0,
            losses: Losses::default(),
            keeps_integrity: false,
            checks_sources: false,
        };
        for direction in net.directions.iter_mut().flatten() {
            direction.line = Line::new(Link {
                oversize: Oversize::Fragmented,
                ..Link::default()
            });
        }
        for item in &plan.items {
            match item.verb().name {
                "v6" => net.v6 = item.args[0],
                "routed" => net.checks_sources = true,
                _ => {}
            }
        }
        for item in &plan.items {
            if matches!(item.verb().kind, Kind::Net) {
                net.set(item, began);
            }
        }
        net.widen_v6();
        net
    }

    /// Raises the MTU of IPv6 links to the minimum (RFC 8200 §5).
    fn widen_v6(&mut self) {
        for path in (0..NETWORKS).filter(|path| self.v6 >> path & 1 != 0) {
            for directions in &mut self.directions {
                let link = &mut directions[path].line.link;
                link.mtu = link.mtu.max(1280);
            }
        }
    }

    fn set(&mut self, item: &Item, began: Time) {
        let verb = item.verb().name;
        let [path, value, ..] = item.args;
        let path = path as usize % NETWORKS;
        let per_mille = value.min(1000) as u16;
        let at = |offset: u32| began + Duration::from_millis(offset.into());
        if verb == "cut" {
            // Item `a` cuts only from A to Z; `z` cuts both directions.
            let when = at(value)..at(value.saturating_add(item.args[2]));
            if item.end == End::Z {
                let back = &mut self.directions[End::Z.index()][path];
                back.line.link.down.push(when.clone());
            }
            return self.directions[0][path].line.link.down.push(when);
        }
        if verb == "flap" {
            let period = item.args[2].max(1);
            let ends: &[End] = match item.end {
                End::A => &[End::A],
                End::Z => &End::BOTH,
            };
            for (end, nth) in ends
                .iter()
                .flat_map(|end| (0..item.args[3].min(200)).map(move |nth| (end, nth)))
            {
                let down = value.saturating_add(2 * period * nth);
                let when = at(down)..at(down.saturating_add(period));
                let direction = &mut self.directions[end.index()][path];
                direction.line.link.down.push(when);
            }
            return;
        }
        let direction = &mut self.directions[item.end.index()][path];
        let link = &mut direction.line.link;
        match verb {
            "delay" => link.delay = Duration::from_micros(value.into()),
            "jitter" => link.jitter = Duration::from_micros(value.into()),
            "rate" => link.rate = Some(u64::from(value.max(64)) * 1000),
            "mtu" => link.mtu = (value as usize).max(576),
            "loss" => link.loss = per_mille.min(600),
            "duplicate" => link.duplicate = per_mille,
            "reorder" => link.reorder = per_mille,
            "corrupt" => link.corrupt = per_mille.min(600),
            "mark" => direction.mark = per_mille,
            "bleach" => direction.middlebox.bleach = per_mille,
            "thin" => direction.middlebox.thin = per_mille,
            "distinct" => direction.middlebox.distinct = per_mille,
            "shut" => {
                let when = at(value)..at(value.saturating_add(item.args[2]));
                direction.middlebox.shut.push(when);
            }
            "warn" => direction.warn = per_mille,
            "icmp" => direction.icmp = true,
            "hole" => {
                let when = at(value)..at(value.saturating_add(item.args[2]));
                direction.holes.push((when, item.args[3] as usize));
            }
            "remtu" => {
                let least = if self.v6 >> path & 1 != 0 { 1280 } else { 576 };
                direction
                    .mtus
                    .push((at(value), (item.args[2] as usize).max(least)));
            }
            _ => panic!("no property of a link: {verb}"),
        }
    }

    /// Heals one network; each other one gets an ailment of its own.
    pub(crate) fn heal_one(&mut self, now: Time, alive: usize, ailments: Ailments) {
        self.heal();
        for end in End::BOTH {
            for network in (0..NETWORKS).filter(|network| *network != alive) {
                let direction = &mut self.directions[end.index()][network];
                let down = &mut direction.line.link.down;
                match ailments.of(network) {
                    Ailment::Dead => down.push(now..Time::MAX),
                    Ailment::DeadFrom(from) if from == end => down.push(now..Time::MAX),
                    Ailment::DeadFrom(_) => {}
                    Ailment::Flapping(period) => down.extend(flaps(now, period)),
                    Ailment::Hole(largest) => direction.holes.push((now..Time::MAX, largest)),
                }
            }
        }
    }

    /// Takes an end's link in a network down at these times.
    pub(crate) fn break_down(&mut self, end: End, network: usize, spans: &[Range<Time>]) {
        let link = &mut self.directions[end.index()][network].line.link;
        link.down.extend_from_slice(spans);
    }

    /// Ends all loss, damage, duplication and reordering.
    pub(crate) fn heal(&mut self) {
        for direction in self.directions.iter_mut().flatten() {
            let link = &mut direction.line.link;
            (link.loss, link.duplicate, link.reorder, link.corrupt) = (0, 0, 0, 0);
            link.down.clear();
            link.queue = 1 << 20;
            direction.holes.clear();
            direction.middlebox.retire();
        }
    }

    /// Slowest rate, bits per second.
    pub(crate) fn slowest(&self) -> Option<u64> {
        let all = self.directions.iter().flatten();
        all.filter_map(|direction| direction.line.link.rate).min()
    }

    /// Longest delay, including jitter.
    pub(crate) fn longest_delay(&self) -> Duration {
        let all = self.directions.iter().flatten();
        let delays = all.map(|direction| direction.line.link.delay + direction.line.link.jitter);
        delays.max().unwrap_or_default()
    }

    /// Whether delays vary.
    pub(crate) fn varies(&self) -> bool {
        let mut all = self.directions.iter().flatten();
        all.any(|direction| !direction.line.link.jitter.is_zero())
    }

    /// Minimum round trip of a packet over that network with an answer over any network.
    pub(crate) fn least_round_trip(&self, end: End, there: usize) -> Duration {
        let delay = |direction: &Direction| direction.line.link.delay;
        let back = self.directions[end.other().index()].iter().map(delay).min();
        delay(&self.directions[end.index()][there]) + back.unwrap_or_default()
    }

    /// The address of an end in a network.
    pub(crate) fn address(&self, end: End, network: usize) -> IpAddr {
        let host = end.index() as u8 + 1;
        if self.v6 >> network & 1 != 0 {
            let network = network as u16;
            IpAddr::V6(Ipv6Addr::new(0xfd00, network, 0, 0, 0, 0, 0, host.into()))
        } else {
            IpAddr::V4(Ipv4Addr::new(10, network as u8, 0, host))
        }
    }

    /// Owner and network of an address.
    pub(crate) fn owner(&self, ip: IpAddr) -> Option<(End, usize)> {
        let (network, host) = match ip {
            IpAddr::V4(ip) => {
                let [_, network, _, host] = ip.octets();
                (usize::from(network), host)
            }
            IpAddr::V6(ip) => {
                let [_, network, .., host] = ip.segments();
                (usize::from(network), host as u8)
            }
        };
        let end = match host {
            1 => End::A,
            2 => End::Z,
            _ => return None,
        };
        (network < NETWORKS && self.address(end, network) == ip).then_some((end, network))
    }

    /// Arrival time of the next parcel.
    pub(crate) fn next(&self) -> Option<Time> {
        self.parcels.keys().next().map(|(at, _)| *at)
    }

    pub(crate) fn take(&mut self) -> Option<(End, Parcel)> {
        self.parcels.pop_first().map(|(_, parcel)| parcel)
    }

    /// Loses whatever is on its way.
    pub(crate) fn lose_all(&mut self) {
        self.losses.lost += self.parcels.len() as u64;
        self.parcels.clear();
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.parcels.is_empty()
    }

    fn put(&mut self, at: Time, end: End, parcel: Parcel) {
        self.sequence += 1;
        self.parcels.insert((at, self.sequence), (end, parcel));
    }

    /// Sends a packet of `end` from its network to one of the peer's.
    pub(crate) fn post(&mut self, now: Time, end: End, networks: (usize, usize), packet: Packet) {
        self.losses.packets += 1;
        if let Err(loss) = self.carry(now, end, networks, packet) {
            self.losses.lost += 1;
            let (parcel, tells) = loss;
            if let Some(parcel) = parcel {
                self.put(now + tells, end, parcel);
            }
        }
    }

    fn carry(
        &mut self,
        now: Time,
        end: End,
        (here, there): (usize, usize),
        mut packet: Packet,
    ) -> Result<(), (Option<Parcel>, Duration)> {
        let len = packet.ip_len();
        if self.checks_sources && here != there {
            return Err((None, Duration::ZERO));
        }
        let both = [here, there].map(|network| &self.directions[end.index()][network]);
        let back = Duration::from_micros(500);
        if both
            .iter()
            .any(|one| one.is_down(now) || one.swallows(now, len))
        {
            return Err((None, back));
        }
        let mtu = both
            .map(|one| one.mtu(now))
            .into_iter()
            .min()
            .unwrap_or(1500);
        let tells = both[0].icmp || both[1].icmp;
        if len > mtu && packet.fragmentation == Fragmentation::Forbidden {
            let mtu = mtu as u16;
            let quoted = packet;
            return Err((tells.then_some(Parcel::TooBig { mtu, quoted }), back));
        }
        let direction = &mut self.directions[end.index()][there];
        let markable = matches!(packet.ecn, Ecn::Ect0 | Ecn::Ect1);
        if markable && self.random.chance(direction.mark) {
            packet.ecn = Ecn::Ce;
        }
        packet.ecn = direction.middlebox.mark(packet.ecn, &mut self.random);
        (direction.middlebox).edit(now, &mut packet.bytes, &mut self.random);
        let warn = direction.warn;
        // IP fragments were counted above.
        let shape = (len.min(direction.line.link.mtu), packet.fragmentation);
        let whole = (warn > 0).then(|| packet.clone());
        let corrupts = direction.line.link.corrupt > 0;
        let before = corrupts.then(|| packet.bytes.clone());
        let carried = direction
            .line
            .carry(now, &mut packet.bytes, shape, &mut self.random);
        packet.damaged = before.is_some_and(|before| before != packet.bytes);
        let lost = matches!(carried, Err(LossReason::Error)) || packet.damaged;
        if lost
            && let Some(quoted) = whole
            && self.random.chance(warn)
        {
            self.put(now + back, end, Parcel::Warning { quoted });
        }
        let Ok(arrivals) = carried else {
            return Err((None, back));
        };
        self.losses.damaged += u64::from(packet.damaged);
        if packet.damaged && self.keeps_integrity {
            return Err((None, back));
        }
        let to = end.other();
        let (last, others) = arrivals.split_last().ok_or((None, back))?;
        for at in others {
            self.put(*at, to, Parcel::Packet(packet.clone()));
        }
        self.put(*last, to, Parcel::Packet(packet));
        Ok(())
    }
}
