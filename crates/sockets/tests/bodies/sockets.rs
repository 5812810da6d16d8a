//! Body of the fuzz target `sockets`: arbitrary calls, lengths and bytes on a looped-back stack. No
//! call may panic, results must fit their buffers, and once all sockets are closed, no state may
//! remain.

use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use sheave_engine::{Datagram, EndpointOptions, Node, PeerAddress, Profile, Time};
use sheave_sockets::{Abi, Domain, How, Limits, SendCall, SocketId, Stack, Style};

/// Maximum sockets.
const MOST_SOCKETS: usize = 8;
/// Maximum packets delivered per call.
const MOST_PACKETS: usize = 2000;
/// Option levels.
const LEVELS: [i32; 5] = [132, 1, 0, 41, 6];
/// Size of each control message type in Linux, bytes.
const LINUX_SIZES: [usize; 9] = [8, 32, 16, 28, 16, 8, 2, 4, 16];
/// Size of each control message type in usrsctp, which counts from 1, bytes.
const USRSCTP_SIZES: [usize; 11] = [16, 8, 32, 16, 16, 28, 16, 8, 2, 4, 16];
/// First numbers of usrsctp's further options.
const FURTHER_OPTIONS: [i32; 4] = [0x100, 0x900, 0x1200, 0x8000];
/// Time after which all associations have timed out.
const LONG: Duration = Duration::from_secs(100_000);

/// Input bytes that determine the calls; continues with zeros at its end.
struct Script<'a>(&'a [u8]);

impl Script<'_> {
    fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        *first
    }

    fn number(&mut self) -> u32 {
        u32::from_le_bytes([self.byte(), self.byte(), self.byte(), self.byte()])
    }

    /// Up to `most` bytes, starting with the script's.
    fn bytes(&mut self, most: usize) -> Vec<u8> {
        let length = usize::from(self.byte()) % (most + 1);
        let drawn = usize::from(self.byte()).min(length);
        let mut bytes: Vec<u8> = (0..drawn).map(|_| self.byte()).collect();
        bytes.resize(length, 0);
        bytes
    }
}

struct World {
    stack: Stack,
    now: Time,
    sockets: Vec<SocketId>,
    control_sizes: &'static [usize],
}

pub(crate) fn sockets(bytes: &[u8]) {
    let mut script = Script(bytes);
    let abis: [(Abi, &[_]); 3] = [
        (Abi::LINUX, &LINUX_SIZES),
        (Abi::USRSCTP, &USRSCTP_SIZES),
        (Abi::USRSCTP_CONNECTIONS, &USRSCTP_SIZES),
    ];
    let (abi, control_sizes) = abis[usize::from(script.byte()) % abis.len()];
    let local = ["127.0.0.1", "::1", "192.0.2.1", "192.0.2.2"];
    let stack = Stack::new(
        local.map(|ip| ip.parse().unwrap()).into(),
        EndpointOptions::default(),
        Profile::Linux.options(),
        abi,
        [9; 32],
    );
    let mut world = World {
        stack,
        now: Time::ZERO,
        sockets: Vec::new(),
        control_sizes,
    };
    while !script.0.is_empty() {
        world.call(&mut script);
        world.carry();
    }
    let now = world.now;
    for socket in std::mem::take(&mut world.sockets) {
        world.stack.close(now, socket);
    }
    world.pass(LONG);
    assert!(world.stack.is_idle());
}

impl World {
    fn call(&mut self, script: &mut Script<'_>) {
        let now = self.now;
        let verb = script.byte() % 16;
        if verb == 0 || self.sockets.is_empty() {
            return self.open(script);
        }
        let id = self.sockets[usize::from(script.byte()) % self.sockets.len()];
        match verb {
            1 => drop(self.stack.bind(now, id, &[address(script)])),
            2 => {
                let both = [address(script), address(script)];
                let _ = self.stack.bind(now, id, &both);
            }
            3 => drop(self.stack.listen(now, id, u32::from(script.byte() % 4))),
            4 => drop(self.stack.connect(now, id, &[address(script)])),
            5 => self.keep(Stack::accept, id),
            6 => {
                let assoc = i32::from(script.byte()) - 1;
                self.keep(|stack, id| stack.peel_off(now, id, assoc), id);
            }
            7 | 8 => self.send(id, script),
            9 => self.receive(id, script),
            10 | 11 => {
                let (level, name) = option(script);
                let value = script.bytes(180);
                let _ = self.stack.abi().special(level, name, &value);
                let _ = self.stack.set_option(now, id, level, name, &value);
            }
            12 => {
                let (level, name) = option(script);
                let given = script.bytes(255);
                if let Ok(answer) = self.stack.option(now, id, level, name, &given) {
                    assert!(answer.len() <= given.len());
                }
            }
            13 => {
                if let Ok(how) = How::from_number(i32::from(script.byte() % 4)) {
                    let _ = self.stack.shutdown(now, id, how);
                }
            }
            14 => {
                self.stack.close(now, id);
                self.sockets.retain(|other| *other != id);
            }
            _ => self.pass(Duration::from_millis(u64::from(script.number() % 10_000))),
        }
        let _ = (self.stack.readiness(id), self.stack.next_length(now, id));
        let socket = self.stack.find(id);
        let _ = socket.map(|socket| (socket.local_name(), socket.peer_name()));
        while self.stack.poll_changed().is_some() {}
    }

    fn open(&mut self, script: &mut Script<'_>) {
        let kind = script.byte();
        let domain = if kind & 1 == 0 {
            Domain::V4
        } else {
            Domain::V6
        };
        let style = if kind & 2 == 0 {
            Style::OneToOne
        } else {
            Style::OneToMany
        };
        if self.sockets.len() < MOST_SOCKETS {
            self.sockets.push(self.stack.socket(domain, style));
        }
    }

    fn keep<E>(
        &mut self,
        make: impl FnOnce(&mut Stack, SocketId) -> Result<SocketId, E>,
        id: SocketId,
    ) {
        self.sockets.extend(make(&mut self.stack, id));
    }

    fn send(&mut self, id: SocketId, script: &mut Script<'_>) {
        let flags = script.byte();
        let (mut control, mut may_be_refused) = (Vec::new(), flags & 0x80 != 0);
        for _ in 0..flags % 3 {
            let kind = usize::from(script.byte() % 12);
            let mut body = script.bytes(40);
            // Usually the right length.
            if flags & 0x40 == 0 {
                body.resize(self.control_sizes.get(kind).copied().unwrap_or(5), 0);
            }
            may_be_refused |= kind < 2;
            control.extend((16 + body.len() as u64).to_ne_bytes());
            control.extend(132_i32.to_ne_bytes());
            control.extend((kind as i32).to_ne_bytes());
            control.extend(&body);
            control.resize(control.len().next_multiple_of(8), 0);
        }
        let length = script.number() as usize % 4000;
        let call = SendCall {
            destination: (flags & 0x80 != 0).then(|| address(script)),
            control: &control,
            flags: 0,
            payload: Bytes::from(vec![7; length]),
        };
        let checked = self.stack.check_send(self.now, id, &call);
        let sent = self.stack.send(self.now, id, call);
        // A message that passed the check is accepted.
        assert!(
            checked.is_err() || may_be_refused || sent.is_ok(),
            "{sent:?}"
        );
    }

    fn receive(&mut self, id: SocketId, script: &mut Script<'_>) {
        let limits = Limits {
            payload: script.number() as usize % 3000,
            control: usize::from(script.byte()),
            flags: i32::from(script.byte()),
        };
        if let Ok(incoming) = self.stack.peek(self.now, id, limits) {
            assert!(incoming.payload.len() <= limits.payload);
            assert!(incoming.control.len() <= limits.control);
            self.stack.consume(self.now, id, incoming.token);
        }
    }

    /// Delivers packets in flight.
    fn carry(&mut self) {
        let mut buf = Vec::new();
        for _ in 0..MOST_PACKETS {
            let Some(transmit) = self.stack.poll_transmit(self.now, &mut buf, 1) else {
                return;
            };
            let payload = std::mem::take(&mut buf);
            let datagram = Datagram {
                local: transmit.remote.ip,
                remote: PeerAddress::native(transmit.local),
                ecn: Default::default(),
                payload: &payload,
            };
            self.stack.handle_datagram(self.now, datagram);
        }
    }

    fn pass(&mut self, span: Duration) {
        let end = self.now + span;
        self.carry();
        while let Some(due) = self.stack.poll_timeout().filter(|due| *due <= end) {
            self.now = self.now.max(due);
            self.stack.handle_timeout(self.now);
            self.carry();
        }
        self.now = end;
    }
}

/// An address of the stack, or an unreachable one.
fn address(script: &mut Script<'_>) -> SocketAddr {
    let ips = [
        "127.0.0.1",
        "::1",
        "192.0.2.1",
        "192.0.2.2",
        "0.0.0.0",
        "::",
        "203.0.113.1",
    ];
    let choice = script.byte();
    let ip = ips[usize::from(choice % 7)].parse().unwrap();
    SocketAddr::new(ip, 5000 + u16::from(choice / 7 % 4))
}

fn option(script: &mut Script<'_>) -> (i32, i32) {
    let level = match script.byte() {
        choice @ ..200 => LEVELS[usize::from(choice >= 160) * usize::from(choice % 5)],
        _ => script.number().cast_signed(),
    };
    let name = match script.byte() {
        number @ ..240 => i32::from(number),
        choice @ ..250 => FURTHER_OPTIONS[usize::from(choice % 4)] + i32::from(script.byte() % 10),
        _ => script.number().cast_signed(),
    };
    (level, name)
}
