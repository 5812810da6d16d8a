//! Data channels at one end or both of an association, their users and the network between them,
//! all played by a fuzzer's bytes.
//!
//! Whatever the bytes say, nothing may panic, what is held must stay within the options, events must
//! make sense, and every loop must end. Two ends that keep to the rules must agree on their channels
//! once the network has calmed down.

#[path = "datachannel/end.rs"]
mod end;
#[path = "../../../engine/tests/bodies/endpoint/script.rs"]
mod script;
#[path = "datachannel/user.rs"]
mod user;

use core::time::Duration;
use std::collections::VecDeque;

use sheave_datachannel::dcep::Dcep;
use sheave_engine::wire::{Ppid, StreamId};
use sheave_engine::{
    Datagram, Delivery, Ecn, Message as Whole, Node, PeerAddress, PeerRequests, Reconfiguration,
    SendOptions, StreamDirection, Time,
};

use self::end::{End, Manners, PORT, address, options};
use self::script::Script;

const STEPS: usize = 200;
/// Longest message that is played, bytes.
const LARGEST: u16 = 12_000;

/// Plays `bytes` as a control message, and as a script.
pub(crate) fn datachannel(bytes: &[u8]) {
    read_and_write(bytes);
    let mut play = Play::new(Script { bytes });
    for _ in 0..STEPS {
        if play.script.bytes.is_empty() {
            break;
        }
        play.act();
    }
    play.settle();
}

/// A control message that can be read can be written, and then read again.
fn read_and_write(bytes: &[u8]) {
    let Ok(dcep) = Dcep::parse(bytes) else {
        return;
    };
    let mut written = Vec::new();
    dcep.write(&mut written);
    assert_eq!(written.len(), bytes.len());
    assert_eq!(Dcep::parse(&written), Ok(dcep));
}

struct Play<'a> {
    script: Script<'a>,
    now: Time,
    /// The one that connects, which may be hostile, and the one that listens.
    ends: [End; 2],
    wire: VecDeque<(usize, Vec<u8>)>,
}

impl<'a> Play<'a> {
    fn new(mut script: Script<'a>) -> Self {
        let choice = script.byte();
        let manners = match choice & 1 {
            0 => Manners::Good,
            _ => Manners::Bad,
        };
        let mut options = options();
        if choice & 2 != 0 {
            options.outbound_streams = 4;
        }
        if choice & 4 != 0 {
            options.max_inbound_streams = 12;
        }
        let mut polite = options.clone();
        if choice & 8 != 0 {
            options.reconfiguration = Reconfiguration::On(PeerRequests::ALL);
        }
        if choice & 16 != 0 && manners == Manners::Bad {
            polite.reconfiguration = Reconfiguration::Off;
        }
        let now = Time::from_millis(1);
        let mut play = Self {
            script,
            now,
            ends: [End::client(now, manners, options), End::server(polite)],
            wire: VecDeque::new(),
        };
        play.live(Duration::from_secs(1));
        play
    }

    fn act(&mut self) {
        let op = self.script.byte();
        let end = usize::from(op >> 7);
        let count = usize::from(op >> 4 & 7);
        if end == 0 && self.ends[0].manners == Manners::Bad {
            self.misbehave(op & 15);
        } else {
            match op & 15 {
                0 | 1 => self.ends[end].open(self.now, &mut self.script),
                2..=5 => self.ends[end].send(self.now, &mut self.script),
                6 | 7 => self.ends[end].close(self.now, &mut self.script),
                8 => self.ends[end].set_low_water(&mut self.script),
                9 => self.ends[end].pause(),
                10 => self.drop_packet(),
                11 => self.wait(),
                _ => self.carry(count + 1),
            }
        }
        for end in &mut self.ends {
            end.settle(self.now);
        }
    }

    /// Acts as plain SCTP that has heard of data channels.
    fn misbehave(&mut self, op: u8) {
        let now = self.now;
        let message = match op {
            0..=2 => Some((50, self.open_message())),
            3..=6 => {
                let ppid = [50, 51, 52, 53, 54, 55, 56, 57][usize::from(self.script.byte() & 7)];
                let len = usize::from(self.script.byte() & 31);
                Some((ppid, self.script.slice(len).to_vec()))
            }
            7 => {
                let len = self.script.word() % LARGEST;
                Some((53, vec![op; usize::from(len)]))
            }
            _ => None,
        };
        if let Some((ppid, payload)) = message {
            let stream = self.script.byte();
            let whole = Whole::new(StreamId(u16::from(stream & 31)), payload);
            let whole = Whole {
                delivery: match stream & 128 {
                    0 => Delivery::Ordered,
                    _ => Delivery::Unordered,
                },
                ..whole.with_ppid(Ppid(ppid))
            };
            let options = match stream & 64 {
                0 => SendOptions::default(),
                _ => SendOptions::default().with_max_retransmissions(0),
            };
            if let Some(mut assoc) = self.ends[0].assoc() {
                // Refused where there is no room or no stream.
                let _ = assoc.send(now, whole, options);
            }
            return;
        }
        match op {
            8..=10 => {
                let count = usize::from(self.script.byte() & 7);
                let streams = self.script.slice(count);
                let streams: Vec<_> = streams
                    .iter()
                    .map(|stream| StreamId(u16::from(stream & 31)))
                    .collect();
                let direction = match op {
                    10 => StreamDirection::Incoming,
                    _ => StreamDirection::Outgoing,
                };
                if let Some(mut assoc) = self.ends[0].assoc() {
                    let _ = assoc.reset_streams(now, &streams, direction);
                }
            }
            11 => {
                let count = u16::from(self.script.byte());
                if let Some(mut assoc) = self.ends[0].assoc() {
                    let _ = assoc.add_streams(now, count, StreamDirection::Outgoing);
                }
            }
            12 => {
                if let Some(mut assoc) = self.ends[0].assoc()
                    && self.script.byte() == 0
                {
                    let _ = assoc.shutdown(now);
                }
            }
            13 => self.wait(),
            _ => self.carry(8),
        }
    }

    /// An OPEN that is well formed as a rule.
    fn open_message(&mut self) -> Vec<u8> {
        let kind = self.script.byte();
        let label = self.script.byte() & 127;
        let mut bytes = vec![3, kind & 0x83, 1, 0, 0, 0, 0, kind & 0x7F, 0, label, 0, 0];
        bytes.resize(12 + usize::from(label), b'l');
        if kind == 0xFF {
            bytes.push(0xFF);
        }
        bytes
    }

    fn wait(&mut self) {
        self.now = self.now + Duration::from_millis(u64::from(self.script.byte()) * 8);
        self.tick();
    }

    fn tick(&mut self) {
        for end in &mut self.ends {
            end.endpoint.handle_timeout(self.now);
            end.settle(self.now);
        }
    }

    fn drop_packet(&mut self) {
        self.collect();
        self.wire.pop_front();
    }

    /// Takes up what both ends send.
    fn collect(&mut self) {
        let mut packet = Vec::new();
        for (place, end) in self.ends.iter_mut().enumerate() {
            while end
                .endpoint
                .poll_transmit(self.now, &mut packet, 1)
                .is_some()
            {
                self.wire.push_back((1 - place, packet.clone()));
            }
        }
    }

    /// Delivers so many packets.
    fn carry(&mut self, count: usize) {
        self.collect();
        for (place, payload) in self.wire.drain(..count.min(self.wire.len())) {
            let end = &mut self.ends[place];
            let datagram = Datagram {
                local: address(place),
                remote: PeerAddress::native(address(1 - place)),
                ecn: Ecn::NotEct,
                payload: &payload,
            };
            end.endpoint.handle_datagram(self.now, datagram);
            end.settle(self.now);
        }
    }

    /// Lets time pass on a perfect network.
    fn live(&mut self, span: Duration) {
        let until = self.now + span;
        for _ in 0..50_000 {
            self.collect();
            if !self.wire.is_empty() {
                self.now = self.now + Duration::from_millis(1);
                self.carry(usize::MAX);
                self.tick();
                continue;
            }
            let due = self
                .ends
                .iter()
                .filter_map(|end| end.endpoint.poll_timeout());
            let Some(due) = due.min().filter(|due| *due <= until) else {
                self.now = until;
                return;
            };
            self.now = self.now.max(due);
            self.tick();
        }
        panic!("the two ends never rest on port {PORT}");
    }

    /// Everything is read and arrives; then two ends that keep to the rules agree.
    fn settle(&mut self) {
        for end in &mut self.ends {
            end.read_on(self.now);
        }
        self.live(Duration::from_secs(100));
        if self.ends.iter().all(|end| end.manners == Manners::Good) {
            let [one, other] = [0, 1].map(|place| self.ends[place].open_streams());
            assert_eq!(one, other, "the ends disagree on their channels");
            let [client, server] = &self.ends;
            client.user.compare(&server.user);
            server.user.compare(&client.user);
        }
    }
}
