//! Permission to send IP protocol 132.

use std::io;

use socket2::{Domain, Protocol, Socket, Type};

use super::value;
use crate::doctor::check::{Check, State};

/// The number of `CAP_NET_RAW`.
const CAP_NET_RAW: u32 = 13;

/// The result of opening a raw socket, and the required capability.
#[derive(Debug)]
pub struct RawIp {
    pub socket: io::Result<()>,
    /// Whether this process has `CAP_NET_RAW`.
    pub capability: Capability,
}

/// A capability of this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capability {
    /// Effective.
    Held,
    /// Not effective.
    Missing,
}

impl RawIp {
    /// Opens a raw socket and closes it.
    pub fn look() -> Self {
        let protocol = Protocol::from(libc::IPPROTO_SCTP);
        let status = value("/proc/self/status").unwrap_or_default();
        Self {
            socket: Socket::new(Domain::IPV4, Type::RAW, Some(protocol)).map(drop),
            capability: capability(&status),
        }
    }

    /// Reports the permission.
    pub fn check(&self) -> Check {
        let name = "Raw IP";
        match (&self.socket, self.capability) {
            (Ok(()), _) => Check::new(
                State::Ok,
                name,
                "a raw socket for protocol 132 can be opened",
                "--carrier raw and run --raw work, so that kernels are reached without UDP.",
            ),
            (Err(error), Capability::Missing) => Check::new(
                State::Ok,
                name,
                format!("no CAP_NET_RAW ({error})"),
                "SCTP goes over UDP here, which needs no privilege; peers that speak plain IP alone \
                 are out of reach.",
            )
            .more(
                "with `sudo setcap cap_net_raw+ep \"$(command -v sheave)\"`, or as root, plain IP \
                 works and is checked",
            ),
            (Err(error), Capability::Held) => Check::new(
                State::Warn,
                name,
                format!("{error}, with CAP_NET_RAW"),
                "A sandbox or a security module refuses raw sockets.",
            )
            .fix("use UDP, the default"),
        }
    }
}

/// Parses a process status for the capability.
fn capability(status: &str) -> Capability {
    let set = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    let set = set.and_then(|set| u64::from_str_radix(set.trim(), 16).ok());
    match set.unwrap_or(0) & (1 << CAP_NET_RAW) {
        0 => Capability::Missing,
        _ => Capability::Held,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_capability_is_one_bit_of_the_effective_set() {
        let status = |set| format!("CapPrm:\t000001ffffffffff\nCapEff:\t{set}\n");
        assert_eq!(capability(&status("0000000000002000")), Capability::Held);
        assert_eq!(capability(&status("0000000000001000")), Capability::Missing);
    }

    #[test]
    fn a_missing_right_is_told_apart_from_a_sandbox() {
        let check = |capability| {
            let socket = Err(io::ErrorKind::PermissionDenied.into());
            RawIp { socket, capability }.check()
        };
        let missing = check(Capability::Missing);
        assert_eq!(missing.state, State::Ok);
        assert!(missing.more.unwrap().contains("setcap"));
        assert_eq!(check(Capability::Held).state, State::Warn);
    }
}
