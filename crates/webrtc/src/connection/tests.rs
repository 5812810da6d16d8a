//! A peer that has done every handshake, and then keeps no rules inside DTLS.

use std::time::Duration;

use sheave_datachannel::{ChannelEvent, ChannelId, Message};

use super::*;
use crate::ConnectionConfig;

/// Cases of the search, of which each is a connection.
const CASES: u64 = 60;

/// Packets of a case.
const PACKETS: usize = 120;

/// Time between two of them.
const TICK: Duration = Duration::from_millis(20);

/// Calls of `handle_timeout` that one tick may take.
const MOST_CALLS: usize = 8;

/// Bytes of an answer to any packet: what retransmissions and a lying SACK may bring.
const MOST_ANSWER: usize = 64 << 10;

struct Case {
    now: Instant,
    random: u64,
    /// The peer, which is hostile, and ours.
    ends: [PeerConnection; 2],
    channel: Option<ChannelId>,
    /// Genuine packets of the peer's.
    seen: Vec<Vec<u8>>,
    ended: bool,
}

fn address(n: usize) -> SocketAddr {
    SocketAddr::from(([192, 0, 2, if n == 0 { 1 } else { 2 }], 4000))
}

impl Case {
    fn new(seed: u64) -> Self {
        let now = Instant::now();
        let end = |n| PeerConnection::new(now, ConnectionConfig::new([address(n)])).unwrap();
        let mut ends = [end(0), end(1)];
        let offer = ends[0].offer().unwrap();
        let answer = ends[1].answer(now, &offer).unwrap();
        ends[0].accept(now, &answer).unwrap();
        let mut case = Self {
            now,
            random: seed.wrapping_mul(2) + 1,
            ends,
            channel: None,
            seen: Vec::new(),
            ended: false,
        };
        case.ends[1].open(now, ChannelConfig::new("ours")).unwrap();
        for _ in 0..100 {
            case.tick();
            case.carry(0);
            case.carry(1);
        }
        assert!(case.channel.is_some(), "the ends do not find each other");
        case
    }

    fn draw(&mut self, below: usize) -> usize {
        self.random = self
            .random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.random >> 33).unwrap() % below.max(1)
    }

    fn tick(&mut self) {
        self.now += TICK;
        for end in &mut self.ends {
            let mut calls = 0;
            while end.poll_timeout().is_some_and(|due| due <= self.now) {
                end.handle_timeout(self.now);
                calls += 1;
                assert!(calls <= MOST_CALLS, "a timer that is always due");
            }
        }
    }

    /// Hands over what an end has to send; the bytes.
    fn carry(&mut self, from: usize) -> usize {
        let (mut buffer, mut bytes) = (Vec::new(), 0);
        while let Some(transmit) = self.ends[from].poll_transmit(self.now, &mut buffer, 1) {
            bytes += buffer.len();
            let (to, at) = (1 - from, transmit.local);
            self.ends[to].handle_datagram(self.now, transmit.remote, at, &buffer);
        }
        while let Some(event) = self.ends[1].poll_event(self.now) {
            match event {
                ConnectionEvent::Channel(ChannelEvent::Opened { channel }) => {
                    self.channel = Some(channel);
                }
                ConnectionEvent::Ended(_) => self.ended = true,
                _ => {}
            }
        }
        while self.ends[0].poll_event(self.now).is_some() {}
        bytes
    }

    /// Takes what the peer's association wants to send, and makes something of it.
    fn hostile_packet(&mut self) -> Vec<u8> {
        // There is always something that a true peer would have sent.
        let _ = self.ends[0].open(self.now, ChannelConfig::new("theirs"));
        let inner = self.ends[0].inner.as_mut().unwrap();
        while let Some((packets, length)) = inner.association.poll_packets(self.now, 1) {
            self.seen.extend(packets.chunks(length).map(<[u8]>::to_vec));
        }
        let which = self.draw(self.seen.len());
        let mut packet = self.seen[which].clone();
        let longest = packet.len().saturating_sub(12);
        match self.draw(6) {
            // A chunk of another type, or of another length than it says.
            0 if longest > 0 => packet[12] = u8::try_from(self.draw(256)).unwrap(),
            1 if longest > 3 => {
                let length = u16::try_from(self.draw(1 << 16)).unwrap();
                packet[14..16].copy_from_slice(&length.to_be_bytes());
            }
            2 => packet.truncate(12 + self.draw(longest)),
            // Chunks of two packets in one.
            3 => {
                let other = self.draw(self.seen.len());
                let chunks = self.seen[other].get(12..).unwrap_or_default();
                packet.extend_from_slice(chunks);
                packet.truncate(1200);
            }
            4 => packet[12..].fill_with(|| {
                self.random = self.random.rotate_left(7).wrapping_mul(5).wrapping_add(9);
                self.random.to_le_bytes()[3]
            }),
            _ => {
                for _ in 0..=self.draw(4) {
                    let at = 12 + self.draw(longest);
                    if let Some(byte) = packet.get_mut(at) {
                        *byte ^= u8::try_from(1 + self.random % 255).unwrap();
                    }
                }
            }
        }
        packet
    }

    fn run(mut self) {
        for _ in 0..PACKETS {
            self.tick();
            let channel = self.channel.unwrap();
            // Something of ours is always under way, so that SACKs and their like have what to lie of.
            let _ = self.ends[1].send(self.now, channel, Message::binary(vec![7; 3000]));
            let packet = self.hostile_packet();
            let mut record = Vec::new();
            let inner = self.ends[0].inner.as_mut().unwrap();
            if inner.secured.seal(self.now, &packet, &mut record).is_err() {
                break;
            }
            self.ends[1].handle_datagram(self.now, address(1), address(0), &record);
            let answer = self.carry(1);
            assert!(
                answer <= MOST_ANSWER,
                "{answer} bytes answer {} of them",
                packet.len()
            );
            assert!(self.ends[1].buffered(channel) <= 4 << 20);
            if self.ended {
                return;
            }
        }
        // Left alone for ten minutes it neither spins nor floods.
        for _ in 0..10 * 60 * 50 {
            self.tick();
            assert!(self.carry(1) <= MOST_ANSWER);
        }
    }
}

#[test]
fn a_peer_that_breaks_every_rule_inside_dtls_does_no_harm() {
    for seed in 0..CASES {
        Case::new(seed).run();
    }
}
