//! Scripts of calls drawn at random: a few sockets that know each other, and calls on them.

use super::far::Far;
use super::machines::Script;
use super::values::{Random, option_value, options};

/// All notifications but those of which the time differs: that an address answers, and that a sender
/// has nothing to send.
const EVENTS: &str = "0101000101010101010001010101";
const V4: [&str; 4] = ["127.0.0.1", "127.0.0.1", "127.0.0.2", "0.0.0.0"];
const V6: [&str; 4] = ["::1", "::1", "::ffff:127.0.0.1", "::"];

/// Calls of which one address is bad.
const FAULTS: &str = "sendmsg-header sendmsg-name sendmsg-parts sendmsg-bytes sendmsg-control recvmsg-header \
    recvmsg-name recvmsg-parts recvmsg-bytes recvmsg-control sendmmsg-header sendmmsg-bytes \
    sendmmsg-control recvmmsg-header recvmmsg-parts recvmmsg-bytes send sendto write writev recv \
    read readv recvfrom recvfrom-length bind connect accept accept-length name name-length peer \
    peer-length set set ask ask ask-length pending nonblock";

/// A script under construction.
pub(super) struct Draft {
    pub(super) random: Random,
    pub(super) lines: Script,
    /// The letters of sockets.
    letters: Vec<char>,
    next: char,
    pub(super) family: u8,
    extension: Extension,
    pub(super) far: Far,
}

/// An extension that all sockets of a script have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extension {
    None,
    Reconfiguration,
    Authentication,
    /// With authentication, which it needs.
    AddressChanges,
    Interleaving,
}

/// The script of a seed.
pub(crate) fn draw(seed: u64) -> Script {
    let mut random = Random::new(seed);
    let family = if random.one_in(4) { 6 } else { 4 };
    let mut draft = Draft {
        random,
        lines: Script::new(),
        letters: Vec::new(),
        next: 'a',
        family,
        extension: Extension::None,
        far: Far::Absent,
    };
    draft.extension = match draft.random.below(12) {
        0 => Extension::Reconfiguration,
        1 => Extension::Authentication,
        2 => Extension::AddressChanges,
        3 => Extension::Interleaving,
        _ => Extension::None,
    };
    if draft.random.one_in(3) {
        draft.network();
        return draft.lines;
    }
    if draft.random.one_in(2) {
        draft.say("watch".to_owned());
    }
    match draft.random.below(8) {
        0 => draft.strangers(),
        1..=3 => draft.one_to_one(),
        4 => draft.peeled_off(),
        5..=6 => draft.one_to_many(),
        _ => draft.mixed(),
    }
    for _ in 0..3 + draft.random.below(14) {
        draft.call();
    }
    draft.lines
}

impl Draft {
    pub(super) fn say(&mut self, line: String) {
        self.lines.push(line);
    }

    pub(super) fn letter(&mut self) -> char {
        let letter = self.next;
        self.next = char::from(u8::try_from(letter).unwrap_or(b'a') + 1);
        self.letters.push(letter);
        letter
    }

    pub(super) fn socket(&mut self, style: &str) -> char {
        let letter = self.letter();
        let family = if self.random.one_in(20) {
            6
        } else {
            self.family
        };
        self.say(format!("socket {letter} {style} {family}"));
        letter
    }

    pub(super) fn any(&mut self) -> char {
        let at = self.random.below(self.letters.len());
        self.letters[at]
    }

    fn address(&mut self) -> &'static str {
        if self.far != Far::Absent && self.random.one_in(2) {
            return self.plain_address();
        }
        let list = match (self.family, self.random.below(12)) {
            (4, 0) => return V6[self.random.below(4)],
            (4, _) => V4,
            (_, 0..3) => V4,
            _ => V6,
        };
        list[self.random.below(4)]
    }

    /// The address of most peers.
    pub(super) fn plain_address(&self) -> &'static str {
        match (self.far, self.family) {
            (Far::Absent, 6) => "::1",
            (Far::Absent, _) => "127.0.0.1",
            (_, 6) => "fd98::2",
            (_, _) => "10.98.0.2",
        }
    }

    /// The address of most sockets.
    pub(super) fn own_address(&self) -> &'static str {
        match (self.far, self.family) {
            (Far::Absent, _) => self.plain_address(),
            (_, 6) => "fd98::1",
            (_, _) => "10.98.0.1",
        }
    }

    pub(super) fn events(&mut self, letter: char) {
        if !self.random.one_in(3) {
            self.say(format!("set {letter} 132 11 {EVENTS}"));
        }
        let options: &[&str] = match self.extension {
            Extension::None => &[],
            Extension::Reconfiguration => &["117 0000000001000000", "118 0000000007000000"],
            Extension::Authentication => &["129 0000000001000000"],
            Extension::AddressChanges => &["129 0000000001000000", "128 0000000001000000"],
            Extension::Interleaving => &["18 02000000", "125 0000000001000000"],
        };
        for option in options {
            self.say(format!("set {letter} 132 {option}"));
        }
        // As our sockets have it from the beginning.
        self.say(format!("set {letter} 132 3 01000000"));
        if self.far != Far::Absent {
            // Two more attempts, 200 ms apart: the far end's silence is known within a second.
            self.say(format!("set {letter} 132 0 #4-c8000000c8000000c8000000"));
            self.say(format!("set {letter} 132 1 #4-0200#14"));
            self.say(format!("set {letter} 132 2 0a000a000200c800"));
        }
    }

    /// Sockets that nobody has bound.
    fn strangers(&mut self) {
        for _ in 0..2 {
            let style = self.random.pick(&["stream", "seqpacket"]);
            let letter = self.socket(style);
            self.events(letter);
        }
    }

    /// Now and then an option before the association begins.
    fn early_option(&mut self, letter: char) {
        if self.random.one_in(4) {
            self.set(letter);
        }
    }

    pub(super) fn listener(&mut self, style: &str) -> char {
        let letter = self.socket(style);
        let address = if self.random.one_in(4) {
            self.address()
        } else {
            self.own_address()
        };
        self.events(letter);
        self.early_option(letter);
        self.say(format!("bind {letter} {address} 1"));
        self.say(format!("listen {letter} 3"));
        letter
    }

    fn one_to_one(&mut self) {
        let listener = self.listener("stream");
        let client = self.socket("stream");
        self.events(client);
        self.early_option(client);
        if self.random.one_in(2) {
            let address = self.own_address();
            self.say(format!("bind {client} {address} 2"));
        }
        let address = self.plain_address();
        self.say(format!("connect {client} {address} 1"));
        let accepted = self.letter();
        self.say(format!("accept {listener} {accepted}"));
    }

    fn one_to_many(&mut self) {
        let _ = self.listener("seqpacket");
        let client = self.socket("seqpacket");
        self.events(client);
        self.early_option(client);
        let address = self.plain_address();
        if self.random.one_in(2) {
            self.say(format!("connect {client} {address} 1"));
        } else {
            self.say(format!("send {client} 10 to {address} 1"));
        }
    }

    fn peeled_off(&mut self) {
        self.one_to_many();
        let whose = if self.random.one_in(2) { 'a' } else { 'b' };
        let new = self.letter();
        self.say(format!("peeloff {whose} {new} @{whose}"));
    }

    fn mixed(&mut self) {
        let _ = self.listener("seqpacket");
        let client = self.socket("stream");
        self.events(client);
        let address = self.plain_address();
        self.say(format!("connect {client} {address} 1"));
    }

    pub(super) fn call(&mut self) {
        let letter = self.any();
        match self.random.below(123) {
            0..22 => self.send(letter),
            22..42 => self.hear(letter),
            42..54 => self.set(letter),
            54..66 => self.ask(letter),
            66..70 => {
                let how = self.random.pick(&["1", "1", "2", "0", "3"]);
                self.say(format!("shutdown {letter} {how}"));
            }
            70..73 => self.say(format!("close {letter}")),
            73..76 => self.say(format!("poll {letter}")),
            76..79 => self.names(letter),
            79..82 => self.connect(letter),
            82..85 => {
                let (address, port) = (self.address(), self.random.below(4));
                self.say(format!("bind {letter} {address} {port}"));
            }
            85..87 => {
                let backlog = self.random.pick(&["0", "1", "5", "-1"]);
                self.say(format!("listen {letter} {backlog}"));
            }
            87..90 => {
                let new = self.letter();
                self.say(format!("accept {letter} {new}"));
            }
            90..92 => {
                let new = self.letter();
                let of = self.assoc(letter);
                self.say(format!("peeloff {letter} {new} {of}"));
            }
            92 => {
                let new = self.letter();
                self.say(format!("dup {letter} {new}"));
            }
            93 => {
                self.say(format!("timeouts {letter} 100"));
                self.say(format!("nonblock {letter} 0"));
            }
            94 => self.bindx(letter),
            95 => self.say(format!("error {letter}")),
            96 => self.say(format!("pending {letter}")),
            97 => {
                let length = self.random.pick(&["0", "5", "2000"]);
                let verb = self.random.pick(&["read", "write"]);
                self.say(format!("{verb} {letter} {length}"));
            }
            98 => {
                let style = self.random.pick(&["stream", "seqpacket"]);
                let _ = self.socket(style);
            }
            99..105 => self.fault(letter),
            105..111 => self.share(letter),
            111..117 => self.batch(letter),
            117..122 => self.conversation(),
            _ => self.say("wait 250".to_owned()),
        }
    }

    /// A call with an address at which nothing is.
    fn fault(&mut self, letter: char) {
        let calls: Vec<&str> = FAULTS.split(' ').collect();
        let call = self.random.pick(&calls);
        let place = self.random.pick(&["null", "hole", "edge"]);
        let mut line = format!("fault {letter} {call} {place}");
        if matches!(call, "set" | "ask" | "ask-length") {
            let option = self.random.pick(options());
            line += &format!(" {} {}", option.level, option.name);
        }
        self.say(line);
    }

    /// Copies of sockets, and calls that others make.
    fn share(&mut self, letter: char) {
        let flags = self.random.pick(&["0", "0x800", "0x80000", "0x80800", "1"]);
        match self.random.below(9) {
            0 => {
                let new = self.letter();
                self.say(format!("acceptflags {letter} {new} {flags}"));
            }
            1 => {
                let (of, new) = (self.assoc(letter), self.letter());
                self.say(format!("peeloffflags {letter} {new} {of} {flags}"));
            }
            2 => {
                let destination = self.destination(letter);
                let (address, port) = destination.split_once(' ').unwrap_or_default();
                self.say(format!("connectx3 {letter} {port} {address}"));
            }
            3 => {
                let over = self.any();
                self.say(format!("dup2 {letter} {over}"));
            }
            4 => {
                let from = self.random.pick(&["0", "600", "-1", "100000000"]);
                let new = self.letter();
                self.say(format!("dupfd {letter} {new} {from}"));
            }
            5..7 => {
                let call = self.simple_call();
                self.say(format!("child {call}"));
            }
            _ => {
                let call = self.simple_call();
                self.say(format!("during {letter} 100 {call}"));
            }
        }
    }

    /// A call that needs no more than a socket.
    fn simple_call(&mut self) -> String {
        let letter = self.any();
        match self.random.below(8) {
            0..3 => self.send(letter),
            3 => self.hear(letter),
            4 => self.say(format!("close {letter}")),
            5 => self.say(format!("shutdown {letter} 2")),
            6 => self.say(format!("shutdown {letter} 1")),
            _ => self.say(format!("write {letter} 5")),
        }
        self.lines.pop().unwrap_or_default()
    }

    /// An id of an association, as hexadecimal digits or words for them.
    fn assoc(&mut self, letter: char) -> String {
        match self.random.below(12) {
            0 => "00000000".to_owned(),
            1 => "01000000".to_owned(),
            2 => "02000000".to_owned(),
            3 => "ffffffff".to_owned(),
            4 => "88880000".to_owned(),
            5 => format!("@{}", self.any()),
            6 => format!("%{letter}"),
            _ => format!("@{letter}"),
        }
    }

    /// A peer: seldom none, and never the socket itself.
    fn destination(&mut self, letter: char) -> String {
        let address = if self.random.one_in(5) {
            self.address()
        } else {
            self.plain_address()
        };
        let port = self.random.pick(&["1", "1", "1", "2", "3"]);
        let binds = |line: &String| {
            let words: Vec<&str> = line.split(' ').collect();
            let is_bind = matches!(words[0], "bind" | "bindx") && words[3] == port;
            is_bind && words[1].starts_with(letter)
        };
        let port = match self.lines.iter().any(binds) {
            true if port == "1" => "2",
            true => "1",
            false => port,
        };
        format!("{address} {port}")
    }

    pub(super) fn send(&mut self, letter: char) {
        let lengths = [
            "10", "10", "1", "100", "1000", "1444", "3000", "6000", "0", "300000",
        ];
        let length = self.random.pick(&lengths);
        let terms = self.terms(letter);
        self.say(format!("send {letter} {length}{terms}"));
    }

    /// Several messages by one call.
    fn batch(&mut self, letter: char) {
        let count = self.random.pick(&["1", "2", "3", "3", "8", "0"]);
        if self.random.one_in(2) {
            let length = self.random.pick(&["10", "10", "1000", "3000", "0"]);
            let terms = self.terms(letter);
            self.say(format!("sendall {letter} {count} {length}{terms}"));
            return;
        }
        let length = self.random.pick(&["9000", "9000", "1000", "20", "5"]);
        let room = self.random.pick(&["200", "200", "0", "20", "60"]);
        // MSG_WAITFORONE, and MSG_DONTWAIT or MSG_PEEK, too.
        let flags = self.random.pick(&[
            "0", "0", "0x10000", "0x10000", "0x40", "0x10040", "2", "0x20",
        ]);
        self.say(format!("hearall {letter} {count} {length} {room} {flags}"));
    }

    /// Messages of one socket, and what another one hears of them in several parts.
    fn conversation(&mut self) {
        let (from, to) = (self.any(), self.any());
        for _ in 0..1 + self.random.below(4) {
            if self.random.one_in(4) {
                self.batch(from);
            } else {
                self.send(from);
            }
        }
        if self.random.one_in(4) {
            self.say(format!("shutdown {from} 1"));
            // Its end waits for a SACK.
            self.say("wait 250".to_owned());
        }
        for _ in 0..1 + self.random.below(6) {
            if self.random.one_in(4) {
                self.batch(to);
            } else {
                self.hear(to);
            }
            if self.random.one_in(8) {
                self.say(format!("pending {to}"));
                self.say(format!("poll {to}"));
            }
        }
    }

    /// Words behind the length of a message: where it goes, and how.
    fn terms(&mut self, letter: char) -> String {
        let mut line = String::new();
        if self.random.one_in(3) {
            line += &format!(" to {}", self.destination(letter));
        }
        if self.random.one_in(8) {
            let flags = ["0x40", "0x1", "0x800", "0x80", "0x200", "0x4"]; // ours ignores MSG_MORE
            line += &format!(" flags {}", self.random.pick(&flags));
        }
        if self.random.one_in(2) {
            line += &self.control(letter);
        }
        if self.random.one_in(8) {
            line += &self.control(letter);
        }
        line
    }

    /// Ancillary data.
    fn control(&mut self, letter: char) -> String {
        let assoc = self.assoc(letter);
        let stream = self
            .random
            .pick(&["0000", "0000", "0100", "0900", "0a00", "ffff"]);
        // UNORDERED, ADDR_OVER, ABORT, SACK_IMMEDIATELY, SENDALL, EOF, and some that there are not.
        let flags = [
            "0000", "0000", "0000", "0100", "0200", "0400", "0001", "0002", "0800", "4000", "0003",
            "2000", "3000", "8000",
        ];
        let flags = self.random.pick(&flags);
        let life = self.random.pick(&["00000000", "00000000", "e8030000"]);
        match self.random.below(16) {
            0..6 => format!(" control 2 {stream}{flags}0102030405060708{assoc}"),
            6..11 => {
                format!(" control 1 {stream}0000{flags}00000102030405060708{life}#8-{assoc}")
            }
            11 => format!(" control 5 {flags}0000e8030000"),
            12 => " control 0 0500060000000000".to_owned(),
            13 => " control 6 0000".to_owned(),
            14 => " control 7 7f000001".to_owned(),
            _ => {
                let kind = self
                    .random
                    .pick(&["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "50"]);
                let length = self
                    .random
                    .pick(&["0", "1", "4", "8", "15", "16", "17", "28", "32", "33"]);
                format!(" control {kind} #{length}")
            }
        }
    }

    pub(super) fn hear(&mut self, letter: char) {
        let length = self
            .random
            .pick(&["100000", "100000", "100000", "1000", "20", "5", "0"]);
        let room = self.random.pick(&["200", "200", "0", "20", "48", "60"]);
        let flags = self
            .random
            .pick(&["0", "0", "0", "2", "0x40", "0x20", "0x100", "1", "0x2000"]);
        self.say(format!("hear {letter} {length} {room} {flags}"));
    }

    fn names(&mut self, letter: char) {
        let which = self.random.below(4);
        let assoc = self.assoc(letter);
        self.say(match which {
            0 => format!("name {letter}"),
            1 => format!("peer {letter}"),
            2 => format!("addresses {letter} peer {assoc}"),
            _ => format!("addresses {letter} local {assoc}"),
        });
    }

    pub(super) fn connect(&mut self, letter: char) {
        let destination = self.destination(letter);
        if self.random.one_in(3) {
            let (address, port) = destination.split_once(' ').unwrap_or_default();
            let other = self.address();
            self.say(format!("connectx {letter} {port} {address} {other}"));
        } else {
            self.say(format!("connect {letter} {destination}"));
        }
    }

    fn bindx(&mut self, letter: char) {
        let way = self.random.pick(&["add", "remove"]);
        let port = self.random.below(4);
        let address = self.address();
        let mut line = format!("bindx {letter} {way} {port} {address}");
        // Of all addresses and one more, Linux binds to those before it fails.
        if self.random.one_in(3) && !matches!(address, "0.0.0.0" | "::") {
            line += &format!(" {}", self.address());
        }
        self.say(line);
    }

    fn set(&mut self, letter: char) {
        let option = self.random.pick(options());
        let assoc = self.assoc(letter);
        let value = option_value(&mut self.random, option, &assoc, self.family);
        let (level, name) = (option.level, option.name);
        self.say(format!("set {letter} {level} {name} {value}"));
    }

    fn ask(&mut self, letter: char) {
        let option = self.random.pick(options());
        let assoc = self.assoc(letter);
        let value = option.question(&mut self.random, &assoc, self.family);
        let (level, name) = (option.level, option.name);
        self.say(format!("ask {letter} {level} {name} {value}"));
    }
}
