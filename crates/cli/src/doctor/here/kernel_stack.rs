//! Other stacks on this machine that would answer packets of IP protocol 132.

use std::path::Path;

use super::{number, value};
use crate::doctor::check::{Check, State};

/// SCTP's protocol number as in `/proc/net/raw`.
const SCTP_IN_HEX: &str = ":0084";

/// The kernel's SCTP in this network namespace, and raw sockets of programs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelStack {
    /// Whether the kernel handles protocol 132.
    pub is_there: bool,
    /// The kernel's UDP port for SCTP (RFC 6951); 0 if disabled.
    pub udp_port: u64,
    /// The kernel's RTO.Min, milliseconds.
    pub rto_min: Option<u64>,
    /// SCTP sockets of the kernel.
    pub endpoints: usize,
    /// Raw sockets for protocol 132 of any program.
    pub raw_sockets: usize,
}

impl KernelStack {
    /// Reads `/proc/net`.
    pub fn look() -> Self {
        let protocols = value("/proc/net/protocols").unwrap_or_default();
        let endpoints = value("/proc/net/sctp/eps").unwrap_or_default();
        let raw = ["/proc/net/raw", "/proc/net/raw6"].map(|path| value(path).unwrap_or_default());
        Self {
            is_there: Path::new("/proc/net/sctp").exists() || lists_sctp(&protocols),
            udp_port: number("/proc/sys/net/sctp/udp_port").unwrap_or(0),
            rto_min: number("/proc/sys/net/sctp/rto_min"),
            endpoints: endpoints.lines().count().saturating_sub(1),
            raw_sockets: raw.iter().map(|text| raw_sockets(text)).sum(),
        }
    }

    /// Reports other stacks.
    pub fn check(&self) -> Check {
        let check = |state, saw: String, means: &str| Check::new(state, "Other stacks", saw, means);
        if self.is_there {
            let udp = match self.udp_port {
                0 => String::new(),
                port => format!(", and UDP port {port}"),
            };
            return check(
                State::Warn,
                format!(
                    "the kernel answers IP protocol 132{udp}; {} of its sockets are open",
                    self.endpoints
                ),
                "With --carrier raw or run --raw, the kernel aborts associations that it does not \
                 know.",
            )
            .fix(
                "use UDP, the default; for raw IP, keep the module out (a kernel seldom lets it go): \
                 echo blacklist sctp | sudo tee /etc/modprobe.d/sctp.conf, and boot again",
            );
        }
        match self.raw_sockets {
            0 => check(
                State::Ok,
                "nothing else answers IP protocol 132".to_owned(),
                "Raw IP is free for Sheave.",
            ),
            count => check(
                State::Warn,
                format!("{count} raw sockets for IP protocol 132 are open"),
                "Another stack in user space sees the same packets, and may abort what it does not \
                 know.",
            )
            .fix("use UDP, the default; or end the other program (ss -awp shows it)"),
        }
    }
}

/// Whether the list of the kernel's protocols contains SCTP.
fn lists_sctp(protocols: &str) -> bool {
    protocols.lines().any(|line| line.starts_with("SCTP"))
}

/// Counts SCTP sockets in the table of raw sockets, where the local "port" is the protocol.
fn raw_sockets(table: &str) -> usize {
    let local = |line: &str| line.split_whitespace().nth(1).map(str::to_owned);
    let locals = table.lines().filter_map(local);
    locals.filter(|local| local.ends_with(SCTP_IN_HEX)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_sockets_of_other_protocols_do_not_count() {
        let table = "  sl  local_address rem_address   st\n   1: 00000000:0001 00000000:0000 07\n\
                     132: 0100007F:0084 00000000:0000 07\n";
        assert_eq!(raw_sockets(table), 1);
    }

    #[test]
    fn the_kernel_is_told_by_its_list_of_protocols() {
        assert!(lists_sctp("protocol  size\nSCTPv6    1800\nTCP 2304\n"));
        assert!(!lists_sctp("protocol  size\nTCP 2304\n"));
    }

    #[test]
    fn a_kernel_that_answers_is_to_be_known_with_its_udp_port() {
        let stack = KernelStack {
            is_there: true,
            udp_port: 9899,
            endpoints: 3,
            ..KernelStack::default()
        };
        let check = stack.check();
        assert_eq!(check.state, State::Warn);
        assert!(
            check.saw.contains("UDP port 9899; 3 of its"),
            "{}",
            check.saw
        );
    }

    #[test]
    fn another_stack_in_user_space_is_to_be_known() {
        let stack = KernelStack {
            raw_sockets: 2,
            ..KernelStack::default()
        };
        assert_eq!(stack.check().state, State::Warn);
        assert_eq!(KernelStack::default().check().state, State::Ok);
    }
}
