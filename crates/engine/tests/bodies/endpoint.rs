//! Two endpoints, their users and the network between them, all played by a fuzzer's bytes.
//!
//! Whatever the bytes say, nothing may panic, every packet that leaves must be valid, memory must
//! stay within the options, and every loop must end.

use core::net::{IpAddr, Ipv4Addr};
use core::time::Duration;
use std::collections::VecDeque;

use sheave_engine::wire::{Chunk, ChunkType, Packet, StreamId, crc32c};
use sheave_engine::{
    Acknowledgement, AddressChanges, AssocId, Authentication, BufferSizes, Bundling, ChunkChecksum,
    ChunkSet, Complaint, CongestionAlgorithm, Connect, Datagram, Ecn, Endpoint, EndpointOptions,
    ErrorWarning, Event, ExplicitCongestion, FastRetransmissions, Heartbeats, Icmp, Interleaving,
    KeyId, LossDetection, LossRecovery, Message, Node, Options, Pacing, PacketDropReports,
    PartialReliability, PathMtuDiscovery, PeerAddress, Reliability, SelectiveAcks, SendOptions,
    SharedKey, StreamScheduler, Time, Transmit, ZeroChecksum,
};
use sheave_engine::{
    BufferSplitting, ConcurrentTransfer, Coupling, Multipath, PathScheduler, RetransmissionPath,
};

const PORT: u16 = 5000;
/// Largest message that a user sends here, bytes.
const LARGEST: usize = 12_000;
const MEMORY: usize = 120_000;
const ASSOCIATIONS: usize = 6;
const STEPS: usize = 300;

/// Plays `bytes` as a script.
pub(crate) fn endpoint(bytes: &[u8]) {
    let mut play = Play::new(Script { bytes });
    for _ in 0..STEPS {
        if play.script.bytes.is_empty() {
            break;
        }
        play.act();
    }
    play.settle();
}

/// The bytes that are left to play.
struct Script<'a> {
    bytes: &'a [u8],
}

impl<'a> Script<'a> {
    fn byte(&mut self) -> u8 {
        match self.bytes.split_first() {
            Some((first, rest)) => {
                self.bytes = rest;
                *first
            }
            None => 0,
        }
    }

    fn word(&mut self) -> u16 {
        u16::from_be_bytes([self.byte(), self.byte()])
    }

    fn slice(&mut self, len: usize) -> &'a [u8] {
        let (taken, rest) = self.bytes.split_at(len.min(self.bytes.len()));
        self.bytes = rest;
        taken
    }
}

/// A packet on its way.
#[derive(Clone, Debug)]
struct Parcel {
    to: usize,
    from_address: IpAddr,
    to_address: IpAddr,
    bytes: Vec<u8>,
}

struct Play<'a> {
    script: Script<'a>,
    now: Time,
    nodes: [Endpoint; 2],
    wire: VecDeque<Parcel>,
    /// The last header that was seen towards each node: ports and tag, as an eavesdropper knows.
    headers: [[u8; 8]; 2],
    /// The last packet that went towards each node.
    last: [Vec<u8>; 2],
    born: u8,
}

fn address(node: usize, n: u8) -> IpAddr {
    IpAddr::V4(Ipv4Addr::new(10, n, 0, node as u8 + 1))
}

fn options(script: &mut Script<'_>) -> Options {
    let choice = script.byte();
    let mut options = Options {
        rto_initial: Duration::from_millis(100),
        rto_min: Duration::from_millis(20),
        rto_max: Duration::from_secs(1),
        association_max_retrans: 4,
        path_max_retrans: u32::from(choice & 3),
        max_init_retransmits: 3,
        heartbeats: Heartbeats::Off,
        valid_cookie_life: Duration::from_millis(500),
        send_buffer: 20_000,
        receive_buffer: if choice & 4 == 0 { 4096 } else { 16_384 },
        partial_delivery_point: 2000,
        max_message_size: LARGEST,
        outbound_streams: 4,
        max_inbound_streams: if choice & 8 == 0 { 4 } else { u16::MAX },
        ..Options::default()
    };
    if choice & 16 != 0 {
        options.heartbeats = Heartbeats::Every(Duration::from_millis(200));
    }
    if choice & 32 != 0 {
        options.ecn = ExplicitCongestion::On;
    }
    if choice & 64 != 0 {
        extend(script.byte(), &mut options);
        vary(script.byte(), &mut options);
    }
    if choice & 128 != 0 {
        interleave(script.byte(), &mut options);
        if choice & 128 != 0 {
            share_out(script.byte(), &mut options);
        }
    }
    options
}

/// Lets messages be interleaved (RFC 8260), and chooses a scheduler.
fn interleave(choice: u8, options: &mut Options) {
    if choice & 1 != 0 {
        options.interleaving = Interleaving::On;
        options.chunk_checksum = ChunkChecksum::Off;
    }
    options.scheduler = scheduler(choice >> 1);
}

fn scheduler(choice: u8) -> StreamScheduler {
    match choice & 7 {
        0 => StreamScheduler::FirstCome,
        1 => StreamScheduler::RoundRobin,
        2 => StreamScheduler::RoundRobinPerPacket,
        3 => StreamScheduler::Priority,
        4 => StreamScheduler::FairBandwidth,
        _ => StreamScheduler::WeightedFairQueueing,
    }
}

/// Sends new data on several paths at a time.
fn share_out(choice: u8, options: &mut Options) {
    let transfer = ConcurrentTransfer {
        scheduler: match choice & 3 {
            0 => PathScheduler::LowestRtt,
            1 => PathScheduler::LargestWindow,
            _ => PathScheduler::RoundRobin,
        },
        retransmissions: match choice >> 2 & 3 {
            0 => RetransmissionPath::LargestWindow,
            1 => RetransmissionPath::LargestThreshold,
            _ => RetransmissionPath::Same,
        },
        splitting: match choice >> 4 & 1 {
            0 => BufferSplitting::Even,
            _ => BufferSplitting::Off,
        },
        coupling: match choice >> 5 & 3 {
            0 => Coupling::Uncoupled,
            1 => Coupling::PooledThresholds,
            2 => Coupling::PooledRates,
            _ => Coupling::LinkedIncreases,
        },
    };
    let wanted = Options {
        multipath: Multipath::Concurrent(transfer),
        potentially_failed_max_retrans: (choice & 128 != 0).then_some(0),
        ..options.clone()
    };
    if wanted.validate().is_ok() {
        *options = wanted;
    }
}

/// Switches on what is off unless chosen.
fn extend(choice: u8, options: &mut Options) {
    if choice & 1 != 0 {
        options.zero_checksum = ZeroChecksum::Memory;
    }
    if choice & 2 != 0 {
        options.zero_checksum = ZeroChecksum::Dtls;
    }
    if choice & 4 != 0 {
        options.chunk_checksum = ChunkChecksum::On;
    }
    if choice & 8 != 0 {
        options.loss_recovery = LossRecovery::GoBackN;
    }
    if choice & 16 != 0 {
        options.bundling = Bundling::SpareFullChunks;
        options.packet_drop_reports = PacketDropReports::On;
    }
    if choice & 32 != 0 {
        options.fast_retransmissions = FastRetransmissions::OtherPath;
    }
    if choice & 64 != 0 {
        options.missing_reports = 1;
        // As long as the packets may be that are looked at.
        options.path_mtu_discovery = PathMtuDiscovery::Plpmtud { max: 1500 };
        let mut chunks = ChunkSet::all();
        if choice & 1 != 0 {
            chunks.insert(ChunkType::COOKIE_ECHO);
        }
        options.authentication = Authentication::with_key("fuzz", chunks);
        options.address_changes = AddressChanges::Unauthenticated;
        options.adaptation_indication = Some(7);
        options.partial_reliability = PartialReliability::On;
    }
    if choice & 32 != 0 {
        // What a fuzzer writes is taken, then.
        options.address_changes = AddressChanges::Unauthenticated;
    }
    if choice & 128 != 0 && options.ecn == ExplicitCongestion::On {
        options.congestion = CongestionAlgorithm::EcnDiscrimination;
    }
}

/// How losses are found, what the window does about them, and how both are spoken of.
fn vary(choice: u8, options: &mut Options) {
    if choice & 1 != 0 {
        options.loss_detection = LossDetection::Rack;
    }
    if choice & 2 != 0 {
        options.selective_acks = SelectiveAcks::NonRenegable;
    }
    if choice & 4 != 0 {
        options.pacing = Pacing::On;
    }
    if choice & 32 != 0 {
        options.buffers = BufferSizes::Auto { max: MEMORY };
    }
    options.congestion = match choice >> 3 & 3 {
        1 => CongestionAlgorithm::Cubic,
        2 => CongestionAlgorithm::HighSpeed,
        3 if options.ecn == ExplicitCongestion::On => CongestionAlgorithm::Dctcp,
        _ if choice & 64 != 0 => CongestionAlgorithm::Bbr,
        _ => options.congestion,
    };
}

impl<'a> Play<'a> {
    fn new(mut script: Script<'a>) -> Self {
        let options = options(&mut script);
        let nodes = [0, 1].map(|node| fresh(node, 0, &options));
        Self {
            script,
            now: Time::from_millis(1),
            nodes,
            wire: VecDeque::new(),
            headers: [[0; 8]; 2],
            last: [Vec::new(), Vec::new()],
            born: 0,
        }
    }

    fn act(&mut self) {
        let op = self.script.byte();
        let node = usize::from(op >> 7);
        match op & 31 {
            0 | 1 => self.connect(node),
            2..=5 => self.send(node),
            6..=10 => self.deliver(),
            11 => drop(self.wire.pop_front()),
            12 => self.wire.extend(self.wire.front().cloned()),
            13 => self.wire.rotate_left(usize::from(!self.wire.is_empty())),
            14..=16 => self.mutate(),
            17 | 18 => self.forge(node),
            19 => self.inject_bytes(node),
            20..=22 => self.wait(),
            23 => self.read(node),
            24 => self.shut_down(node),
            25 => self.abort(node),
            26 => self.ask(node),
            27 => self.reboot(node),
            28 => self.nodes[node].handle_timeout(self.now),
            _ => {
                for _ in 0..8 {
                    self.deliver();
                }
            }
        }
        self.pump(STEPS);
        self.check();
    }

    fn connect(&mut self, node: usize) {
        let choice = self.script.byte();
        let remote = 1 - node;
        let to = Connect {
            local_port: (choice & 1 != 0).then_some(PORT),
            local: Vec::new(),
            remote_port: PORT,
            remote: vec![PeerAddress::native(address(remote, 1 + (choice >> 1 & 1)))],
            options: options(&mut self.script),
        };
        let _ = self.nodes[node].connect(self.now, to);
    }

    fn pick(&mut self, node: usize) -> Option<AssocId> {
        let ids: Vec<AssocId> = self.nodes[node].associations().collect();
        let at = usize::from(self.script.byte());
        ids.get(at % ids.len().max(1)).copied()
    }

    fn send(&mut self, node: usize) {
        let Some(id) = self.pick(node) else { return };
        let choice = self.script.byte();
        let len = usize::from(self.script.word()) % LARGEST;
        let mut message = Message::new(StreamId(u16::from(choice & 7)), vec![choice; len]);
        if choice & 8 != 0 {
            message = message.unordered();
        }
        let mut options = SendOptions {
            context: u64::from(choice),
            ..SendOptions::default()
        };
        if choice & 16 != 0 {
            options.acknowledgement = Acknowledgement::Immediate;
        }
        options.reliability = match choice >> 5 {
            1 => Reliability::Retransmissions(choice & 3),
            2 => Reliability::Timed(Duration::from_millis(u64::from(choice & 7) * 20)),
            3 => Reliability::Priority(u32::from(choice & 3)),
            _ => Reliability::Reliable,
        };
        if let Some(mut assoc) = self.nodes[node].assoc(id) {
            let _ = assoc.send(self.now, message, options);
        }
    }

    fn deliver(&mut self) {
        if let Some(parcel) = self.wire.pop_front() {
            self.hand_over(&parcel);
            self.pump(STEPS);
        }
    }

    fn hand_over(&mut self, parcel: &Parcel) {
        self.nodes[parcel.to].handle_datagram(
            self.now,
            Datagram {
                local: parcel.to_address,
                remote: PeerAddress::native(parcel.from_address),
                // Every other length is marked; that counts only where ECN is on.
                ecn: if parcel.bytes.len() & 4 == 0 {
                    Ecn::NotEct
                } else {
                    Ecn::Ce
                },
                payload: &parcel.bytes,
            },
        );
    }

    /// Edits the next packet and gives it a right checksum again, or none, or leaves it wrong.
    fn mutate(&mut self) {
        let choice = self.script.byte();
        let edits = choice & 3;
        let Some(mut parcel) = self.wire.pop_front() else {
            return;
        };
        for _ in 0..=edits {
            let at = usize::from(self.script.word()) % parcel.bytes.len();
            let byte = self.script.byte();
            match byte & 3 {
                0 => parcel.bytes[at] ^= byte >> 2,
                1 => parcel.bytes[at] = byte >> 2,
                2 => parcel.bytes.truncate(at.max(12)),
                _ => parcel
                    .bytes
                    .extend_from_slice(self.script.slice(usize::from(byte >> 2))),
            }
        }
        match choice >> 2 & 7 {
            0 => {}
            1 => clear_checksum(&mut parcel.bytes),
            _ => reseal(&mut parcel.bytes),
        }
        self.hand_over(&parcel);
    }

    /// Chunks of the fuzzer's making behind a header with the right tag and checksum.
    fn forge(&mut self, node: usize) {
        let choice = self.script.byte();
        let mut bytes = self.headers[node].to_vec();
        if choice & 1 != 0 {
            bytes[4..8].fill(0);
        }
        bytes.extend_from_slice(&[0; 4]);
        let len = usize::from(self.script.byte());
        bytes.extend_from_slice(self.script.slice(len));
        reseal(&mut bytes);
        self.hand_over(&Parcel {
            to: node,
            from_address: address(1 - node, 1 + (choice >> 1 & 3)),
            to_address: address(node, 1 + (choice >> 3 & 1)),
            bytes,
        });
    }

    fn inject_bytes(&mut self, node: usize) {
        let len = usize::from(self.script.byte());
        let bytes = self.script.slice(len).to_vec();
        let (from_address, to_address) = (address(1 - node, 1), address(node, 1));
        self.hand_over(&Parcel {
            to: node,
            from_address,
            to_address,
            bytes,
        });
    }

    /// Time passes: a little, a lot, or to the next deadline.
    fn wait(&mut self) {
        let choice = self.script.byte();
        let span = match choice & 3 {
            0 => Duration::from_micros(u64::from(choice)),
            1 => Duration::from_millis(u64::from(choice)),
            2 => Duration::from_millis(10 * u64::from(choice)),
            _ => self
                .deadline()
                .map_or(Duration::ZERO, |at| at.since(self.now)),
        };
        self.now = self.now + span;
        self.expire();
    }

    fn deadline(&self) -> Option<Time> {
        self.nodes.iter().filter_map(Node::poll_timeout).min()
    }

    fn expire(&mut self) {
        for node in &mut self.nodes {
            node.handle_timeout(self.now);
        }
        self.pump(STEPS);
        for node in &self.nodes {
            assert!(
                node.poll_timeout().is_none_or(|at| at > self.now),
                "a deadline in the past"
            );
        }
    }

    fn read(&mut self, node: usize) {
        let Some(id) = self.pick(node) else { return };
        if let Some(mut assoc) = self.nodes[node].assoc(id) {
            let _ = assoc.receive(self.now);
        }
    }

    fn shut_down(&mut self, node: usize) {
        let Some(id) = self.pick(node) else { return };
        if let Some(mut assoc) = self.nodes[node].assoc(id) {
            let _ = assoc.shutdown(self.now);
        }
    }

    fn abort(&mut self, node: usize) {
        let Some(id) = self.pick(node) else { return };
        let len = usize::from(self.script.byte());
        let reason = self.script.slice(len).to_vec();
        if let Some(assoc) = self.nodes[node].assoc(id) {
            assoc.abort(self.now, reason.into());
        }
    }

    fn ask(&mut self, node: usize) {
        let Some(id) = self.pick(node) else { return };
        let choice = self.script.byte();
        if choice & 4 != 0 {
            return self.complain(node, choice);
        }
        if choice & 8 != 0 {
            return self.move_about(node, id, choice);
        }
        let remote = address(1 - node, 1 + (choice & 3));
        let Some(mut assoc) = self.nodes[node].assoc(id) else {
            return;
        };
        let _ = assoc.set_primary(remote);
        let _ = assoc.request_heartbeat(self.now, remote);
        let _ = (assoc.stats(), assoc.path_stats(), assoc.phase());
        if choice & 16 != 0 {
            let _ = assoc.set_stream_priority(self.now, StreamId(1), u16::from(choice));
            assoc.set_stream_scheduler(self.now, scheduler(choice >> 5));
        }
    }

    /// The user changes addresses and keys.
    fn move_about(&mut self, node: usize, id: AssocId, choice: u8) {
        let local = address(node, 1 + (choice & 3));
        self.nodes[node].add_local_address(local);
        let Some(mut assoc) = self.nodes[node].assoc(id) else {
            return;
        };
        let key = KeyId(u16::from(choice & 3));
        let now = self.now;
        let _ = match choice >> 4 {
            0..4 => assoc.add_address(now, local).is_ok(),
            4..8 => assoc.delete_address(now, local).is_ok(),
            8..10 => assoc.set_peer_primary(now, local).is_ok(),
            10..12 => assoc.insert_key(SharedKey::new(key, [choice])).is_ok(),
            12 | 13 => assoc.activate_key(key).is_ok(),
            14 => assoc.deactivate_key(now, key).is_ok(),
            _ => assoc.delete_key(key).is_ok(),
        };
    }

    /// Somebody on the way complains of the last packet of a node.
    fn complain(&mut self, node: usize, choice: u8) {
        let remote = address(1 - node, 1 + (choice & 1));
        let quoted = &self.last[1 - node];
        let quoted = &quoted[..quoted.len().min(8 * usize::from(self.script.byte()))];
        if choice & 2 != 0 {
            let warning = ErrorWarning { remote, quoted };
            return self.nodes[node].handle_error_warning(self.now, warning);
        }
        let complaint = match choice >> 3 {
            30 => Complaint::NoSuchPort,
            31 => Complaint::NoSuchProtocol,
            size => Complaint::PacketTooBig {
                mtu: 500 + 32 * u16::from(size),
            },
        };
        let icmp = Icmp {
            remote,
            complaint,
            quoted,
        };
        self.nodes[node].handle_icmp(self.now, icmp);
    }

    fn reboot(&mut self, node: usize) {
        self.born = self.born.wrapping_add(1);
        let options = options(&mut self.script);
        self.nodes[node] = fresh(node, self.born, &options);
    }

    /// Takes out whatever is to be sent and told; not more than `most` packets may come.
    fn pump(&mut self, most: usize) {
        let mut buf = Vec::new();
        for at in 0..2 {
            let mut packets = 0;
            while let Some(transmit) = self.nodes[at].poll_transmit(self.now, &mut buf, 4) {
                packets += 1;
                assert!(packets <= most, "no end of packets");
                self.post(at, &transmit, &buf);
            }
            let mut events = 0;
            while let Some((id, event)) = self.nodes[at].poll_event() {
                events += 1;
                assert!(events <= 20_000, "no end of events");
                if matches!(event, Event::Closed { .. }) {
                    assert!(
                        self.nodes[at].assoc(id).is_none(),
                        "closed, and still there"
                    );
                }
            }
        }
    }

    fn post(&mut self, from: usize, transmit: &Transmit, buf: &[u8]) {
        for segment in buf.chunks(transmit.segment_size.unwrap_or(buf.len()).max(1)) {
            let packet = Packet::parse(segment).expect("an engine's packet parses");
            assert!(
                packet.checksum_is_valid() || packet.checksum() == 0 && !sets_up(&packet),
                "a wrong checksum"
            );
            assert!(
                packet.chunks().all(|chunk| chunk.is_ok()),
                "an engine's chunks parse"
            );
            assert!(
                transmit.ecn == Ecn::NotEct || carries_data(&packet),
                "a mark on it would be lost"
            );
            assert!(segment.len() <= 1480, "larger than the MTU: {packet}");
            let to = 1 - from;
            self.last[to] = segment.to_vec();
            self.headers[to].copy_from_slice(&segment[..8]);
            if self.wire.len() < 400 {
                self.wire.push_back(Parcel {
                    to,
                    from_address: transmit.local,
                    to_address: transmit.remote.ip,
                    bytes: segment.to_vec(),
                });
            }
        }
    }

    fn check(&self) {
        for node in &self.nodes {
            let stats = node.stats();
            assert!(
                stats.buffered <= MEMORY + 2 * LARGEST,
                "{} bytes held",
                stats.buffered
            );
            assert!(stats.associations <= ASSOCIATIONS);
            assert_eq!(node.associations().count(), stats.associations);
        }
    }

    /// The network turns perfect and the users read everything for a while: nothing may run in
    /// circles.
    fn settle(&mut self) {
        let until = self.now + Duration::from_millis(1200);
        for _ in 0..8000 {
            self.read_everything();
            self.pump(STEPS);
            self.check();
            if !self.wire.is_empty() {
                self.deliver();
                continue;
            }
            match self.deadline() {
                Some(deadline) if deadline <= until => self.now = self.now.max(deadline),
                _ => return,
            }
            self.expire();
        }
        panic!("no rest: {:?}", self.nodes.each_ref().map(Endpoint::stats));
    }

    fn read_everything(&mut self) {
        for node in &mut self.nodes {
            let ids: Vec<AssocId> = node.associations().collect();
            for id in ids {
                while node
                    .assoc(id)
                    .is_some_and(|mut assoc| assoc.receive(self.now).is_some())
                {}
            }
        }
    }
}

fn fresh(node: usize, born: u8, options: &Options) -> Endpoint {
    let limits = EndpointOptions {
        max_associations: ASSOCIATIONS,
        max_memory: MEMORY,
        secret_life: Duration::from_secs(2),
        ..EndpointOptions::default()
    };
    let local = vec![address(node, 1), address(node, 2)];
    let mut seed = [node as u8; 32];
    seed[0] = born;
    let mut endpoint = Endpoint::new(local, limits, seed);
    endpoint.listen(PORT, options.clone()).expect("a free port");
    endpoint
}

/// Whether a packet must have its CRC32c whatever was agreed on (RFC 9653 §5.2).
fn sets_up(packet: &Packet<'_>) -> bool {
    packet.chunks().flatten().any(|chunk| {
        matches!(
            chunk,
            Chunk::Init(_) | Chunk::InitAck(_) | Chunk::CookieEcho(_)
        )
    })
}

fn carries_data(packet: &Packet<'_>) -> bool {
    packet.chunks().flatten().any(|chunk| match chunk {
        Chunk::Data(_) => true,
        Chunk::Unknown(raw) => {
            matches!(raw.chunk_type, ChunkType::CHECKED_DATA | ChunkType::I_DATA)
        }
        _ => false,
    })
}

fn clear_checksum(packet: &mut [u8]) {
    if let Some(field) = packet.get_mut(8..12) {
        field.fill(0);
    }
}

fn reseal(packet: &mut [u8]) {
    if packet.len() >= 12 {
        clear_checksum(packet);
        let sum = crc32c(packet);
        packet[8..12].copy_from_slice(&sum.to_le_bytes());
    }
}
