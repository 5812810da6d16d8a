//! Scripts with a link whose far end answers as they say (`interop/kernel/network.h`): as a peer does, not at
//! all, or with errors, before and after associations are up.

use super::script::Draft;

/// ICMP's types and codes (IANA's list): all reasons for which a destination is unreachable, time exceeded, bad
/// parameters, and one that says nothing of the packet.
const ICMP: [&str; 22] = [
    "3 0", "3 1", "3 2", "3 3", "3 4", "3 5", "3 6", "3 7", "3 8", "3 9", "3 10", "3 11", "3 12",
    "3 13", "3 14", "3 15", "11 0", "11 1", "12 0", "12 1", "12 2", "4 0",
];
/// The same of ICMPv6.
const ICMP6: [&str; 15] = [
    "1 0", "1 1", "1 2", "1 3", "1 4", "1 5", "1 6", "1 7", "2 0", "3 0", "3 1", "4 0", "4 1",
    "4 2", "4 3",
];
/// Calls after which no packet leaves.
const QUIET: [&str; 8] = [
    "poll",
    "ask",
    "name",
    "peer",
    "error",
    "pending",
    "hear",
    "addresses",
];
/// Longer than all attempts take.
const ATTEMPTS: &str = "wait 1300";

/// The far end of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Far {
    /// There is none.
    Absent,
    Peer,
    /// Packets go unanswered, or are answered by errors alone.
    Mute,
}

impl Draft {
    /// A few sockets, the far end's peers, and calls on them between its answers.
    pub(super) fn network(&mut self) {
        self.far = Far::Peer;
        let carrier = self.random.pick(&["ip", "udp"]);
        self.say(format!("network {} {carrier}", self.family));
        self.say("watch".to_owned());
        if self.random.one_in(3) {
            self.answers();
        }
        let style = self.random.pick(&["stream", "stream", "seqpacket"]);
        let is_called = self.random.one_in(3);
        if is_called {
            let listener = self.listener(style);
            self.say("tell call 1".to_owned());
            if style == "stream" {
                let accepted = self.letter();
                self.say(format!("accept {listener} {accepted}"));
            }
        } else {
            let client = self.socket(style);
            self.events(client);
            self.waits(client);
            let call = self.calling(client, style);
            self.interrupted(&call);
        }
        for _ in 0..3 + self.random.below(8) {
            match self.random.below(8) {
                0 => self.answers(),
                1..4 => self.told(),
                _ => self.far_call(),
            }
        }
    }

    /// Now and then a socket whose calls wait.
    fn waits(&mut self, letter: char) {
        if self.random.one_in(4) {
            let millis = self.random.pick(&["100", "1000", "0"]);
            self.say(format!("timeouts {letter} {millis}"));
            self.say(format!("nonblock {letter} 0"));
        }
    }

    /// A call that begins an association.
    fn calling(&mut self, letter: char, style: &str) -> String {
        let address = self.plain_address();
        match self.random.below(4) {
            0 if style == "seqpacket" => format!("send {letter} 10 to {address} 1"),
            1 => format!("connectx {letter} 1 {address}"),
            _ => format!("connect {letter} {address} 1"),
        }
    }

    /// A call, seldom with a signal meanwhile, and time for its outcome.
    fn interrupted(&mut self, call: &str) {
        match self.random.one_in(5) {
            true => self.say(format!("alarm 50 {call}")),
            false => self.say(call.to_owned()),
        }
        if self.far == Far::Mute {
            self.say(ATTEMPTS.to_owned());
        }
    }

    fn icmp(&mut self) -> &'static str {
        let drawn = match self.family {
            6 => self.random.pick(&ICMP6),
            _ => self.random.pick(&ICMP),
        };
        // That there is no UDP says nothing to us of SCTP, which Linux takes it for. And a smaller MTU has us send
        // probes, of which a peer that has forgotten the association may say so.
        let has = |end| self.lines.iter().any(|line| line.ends_with(end));
        match drawn {
            "3 2" if has(" udp") => "3 0",
            "4 1" if has(" udp") => "1 0",
            "3 4" if has(" forget") => "3 1",
            "2 0" if has(" forget") => "1 3",
            _ => drawn,
        }
    }

    /// Another answer of the far end from now on.
    fn answers(&mut self) {
        let line = match self.random.below(6) {
            0 => "answers abort".to_owned(),
            1 => "answers silence".to_owned(),
            2..4 => format!("answers icmp {}", self.icmp()),
            _ => "answers peer".to_owned(),
        };
        self.far = match line.as_str() {
            "answers peer" | "answers abort" => Far::Peer,
            _ => Far::Mute,
        };
        self.say(line);
    }

    /// An event of the far end.
    fn told(&mut self) {
        let line = match self.random.below(12) {
            0 => "tell abort".to_owned(),
            1..3 => "tell shutdown".to_owned(),
            3 => "tell forget".to_owned(),
            4 => "tell restart".to_owned(),
            5..9 => format!("tell data {}", self.random.pick(&["1", "100", "1400"])),
            9 => "tell call 1".to_owned(),
            _ => format!("tell icmp {}", self.icmp()),
        };
        self.say(line);
        if self.far == Far::Mute {
            self.say(ATTEMPTS.to_owned());
        }
    }

    fn far_call(&mut self) {
        let letter = self.any();
        match self.random.below(10) {
            0 => self.waits(letter),
            1..4 => self.hear(letter),
            4 => self.say(format!("error {letter}")),
            5 => {
                let how = self.random.pick(&["1", "1", "2", "0"]);
                self.say(format!("shutdown {letter} {how}"));
            }
            _ => self.call(),
        }
        let Some(call) = self.lines.pop() else {
            return;
        };
        let verb = call.split(' ').next().unwrap_or_default();
        match QUIET.contains(&verb) && verb != "hear" {
            true => self.say(call),
            false => self.interrupted(&call),
        }
    }
}
