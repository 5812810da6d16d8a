//! Random programs over a lossy network: `SHEAVE_SOCKETS_SEEDS` sets the number of seeds,
//! `SHEAVE_SOCKETS_FROM` the first.

use std::collections::BTreeMap;
use std::env;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use sheave_engine::Profile;
use sheave_sockets::{Errno, How, SocketId, Style};

use crate::pair::{EOR, NOTIFICATION, Pair, Random, address, limits, second_address, sndrcv};

const STREAMS: u64 = 3;

/// Reassembles messages read in parts: one at a time or, if parts of different associations may be
/// mixed, one per association.
struct Reader {
    interleave: Interleave,
    /// Parts read so far, by peer port.
    parts: BTreeMap<u16, Vec<u8>>,
    from: Option<SocketAddr>,
}

/// `SCTP_FRAGMENT_INTERLEAVE`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Interleave {
    Off,
    On,
}

impl Reader {
    const fn new(interleave: Interleave) -> Self {
        Self {
            interleave,
            parts: BTreeMap::new(),
            from: None,
        }
    }
}

/// Outcome of a read.
enum Read {
    Message(Vec<u8>, Option<SocketAddr>),
    Part,
    Nothing,
    End,
}

/// A program that sends numbered messages and reads their echoes.
struct Client {
    id: SocketId,
    style: Style,
    number: u32,
    messages: u32,
    sent: u32,
    echoes: u32,
    reader: Reader,
    /// Last echoed number, by stream.
    last: BTreeMap<u64, u32>,
    is_shut: bool,
    is_closed: bool,
}

/// A socket of the echo server.
struct Served {
    id: SocketId,
    reader: Reader,
    /// Messages waiting for buffer space.
    waiting: Vec<(Vec<u8>, Option<SocketAddr>)>,
    has_ended: bool,
}

struct Talk {
    pair: Pair,
    interleave: Interleave,
    random: Random,
    listening: SocketId,
    style: Style,
    clients: Vec<Client>,
    served: Vec<Served>,
    /// Last received number, by client and stream.
    arrived: BTreeMap<(u32, u64), u32>,
    count: u32,
}

fn stream_of(number: u32) -> u64 {
    u64::from(number) * 7 % STREAMS
}

/// Builds message `number`: identification, then `fill` bytes.
fn message(client: u32, number: u32, fill: usize) -> Vec<u8> {
    let mut bytes = client.to_be_bytes().to_vec();
    bytes.extend(number.to_be_bytes());
    bytes.resize(8 + fill, number as u8);
    bytes
}

fn parse(bytes: &[u8]) -> (u32, u32) {
    let word = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    let (client, number) = (word(0), word(4));
    assert!(bytes[8..].iter().all(|byte| *byte == number as u8));
    (client, number)
}

/// Records a message of a stream; checks that messages arrive in order and once.
fn note(last: &mut Option<u32>, number: u32) {
    let first = (0..).find(|n| stream_of(*n) == stream_of(number)).unwrap();
    let expected = match *last {
        None => first,
        Some(last) => (last + 1..)
            .find(|n| stream_of(*n) == stream_of(number))
            .unwrap(),
    };
    assert_eq!(number, expected, "out of order, lost or twice");
    *last = Some(number);
}

fn read(pair: &mut Pair, end: usize, id: SocketId, room: usize, reader: &mut Reader) -> Read {
    let incoming = match pair.read_with(end, id, limits(room)) {
        Ok(incoming) => incoming,
        Err(Errno::EAGAIN | Errno::ENOTCONN) => return Read::Nothing,
        Err(error) => panic!("end {end} cannot read: {error:?}"),
    };
    if incoming.flags & NOTIFICATION != 0 {
        let within = reader.interleave == Interleave::Off && !reader.parts.is_empty();
        assert!(!within, "a notification within a message");
        return Read::Part;
    }
    if incoming.payload.is_empty() && incoming.flags == 0 {
        assert!(reader.parts.is_empty(), "the end within a message");
        return Read::End;
    }
    let port = incoming.name.map_or(0, |name| name.port());
    if reader.interleave == Interleave::Off {
        assert!(reader.parts.keys().all(|other| *other == port), "mixed");
    }
    let parts = reader.parts.entry(port).or_default();
    parts.extend(&incoming.payload);
    reader.from = incoming.name.or(reader.from);
    if incoming.flags & EOR == 0 {
        return Read::Part;
    }
    let bytes = reader.parts.remove(&port).unwrap_or_default();
    Read::Message(bytes, reader.from)
}

impl Talk {
    fn new(seed: u64) -> Self {
        let mut random = Random(seed);
        let profiles = [
            Profile::Linux,
            Profile::Modern,
            Profile::Rfc9260,
            Profile::Datacenter,
        ];
        let mut options = random.of(&profiles).options();
        options.receive_buffer = random.of(&[8192, 65_536, options.receive_buffer]).max(8192);
        options.send_buffer = random.of(&[8192, 65_536, options.send_buffer]);
        options.partial_delivery_point = options
            .partial_delivery_point
            .min(options.receive_buffer / 2);
        let mut pair = Pair::with(&options);
        pair.random = Random(seed + 1);
        pair.loss = random.of(&[0, 0, 5, 20, 80, 120]);
        let style = random.of(&[Style::OneToOne, Style::OneToMany]);
        let listening = pair.socket(1, style);
        let both = [address(1, 5000), second_address(1, 5000)];
        let now = pair.now;
        pair.ends[1].bind(now, listening, &both).unwrap();
        pair.ends[1].listen(now, listening, 5).unwrap();
        let clients = (0..random.below(4) as u32 + 1).map(|number| {
            let style = random.of(&[Style::OneToOne, Style::OneToMany]);
            Client {
                id: pair.socket(0, style),
                style,
                number,
                messages: random.of(&[0, 1, 5, 40]),
                sent: 0,
                echoes: 0,
                reader: Reader::new(Interleave::Off),
                last: BTreeMap::new(),
                is_shut: false,
                is_closed: false,
            }
        });
        let clients: Vec<_> = clients.collect();
        let interleave = random.of(&[Interleave::Off, Interleave::On]);
        if interleave == Interleave::On {
            pair.set(1, listening, 18, &1_i32.to_ne_bytes()).unwrap();
        }
        for (end, id) in clients
            .iter()
            .map(|client| (0, client.id))
            .chain([(1, listening)])
        {
            if random.below(2) == 0 {
                pair.subscribe(end, id, &[0, 1, 2, 5, 6, 8, 9]);
            }
        }
        let mut talk = Self {
            pair,
            interleave,
            random,
            listening,
            style,
            clients,
            served: Vec::new(),
            arrived: BTreeMap::new(),
            count: 0,
        };
        if style == Style::OneToMany {
            talk.serve(listening);
        }
        talk.connect();
        talk
    }

    fn connect(&mut self) {
        let both = [address(1, 5000), second_address(1, 5000)];
        for client in &self.clients {
            let two = self.random.below(2) == 0;
            if client.style == Style::OneToOne || client.messages == 0 {
                let peer = if two { &both[..] } else { &both[..1] };
                let now = self.pair.now;
                let begun = self.pair.ends[0].connect(now, client.id, peer);
                assert!(
                    matches!(begun, Ok(_) | Err(Errno::EINPROGRESS)),
                    "{begun:?}"
                );
            }
        }
    }

    fn serve(&mut self, id: SocketId) {
        self.served.push(Served {
            id,
            reader: Reader::new(self.interleave),
            waiting: Vec::new(),
            has_ended: false,
        });
    }

    fn accept(&mut self) {
        if self.style == Style::OneToOne
            && let Ok(id) = self.pair.ends[1].accept(self.listening)
        {
            self.serve(id);
        }
    }

    fn client_acts(&mut self, at: usize) {
        let Self {
            pair,
            random,
            clients,
            ..
        } = self;
        let client = &mut clients[at];
        if client.is_closed {
            return;
        }
        if client.sent < client.messages && random.below(2) == 0 {
            let fill = random.of(&[0, 10, 1000, 1400, 4000, 20_000]);
            let bytes = message(client.number, client.sent, fill);
            let to = (client.style == Style::OneToMany).then(|| address(1, 5000));
            let control = sndrcv(stream_of(client.sent) as u16, 0, 0, 0);
            match pair.send_with(0, client.id, to, &control, &bytes) {
                Ok(taken) => {
                    assert_eq!(taken, bytes.len());
                    client.sent += 1;
                }
                // Larger than the send buffer, or the buffer is full.
                Err(Errno::EMSGSIZE | Errno::EAGAIN) => {}
                Err(error) => panic!("client {at} cannot send: {error:?}"),
            }
        }
        let room = random.of(&[1, 100, 3000, 65_536]);
        match read(pair, 0, client.id, room, &mut client.reader) {
            Read::Message(bytes, _) => {
                let (whose, number) = parse(&bytes);
                assert_eq!(whose, client.number, "another's");
                let mut last = client.last.get(&stream_of(number)).copied();
                note(&mut last, number);
                client
                    .last
                    .extend(last.map(|last| (stream_of(number), last)));
                client.echoes += 1;
            }
            Read::End => {
                assert_eq!(
                    client.echoes, client.messages,
                    "the end before the last echo"
                );
                pair.ends[0].close(pair.now, client.id);
                client.is_closed = true;
            }
            Read::Part | Read::Nothing => {}
        }
        // After the peer's shutdown, nothing more can be sent: SCTP has no half-closed state.
        if client.is_closed || client.echoes < client.messages {
            return;
        }
        match client.style {
            Style::OneToOne if !client.is_shut => {
                let shut = pair.ends[0].shutdown(pair.now, client.id, How::Write);
                client.is_shut = shut.is_ok();
            }
            // The end that shuts down reads no end of stream.
            _ => {
                pair.ends[0].close(pair.now, client.id);
                client.is_closed = true;
            }
        }
    }

    fn server_acts(&mut self, at: usize) {
        let Self {
            pair,
            random,
            served,
            arrived,
            count,
            ..
        } = self;
        let socket = &mut served[at];
        if socket.has_ended {
            return;
        }
        if let Some((bytes, to)) = socket.waiting.first() {
            let (_, number) = parse(bytes);
            let to = to.filter(|_| self.style == Style::OneToMany);
            let control = sndrcv(stream_of(number) as u16, 0, 0, 0);
            match pair.send_with(1, socket.id, to, &control, bytes) {
                Ok(_) => drop(socket.waiting.remove(0)),
                Err(Errno::EAGAIN) => {}
                Err(error) => panic!("the server cannot send: {error:?}"),
            }
        }
        let room = random.of(&[1, 100, 3000, 65_536]);
        match read(pair, 1, socket.id, room, &mut socket.reader) {
            Read::Message(bytes, from) => {
                let (client, number) = parse(&bytes);
                let mut last = arrived.get(&(client, stream_of(number))).copied();
                note(&mut last, number);
                arrived.extend(last.map(|last| ((client, stream_of(number)), last)));
                *count += 1;
                socket.waiting.push((bytes, from));
            }
            Read::End => {
                assert!(socket.waiting.is_empty() || self.style == Style::OneToMany);
                pair.ends[1].close(pair.now, socket.id);
                socket.has_ended = true;
            }
            Read::Part | Read::Nothing => {}
        }
    }

    /// The link to cut now; none while an association may be in set-up or its addresses
    /// unconfirmed.
    fn next_cut(&mut self) -> Option<IpAddr> {
        let up = |client: &Client| client.is_closed || client.echoes > 0;
        let may = self.pair.cut.is_none() && self.clients.iter().all(up);
        let links = [address(1, 0).ip(), second_address(1, 0).ip()];
        may.then(|| self.random.of(&links))
    }

    fn run(mut self) {
        let end = self.pair.now + Duration::from_secs(4000);
        while !self.clients.iter().all(|client| client.is_closed) {
            assert!(
                self.pair.now < end,
                "it stands still: {:?}, {} arrived",
                self.clients
                    .iter()
                    .map(|it| (it.style, it.messages, it.sent, it.echoes))
                    .collect::<Vec<_>>(),
                self.count,
            );
            self.accept();
            for at in 0..self.clients.len() {
                for _ in 0..self.random.below(4) {
                    self.client_acts(at);
                }
            }
            for at in 0..self.served.len() {
                for _ in 0..self.random.below(8) {
                    self.server_acts(at);
                }
            }
            if self.random.below(40) == 0 {
                self.pair.cut = self.next_cut();
            }
            let pause = self.random.of(&[0, 1, 10, 10, 200]);
            self.pair.pass(Duration::from_millis(pause));
        }
        self.pair.cut = None;
        let sent: u32 = self.clients.iter().map(|client| client.messages).sum();
        assert_eq!(self.count, sent, "messages that the server read");
        let now = self.pair.now;
        self.pair.ends[1].close(now, self.listening);
        for socket in &self.served {
            self.pair.ends[1].close(now, socket.id);
        }
        self.pair.pass(Duration::from_secs(100_000));
        assert!(
            self.pair.ends.iter().all(sheave_sockets::Stack::is_idle),
            "something is left"
        );
    }
}

#[test]
fn what_programs_say_arrives_and_comes_back() {
    let number = |name| env::var(name).ok().map(|text| text.parse::<u64>().unwrap());
    let from = number("SHEAVE_SOCKETS_FROM").unwrap_or(0);
    for seed in from..from + number("SHEAVE_SOCKETS_SEEDS").unwrap_or(30) {
        let talk = std::panic::AssertUnwindSafe(|| Talk::new(seed).run());
        if std::panic::catch_unwind(talk).is_err() {
            panic!("seed {seed}");
        }
    }
}
