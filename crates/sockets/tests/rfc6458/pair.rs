//! Two stacks with a network between them.

use std::collections::VecDeque;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use bytes::Bytes;
use sheave_engine::{
    Datagram, EndpointOptions, Failover, Integrity, Marking, Node, Options, PeerAddress, Profile,
    Time,
};
use sheave_sockets::{
    Abi, Domain, Errno, How, Incoming, Limits, SendCall, Socket, SocketId, Stack, Style,
};

pub(crate) const SCTP: i32 = 132;
pub(crate) const SOCKET: i32 = 1;
pub(crate) const PEEK: i32 = 0x02;
pub(crate) const DONT_WAIT: i32 = 0x40;
pub(crate) const EOR: i32 = 0x80;
pub(crate) const NOTIFICATION: i32 = 0x8000;
/// Size of the IPv4 header, bytes.
const IP_HEADER: usize = 20;
/// One-way delay.
const DELAY: Duration = Duration::from_millis(5);

/// Seeded random generator (SplitMix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % most
    }

    pub(crate) fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize]
    }
}

/// Whether packets get through.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wire {
    Up,
    Cut,
}

pub(crate) struct Pair {
    pub(crate) now: Time,
    pub(crate) ends: [Stack; 2],
    pub(crate) wire: Wire,
    /// Lost packets, per thousand.
    pub(crate) loss: u64,
    /// An address of the second end whose link drops everything.
    pub(crate) cut: Option<IpAddr>,
    /// Maximum IP packet size, bytes; longer packets are lost.
    pub(crate) mtu: usize,
    pub(crate) random: Random,
    /// Packets sent so far: sending end, local and peer address, bytes.
    pub(crate) sent: Vec<(usize, [IpAddr; 2], Vec<u8>)>,
    /// Marking of each sent packet.
    pub(crate) markings: Vec<Marking>,
    /// Packets in flight: arrival time, receiving end, addresses, bytes.
    flying: VecDeque<(Time, usize, IpAddr, PeerAddress, Vec<u8>)>,
}

pub(crate) fn address(end: usize, port: u16) -> SocketAddr {
    format!("192.0.2.{}:{port}", end + 1).parse().unwrap()
}

pub(crate) fn second_address(end: usize, port: u16) -> SocketAddr {
    format!("198.51.100.{}:{port}", end + 1).parse().unwrap()
}

impl Pair {
    pub(crate) fn new() -> Self {
        Self::with(&Profile::Linux.options())
    }

    /// A pair, and a socket of the first end.
    pub(crate) fn with_socket(style: Style) -> (Self, SocketId) {
        let mut pair = Self::new();
        let socket = pair.socket(0, style);
        (pair, socket)
    }

    /// A pair, and a [`server`](Self::server) of the second end.
    pub(crate) fn with_server(style: Style) -> (Self, SocketId) {
        let mut pair = Self::new();
        let server = pair.server(style);
        (pair, server)
    }

    pub(crate) fn with(options: &Options) -> Self {
        Self::of(Abi::LINUX, options)
    }

    pub(crate) fn of(abi: Abi, options: &Options) -> Self {
        // Copies of data on another path would appear in `sent`.
        let options = Options {
            failover: Failover::Timeouts,
            ..options.clone()
        };
        let stack = |end: usize| {
            let local = vec![address(end, 0).ip(), second_address(end, 0).ip()];
            let seed = [end as u8 + 1; 32];
            Stack::new(
                local,
                EndpointOptions::default(),
                options.clone(),
                abi,
                seed,
            )
        };
        Self {
            now: Time::ZERO,
            ends: [stack(0), stack(1)],
            wire: Wire::Up,
            loss: 0,
            cut: None,
            mtu: usize::MAX,
            random: Random(0),
            sent: Vec::new(),
            markings: Vec::new(),
            flying: VecDeque::new(),
        }
    }

    /// Starts to connect a socket.
    #[track_caller]
    pub(crate) fn at(&self, end: usize, id: SocketId) -> &Socket {
        self.ends[end].find(id).unwrap()
    }

    pub(crate) fn connect(&mut self, end: usize, socket: SocketId, to: &[SocketAddr]) {
        self.ends[end].connect(self.now, socket, to).unwrap();
    }

    /// Connects to port 5000 of the second end, where a [`server`](Self::server) listens.
    #[track_caller]
    pub(crate) fn establish(&mut self, client: SocketId) {
        self.connect(0, client, &[address(1, 5000)]);
        self.settle();
    }

    pub(crate) fn start_connect(
        &mut self,
        end: usize,
        id: SocketId,
        to: &[SocketAddr],
    ) -> Result<i32, Errno> {
        self.ends[end].connect(self.now, id, to)
    }

    pub(crate) fn bind(
        &mut self,
        end: usize,
        id: SocketId,
        to: &[SocketAddr],
    ) -> Result<(), Errno> {
        self.ends[end].bind(self.now, id, to)
    }

    pub(crate) fn listen(&mut self, end: usize, id: SocketId, backlog: u32) -> Result<(), Errno> {
        self.ends[end].listen(self.now, id, backlog)
    }

    pub(crate) fn shutdown(&mut self, end: usize, id: SocketId, how: How) -> Result<(), Errno> {
        self.ends[end].shutdown(self.now, id, how)
    }

    pub(crate) fn close(&mut self, end: usize, id: SocketId) {
        self.ends[end].close(self.now, id);
    }

    /// Closes a socket that lingers for 0 seconds.
    #[track_caller]
    pub(crate) fn abort(&mut self, end: usize, id: SocketId) {
        let linger = [1, 0, 0, 0, 0, 0, 0, 0];
        self.set_socket(end, id, 13, &linger).unwrap();
        self.close(end, id);
    }

    pub(crate) fn peel_off(
        &mut self,
        end: usize,
        id: SocketId,
        assoc: i32,
    ) -> Result<SocketId, Errno> {
        self.ends[end].peel_off(self.now, id, assoc)
    }

    /// Advances time by `span`.
    pub(crate) fn pass(&mut self, span: Duration) {
        let end = self.now + span;
        loop {
            self.send_all();
            let arrival = self.flying.front().map(|packet| packet.0);
            let timers = self.ends.iter().filter_map(Node::poll_timeout);
            let Some(next) = arrival
                .into_iter()
                .chain(timers)
                .min()
                .filter(|next| *next <= end)
            else {
                break;
            };
            self.now = self.now.max(next);
            for stack in &mut self.ends {
                stack.handle_timeout(self.now);
            }
            while self
                .flying
                .front()
                .is_some_and(|packet| packet.0 <= self.now)
                && let Some(packet) = self.flying.pop_front()
            {
                let (_, to, local, remote, payload) = packet;
                let datagram = Datagram {
                    local,
                    remote,
                    ecn: Default::default(),
                    payload: &payload,
                };
                self.ends[to].handle_datagram(self.now, datagram);
            }
        }
        self.now = end;
    }

    fn send_all(&mut self) {
        let mut buf = Vec::new();
        for end in 0..2 {
            while let Some(transmit) = self.ends[end].poll_transmit(self.now, &mut buf, 1) {
                let ends = [transmit.local, transmit.remote.ip];
                self.sent.push((end, ends, buf.clone()));
                self.markings.push(transmit.marking);
                let known = self.ends[1 - end]
                    .endpoint()
                    .local_addresses()
                    .contains(&transmit.remote.ip);
                let on_link = |at: &IpAddr| [transmit.local, transmit.remote.ip].contains(at);
                let cut = self.cut.as_ref().is_some_and(on_link);
                let long = buf.len() + IP_HEADER > self.mtu;
                let lost = cut || long || self.random.below(1000) < self.loss;
                if self.wire == Wire::Up && known && !lost {
                    let from = PeerAddress::native(transmit.local);
                    let arrival = self.now + DELAY;
                    self.flying.push_back((
                        arrival,
                        1 - end,
                        transmit.remote.ip,
                        from,
                        buf.clone(),
                    ));
                }
            }
        }
    }

    /// Local and peer address of the last packet with DATA or I-DATA from an end.
    pub(crate) fn last_data(&self, end: usize) -> [IpAddr; 2] {
        let mut sent = self.sent.iter().rev();
        let is_data = |packet: &[u8]| chunks(packet).any(|(kind, _)| matches!(kind, 0 | 64));
        let found = sent.find(|(from, _, packet)| *from == end && is_data(packet));
        found.unwrap().1
    }

    /// Delivers chunks to an end as if sent in a packet like its peer's last one.
    pub(crate) fn hear(&mut self, end: usize, chunks: &[u8]) {
        let mut sent = self.sent.iter();
        let (_, [from, to], last) = sent.rfind(|packet| packet.0 != end).unwrap();
        let datagram = Datagram {
            local: *to,
            remote: PeerAddress::native(*from),
            ecn: Default::default(),
            payload: &[&last[..12], chunks].concat(),
        };
        self.ends[end].handle_verified(self.now, datagram, Integrity::Intact);
    }

    pub(crate) fn settle(&mut self) {
        self.pass(Duration::from_secs(1));
    }

    pub(crate) fn socket(&mut self, end: usize, style: Style) -> SocketId {
        self.ends[end].socket(Domain::V4, style)
    }

    /// Creates a socket that listens on port 5000 of the second end.
    pub(crate) fn server(&mut self, style: Style) -> SocketId {
        let server = self.socket(1, style);
        self.bind(1, server, &[address(1, 5000)]).unwrap();
        self.listen(1, server, 5).unwrap();
        server
    }

    /// Connects one-to-one sockets; returns the client's and the accepted one.
    pub(crate) fn connected(&mut self) -> (SocketId, SocketId) {
        let server = self.server(Style::OneToOne);
        let client = self.socket(0, Style::OneToOne);
        self.establish(client);
        let accepted = self.ends[1].accept(server).unwrap();
        (client, accepted)
    }

    /// Creates ends with [`connected`](Self::connected) sockets.
    pub(crate) fn up() -> (Self, SocketId, SocketId) {
        let mut pair = Self::new();
        let (client, accepted) = pair.connected();
        (pair, client, accepted)
    }

    pub(crate) fn send(
        &mut self,
        end: usize,
        id: SocketId,
        payload: &[u8],
    ) -> Result<usize, Errno> {
        self.send_with(end, id, None, &[], payload)
    }

    pub(crate) fn send_with(
        &mut self,
        end: usize,
        id: SocketId,
        destination: Option<SocketAddr>,
        control: &[u8],
        payload: &[u8],
    ) -> Result<usize, Errno> {
        let payload = Bytes::copy_from_slice(payload);
        let call = SendCall {
            destination,
            control,
            flags: 0,
            payload,
        };
        self.ends[end].check_send(self.now, id, &call)?;
        self.ends[end].send(self.now, id, call)
    }

    /// Sends a message and lets it arrive.
    #[track_caller]
    pub(crate) fn deliver(&mut self, end: usize, id: SocketId, payload: &[u8]) {
        self.send(end, id, payload).unwrap();
        self.settle();
    }

    /// Sends a described message and lets it arrive.
    #[track_caller]
    pub(crate) fn deliver_with(
        &mut self,
        end: usize,
        id: SocketId,
        to: Option<SocketAddr>,
        control: &[u8],
        payload: &[u8],
    ) {
        self.send_with(end, id, to, control, payload).unwrap();
        self.settle();
    }

    /// Reads what there is.
    pub(crate) fn drain(&mut self, end: usize, id: SocketId) -> Vec<Incoming> {
        std::iter::from_fn(|| self.read(end, id).ok()).collect()
    }

    /// Reads one message with a large buffer.
    pub(crate) fn read(&mut self, end: usize, id: SocketId) -> Result<Incoming, Errno> {
        self.read_with(end, id, limits(65_536))
    }

    pub(crate) fn read_with(
        &mut self,
        end: usize,
        id: SocketId,
        limits: Limits,
    ) -> Result<Incoming, Errno> {
        let incoming = self.ends[end].peek(self.now, id, limits)?;
        self.ends[end].consume(self.now, id, incoming.token);
        Ok(incoming)
    }

    pub(crate) fn set(
        &mut self,
        end: usize,
        id: SocketId,
        name: i32,
        value: &[u8],
    ) -> Result<(), Errno> {
        self.ends[end].set_option(self.now, id, SCTP, name, value)
    }

    pub(crate) fn get(
        &mut self,
        end: usize,
        id: SocketId,
        name: i32,
        given: &[u8],
    ) -> Result<Vec<u8>, Errno> {
        self.ends[end].option(self.now, id, SCTP, name, given)
    }

    /// Sets an option of the level `SOL_SOCKET`.
    pub(crate) fn set_socket(
        &mut self,
        end: usize,
        id: SocketId,
        name: i32,
        value: &[u8],
    ) -> Result<(), Errno> {
        self.ends[end].set_option(self.now, id, SOCKET, name, value)
    }

    /// Reads an option of the level `SOL_SOCKET`.
    pub(crate) fn get_socket(
        &mut self,
        end: usize,
        id: SocketId,
        name: i32,
        given: &[u8],
    ) -> Result<Vec<u8>, Errno> {
        self.ends[end].option(self.now, id, SOCKET, name, given)
    }

    /// Subscribes to these notification types, by their index in the list of RFC 6458 §6.2.1.
    pub(crate) fn subscribe(&mut self, end: usize, id: SocketId, types: &[usize]) {
        let mut events = [0; 14];
        for one in types {
            events[*one] = 1;
        }
        self.set(end, id, 11, &events).unwrap();
    }
}

pub(crate) fn limits(payload: usize) -> Limits {
    Limits {
        payload,
        control: 512,
        flags: 0,
    }
}

/// Builds a control message.
pub(crate) fn control(kind: i32, body: &[u8]) -> Vec<u8> {
    let mut bytes = (16 + body.len() as u64).to_ne_bytes().to_vec();
    bytes.extend(SCTP.to_ne_bytes());
    bytes.extend(kind.to_ne_bytes());
    bytes.extend(body);
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    bytes
}

/// `struct sctp_sndrcvinfo`.
pub(crate) fn sndrcv(stream: u16, flags: u16, ppid: u32, assoc: i32) -> Vec<u8> {
    let mut bytes = vec![0; 32];
    bytes[..2].copy_from_slice(&stream.to_ne_bytes());
    bytes[4..6].copy_from_slice(&flags.to_ne_bytes());
    bytes[8..12].copy_from_slice(&ppid.to_be_bytes());
    bytes[28..].copy_from_slice(&assoc.to_ne_bytes());
    control(1, &bytes)
}

/// Plain 32-bit values.
pub(crate) fn words<const N: usize>(values: [u32; N]) -> Vec<u8> {
    values.map(u32::to_ne_bytes).concat()
}

pub(crate) fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_ne_bytes(bytes[at..at + 2].try_into().unwrap())
}

pub(crate) fn i32_at(bytes: &[u8], at: usize) -> i32 {
    i32::from_ne_bytes(bytes[at..at + 4].try_into().unwrap())
}

pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    i32_at(bytes, at).cast_unsigned()
}

/// The chunks of a packet: type, and the bytes after the header.
pub(crate) fn chunks(packet: &[u8]) -> impl Iterator<Item = (u8, &[u8])> {
    let mut rest = &packet[12..];
    std::iter::from_fn(move || {
        let header = rest.get(..4)?;
        let length = usize::from(u16::from_be_bytes([header[2], header[3]]));
        let chunk = (header[0], &rest[4..length]);
        rest = &rest[length.next_multiple_of(4).min(rest.len())..];
        Some(chunk)
    })
}
