//! The kernel's connection tracking, which expires idle flows and may be full.

use super::number;
use crate::doctor::check::{Check, State};

/// Seconds within which a path is sure to carry a heartbeat (RFC 9260 §16: 30 s plus RTO, with
/// jitter).
const HEARTBEAT: u64 = 46;

/// The table and its timeouts in seconds; `None` if unreadable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Conntrack {
    /// Current entries.
    pub count: Option<u64>,
    /// Most entries.
    pub max: Option<u64>,
    /// Timeout of a UDP flow used by both ends.
    pub udp_stream: Option<u64>,
    /// Timeout of an established association over plain IP.
    pub sctp_established: Option<u64>,
}

impl Conntrack {
    /// Reads the sysctls.
    pub fn look() -> Self {
        let sysctl = |key: &str| number(&format!("/proc/sys/net/netfilter/nf_conntrack_{key}"));
        Self {
            count: sysctl("count"),
            max: sysctl("max"),
            udp_stream: sysctl("udp_timeout_stream"),
            sctp_established: sysctl("sctp_timeout_established"),
        }
    }

    /// Reports connection tracking.
    pub fn check(&self) -> Check {
        let name = "Conntrack";
        let (Some(count), Some(max)) = (self.count, self.max) else {
            let saw = "nf_conntrack is not there, or not to be seen in this network";
            return Check::new(State::Ok, name, saw, "This machine keeps no list of flows.");
        };
        let seconds = |value: Option<u64>| match value {
            Some(value) => format!("{value} s"),
            None => "unknown".to_owned(),
        };
        let saw = format!(
            "{count} of {max} flows; quiet ones live {} over UDP, {} over plain IP",
            seconds(self.udp_stream),
            seconds(self.sctp_established),
        );
        if count.saturating_mul(10) >= max.saturating_mul(9) {
            let means = "The table is nearly full: packets of new flows are dropped.";
            return Check::new(State::Bad, name, saw, means).fix(format!(
                "sudo sysctl net.netfilter.nf_conntrack_max={}",
                max.saturating_mul(2)
            ));
        }
        let short = [
            ("udp_timeout_stream", self.udp_stream),
            ("sctp_timeout_established", self.sctp_established),
        ];
        let short = short
            .into_iter()
            .find(|(_, value)| value.is_some_and(|s| s < HEARTBEAT));
        match short {
            Some((key, _)) => Check::new(
                State::Warn,
                name,
                saw,
                "A quiet path is forgotten between two heartbeats, 30 s apart by default; behind a \
                 NAT or a firewall, the peer then cannot reach us.",
            )
            .fix(format!(
                "sudo sysctl net.netfilter.nf_conntrack_{key}=120, or --heartbeats 10s"
            )),
            None => Check::new(
                State::Ok,
                name,
                saw,
                "Quiet paths outlive their heartbeats.",
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conntrack(count: u64, udp_stream: u64) -> Check {
        Conntrack {
            count: Some(count),
            max: Some(1000),
            udp_stream: Some(udp_stream),
            sctp_established: Some(210),
        }
        .check()
    }

    #[test]
    fn a_table_that_is_nearly_full_is_bad() {
        assert_eq!(conntrack(899, 120).state, State::Ok);
        let full = conntrack(900, 120);
        assert_eq!(full.state, State::Bad);
        assert!(full.fix.unwrap().ends_with("nf_conntrack_max=2000"));
    }

    #[test]
    fn flows_that_are_forgotten_between_heartbeats_are_to_be_known() {
        assert_eq!(conntrack(0, 46).state, State::Ok);
        let short = conntrack(0, 45);
        assert_eq!(short.state, State::Warn);
        assert!(short.fix.unwrap().contains("udp_timeout_stream"));
    }

    #[test]
    fn no_tracking_is_well() {
        assert_eq!(Conntrack::default().check().state, State::Ok);
    }
}
