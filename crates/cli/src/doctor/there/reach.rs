//! Tests which routes to the peer reach an SCTP stack, and what blocks the others.

use std::io;

use sheave::error_queue::{ErrorOrigin, QueuedError};

use super::answer::Answer;
use super::probe::{Heard, Reply};
use super::way::{Over, Way};
use crate::doctor::check::{Check, State};
use crate::units::millis;

/// A probe: the route tried and the reply.
#[derive(Debug)]
pub struct Attempt {
    /// The route.
    pub way: Way,
    /// The SCTP port.
    pub port: u16,
    /// The reply, or the error of opening a socket.
    pub heard: io::Result<Heard>,
}

/// The meaning of an ICMP message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Icmp {
    NoPort,
    NoProtocol,
    Unreachable,
    Prohibited,
    Other,
}

impl Attempt {
    /// Whether an SCTP stack answered, even with ABORT.
    pub fn has_sctp(&self) -> bool {
        let reply = self
            .heard
            .as_ref()
            .ok()
            .and_then(|heard| heard.answer.as_ref());
        reply.is_some_and(|reply| reply.answer != Answer::Damaged)
    }

    /// The reply, if it is an INIT ACK.
    pub fn accepted(&self) -> Option<&Reply> {
        let reply = self.heard.as_ref().ok()?.answer.as_ref()?;
        matches!(reply.answer, Answer::Accepted(_)).then_some(reply)
    }

    /// Reports the result.
    fn check(&self) -> Check {
        let heard = match &self.heard {
            Ok(heard) => heard,
            Err(error) => return self.unasked(error),
        };
        match (&heard.answer, &heard.report, heard.refused) {
            (Some(reply), _, _) => self.answered(reply),
            (None, Some(report), _) => self.reported(report),
            (None, None, Some(code)) => self.refused(code),
            (None, None, None) => self.silent(),
        }
    }

    fn of(&self, state: State, saw: impl Into<String>, means: impl Into<String>) -> Check {
        Check::new(state, self.way.name(), saw, means)
    }

    fn answered(&self, reply: &Reply) -> Check {
        let Reply {
            answer, from, rtt, ..
        } = reply;
        let time = millis(*rtt);
        let is_elsewhere = from.ip() != self.way.remote
            || (from.port() != self.way.over.port() && self.way.over != Over::Ip);
        if is_elsewhere && *answer != Answer::Damaged {
            return self
                .of(
                    State::Bad,
                    format!("the answer comes from {from}, not from where the question went"),
                    "A NAT or load balancer rewrites the answers; the association would be with \
                     somebody else.",
                )
                .fix(format!(
                    "sheave doctor {}, the address that answers",
                    from.ip()
                ));
        }
        match answer {
            Answer::Accepted(_) => self.of(
                State::Ok,
                format!("INIT ACK in {time} ms"),
                format!("Port {} accepts associations on this path.", self.port),
            ),
            Answer::Aborted(causes) => {
                let causes = match causes.as_slice() {
                    [] => "without a cause".to_owned(),
                    causes => causes.join(", "),
                };
                self.of(
                    State::Warn,
                    format!("ABORT in {time} ms, {causes}"),
                    format!(
                        "SCTP is there and reached this way, but takes no association at port {}: \
                         nobody listens there, or whoever does refuses.",
                        self.port
                    ),
                )
                .fix("start the server there, or give its port: sheave doctor HOST:PORT")
            }
            Answer::Damaged => self
                .of(
                    State::Bad,
                    format!("an answer with a wrong checksum in {time} ms"),
                    "Something on the way changes SCTP packets without a new CRC32c (a NAT that does \
                     not know SCTP), or the peer's checksum offload is not done by any hardware.",
                )
                .fix(
                    "sudo ethtool -K INTERFACE tx-checksum-sctp off at the peer, if its kernel has \
                     SCTP; else go over UDP, around the box that does it",
                ),
        }
    }

    fn reported(&self, report: &QueuedError) -> Check {
        let from = report
            .from
            .map_or("somebody".to_owned(), |ip| ip.to_string());
        let is_peer = report.from == Some(self.way.remote);
        let is_own = report.from == Some(self.way.local) || report.origin == ErrorOrigin::Local;
        let of = |saw: String, means: &str, fix: String| self.of(State::Bad, saw, means).fix(fix);
        match (icmp(report), self.way.over) {
            (Icmp::NoPort, Over::Udp(port)) if is_peer => of(
                format!("ICMP port unreachable from the host, UDP port {port}"),
                "The host is there, but nobody has that UDP port, or its firewall rejects it.",
                format!(
                    "start the server there (sheave perf -s, sheave run -- PROGRAM); for a kernel's \
                     SCTP, sudo sysctl net.sctp.udp_port={port} there; another port: \
                     --peer-udp-port PORT"
                ),
            ),
            (Icmp::NoProtocol, _) if is_peer => of(
                "ICMP protocol unreachable from the host".to_owned(),
                "The host is there, but its kernel has no SCTP loaded, or its firewall rejects it.",
                "sudo modprobe sctp there, or `sheave run --raw -- PROGRAM`, or go over UDP"
                    .to_owned(),
            ),
            (Icmp::Prohibited, _) => of(
                format!("ICMP administratively prohibited, from {from}"),
                "A firewall rejects these packets.",
                format!("let {} pass at {from}", self.way.over),
            ),
            (Icmp::Unreachable, _) if is_own => of(
                "no host at this address answers on the link".to_owned(),
                "The host is down, or the address is wrong.",
                format!("ping {}", self.way.remote),
            ),
            (Icmp::Unreachable, _) => of(
                format!("ICMP unreachable, from {from}"),
                "A router knows no way to the host.",
                format!("ip route get {}, and traceroute {0}", self.way.remote),
            ),
            (Icmp::NoPort | Icmp::NoProtocol, _) => of(
                format!("ICMP unreachable, from {from}, which is not the host"),
                "A firewall on the way rejects these packets.",
                format!("let {} pass at {from}", self.way.over),
            ),
            (Icmp::Other, _) => of(
                format!(
                    "ICMP type {} code {}, from {from}",
                    report.kind, report.code
                ),
                "The packets do not arrive.",
                format!("traceroute {}", self.way.remote),
            ),
        }
    }

    fn refused(&self, code: i32) -> Check {
        let error = io::Error::from_raw_os_error(code);
        let (means, fix) = match code {
            libc::EPERM | libc::EACCES => (
                "A firewall of this machine drops what is sent.",
                "sudo nft list ruleset, and let it pass".to_owned(),
            ),
            libc::ENETUNREACH | libc::EHOSTUNREACH => (
                "This machine knows no way there from that address.",
                format!("ip route get {} from {}", self.way.remote, self.way.local),
            ),
            libc::EINVAL => (
                "That address cannot be reached from this one.",
                "choose another with --local".to_owned(),
            ),
            _ => (
                "This machine cannot send there.",
                format!("ip route get {}", self.way.remote),
            ),
        };
        self.of(State::Bad, format!("cannot send: {error}"), means)
            .fix(fix)
    }

    fn silent(&self) -> Check {
        if self.way.local == self.way.remote {
            return self
                .of(
                    State::Bad,
                    "silence from this machine itself",
                    "Nobody here answers.",
                )
                .fix("start a server: sheave ping --serve, or sheave run -- PROGRAM");
        }
        let filter = match self.way.over {
            Over::Udp(port) => format!("udp port {port}"),
            Over::Ip => "ip proto 132".to_owned(),
        };
        self.of(
            State::Bad,
            "silence: three questions, no answer and no ICMP",
            "The host is down, or a firewall drops the packets or the answers.",
        )
        .fix(format!(
            "let {} pass both ways; sudo tcpdump -n {filter} there shows whether the questions \
             arrive",
            self.way.over
        ))
    }

    fn unasked(&self, error: &io::Error) -> Check {
        match (error.kind(), self.way.over) {
            (io::ErrorKind::PermissionDenied, Over::Ip) => self
                .of(
                    State::Unknown,
                    "not asked: no CAP_NET_RAW",
                    "Whether the host answers plain IP is not known.",
                )
                .more("as root, or with CAP_NET_RAW, it is asked over IP protocol 132, too"),
            _ => self
                .of(
                    State::Bad,
                    format!("no socket: {error}"),
                    "This address cannot be used.",
                )
                .fix("choose others with --local"),
        }
    }
}

/// Reports the results of every route. If one route works, failures of the others are not errors.
pub fn checks(attempts: &[Attempt]) -> Vec<Check> {
    let is_reached = attempts.iter().any(Attempt::has_sctp);
    let check = |attempt: &Attempt| {
        let mut check = attempt.check();
        if is_reached && check.state == State::Bad {
            check.state = State::Warn;
        }
        check
    };
    attempts.iter().map(check).collect()
}

/// The meaning of an ICMP type and code (RFC 792, RFC 1812 §5.2.7.1, RFC 4443).
fn icmp(report: &QueuedError) -> Icmp {
    match (report.origin, report.kind, report.code) {
        (ErrorOrigin::Icmp, 3, 3) | (ErrorOrigin::Icmp6, 1, 4) => Icmp::NoPort,
        (ErrorOrigin::Icmp, 3, 2) | (ErrorOrigin::Icmp6, 4, 1) => Icmp::NoProtocol,
        (ErrorOrigin::Icmp, 3, 9 | 10 | 13) | (ErrorOrigin::Icmp6, 1, 1 | 5 | 6) => {
            Icmp::Prohibited
        }
        (ErrorOrigin::Icmp, 3, 0 | 1 | 5..=8 | 11 | 12) | (ErrorOrigin::Icmp6, 1, 0 | 2 | 3) => {
            Icmp::Unreachable
        }
        _ => Icmp::Other,
    }
}

#[cfg(test)]
mod tests;
