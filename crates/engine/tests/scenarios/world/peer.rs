//! A scripted peer: the test writes each of its packets.

use core::net::IpAddr;
use core::time::Duration;

use sheave_engine::wire::{
    Abort, Cause, Causes, Chunk, ChunkType, CommonHeader, CookieEcho, Data, DataFlags, ErrorChunk,
    GapBlock, Heartbeat, Init, List, PacketWriter, Parameter, Parameters, Ppid, RawChunk,
    RawParameter, Sack, Shutdown, ShutdownComplete, Ssn, StreamId, TagReflection, Tsn, Vtag,
    crc32c,
};
use sheave_engine::{Datagram, Ecn, Node, Options, PeerAddress};

use super::{A, Record, Setup, World, Z, address, connect_to, pair::PORT, secs};

/// Plays the host Z, at one address unless a test says otherwise; the engine under test is A.
#[derive(Clone, Debug)]
pub(crate) struct Peer {
    pub(crate) address: IpAddr,
    pub(crate) engine: IpAddr,
    pub(crate) port: u16,
    pub(crate) engine_port: u16,
    /// The tag that the engine must put into its packets.
    pub(crate) tag: Vtag,
    /// The tag that the engine gave us to put into ours.
    pub(crate) engine_tag: Vtag,
    /// TSN of our next DATA chunk.
    pub(crate) tsn: Tsn,
    /// TSN of the engine's first DATA chunk.
    pub(crate) engine_tsn: Tsn,
    /// Streams requested and granted in our INIT and INIT ACK.
    pub(crate) streams: u16,
    /// The window that our INIT and INIT ACK advertise, bytes.
    pub(crate) a_rwnd: u32,
    /// Our UDP port and the engine's, if our packets are encapsulated.
    pub(crate) udp: Option<(u16, u16)>,
    /// Number of records read by [`Peer::take`].
    pub(crate) seen: usize,
}

impl Peer {
    fn new() -> Self {
        Self {
            address: address(Z, 1),
            engine: address(A, 1),
            port: PORT,
            engine_port: PORT,
            tag: Vtag(0x5eed_0001),
            engine_tag: Vtag(0),
            tsn: Tsn(1000),
            engine_tsn: Tsn(0),
            streams: 10,
            a_rwnd: 1 << 20,
            udp: None,
            seen: 0,
        }
    }

    /// A listening engine, and a peer that has sent nothing yet.
    pub(crate) fn before_listener(options: Options) -> (World, Self) {
        Self::before(&Setup::with(options))
    }

    /// Like [`Peer::before_listener`]; the peer owns all of Z's addresses.
    pub(crate) fn before(setup: &Setup) -> (World, Self) {
        let mut world = World::new(setup.seed, setup.link.clone());
        let mut engine = setup.engine(&mut world, &setup.a_addresses);
        engine.listen(PORT, setup.a.clone()).expect("a free port");
        world.add_host(setup.a_addresses.clone(), Some(engine));
        world.add_host(setup.z_addresses.clone(), None);
        let port = 40_000;
        (
            world,
            Self {
                port,
                ..Self::new()
            },
        )
    }

    /// An engine that has sent an INIT, which the peer has read and not answered.
    pub(crate) fn awaited(options: Options) -> (World, Self) {
        let (mut world, mut peer) = Self::before_listener(options.clone());
        peer.port = PORT;
        connect_to(&mut world, A, peer.address, options);
        peer.read_init(&mut world);
        (world, peer)
    }

    /// An engine whose COOKIE ECHO the peer has read and not answered.
    pub(crate) fn echoed(options: Options) -> (World, Self) {
        let (mut world, mut peer) = Self::awaited(options);
        peer.send_init_ack(&mut world, b"cookie", &[]);
        peer.expect(&mut world, ChunkType::COOKIE_ECHO);
        (world, peer)
    }

    /// An engine that connected to this peer.
    pub(crate) fn serving(options: Options) -> (World, Self) {
        let (mut world, mut peer) = Self::awaited(options);
        peer.accept(&mut world);
        (world, peer)
    }

    /// An engine that has sent a SHUTDOWN to this peer.
    pub(crate) fn shutting_down(options: Options) -> (World, Self) {
        let (mut world, mut peer) = Self::serving(options);
        world.shutdown(A);
        peer.expect(&mut world, ChunkType::SHUTDOWN);
        (world, peer)
    }

    /// An engine that this peer connected to.
    pub(crate) fn connected(options: Options) -> (World, Self) {
        let (mut world, mut peer) = Self::before_listener(options);
        peer.connect(&mut world, &[]);
        (world, peer)
    }

    /// An engine behind UDP port 9899 that this peer connected to from its UDP port `port`.
    pub(crate) fn encapsulated(setup: &Setup, port: u16, more: &[Parameter<'_>]) -> (World, Self) {
        let (mut world, peer) = Self::before(setup);
        world.set_udp(A, Some(9899));
        world.set_udp(Z, Some(port));
        let mut peer = peer.behind(port);
        peer.connect(&mut world, more);
        (world, peer)
    }

    /// An engine that this peer connected to with these parameters, which need not be known.
    pub(crate) fn announcing(setup: &Setup, parameters: &[&[u8]]) -> (World, Self) {
        let (mut world, mut peer) = Self::before(setup);
        peer.connect_announcing(&mut world, parameters);
        (world, peer)
    }

    /// The whole handshake, as a client, with these parameters.
    pub(crate) fn connect_announcing(&mut self, world: &mut World, parameters: &[&[u8]]) {
        let parameters: Vec<_> = parameters.iter().copied().map(parameter).collect();
        self.connect(world, &parameters);
    }

    /// An engine that connected to this peer and has confirmed its two addresses.
    pub(crate) fn with_two_addresses(options: Options) -> (World, Self) {
        let (mut world, mut peer) = Self::before(&Setup::with(options.clone()).paths(2));
        peer.port = PORT;
        connect_to(&mut world, A, peer.address, options);
        peer.read_init(&mut world);
        let addresses = [1, 2].map(|n| ip_parameter(address(Z, n)));
        peer.send_init_ack(&mut world, b"cookie", &addresses);
        peer.expect(&mut world, ChunkType::COOKIE_ECHO);
        peer.send(&mut world, &[Chunk::CookieAck]);
        let probe = peer.expect(&mut world, ChunkType::HEARTBEAT);
        peer.answer_heartbeats(&mut world, &[probe]);
        world.run_for(secs(1));
        peer.take(&world);
        (world, peer)
    }

    /// The same peer, expecting another tag.
    pub(crate) fn with_tag(&self, tag: u32) -> Self {
        Self {
            tag: Vtag(tag),
            ..self.clone()
        }
    }

    /// The same peer at another address.
    pub(crate) fn at(&self, address: IpAddr) -> Self {
        Self {
            address,
            ..self.clone()
        }
    }

    /// The same peer, sending to another address of the engine.
    pub(crate) fn towards(&self, engine: IpAddr) -> Self {
        Self {
            engine,
            ..self.clone()
        }
    }

    /// The same peer behind another UDP port.
    pub(crate) fn behind(&self, port: u16) -> Self {
        Self {
            udp: Some((port, 9899)),
            ..self.clone()
        }
    }

    /// Sends a COOKIE ECHO.
    pub(crate) fn echo_cookie(&self, world: &mut World, cookie: &[u8]) {
        self.send(world, &[cookie_echo(cookie)]);
    }

    /// Sends a SHUTDOWN that acknowledges the engine's first `count` chunks.
    pub(crate) fn send_shutdown(&self, world: &mut World, count: u32) {
        self.send(world, &[shutdown(self.nth(count))]);
    }

    /// Reports that the engine's cookie was stale.
    pub(crate) fn report_stale(&self, world: &mut World, staleness: u32) {
        let causes = [Cause::StaleCookie { staleness }];
        let causes = Causes::from(&causes[..]);
        self.send(world, &[Chunk::Error(ErrorChunk { causes })]);
    }

    pub(crate) fn send_shutdown_complete(&self, world: &mut World, reflected: TagReflection) {
        self.send(world, &[shutdown_complete(reflected)]);
    }

    /// Reads the engine's INIT.
    pub(crate) fn read_init(&mut self, world: &mut World) -> Record {
        let packet = self.expect(world, ChunkType::INIT);
        self.learn(&packet);
        self.engine_port = packet.packet().header.source_port;
        packet
    }

    /// Answers the engine's INIT and its COOKIE ECHO.
    pub(crate) fn accept(&mut self, world: &mut World) {
        self.accept_saying(world, &[]);
    }

    /// Like [`Peer::accept`], with these parameters in the INIT ACK.
    pub(crate) fn accept_saying(&mut self, world: &mut World, more: &[Parameter<'_>]) {
        self.send_init_ack(world, b"cookie", more);
        self.expect(world, ChunkType::COOKIE_ECHO);
        self.send(world, &[Chunk::CookieAck]);
        world.run_for(secs(1));
        self.take(world);
    }

    /// The whole handshake, as a client; extra parameters go into the INIT.
    pub(crate) fn connect(&mut self, world: &mut World, parameters: &[Parameter<'_>]) {
        let cookie = self.ask_cookie(world, parameters);
        self.echo_cookie(world, &cookie);
        self.expect(world, ChunkType::COOKIE_ACK);
        world.run_for(secs(1));
        self.take(world);
    }

    /// Exchanges INIT and INIT ACK; returns the cookie.
    pub(crate) fn ask_cookie(&mut self, world: &mut World, more: &[Parameter<'_>]) -> Vec<u8> {
        self.send_init(world, more);
        let packet = self.expect(world, ChunkType::INIT_ACK);
        self.learn(&packet);
        cookie_of(&packet)
    }

    /// Remembers tag and TSN of the engine's INIT or INIT ACK.
    pub(crate) fn learn(&mut self, packet: &Record) {
        let init = packet.init().expect("an INIT or INIT ACK");
        self.engine_tag = init.initiate_tag;
        self.engine_tsn = init.initial_tsn;
    }

    pub(crate) fn init<'a>(&self, parameters: &'a [Parameter<'a>]) -> Init<'a> {
        Init {
            initiate_tag: self.tag,
            a_rwnd: self.a_rwnd,
            outbound_streams: self.streams,
            inbound_streams: self.streams,
            initial_tsn: self.tsn,
            parameters: Parameters::from(parameters),
        }
    }

    pub(crate) fn send_init(&self, world: &mut World, parameters: &[Parameter<'_>]) {
        self.send_tagged(world, Vtag(0), &[Chunk::Init(self.init(parameters))]);
    }

    pub(crate) fn send_init_ack(&self, world: &mut World, cookie: &[u8], more: &[Parameter<'_>]) {
        let mut parameters = vec![Parameter::StateCookie(cookie)];
        parameters.extend_from_slice(more);
        self.send(world, &[Chunk::InitAck(self.init(&parameters))]);
    }

    pub(crate) fn header(&self, vtag: Vtag) -> CommonHeader {
        CommonHeader {
            source_port: self.port,
            destination_port: self.engine_port,
            vtag,
        }
    }

    /// A packet with the right tag.
    pub(crate) fn packet(&self, chunks: &[Chunk<'_>]) -> Vec<u8> {
        self.packet_with(self.engine_tag, chunks)
    }

    /// A packet with the given tag.
    pub(crate) fn packet_with(&self, vtag: Vtag, chunks: &[Chunk<'_>]) -> Vec<u8> {
        let mut out = Vec::new();
        let mut writer = PacketWriter::new(&mut out, self.header(vtag), 65_000);
        for chunk in chunks {
            writer.push(chunk);
        }
        writer.finish();
        out
    }

    /// A packet with the right tag and checksum around any bytes.
    pub(crate) fn packet_of(&self, chunks: &[u8]) -> Vec<u8> {
        let header = self.header(self.engine_tag);
        let mut out = Vec::new();
        out.extend_from_slice(&header.source_port.to_be_bytes());
        out.extend_from_slice(&header.destination_port.to_be_bytes());
        out.extend_from_slice(&header.vtag.0.to_be_bytes());
        out.extend_from_slice(&[0; 4]);
        out.extend_from_slice(chunks);
        reseal(&mut out);
        out
    }

    pub(crate) fn inject(&self, world: &mut World, packet: Vec<u8>) {
        world.inject(self.address, self.engine, self.udp, packet);
    }

    /// Sends a packet with these bytes, which need not be chunks.
    pub(crate) fn send_bytes(&self, world: &mut World, chunks: &[u8]) {
        self.inject(world, self.packet_of(chunks));
    }

    pub(crate) fn send(&self, world: &mut World, chunks: &[Chunk<'_>]) {
        self.inject(world, self.packet(chunks));
    }

    /// Sends a packet with the given tag.
    pub(crate) fn send_tagged(&self, world: &mut World, vtag: Vtag, chunks: &[Chunk<'_>]) {
        self.inject(world, self.packet_with(vtag, chunks));
    }

    /// Hands bytes to the engine at once, without the network.
    pub(crate) fn hand(&self, world: &mut World, bytes: &[u8]) {
        let now = world.now();
        let datagram = Datagram {
            local: self.engine,
            remote: PeerAddress::native(self.address),
            ecn: Ecn::NotEct,
            payload: bytes,
        };
        world.endpoint(A).handle_datagram(now, datagram);
    }

    /// Sends a chunk given as bytes.
    #[track_caller]
    pub(crate) fn send_raw(&self, world: &mut World, chunk: &[u8]) {
        let raw = RawChunk::parse(chunk).expect("a chunk");
        self.send(world, &[Chunk::Unknown(raw)]);
    }

    /// Answers the heartbeats among these packets.
    pub(crate) fn answer_heartbeats(&self, world: &mut World, packets: &[Record]) {
        for chunk in packets.iter().flat_map(Record::chunks) {
            if let Chunk::Heartbeat(heartbeat) = chunk {
                self.send(world, &[Chunk::HeartbeatAck(heartbeat)]);
            }
        }
    }

    /// An unfragmented chunk with the next TSN.
    pub(crate) fn data<'a>(&mut self, stream: u16, ssn: u16, payload: &'a [u8]) -> Data<'a> {
        self.fragment(WHOLE, stream, ssn, payload)
    }

    /// A chunk with these flags and the next TSN.
    pub(crate) fn fragment<'a>(
        &mut self,
        flags: DataFlags,
        stream: u16,
        ssn: u16,
        payload: &'a [u8],
    ) -> Data<'a> {
        let tsn = self.tsn;
        self.tsn = tsn.next();
        Data {
            flags,
            tsn,
            stream: StreamId(stream),
            ssn: Ssn(ssn),
            ppid: Ppid(0),
            payload,
        }
    }

    /// Sends a message in one chunk.
    pub(crate) fn send_data(&mut self, world: &mut World, stream: u16, ssn: u16, payload: &[u8]) {
        let data = self.data(stream, ssn, payload);
        self.send(world, &[Chunk::Data(data)]);
    }

    /// TSN of the last one of the engine's first `count` chunks.
    pub(crate) const fn nth(&self, count: u32) -> Tsn {
        Tsn(self.engine_tsn.0.wrapping_add(count).wrapping_sub(1))
    }

    /// Acknowledges the engine's first `count` chunks.
    pub(crate) fn send_sack(&self, world: &mut World, count: u32) {
        self.send_sack_with(world, count, self.a_rwnd, &[]);
    }

    pub(crate) fn send_sack_with(
        &self,
        world: &mut World,
        count: u32,
        a_rwnd: u32,
        gaps: &[(u16, u16)],
    ) {
        let blocks = gap_blocks(gaps);
        let sack = sack(self.nth(count), a_rwnd, &blocks);
        self.send(world, &[Chunk::Sack(sack)]);
    }

    /// Numbers of the chunks in these packets, counted from the engine's first.
    pub(crate) fn numbers(&self, records: &[Record]) -> Vec<u32> {
        let data = records.iter().flat_map(Record::data);
        data.map(|data| data.tsn.distance_from(self.engine_tsn))
            .collect()
    }

    /// Packets that arrived since the last call, in order.
    pub(crate) fn take(&mut self, world: &World) -> Vec<Record> {
        let arrived = world.inbox(Z);
        let fresh = arrived[self.seen.min(arrived.len())..].to_vec();
        self.seen = arrived.len();
        fresh
    }

    /// Packets that arrive within a time.
    pub(crate) fn listen(&mut self, world: &mut World, span: Duration) -> Vec<Record> {
        world.run_for(span);
        self.take(world)
    }

    /// Runs until a packet with this chunk type arrives, skipping others.
    #[track_caller]
    pub(crate) fn expect(&mut self, world: &mut World, chunk_type: ChunkType) -> Record {
        let from = self.seen;
        let arrived = world.run_until(secs(120), |world| {
            world.inbox(Z)[from..]
                .iter()
                .any(|record| record.has(chunk_type))
        });
        assert!(arrived, "no {chunk_type:?} within two minutes");
        let place = world.inbox(Z)[from..]
            .iter()
            .position(|record| record.has(chunk_type));
        self.seen = from + place.unwrap_or_default() + 1;
        world.inbox(Z)[self.seen - 1].clone()
    }

    /// Checks that nothing arrives within `span`.
    #[track_caller]
    pub(crate) fn expect_silence(&mut self, world: &mut World, span: Duration) {
        let arrived = self.listen(world, span);
        assert!(arrived.is_empty(), "not silent: {}", arrived[0]);
    }

    /// Checks that the engine still has the association: it answers a heartbeat.
    #[track_caller]
    pub(crate) fn expect_alive(&mut self, world: &mut World) {
        self.take(world);
        self.send(world, &[heartbeat(b"are you there")]);
        let answer = self.expect(world, ChunkType::HEARTBEAT_ACK);
        assert_eq!(answer.vtag(), self.tag, "the association is the same");
    }
}

/// Flags of an unfragmented chunk.
pub(crate) const WHOLE: DataFlags = DataFlags::BEGINNING.union(DataFlags::ENDING);

pub(crate) fn gap_blocks(gaps: &[(u16, u16)]) -> Vec<GapBlock> {
    let blocks = gaps.iter().map(|&(start, end)| GapBlock { start, end });
    blocks.collect()
}

/// A SACK without duplicates.
pub(crate) fn sack(cumulative_tsn_ack: Tsn, a_rwnd: u32, gaps: &[GapBlock]) -> Sack<'_> {
    Sack {
        cumulative_tsn_ack,
        a_rwnd,
        gap_blocks: List::from(gaps),
        duplicates: List::EMPTY,
        packets: 0,
    }
}

pub(crate) const fn heartbeat(info: &[u8]) -> Chunk<'_> {
    Chunk::Heartbeat(Heartbeat { info })
}

/// An ABORT without causes.
pub(crate) const fn abort(reflected: TagReflection) -> Chunk<'static> {
    let causes = Causes::EMPTY;
    Chunk::Abort(Abort { reflected, causes })
}

pub(crate) const fn shutdown(cumulative_tsn_ack: Tsn) -> Chunk<'static> {
    Chunk::Shutdown(Shutdown { cumulative_tsn_ack })
}

pub(crate) const fn shutdown_complete(reflected: TagReflection) -> Chunk<'static> {
    Chunk::ShutdownComplete(ShutdownComplete { reflected })
}

pub(crate) const fn cookie_echo(cookie: &[u8]) -> Chunk<'_> {
    Chunk::CookieEcho(CookieEcho { cookie })
}

/// A chunk's bytes, without padding.
pub(crate) fn written(chunk: &Chunk<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    chunk.write(&mut bytes);
    bytes
}

/// A parameter given as bytes, which need not be known.
#[track_caller]
pub(crate) fn parameter(bytes: &[u8]) -> Parameter<'_> {
    Parameter::Unknown(RawParameter::parse(bytes).expect("a parameter"))
}

/// A parameter that lists an address.
pub(crate) const fn ip_parameter(ip: IpAddr) -> Parameter<'static> {
    match ip {
        IpAddr::V4(ip) => Parameter::Ipv4Address(ip),
        IpAddr::V6(ip) => Parameter::Ipv6Address(ip),
    }
}

/// The cookie in an INIT ACK.
pub(crate) fn cookie_of(packet: &Record) -> Vec<u8> {
    let init = packet.init().expect("an INIT ACK");
    let mut cookies = init
        .parameters
        .iter()
        .filter_map(|parameter| match parameter {
            Ok(Parameter::StateCookie(cookie)) => Some(cookie.to_vec()),
            _ => None,
        });
    cookies.next().expect("an INIT ACK has a cookie")
}

/// Gives an edited packet a right checksum (RFC 9260 Appendix A).
pub(crate) fn reseal(packet: &mut [u8]) {
    packet[8..12].fill(0);
    let sum = crc32c(packet);
    packet[8..12].copy_from_slice(&sum.to_le_bytes());
}
