//! Our end of a WebRTC connection beside a program that is the other end, over a network that may lose.

mod program;

use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sheave_webrtc::datachannel::{ChannelConfig, ChannelEvent, ChannelId, Kind, Message};
use sheave_webrtc::{ConnectionConfig, ConnectionEvent, Description, PeerConnection};

use crate::{Child, Random};
pub use program::WebrtcProgram;

/// Time that anything gets: stacks that double their timeout at each loss are silent for long.
const LIMIT: Duration = Duration::from_secs(150);

/// Wait where nothing comes.
const PAUSE: Duration = Duration::from_millis(1);

/// The end that makes the offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offerer {
    /// Ours.
    Here,
    /// The program.
    Peer,
}

/// Our end, and a program as the other one.
pub struct DataPair {
    /// Our end.
    pub here: PeerConnection,
    /// Datagrams lost, per cent, in both directions.
    pub loss: u64,
    /// Bytes of the longest IP packet that passes.
    pub mtu: usize,
    /// The descriptions, in the order in which they were made.
    pub descriptions: Vec<Description>,
    /// What happened here, and was not asked for yet.
    pub events: Vec<ConnectionEvent>,
    /// What the program said, and was not asked for yet.
    pub lines: Vec<String>,
    socket: UdpSocket,
    address: SocketAddr,
    random: Random,
    child: Child,
    _profile: Option<tempfile::TempDir>,
}

impl DataPair {
    /// Two ends that have exchanged their descriptions and are connected.
    pub fn connect(
        program: &WebrtcProgram,
        offerer: Offerer,
        adapt: impl Fn(&mut ConnectionConfig),
    ) -> Self {
        let mut pair = Self::agree(program, offerer, adapt);
        pair.event("Connected", |event| {
            matches!(event, ConnectionEvent::Connected)
        });
        pair
    }

    /// Two ends that have exchanged their descriptions.
    /// Panics: a description is not taken.
    pub fn agree(
        program: &WebrtcProgram,
        offerer: Offerer,
        adapt: impl Fn(&mut ConnectionConfig),
    ) -> Self {
        let socket = UdpSocket::bind((own_address(), 0)).expect("the address is ours");
        socket.set_nonblocking(true).expect("it is a socket");
        let address = socket.local_addr().expect("it is bound");
        let mut config = ConnectionConfig::new([address]);
        adapt(&mut config);
        let here = PeerConnection::new(Instant::now(), config).expect("the settings are right");
        let (child, profile) = program.start();
        let mut pair = Self {
            here,
            loss: 0,
            mtu: 65_535,
            descriptions: Vec::new(),
            events: Vec::new(),
            lines: Vec::new(),
            socket,
            address,
            random: Random::new(1),
            child,
            _profile: profile,
        };
        pair.negotiate(offerer);
        pair
    }

    fn negotiate(&mut self, offerer: Offerer) {
        match offerer {
            Offerer::Here => {
                let offer = self.here.offer().expect("it is the first one");
                self.descriptions.push(offer.clone());
                let offer = json!({ "type": "offer", "sdp": offer.to_string() });
                self.tell(&format!("offered {offer}"));
                let answer = self.description("answer ");
                let accepted = self.here.accept(Instant::now(), &answer);
                accepted.expect("the answer fits");
            }
            Offerer::Peer => {
                self.tell("offer");
                let offer = self.description("offer ");
                let answer = self.here.answer(Instant::now(), &offer);
                let answer = answer.expect("the offer makes sense");
                self.descriptions.push(answer.clone());
                let answer = json!({ "type": "answer", "sdp": answer.to_string() });
                self.tell(&format!("answered {answer}"));
            }
        }
    }

    fn description(&mut self, beginning: &str) -> Description {
        let line = self.line(beginning);
        let json: Value = serde_json::from_str(&line[beginning.len()..]).expect("it is JSON");
        let sdp = json["sdp"].as_str().expect("it has a description");
        let description: Description = sdp.parse().unwrap_or_else(|error| panic!("{error}: {sdp}"));
        self.descriptions.push(description.clone());
        description
    }

    /// Gives the program a command.
    pub fn tell(&mut self, command: &str) {
        self.child.tell(command);
    }

    /// Waits for a line of the program's that begins so, and takes it out.
    pub fn line(&mut self, beginning: &str) -> String {
        let find = |pair: &Self| pair.lines.iter().position(|it| it.starts_with(beginning));
        self.run_until(beginning, |pair| find(pair).is_some());
        let position = find(self).expect("it was there");
        self.lines.remove(position)
    }

    /// Waits for an event here, and takes it out.
    pub fn event(
        &mut self,
        name: &str,
        is_it: impl Fn(&ConnectionEvent) -> bool,
    ) -> ConnectionEvent {
        self.run_until(name, |pair| pair.events.iter().any(&is_it));
        let position = self.events.iter().position(is_it).expect("it was there");
        self.events.remove(position)
    }

    /// Opens a channel from here and waits until both ends have it open; what the program saw of it.
    pub fn open(&mut self, config: ChannelConfig) -> (ChannelId, String) {
        let label = config.label.clone();
        let channel = self.begin(config);
        let line = self.line(&format!("opened {label} "));
        (channel, line)
    }

    /// Opens a channel from here and waits until it is open here.
    pub fn begin(&mut self, config: ChannelConfig) -> ChannelId {
        let label = config.label.clone();
        let channel = self
            .here
            .open(Instant::now(), config)
            .expect("it can be opened");
        let opened = ConnectionEvent::Channel(ChannelEvent::Opened { channel });
        self.event(&format!("{label} opened"), |event| *event == opened);
        channel
    }

    /// Waits until the program has opened a channel of that label.
    pub fn incoming(&mut self, label: &str) -> ChannelId {
        let here = |pair: &Self, event: &ConnectionEvent| match event {
            ConnectionEvent::Channel(ChannelEvent::Incoming { channel }) => {
                let found = pair.here.channel(*channel);
                found
                    .filter(|found| found.label() == label)
                    .map(sheave_webrtc::datachannel::Channel::id)
            }
            _ => None,
        };
        let find = |pair: &Self| {
            let mut events = pair.events.iter().enumerate();
            events.find_map(|(at, event)| Some((at, here(pair, event)?)))
        };
        self.run_until(label, |pair| find(pair).is_some());
        let (position, channel) = find(self).expect("it was there");
        self.events.remove(position);
        channel
    }

    /// Sends a message, when there is room.
    pub fn send(&mut self, channel: ChannelId, message: &Message) {
        use sheave_webrtc::datachannel::SendError;
        let end = Instant::now() + LIMIT;
        loop {
            match self.here.send(Instant::now(), channel, message.clone()) {
                Ok(()) => return,
                Err(SendError::BufferFull(_)) if Instant::now() < end => self.turn(),
                Err(error) => panic!("{error:?}"),
            }
        }
    }

    /// Waits for a message on a channel.
    pub fn message(&mut self, channel: ChannelId) -> Message {
        let is_it = |event: &ConnectionEvent| {
            matches!(event, ConnectionEvent::Channel(ChannelEvent::Message { channel: found, .. })
                if *found == channel)
        };
        let stream = channel.stream().0;
        match self.event(&format!("message on stream {stream}"), is_it) {
            ConnectionEvent::Channel(ChannelEvent::Message { message, .. }) => message,
            _ => unreachable!("it was one"),
        }
    }

    /// Runs until `done`.
    pub fn run_until(&mut self, what: &str, done: impl Fn(&Self) -> bool) {
        let end = Instant::now() + LIMIT;
        while !done(self) {
            let failed = self.lines.iter().find(|line| line.starts_with("failed"));
            assert!(failed.is_none(), "waiting for {what}: {failed:?}");
            let is_end = |event: &&ConnectionEvent| matches!(event, ConnectionEvent::Ended(_));
            let ended = self.events.iter().find(is_end);
            assert!(ended.is_none(), "waiting for {what}: {ended:?}");
            assert!(
                Instant::now() < end,
                "no {what}; here {:?}, {:?}, {:?}; the program {:?}",
                short(&self.events),
                self.here.stats(),
                self.here.association_stats(),
                short(&self.lines)
            );
            self.turn();
        }
    }

    /// Runs for that time.
    pub fn run_for(&mut self, time: Duration) {
        let end = Instant::now() + time;
        while Instant::now() < end {
            self.turn();
        }
    }

    fn turn(&mut self) {
        self.here.handle_timeout(Instant::now());
        self.flush();
        let mut any = false;
        let mut datagram = [0; 65_536];
        for _ in 0..64 {
            match self.socket.recv_from(&mut datagram) {
                Ok((length, from)) => {
                    any = true;
                    if self.passes(length) {
                        let bytes = &datagram[..length];
                        self.here
                            .handle_datagram(Instant::now(), self.address, from, bytes);
                    }
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                // What an ICMP message said of a datagram before.
                Err(_) => {}
            }
        }
        while let Some(event) = self.here.poll_event(Instant::now()) {
            self.events.push(event);
        }
        self.flush();
        while let Some(line) = self.child.next_line(Instant::now()) {
            self.lines.push(line);
        }
        if !any {
            thread::sleep(PAUSE);
        }
    }

    fn flush(&mut self) {
        let mut buffer = Vec::new();
        while let Some(sent) = self.here.poll_transmit(Instant::now(), &mut buffer, 1) {
            if self.passes(buffer.len()) {
                // One that the system refuses is lost.
                let _ = self.socket.send_to(&buffer, sent.remote);
            }
        }
    }

    /// Whether a datagram passes.
    fn passes(&mut self, length: usize) -> bool {
        length + 28 <= self.mtu && !self.random.percent(self.loss)
    }
}

/// The letters that the programs send.
pub fn letters(kind: Kind, size: usize) -> Message {
    let bytes: Vec<u8> = (b'a'..=b'z').cycle().take(size).collect();
    Message {
        kind,
        payload: bytes.into(),
    }
}

/// The sum of a message's bytes, as the programs print it.
pub fn sum(message: &Message) -> u32 {
    let bytes = message.payload.iter().map(|byte| u32::from(*byte));
    bytes.fold(0, u32::wrapping_add)
}

/// The IPv4 address by which others reach this machine: not every stack takes 127.0.0.1 for one.
fn own_address() -> Ipv4Addr {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0));
    let found = socket.and_then(|socket| {
        // Nothing is sent.
        socket.connect((Ipv4Addr::new(203, 0, 113, 1), 9))?;
        socket.local_addr()
    });
    match found {
        Ok(SocketAddr::V4(address)) => *address.ip(),
        _ => Ipv4Addr::LOCALHOST,
    }
}

/// The last few.
fn short<T: std::fmt::Debug>(all: &[T]) -> Vec<String> {
    let last = all.iter().rev().take(12).rev();
    last.map(|it| format!("{it:?}").chars().take(200).collect())
        .collect()
}
