//! Compares our results of all kinds of calls with those of a Linux kernel.
//!
//! `linux/calls.txt` lists calls, one per line, with the results of Linux 6.1 (format: see
//! `interop/kernel/calls.c`). If our result differs by choice, a line `! ANSWER` follows with ours.

use std::fmt::Write;
use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use sheave_engine::{
    Authentication, AuthenticationOptions, ChunkSet, Datagram, EndpointOptions, HmacAlgorithm,
    Node, Options, PeerAddress, Profile, Time,
};
use sheave_sockets::{
    Abi, Domain, Errno, How, Limits, SendCall, SocketId, SocketMemory, Stack, Style,
};

const CALLS: &str = include_str!("linux/calls.txt");
/// Differences found by the search in `crates/cli/tests/run/differences`.
const FOUND: &str = include_str!("linux/found.txt");
/// Recorded with `net.sctp.auth_enable` set to 1.
const AUTHENTICATION: &str = include_str!("linux/authentication.txt");
const LOCAL: [&str; 6] = [
    "127.0.0.1",
    "::1",
    "10.99.1.2",
    "10.99.2.2",
    "fd99:1::2",
    "fd99:2::2",
];
const SCTP: i32 = 132;
const DONT_WAIT: i32 = 0x40;
const ASSOC_CHANGE: u16 = 0x8001;

/// A program's sockets, named by letters, on a looped-back stack.
struct Program {
    stack: Stack,
    now: Time,
    sockets: [Option<SocketId>; 256],
}

impl Program {
    fn new(options: Options) -> Self {
        let local = LOCAL.map(|ip| ip.parse().unwrap()).into();
        let mut stack = Stack::new(
            local,
            EndpointOptions::default(),
            options,
            Abi::LINUX,
            [7; 32],
        );
        // The recorded machine sets no bound.
        let memory = SocketMemory {
            most: u32::MAX,
            ..SocketMemory::LINUX
        };
        stack.profile_mut().memory = [memory; 2];
        Self {
            stack,
            now: Time::ZERO,
            sockets: [None; 256],
        }
    }

    /// Delivers packets at once, then advances time by `span`.
    fn pass(&mut self, span: Duration) {
        let end = self.now + span;
        loop {
            let mut buf = Vec::new();
            while let Some(transmit) = self.stack.poll_transmit(self.now, &mut buf, 1) {
                let payload = std::mem::take(&mut buf);
                let datagram = Datagram {
                    local: transmit.remote.ip,
                    remote: PeerAddress::native(transmit.local),
                    ecn: Default::default(),
                    payload: &payload,
                };
                self.stack.handle_datagram(self.now, datagram);
            }
            match self.stack.poll_timeout().filter(|due| *due <= end) {
                Some(due) => self.now = self.now.max(due),
                None => break,
            }
            self.stack.handle_timeout(self.now);
        }
        self.now = end;
    }

    fn socket(&self, word: &str) -> Result<SocketId, Errno> {
        self.sockets[usize::from(word.as_bytes()[0])].ok_or(Errno::EBADF)
    }

    fn keep(&mut self, word: &str, id: SocketId) {
        self.sockets[usize::from(word.as_bytes()[0])] = Some(id);
    }

    fn assoc(&mut self, word: &str) -> [u8; 4] {
        let Ok(id) = self.socket(word) else {
            return [0; 4];
        };
        if let Ok(status) = self.stack.option(self.now, id, SCTP, 14, &[0; 176]) {
            return status[..4].try_into().unwrap();
        }
        // The first of many ids.
        let ids = self.stack.option(self.now, id, SCTP, 29, &[0; 256]);
        let first = ids.ok().and_then(|ids| ids.get(4..8)?.try_into().ok());
        first.unwrap_or_default()
    }

    /// Decodes a word of hexadecimal digits.
    fn bytes(&mut self, word: &str) -> Vec<u8> {
        let mut found = Vec::new();
        let mut rest = word;
        while let Some(first) = rest.chars().next() {
            match first {
                '-' => rest = &rest[1..],
                '@' => {
                    found.extend(self.assoc(&rest[1..2]));
                    rest = &rest[2..];
                }
                '#' => {
                    let digits = rest[1..].chars().take_while(char::is_ascii_digit).count();
                    let zeros: usize = rest[1..=digits].parse().unwrap();
                    found.resize(found.len() + zeros, 0);
                    rest = &rest[1 + digits..];
                }
                _ => {
                    found.push(u8::from_str_radix(&rest[..2], 16).unwrap());
                    rest = &rest[2..];
                }
            }
        }
        found
    }

    fn answer(&mut self, call: &str) -> String {
        let words: Vec<&str> = call.split(' ').collect();
        self.attempt(&words)
            .unwrap_or_else(|error| error.to_string())
    }

    fn attempt(&mut self, words: &[&str]) -> Result<String, Errno> {
        let now = self.now;
        let number = |at: usize| words[at].parse::<i32>().unwrap();
        let address =
            |at: usize| SocketAddr::new(words[at].parse().unwrap(), words[at + 1].parse().unwrap());
        let done = || Ok("0".to_owned());
        match words[0] {
            "socket" => {
                let style = match words[2] {
                    "stream" => Style::OneToOne,
                    _ => Style::OneToMany,
                };
                let domain = match words[3] {
                    "6" => Domain::V6,
                    _ => Domain::V4,
                };
                let id = self.stack.socket(domain, style);
                self.keep(words[1], id);
                return done();
            }
            "wait" => {
                self.pass(Duration::from_millis(words[1].parse().unwrap()));
                return Ok(String::new());
            }
            _ => {}
        }
        let id = self.socket(words[1])?;
        let outcome = match words[0] {
            "close" => {
                self.stack.close(now, id);
                self.sockets[usize::from(words[1].as_bytes()[0])] = None;
                done()
            }
            "bind" => self
                .stack
                .bind(now, id, &[address(2)])
                .and_then(|()| done()),
            "bindx" => {
                let list = words[4..].iter().flat_map(|ip| {
                    let address = SocketAddr::new(ip.parse().unwrap(), words[3].parse().unwrap());
                    Abi::LINUX.address_bytes(address)
                });
                let name = if words[2] == "add" { 100 } else { 101 };
                let list: Vec<u8> = list.collect();
                self.stack
                    .set_option(now, id, SCTP, name, &list)
                    .and_then(|()| done())
            }
            "listen" => self
                .stack
                .listen(now, id, number(2).cast_unsigned())
                .and_then(|()| done()),
            "accept" => {
                let (_, peer) = self.stack.pending(id).inspect_err(|_| {
                    self.sockets[usize::from(words[2].as_bytes()[0])] = None;
                })?;
                let accepted = self.stack.accept(id)?;
                self.keep(words[2], accepted);
                Ok(name(Some(peer)))
            }
            "connect" => self
                .stack
                .connect(now, id, &[address(2)])
                .and(Err(Errno::EINPROGRESS)),
            "send" => self.send(id, words),
            "receive" => self.receive(id, words),
            "set" => {
                let value = self.bytes(words[4]);
                self.stack
                    .set_option(now, id, number(2), number(3), &value)
                    .and_then(|()| done())
            }
            "get" => {
                let given = self.bytes(words[4]);
                let value = self.stack.option(now, id, number(2), number(3), &given)?;
                Ok(self.show_value(&value, &given, &words[5..]))
            }
            "lengths" => unreachable!("it stands before its socket"),
            "peeloff" => {
                let assoc = i32::from_ne_bytes(self.bytes(words[3])[..4].try_into().unwrap());
                let new = self.stack.peel_off(now, id, assoc)?;
                self.keep(words[2], new);
                done()
            }
            "shutdown" => {
                let how = How::from_number(number(2))?;
                self.stack.shutdown(now, id, how).and_then(|()| done())
            }
            "name" => (self.stack.find(id)).map(|socket| name(Some(socket.local_name()))),
            "peer" => (self.stack.find(id))
                .and_then(sheave_sockets::Socket::peer_name)
                .map(|peer| name(Some(peer))),
            "pending" => {
                let length = self.stack.next_length(now, id);
                length.map(|length| length.to_string())
            }
            "ready" => Ok(self.ready(id)),
            "error" => {
                let code = self.stack.option(now, id, 1, 4, &[0; 4])?;
                match i32::from_ne_bytes(code[..4].try_into().unwrap()) {
                    0 => done(),
                    code => Ok(Errno::from_code(code).to_string()),
                }
            }
            other => panic!("no call is named {other}"),
        };
        // Sent packets arrive at once.
        self.pass(Duration::ZERO);
        outcome
    }

    fn lengths(&mut self, words: &[&str]) -> String {
        let id = self.socket(words[2]).unwrap();
        let numbers: Vec<i32> = words[3..6]
            .iter()
            .map(|word| word.parse().unwrap())
            .collect();
        let fill = u8::from_str_radix(words[6], 16).unwrap();
        let mut text = String::new();
        let mut last = String::new();
        for length in 0..=usize::try_from(numbers[2]).unwrap() {
            let value = vec![fill; length];
            let outcome = if words[1] == "set" {
                let set = self
                    .stack
                    .set_option(self.now, id, numbers[0], numbers[1], &value);
                set.map(|()| "0".to_owned())
            } else {
                let got = self
                    .stack
                    .option(self.now, id, numbers[0], numbers[1], &value);
                got.map(|got| match got.len() {
                    same if same == length => "whole".to_owned(),
                    other => other.to_string(),
                })
            };
            let outcome = outcome.unwrap_or_else(|error| error.to_string());
            if outcome != last {
                let _ = write!(text, " {length}:{outcome}");
                last = outcome;
            }
        }
        self.pass(Duration::ZERO);
        text.trim_start().to_owned()
    }

    fn send(&mut self, id: SocketId, words: &[&str]) -> Result<String, Errno> {
        let mut call = (None, Vec::new(), 0);
        let mut at = 3;
        while at < words.len() {
            match words[at] {
                "to" => {
                    let ip = words[at + 1].parse().unwrap();
                    call.0 = Some(SocketAddr::new(ip, words[at + 2].parse().unwrap()));
                    at += 3;
                }
                "flags" => {
                    call.2 = flags(words[at + 1]);
                    at += 2;
                }
                _ => {
                    let body = self.bytes(words[at + 2]);
                    call.1
                        .extend(crate::pair::control(words[at + 1].parse().unwrap(), &body));
                    at += 3;
                }
            }
        }
        let call = SendCall {
            destination: call.0,
            control: &call.1,
            flags: call.2,
            payload: Bytes::from(vec![b'x'; words[2].parse().unwrap()]),
        };
        self.stack.check_send(self.now, id, &call)?;
        let sent = self.stack.send(self.now, id, call)?;
        Ok(sent.to_string())
    }

    fn receive(&mut self, id: SocketId, words: &[&str]) -> Result<String, Errno> {
        let option = |name: &str| {
            let at = words.iter().position(|word| *word == name);
            at.map_or(0, |at| flags(words[at + 1]))
        };
        let limits = Limits {
            payload: words[2].parse().unwrap(),
            control: usize::try_from(option("room")).unwrap(),
            flags: option("flags") | DONT_WAIT,
        };
        let incoming = self.stack.peek(self.now, id, limits)?;
        self.stack.consume(self.now, id, incoming.token);
        let payload = &incoming.payload;
        let mut text = format!(
            "{} flags {} from {}",
            payload.len(),
            hexadecimal(incoming.flags),
            name(incoming.name)
        );
        if incoming.flags & 0x8000 != 0 && payload.len() >= 10 {
            let kind = crate::pair::u16_at(payload, 0);
            let _ = write!(text, " event {kind:#x}");
            if kind == ASSOC_CHANGE {
                let _ = write!(text, " state {}", crate::pair::u16_at(payload, 8));
            }
        }
        let mut control = &incoming.control[..];
        while control.len() >= 16 {
            let length = usize::try_from(crate::pair::i32_at(control, 0)).unwrap();
            let _ = write!(
                text,
                " control {}/{length}",
                crate::pair::i32_at(control, 12)
            );
            control = &control[length.next_multiple_of(8).min(control.len())..];
        }
        Ok(text)
    }

    fn show_value(&self, value: &[u8], given: &[u8], ranges: &[&str]) -> String {
        let mut whole = given.to_vec();
        whole[..value.len()].copy_from_slice(value);
        whole.resize(4096, 0);
        let mut text = value.len().to_string();
        for range in ranges.chunks(2) {
            text.push(' ');
            for byte in &whole[range[0].parse().unwrap()..range[1].parse().unwrap()] {
                let _ = write!(text, "{byte:02x}");
            }
        }
        text
    }

    fn ready(&self, id: SocketId) -> String {
        let state = self.stack.readiness(id);
        let words = [
            (state.readable > 0 || state.hung_up, "in"),
            (state.writable, "out"),
            (state.error.is_some(), "error"),
            (state.hung_up, "hangup"),
        ];
        let words: Vec<&str> = words
            .iter()
            .filter(|word| word.0)
            .map(|word| word.1)
            .collect();
        words.join(" ")
    }
}

fn flags(word: &str) -> i32 {
    match word.strip_prefix("0x") {
        Some(digits) => i32::from_str_radix(digits, 16).unwrap(),
        None => word.parse().unwrap(),
    }
}

/// Formats like C's `%#x`.
fn hexadecimal(number: i32) -> String {
    match number {
        0 => "0".to_owned(),
        other => format!("{other:#x}"),
    }
}

fn name(address: Option<SocketAddr>) -> String {
    match address {
        None => "none none".to_owned(),
        Some(address) => {
            let port = match address.port() {
                0 => "none",
                1..32_768 => "fixed",
                _ => "any",
            };
            format!("{} {port}", address.ip())
        }
    }
}

/// Makes all calls of a list. Returns those with unexpected results.
fn differences(list: &str, options: Options) -> String {
    let mut program = Program::new(options);
    let mut differences = String::new();
    let mut lines = list.lines().peekable();
    while let Some(line) = lines.next() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (call, linux) = match line.split_once(" =") {
            Some((call, answer)) => (call, answer.trim()),
            None => (line, ""),
        };
        let chosen = lines.next_if(|next| next.starts_with("! "));
        let wanted = chosen.map_or(linux, |chosen| &chosen[2..]);
        let words: Vec<&str> = call.split(' ').collect();
        let ours = match words[0] {
            "lengths" => program.lengths(&words),
            _ => program.answer(call),
        };
        if ours != wanted {
            let _ = writeln!(differences, "{call} = {wanted}\n! {ours}");
        }
    }
    differences
}

#[test]
fn calls_of_all_kinds_are_answered_as_linux_answers_them() {
    let differences = differences(CALLS, Profile::Linux.options());
    assert!(differences.is_empty(), "\n{differences}");
}

#[test]
fn calls_that_a_search_found_are_answered_as_linux_answers_them() {
    let differences = differences(FOUND, Profile::Linux.options());
    assert!(differences.is_empty(), "\n{differences}");
}

#[test]
fn calls_about_authentication_are_answered_as_linux_answers_them() {
    let options = AuthenticationOptions {
        chunks: ChunkSet::NONE,
        algorithms: vec![HmacAlgorithm::Sha1, HmacAlgorithm::Sha256],
        ..AuthenticationOptions::default()
    };
    let mut linux = Profile::Linux.options();
    linux.authentication = Authentication::On(Box::new(options));
    let differences = differences(AUTHENTICATION, linux);
    assert!(differences.is_empty(), "\n{differences}");
}
