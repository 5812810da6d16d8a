//! Differences in what `poll` and `epoll` show of a socket.

use std::collections::BTreeSet;

use super::Difference;

/// Errors of associations, which Linux tells once more after a call has told them.
const ERRORS: [&str; 7] = [
    "ETIMEDOUT",
    "ECONNREFUSED",
    "ECONNRESET",
    "ECONNABORTED",
    "EHOSTUNREACH",
    "ENETUNREACH",
    "EPROTO",
];

/// Earlier calls that later answers depend on, by their sockets.
#[derive(Debug, Default)]
pub(super) struct Past {
    /// Calls that told an error of an association.
    told: BTreeSet<String>,
    /// Calls that shut the writing half.
    shut: BTreeSet<String>,
    /// Pairs of names of one socket, by `dup` and its kin.
    copies: Vec<[String; 2]>,
    /// Whether ICMP said that there is no SCTP: that ends an established association in ours alone (RFC 9260
    /// §10, ICMP8).
    has_no_protocol: bool,
    /// Whether ICMP said anything: Linux keeps it as an error, even where nothing follows from it.
    has_icmp: bool,
    /// Whether the last call, but for looks at sockets, sent to an address: in Linux a blocking one waits for the
    /// association that it begins.
    sends_to: bool,
    /// Whether a message of several chunks was to be sent once (SCTP_PR_SCTP_RTX, 0): Linux gives up what the
    /// first SACK does not acknowledge, so that none of these comes whole.
    has_one_try: bool,
    /// Whether the last call, but for looks, was `shutdown`: the end waits for a SACK, which may wait for 200 ms.
    shuts: bool,
    /// Whether the last call, but for looks, was to receive several messages: a signal that comes between two of
    /// them stays behind as an error of Linux's socket.
    hears_several: bool,
    /// Whether sockets interleave messages: one-to-many sockets of Linux 6.1 then receive nothing from each
    /// other over the loopback device.
    interleaves: bool,
    /// Calls of the far end.
    calls: BTreeSet<String>,
    /// Whether the far end called twice with one tag: ours answers the second INIT, too (RFC 9260 §5.2.2), Linux
    /// does not.
    has_called_again: bool,
    /// Whether SCTP goes over UDP and IPv6: of messages of several chunks Linux 6.1 sends nothing there.
    has_udp_6: bool,
    /// Whether a message was sent that Linux keeps for that reason.
    is_stuck: bool,
}

impl Past {
    /// Takes note of a call that both systems answer alike.
    pub(super) fn note(&mut self, line: &str) {
        let (call, answer) = line.split_once(" =").unwrap_or((line, ""));
        self.has_icmp |= call.contains(" icmp ");
        if !is_look(call) {
            self.sends_to = call.starts_with("send") && call.contains(" to ");
            self.shuts = made(call).starts_with("shutdown ");
            self.hears_several = made(call).starts_with("hearall ");
        }
        self.has_one_try |= has_one_try(call);
        self.interleaves |= call.starts_with("set ") && call.contains(" 132 128 ");
        self.has_udp_6 |= call == "network 6 udp";
        self.has_called_again |=
            call.starts_with("tell call ") && !self.calls.insert(call.to_owned());
        let most = [1444, 3000, 6000].map(|length| format!(" {length}"));
        self.is_stuck |= self.has_udp_6
            && made(call).starts_with("send")
            && most.iter().any(|most| call.contains(most));
        self.has_no_protocol |= call.ends_with(" icmp 3 2") || call.ends_with(" icmp 4 1");
        if let ["dup" | "dupfd" | "dup2", from, to, ..] = call.split(' ').collect::<Vec<_>>()[..] {
            self.copies.push([from.to_owned(), to.to_owned()]);
        }
        let Some(socket) = socket_of(call) else {
            return;
        };
        if ERRORS.contains(&answer.trim()) {
            self.told.insert(socket.to_owned());
        }
        if made(call).starts_with("shutdown ") && !call.ends_with('0') {
            self.shut.insert(socket.to_owned());
        }
    }

    /// Whether a difference is no more than an error that Linux tells again, the end of an association whose
    /// program has shut writing, which Linux does not show, an end by ICMP, an association that Linux waited
    /// for, or a message that it gave up.
    pub(super) fn explains(&self, found: &Difference) -> bool {
        let Some(socket) = socket_of(&found.call) else {
            return false;
        };
        let told_again = self.told.contains(socket) && ERRORS.contains(&&*found.linux);
        let has_end = found.ours.ends_with("0 flags 0") || found.call.contains(" recvmmsg-");
        let ended = found.linux == "EAGAIN" && has_end;
        let waited = self.sends_to && has(&found.linux, "in") && !has(&found.ours, "in");
        let lacks = !has(&found.linux, "in") && has(&found.ours, "in");
        let gave_up = lacks && (self.has_one_try || self.interleaves);
        let ends_later = self.shuts && has(&found.linux, "no-more") && !has(&found.ours, "no-more");
        let ends_earlier = self.shuts && found.call.starts_with("send") && found.ours == "EPIPE";
        let leaked = self.hears_several && has(&found.linux, "error");
        let lost =
            self.interleaves && found.linux == "EAGAIN" && made(&found.call).starts_with("hear");
        self.has_no_protocol
            || self.is_stuck
            || self.has_called_again
            || told_again
            || lost
            || (self.has_shut(socket) && ended)
            || ends_earlier
            || (is_look(&found.call) && (waited || gave_up || leaked || ends_later))
    }

    /// Whether a call shut the writing half of a socket, by any of its names.
    fn has_shut(&self, socket: &str) -> bool {
        let copies = self.copies.iter();
        let names = copies.filter(|names| names.iter().any(|name| name == socket));
        self.shut.contains(socket) || names.flatten().any(|name| self.shut.contains(name))
    }

    /// Whether two lines of `seen` mean the same for a program.
    pub(super) fn likens(&self, found: &Difference) -> bool {
        let socket = socket_of(&found.call).unwrap_or_default();
        let has_shut = self.has_shut(socket) && found.ours.contains("hangup");
        let is_told = self.told.contains(socket);
        let errs_alone = self.has_icmp && errs_alone(&found.linux, &found.ours);
        (has_shut
            && ["out", "hangup"]
                .iter()
                .any(|state| has(&found.linux, state)))
            || errs_alone
            || (is_told && without(&found.linux, &FAILED) == without(&found.ours, &FAILED))
            || are_alike(&found.linux, &found.ours, is_told)
    }
}

/// Whether a call shows a socket's state, and changes nothing.
pub(super) fn is_look(call: &str) -> bool {
    call.starts_with("seen ") || call.starts_with("poll ")
}

/// Whether poll shows a state.
fn has(answer: &str, state: &str) -> bool {
    parts(answer).0.contains(&state)
}

/// Whether a call sends messages of several chunks once: flags of 0x20 and a life of 0 in `SCTP_SNDRCV` (1), or
/// those flags in `SCTP_SNDINFO` (2).
fn has_one_try(call: &str) -> bool {
    let words: Vec<&str> = call.split(' ').collect();
    let is_long = |word: &&str| matches!(*word, "3000" | "6000");
    let once = words.windows(3).any(|three| match *three {
        ["control", "1", terms] => {
            terms.get(8..12) == Some("2000") && terms.get(32..40) == Some("00000000")
        }
        ["control", "2", terms] => terms.get(4..8) == Some("2000"),
        _ => false,
    });
    call.starts_with("send") && words.iter().take(4).any(is_long) && once
}

/// A call without the words that say who makes it, and when.
pub(super) fn made(call: &str) -> &str {
    let before = match call.split(' ').next() {
        Some("child") => 1,
        Some("alarm") => 2,
        Some("during") => 3,
        _ => 0,
    };
    call.splitn(before + 1, ' ').last().unwrap_or(call)
}

/// The socket of a call.
fn socket_of(call: &str) -> Option<&str> {
    made(call).split(' ').nth(1)
}

/// States of a connection that failed which the two systems show in their own ways.
const FAILED: [&str; 4] = ["in", "out", "error", "hangup"];

/// The states that poll shows but for some.
fn without<'a>(answer: &'a str, some: &[&str]) -> Vec<&'a str> {
    let (level, _) = parts(answer);
    level
        .into_iter()
        .filter(|word| !some.contains(word))
        .collect()
}

/// Whether all that Linux shows more is an error.
fn errs_alone(linux: &str, ours: &str) -> bool {
    let (_, edges) = parts(linux);
    edges == ["error"] && without(linux, &["error"]) == without(ours, &[])
}

fn are_alike(linux: &str, ours: &str, is_told: bool) -> bool {
    let (linux, linux_edges) = parts(linux);
    let (ours, our_edges) = parts(ours);
    // A program that waits for edges hears of each event; an error behind the end it finds as it reads to there.
    let is_heard = linux_edges.is_empty()
        || linux_edges == ["again"]
        || !our_edges.is_empty()
        || (linux_edges == ["error"] && ours.contains(&"no-more"));
    is_heard && (linux == ours || shows_error(&linux, &ours, is_told))
}

/// Whether a descriptor of `sheave run`, which cannot show POLLERR, shows the error otherwise: it can be read and
/// written, and these calls tell it.
fn shows_error(linux: &[&str], ours: &[&str], is_told: bool) -> bool {
    let without: Vec<_> = linux.iter().filter(|word| **word != "error").collect();
    let is_ready = ours.contains(&"in") && ours.contains(&"out");
    let rest = |words: &[&str]| -> Vec<String> {
        let rest = words
            .iter()
            .filter(|word| !["in", "out", "error"].contains(*word));
        rest.map(|word| (*word).to_owned()).collect()
    };
    linux.contains(&"error")
        && rest(linux) == rest(ours)
        && (is_ready || (is_told && without.iter().all(|word| ours.contains(word))))
}

fn parts(answer: &str) -> (Vec<&str>, Vec<&str>) {
    let mut words = answer.split(' ').filter(|word| !word.is_empty());
    let level = words.by_ref().take_while(|word| *word != "edge").collect();
    (level, words.collect())
}
