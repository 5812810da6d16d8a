//! A script over two connections: what the fuzzer draws, and the corpus replays.

use std::net::SocketAddr;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use sheave_datachannel::{ChannelConfig, ChannelEvent, ChannelId, Message};
use sheave_webrtc::{ConnectionConfig, ConnectionEvent, Description, Identity, PeerConnection};

/// Steps of a script at most.
const MOST_STEPS: usize = 400;

/// Bytes on the network and in events at most: beyond, datagrams are lost.
const MOST_ON_THE_WAY: usize = 256;

struct Script<'a>(&'a [u8]);

impl<'a> Script<'a> {
    fn next(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    fn number(&mut self) -> u8 {
        self.next().unwrap_or(0)
    }

    fn take(&mut self, most: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(most.min(self.0.len()));
        self.0 = rest;
        taken
    }
}

struct World {
    now: Instant,
    ends: [PeerConnection; 2],
    on_the_way: Vec<(usize, SocketAddr, SocketAddr, Vec<u8>)>,
    channels: [Vec<ChannelId>; 2],
    buffer: Vec<u8>,
    /// Messages taken in, and delivered.
    counts: [usize; 2],
}

/// One certificate for each end, since making them takes most of the time.
fn identities() -> &'static [Identity; 2] {
    static IDENTITIES: OnceLock<[Identity; 2]> = OnceLock::new();
    IDENTITIES.get_or_init(|| [(), ()].map(|()| Identity::generate().expect("random numbers")))
}

fn address(n: usize) -> SocketAddr {
    SocketAddr::from(([192, 0, 2, if n == 0 { 1 } else { 2 }], 4000))
}

impl World {
    fn new(flags: u8) -> Option<Self> {
        let now = Instant::now();
        let end = |n: usize| {
            let mut config = ConnectionConfig::new([address(n)]);
            config.identity = Some(identities()[n].clone());
            if flags >> n & 1 == 1 {
                config.ice = sheave_webrtc::IceMode::Lite;
            }
            PeerConnection::new(now, config).expect("the settings are right")
        };
        let mut ends = [end(0), end(1)];
        let offer = ends[0].offer().ok()?;
        let answer = ends[1].answer(now, &offer).ok()?;
        ends[0].accept(now, &answer).ok()?;
        Some(Self {
            now,
            ends,
            on_the_way: Vec::new(),
            channels: [Vec::new(), Vec::new()],
            buffer: Vec::new(),
            counts: [0; 2],
        })
    }

    fn collect(&mut self, n: usize) {
        while let Some(event) = self.ends[n].poll_event(self.now) {
            match event {
                ConnectionEvent::Channel(ChannelEvent::Opened { channel, .. }) => {
                    self.channels[n].push(channel);
                }
                ConnectionEvent::Channel(ChannelEvent::Message { message, .. }) => {
                    // DTLS lets nothing pass that the other end has not sent.
                    let whole = message.payload.iter().all(|byte| *byte == 0x5a);
                    assert!(whole, "a message that nobody sent");
                    self.counts[1] += 1;
                    assert!(self.counts[1] <= self.counts[0], "a message came twice");
                }
                _ => {}
            }
        }
        let mut buffer = std::mem::take(&mut self.buffer);
        while let Some(sent) = self.ends[n].poll_transmit(self.now, &mut buffer, 4) {
            for datagram in buffer.chunks(sent.segment_size.unwrap_or(buffer.len()).max(1)) {
                if self.on_the_way.len() < MOST_ON_THE_WAY {
                    let datagram = datagram.to_vec();
                    self.on_the_way
                        .push((1 - n, sent.remote, sent.local, datagram));
                }
            }
        }
        self.buffer = buffer;
    }

    fn deliver(&mut self, at: usize) {
        if at < self.on_the_way.len() {
            let (to, local, remote, datagram) = self.on_the_way.remove(at);
            self.ends[to].handle_datagram(self.now, local, remote, &datagram);
            self.collect(to);
        }
    }

    fn step(&mut self, script: &mut Script<'_>, verb: u8) {
        let n = usize::from(verb >> 7);
        match verb & 0x7f {
            0..=39 => self.deliver(0),
            40..=47 => self.deliver(usize::from(script.number())),
            // Everything on the way arrives.
            48..=55 => {
                for _ in 0..self.on_the_way.len() {
                    self.deliver(0);
                }
            }
            56..=63 => {
                let at = usize::from(script.number());
                if let Some(twice) = self.on_the_way.get(at).cloned() {
                    self.on_the_way.push(twice);
                }
            }
            64..=67 => {
                let at = usize::from(script.number());
                if at < self.on_the_way.len() {
                    self.on_the_way.remove(at);
                }
            }
            // A datagram is changed, or made up.
            68..=75 => {
                let (at, place, bits) = (script.number(), script.number(), script.number());
                if let Some((.., datagram)) = self.on_the_way.get_mut(usize::from(at)) {
                    let place = usize::from(place) % datagram.len().max(1);
                    datagram[place] ^= bits;
                }
            }
            76..=83 => {
                let length = usize::from(script.number());
                let datagram = script.take(length).to_vec();
                let from = address(1 - n);
                self.ends[n].handle_datagram(self.now, address(n), from, &datagram);
                self.collect(n);
            }
            84..=91 => {
                let mut config = ChannelConfig::new("script");
                if script.number() & 1 == 1 {
                    config = config.unordered();
                }
                let _ = self.ends[n].open(self.now, config);
                self.collect(n);
            }
            92..=103 => self.send(n, script),
            104..=107 => {
                let at = usize::from(script.number());
                if let Some(&channel) = self.channels[n].get(at) {
                    self.ends[n].close_channel(self.now, channel);
                    self.collect(n);
                }
            }
            108 => {
                self.ends[n].close(self.now);
                self.collect(n);
            }
            _ => {
                self.now += Duration::from_millis(4 << (script.number() & 15));
                for n in [0, 1] {
                    self.ends[n].handle_timeout(self.now);
                    self.collect(n);
                }
            }
        }
    }

    fn send(&mut self, n: usize, script: &mut Script<'_>) {
        let (at, size) = (usize::from(script.number()), script.number());
        let message = Message::binary(vec![0x5a; usize::from(size) * usize::from(size)]);
        if let Some(&channel) = self.channels[n].get(at)
            && self.ends[n].send(self.now, channel, message).is_ok()
        {
            self.counts[0] += 1;
        }
        self.collect(n);
    }
}

/// Reads the script as a description, and plays it over two connections.
pub(crate) fn webrtc(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes)
        && let Ok(description) = text.parse::<Description>()
    {
        let again: Description = description.to_string().parse().expect("our own text");
        assert_eq!(again, description);
    }
    let mut script = Script(bytes);
    let Some(mut world) = World::new(script.number() & 3) else {
        return;
    };
    for _ in 0..MOST_STEPS {
        let Some(verb) = script.next() else {
            return;
        };
        world.step(&mut script, verb);
    }
}
