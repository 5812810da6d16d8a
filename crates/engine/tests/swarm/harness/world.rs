//! Executes a plan in virtual time.

use std::borrow::Cow;

use core::iter;
use core::time::Duration;

use sheave_engine::wire::{Chunk, crc32c};
use sheave_engine::{
    Datagram, Endpoint, ErrorWarning, Icmp, IcmpError, Inits, Node, PathStats, PeerAddress, Time,
    Transmit,
};

use super::cipher::Keys;
use super::driver::Checksums;
use super::fault::{Fault, Verdict, ensure, fault};
use super::features;
use super::host::{Host, UDP};
use super::ledger::{Ledger, Pattern};
use super::manager::Manager;
use super::meddling::QUOTED;
use super::net::{Ailments, NETWORKS, Net, Packet, Parcel, overhead};
use super::packets::{Agreed, Emitted, check};
use super::plan::{End, Item, Plan};
use super::proof::Proofs;
use super::sender::{Departure, Exemptions, check_timeouts};
use super::verbs::Kind;
use super::window::Windows;

/// Maximum timer expiries per virtual second without effect.
const IDLE_TURNS: u64 = 100;
/// Maximum timer expiries at one instant: one, plus one per message expiring then.
const DUE_AT_ONCE: usize = 100;
/// Maximum packets of an end at one instant: some thousand short messages, with copies on four paths.
const PACKETS_AT_ONCE: usize = 40_000;
/// Interval of memory checks, steps.
const SAMPLED: u64 = 64;
/// Maximum steps in which no part of a message arrives and none is given up, as in an endless loop. A message
/// of 64 MiB that is delivered at its end takes half of them.
const MAX_STEPS: u64 = 400_000;

/// Statistics of a run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Figures {
    pub(crate) packets: u64,
    pub(crate) bytes: u64,
    pub(crate) virtual_time: Duration,
    pub(crate) messages: u64,
    pub(crate) delivered: u64,
    pub(crate) established: bool,
    pub(crate) complete: bool,
    /// Hash of all sent packets and their times.
    pub(crate) fingerprint: u64,
}

/// Timer expiries without effect in the current virtual second.
#[derive(Clone, Copy, Debug, Default)]
struct Idle {
    second: u64,
    turns: u64,
    /// Packets sent and received, and events, at the start of the second.
    activity: u64,
}

pub(crate) struct World<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) pattern: &'a Pattern,
    pub(crate) now: Time,
    pub(crate) began: Time,
    pub(crate) hosts: [Host; 2],
    /// Ledgers of the messages that each end sends.
    pub(crate) ledgers: [Ledger; 2],
    pub(crate) net: Net,
    pub(crate) agreed: Agreed,
    pub(crate) healed: Option<Time>,
    proofs: Proofs,
    pub(crate) windows: Windows,
    exemptions: [Exemptions; 2],
    segments: usize,
    redundant: u16,
    pub(crate) closer: End,
    /// Whether the first association starts without a handshake.
    snap: bool,
    /// The network that recovers first.
    pub(crate) heal_one: Option<usize>,
    /// Condition of the others until they recover.
    pub(crate) ailments: Ailments,
    /// Start of each end's last packet to each network.
    pub(crate) last_sent: [[Vec<u8>; NETWORKS]; 2],
    buf: Vec<u8>,
    steps: u64,
    /// Outcomes of messages, and the step of the last.
    outcomes: (u64, u64),
    idle: Idle,
    /// Packets received.
    received: u64,
    /// Hash of all sent packets and their times.
    fingerprint: u64,
    /// Log of sent packets, if requested.
    pub(crate) trace: Option<Vec<String>>,
}

impl<'a> World<'a> {
    pub(crate) fn new(plan: &'a Plan, pattern: &'a Pattern) -> Self {
        let began = Time::from_millis(1000);
        let mut net = Net::new(plan, began);
        let mut owned = 1;
        let (mut segments, mut redundant, mut udp, mut closer) = (8, 0, None, End::A);
        let mut checksums = Checksums::Engine;
        let (keys, mut forgets) = (Keys::default(), [false; 2]);
        let (mut memory, mut called) = ([None; 2], 0);
        let (mut snap, mut heal_one, mut ailments) = (false, None, Ailments::default());
        for item in &plan.items {
            let value = item.args[0];
            match item.verb().name {
                "paths" => owned = (1 << value.clamp(1, NETWORKS as u32)) - 1,
                "segments" => segments = value.max(1) as usize,
                "redundant" => redundant = value.min(500) as u16,
                "encapsulated" => udp = Some(UDP),
                "closer" => closer = End::BOTH[value as usize & 1],
                "memory" => memory[item.end.index()] = Some(value.max(4096) as usize),
                "snap" => snap = true,
                "heal_one" => heal_one = Some(value as usize % NETWORKS),
                "ailments" => ailments = Ailments(value),
                "verified" => checksums = Checksums::Driver,
                "called" => called = value as usize % NETWORKS,
                "forgets" => forgets[item.end.index()] = true,
                _ => {}
            }
        }
        let options = End::BOTH.map(|end| features::options(plan, end));
        let agreed = Agreed::of([&options[0], &options[1]]);
        net.keeps_integrity = agreed.zero_checksum;
        let exemptions = [&options[0], &options[1]].map(Exemptions::of);
        let [a, z] = options;
        let mut hosts = [
            Host::new(End::A, (a, memory[0]), owned, &mut net),
            Host::new(End::Z, (z, memory[1]), owned, &mut net),
        ];
        for (host, forgets) in hosts.iter_mut().zip(forgets) {
            host.manager = Manager::new(&keys, forgets);
            host.udp = udp;
            host.driver.checksums = checksums;
            // After an exchange of INITs, each end knows only the peer's first address.
            let is_there = !snap && owned >> called & 1 != 0;
            host.called = if is_there { called } else { 0 };
        }
        let mut windows = Windows::default();
        let resets = plan.has(&["reset_tsns", "delete_key"]);
        windows.suspended = [resets || agreed.partial_reliability; 2];
        Self {
            plan,
            pattern,
            now: began,
            began,
            hosts,
            ledgers: Default::default(),
            net,
            agreed,
            healed: None,
            proofs: Proofs::default(),
            windows,
            exemptions,
            segments,
            redundant,
            closer,
            snap,
            heal_one,
            ailments,
            last_sent: Default::default(),
            buf: Vec::new(),
            steps: 0,
            outcomes: (0, 0),
            idle: Idle::default(),
            received: 0,
            fingerprint: 0xcbf2_9ce4_8422_2325,
            trace: None,
        }
    }

    /// Runs the plan to completion.
    pub(crate) fn run(&mut self) -> Result<Figures, Box<Fault>> {
        let outcome = self.play();
        outcome?;
        let entries = self.ledgers.iter().flat_map(|ledger| &ledger.entries);
        let delivered = entries.clone().filter(|entry| entry.delivered).count();
        Ok(Figures {
            packets: self.net.losses.packets,
            bytes: self.ledgers.iter().map(|ledger| ledger.bytes).sum(),
            virtual_time: self.now.since(self.began),
            messages: entries.clone().count() as u64,
            delivered: delivered as u64,
            established: self.hosts.iter().any(|host| host.established > 0),
            complete: entries.clone().all(|entry| entry.delivered),
            fingerprint: self.fingerprint,
        })
    }

    fn play(&mut self) -> Verdict {
        if self.snap {
            self.connect_both()?;
        } else {
            self.connect(End::A)?;
        }
        self.pump_both()?;
        let mut acts: Vec<&Item> = self.plan.items.iter().collect();
        acts.retain(|item| matches!(item.verb().kind, Kind::Act));
        acts.sort_by_key(|item| item.args[0]);
        for item in acts {
            let until = self.began + Duration::from_millis(item.args[0].into());
            self.run_to(until)?;
            self.perform(item)?;
            self.check_cost()?;
            self.pump_both()?;
        }
        self.finish()
    }

    /// Starts both ends with INITs exchanged through signalling.
    fn connect_both(&mut self) -> Verdict {
        let inits = End::BOTH.map(|end| {
            let seed = self.net.random.bytes();
            Endpoint::init_chunk(&self.hosts[end.index()].options, seed)
        });
        let [Ok(a), Ok(z)] = inits else {
            return Err(fault("snap", "options of a plan are valid"));
        };
        for (end, ours, theirs) in [(End::A, &a, &z), (End::Z, &z, &a)] {
            if let Ok(Chunk::Init(init)) = Chunk::parse(ours) {
                self.proofs.on_init(end, &init);
            }
            let udp = self.hosts[end.other().index()].udp;
            let inits = Inits::new(ours, theirs);
            let inits = inits.ok_or_else(|| fault("snap", "each end draws a chunk of its own"))?;
            self.hosts[end.index()].connect_with_inits(self.now, &self.net, (udp, inits));
        }
        Ok(())
    }

    pub(crate) fn connect(&mut self, end: End) -> Verdict {
        let peer_udp = self.hosts[end.other().index()].udp;
        self.hosts[end.index()].connect(self.now, &self.net, peer_udp)
    }

    /// Runs until `until`.
    pub(crate) fn run_to(&mut self, until: Time) -> Verdict {
        while self.step(until)? {}
        Ok(())
    }

    /// Outcomes of the messages of both ends.
    pub(crate) fn outcomes_so_far(&self) -> u64 {
        self.ledgers.iter().map(|ledger| ledger.outcomes).sum()
    }

    /// Takes a step. Returns false, with the clock at `until`, if nothing happens before.
    pub(crate) fn step(&mut self, until: Time) -> Result<bool, Box<Fault>> {
        self.steps += 1;
        let outcomes = self.outcomes_so_far();
        if self.outcomes.0 != outcomes {
            self.outcomes = (outcomes, self.steps);
        }
        ensure(self.steps - self.outcomes.1 < MAX_STEPS, "circles", || {
            format!("{MAX_STEPS} steps after {outcomes} outcomes")
        })?;
        let arrival = self.net.next();
        let timers = self
            .hosts
            .iter()
            .filter_map(|host| host.driver.next_call(&host.engine));
        let Some(next) = timers.chain(arrival).min().filter(|next| *next <= until) else {
            self.now = self.now.max(until);
            self.check_silence()?;
            return Ok(false);
        };
        self.now = self.now.max(next);
        self.check_silence()?;
        if arrival.is_some_and(|at| at <= self.now) {
            self.deliver()?;
        } else {
            self.expire()?;
        }
        if self.steps.is_multiple_of(SAMPLED) {
            self.check_cost()?;
        }
        if self.net.random.chance(self.redundant) {
            let end = End::BOTH[self.net.random.index(2)];
            self.hosts[end.index()].engine.handle_timeout(self.now);
            self.pump(end)?;
        }
        Ok(true)
    }

    fn deliver(&mut self) -> Verdict {
        self.received += 1;
        let Some((end, parcel)) = self.net.take() else {
            return Ok(());
        };
        let now = self.now;
        let host = &mut self.hosts[end.index()];
        match &parcel {
            Parcel::Packet(packet) => {
                let owned = (self.net.owner(packet.to))
                    .is_some_and(|(_, network)| host.owned >> network & 1 != 0);
                if !owned || packet.udp.map(|(_, to)| to) != host.udp {
                    return Ok(());
                }
                host.wire_bytes += packet.bytes.len() as u64;
                let datagram = Datagram {
                    local: packet.to,
                    remote: PeerAddress {
                        ip: packet.from,
                        encapsulation: packet.udp.map(|(from, _)| from),
                    },
                    ecn: packet.ecn,
                    payload: &packet.bytes,
                };
                let refused = host.refused_plain();
                host.driver.handle(&mut host.engine, now, datagram);
                // Packets from an address that the peer has deleted are dropped, and plain ones once the
                // peer protects its own.
                let heeded = host.is_of_peer(packet.from) && host.refused_plain() == refused;
                if !packet.damaged && heeded {
                    let plain = host.manager.reveal(&packet.bytes);
                    let plain = plain.as_ref().unwrap_or(&packet.bytes);
                    self.windows.on_delivered(end, plain);
                    self.exemptions[end.index()].suspended |= has_full_sack(plain);
                }
            }
            Parcel::TooBig { mtu, quoted } => host.engine.handle_icmp(
                now,
                Icmp {
                    remote: quoted.to,
                    error: IcmpError::PacketTooBig { mtu: *mtu },
                    quoted: &quoted.bytes,
                },
            ),
            Parcel::Warning { quoted } => host.engine.handle_error_warning(
                now,
                ErrorWarning {
                    remote: quoted.to,
                    quoted: &quoted.bytes[..quoted.bytes.len().min(64)],
                },
            ),
        }
        self.pump(end)
    }

    fn expire(&mut self) -> Verdict {
        let now = self.now;
        let before = self.activity();
        for end in End::BOTH {
            if self.hosts[end.index()].driver.resumes(now) {
                self.pump(end)?;
            }
            self.expire_at(end)?;
        }
        let second = now.as_nanos() / 1_000_000_000;
        if self.idle.second != second {
            let activity = self.activity();
            self.idle = Idle {
                second,
                turns: 0,
                activity,
            };
        }
        // Timers whose packets nobody polls for have no effect.
        let mute = self.hosts.iter().any(|host| host.driver.is_mute());
        self.idle.turns += u64::from(self.activity() == before && !mute);
        // A deadline may be early once per packet.
        let allowed = IDLE_TURNS + self.activity() - self.idle.activity;
        ensure(self.idle.turns <= allowed, "busy poll", || {
            format!("{} turns in a second bring nothing about", self.idle.turns)
        })
    }

    fn activity(&self) -> u64 {
        let events: u64 = self.hosts.iter().map(|host| host.events).sum();
        events + self.net.losses.packets + self.received
    }

    /// Runs due timers of an end; its user may cause more that are due at once.
    fn expire_at(&mut self, end: End) -> Verdict {
        for _ in 0..DUE_AT_ONCE {
            let host = &mut self.hosts[end.index()];
            if !host.driver.has_due(self.now, &host.engine) {
                return Ok(());
            }
            let before = host.paths();
            host.engine.handle_timeout(self.now);
            let after = host.paths();
            check_timeouts(&host.options, &before, &after)?;
            self.pump(end)?;
        }
        Err(fault(
            "busy poll",
            format!("always something due at {}", self.now),
        ))
    }

    pub(crate) fn pump_both(&mut self) -> Verdict {
        End::BOTH.into_iter().try_for_each(|end| self.pump(end))
    }

    /// Runs an end's user and engine until neither can proceed.
    pub(crate) fn pump(&mut self, end: End) -> Verdict {
        for _ in 0..PACKETS_AT_ONCE {
            let [a, z] = &mut self.ledgers;
            let ledgers = match end {
                End::A => [a, z],
                End::Z => [z, a],
            };
            let host = &mut self.hosts[end.index()];
            let acted = host.act(self.now, self.pattern, ledgers)?;
            let mut buf = core::mem::take(&mut self.buf);
            let before = host.paths();
            let room = (&mut buf, self.segments);
            let transmit = host.driver.poll(&mut host.engine, self.now, room);
            let after = host.paths();
            let sent = match &transmit {
                Some(transmit) => self
                    .watch_sender(end, (&before, &after), transmit, &buf)
                    .and_then(|()| self.emit(end, transmit, &buf)),
                None => Ok(()),
            };
            self.buf = buf;
            sent?;
            if transmit.is_none() && !acted {
                return Ok(());
            }
        }
        Err(fault("circles", "poll_transmit has no end"))
    }

    /// Checks a train against its path's state.
    fn watch_sender(
        &mut self,
        end: End,
        (before_all, after): (&[PathStats], &[PathStats]),
        transmit: &Transmit,
        buf: &[u8],
    ) -> Verdict {
        let to = |paths: &[PathStats]| {
            let mut paths = paths.iter();
            paths
                .find(|path| path.remote == transmit.remote.ip)
                .cloned()
        };
        let (Some(before), Some(after)) = (to(before_all), to(after)) else {
            return Ok(());
        };
        let there = self.network(end.other(), transmit.remote.ip)?;
        let networks = before_all
            .iter()
            .filter_map(|path| self.network(end.other(), path.remote).ok());
        let others = networks.filter(|network| *network != there);
        let size = transmit.segment_size.unwrap_or(buf.len()).max(1);
        let packets: Vec<Cow<'_, [u8]>> = buf.chunks(size).map(|it| self.reveal(it)).collect();
        self.exemptions[end.index()].check(&Departure {
            now: self.now,
            before: &before,
            after: &after,
            packets: &packets,
            round_trips: iter::once(there)
                .chain(others)
                .map(|network| self.net.least_round_trip(end, network))
                .collect(),
        })
    }

    /// Splits a train and sends its packets.
    fn emit(&mut self, end: End, transmit: &Transmit, buf: &[u8]) -> Verdict {
        let size = transmit.segment_size.unwrap_or(buf.len()).max(1);
        let count = buf.len().div_ceil(size);
        ensure(count > 0 && count <= self.segments, "train", || {
            format!("{count} segments, {} asked for", self.segments)
        })?;
        let here = self.network(end, transmit.local)?;
        let there = self.network(end.other(), transmit.remote.ip)?;
        let udp = match (transmit.remote.encapsulation, self.hosts[end.index()].udp) {
            (Some(to), Some(from)) => Some((from, to)),
            (None, None) => None,
            other => return Err(fault("address", format!("UDP ports {other:?}"))),
        };
        let extra = overhead(transmit.local) + udp.map_or(0, |_| 8);
        let (local, remote) = (transmit.local, transmit.remote.ip);
        ensure(local.is_ipv4() == remote.is_ipv4(), "families", || {
            format!("{local} to {remote}")
        })?;
        self.hosts[end.index()].on_sent(self.now);
        for bytes in buf.chunks(size) {
            self.mix(bytes);
            let plain = self.reveal(bytes);
            let emitted = Emitted {
                end,
                bytes,
                plain: &plain,
                ip_len: bytes.len() + extra,
                ecn: transmit.ecn,
                v6: transmit.local.is_ipv6(),
                fragmentation: transmit.fragmentation,
            };
            self.note(&emitted, here, there);
            let last = &mut self.last_sent[end.index()][there];
            last.clear();
            last.extend_from_slice(&bytes[..bytes.len().min(QUOTED)]);
            check(&emitted, &self.agreed, &mut self.proofs, &mut self.windows)?;
            let packet = Packet {
                from: transmit.local,
                to: transmit.remote.ip,
                udp,
                ecn: transmit.ecn,
                fragmentation: transmit.fragmentation,
                bytes: bytes.to_vec(),
                damaged: false,
            };
            self.net.post(self.now, end, (here, there), packet);
        }
        Ok(())
    }

    /// The packet inside a protected one, or the packet itself.
    fn reveal<'b>(&self, packet: &'b [u8]) -> Cow<'b, [u8]> {
        let plain = self.hosts[0].manager.reveal(packet);
        plain.map_or(Cow::Borrowed(packet), Cow::Owned)
    }

    /// The network of an address, which must belong to `end`.
    fn network(&self, end: End, ip: core::net::IpAddr) -> Result<usize, Box<Fault>> {
        let owner = self.net.owner(ip);
        let network = owner.filter(|(owner, network)| {
            *owner == end && self.hosts[end.index()].owned >> network & 1 != 0
        });
        let network = network.map(|(_, network)| network);
        network.ok_or_else(|| fault("address", format!("{ip} is not an address of {end:?}")))
    }

    /// Mixes a packet and its time into the fingerprint.
    fn mix(&mut self, bytes: &[u8]) {
        let packet = u64::from(crc32c(bytes)) << 32 ^ self.now.as_nanos();
        self.fingerprint = (self.fingerprint ^ packet).wrapping_mul(0x0100_0000_01b3);
    }

    fn note(&mut self, emitted: &Emitted<'_>, here: usize, there: usize) {
        if let Some(trace) = &mut self.trace {
            let text = match sheave_engine::wire::Packet::parse(emitted.plain) {
                Ok(packet) => packet.to_string(),
                Err(bad) => format!("{bad:?}"),
            };
            let (end, len) = (emitted.end, emitted.ip_len);
            trace.push(format!("{} {end:?}{here}>{there} {len} {text}", self.now));
        }
    }
}

/// Whether the packet has a SACK so full of gap blocks that some may be missing.
fn has_full_sack(bytes: &[u8]) -> bool {
    const FULL: usize = 16;
    let packet = sheave_engine::wire::Packet::parse(bytes);
    packet.is_ok_and(|packet| {
        packet.chunks().flatten().any(|chunk| match chunk {
            Chunk::Sack(sack) => sack.gap_blocks.len() >= FULL,
            Chunk::NrSack(sack) => sack.gap_blocks.len() + sack.nr_gap_blocks.len() >= FULL,
            _ => false,
        })
    })
}
