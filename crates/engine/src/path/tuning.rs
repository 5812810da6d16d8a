use core::time::Duration;

use super::{LEAST_PMTU, Path};
use crate::{Heartbeats, Marking, Options};

/// Path MTU probes on one path (RFC 8899), if its association discovers MTUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MtuProbes {
    /// No probes: packets keep their size unless an ICMP error reduces it, and routers may fragment
    /// them.
    Off,
    /// Probes with this timer (PROBE_TIMER, RFC 8899 §5.1.1) instead of the RTO. A complete search
    /// pauses for 30 times this duration, as in Linux.
    Timed(Duration),
}

/// Settings of one path that override those of its association. `None` keeps the value of the
/// options.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PathTuning {
    /// Heartbeats on the idle path (RFC 9260 §8.3). Unlike that of the options, the interval may be
    /// longer than `dead_peer_timeout` allows: other paths may be probed more often, and an idle
    /// association does not end, since nothing awaits an answer. If the only path has such an
    /// interval, a NAT that gives this end another port may go unnoticed for longer than the peer
    /// waits.
    pub heartbeats: Option<Heartbeats>,
    /// Consecutive unanswered sends after which the path is inactive (Path.Max.Retrans).
    pub max_retrans: Option<u32>,
    /// Consecutive unanswered sends after which the path is potentially failed (RFC 7829 §3).
    pub potentially_failed_max_retrans: Option<u32>,
    /// Consecutive unanswered sends after which another path becomes primary (RFC 7829 §4).
    pub primary_switchover_max_retrans: Option<u32>,
    /// Fixed path MTU in bytes, at least 576, neither searched for nor lowered by ICMP errors.
    /// Values below 1280 are allowed over IPv6 too, since a tunnel may carry less than a link.
    pub pmtu: Option<u16>,
    /// Path MTU probes, unless `pmtu` fixes the MTU.
    pub mtu_probes: Option<MtuProbes>,
    /// DSCP of packets on the path, 0 to 63 (RFC 2474).
    pub dscp: Option<u8>,
    /// Flow label of packets on the path, 20 bits (RFC 6437).
    pub flow_label: Option<u32>,
}

impl Path {
    pub(crate) fn tuning(&self) -> PathTuning {
        let tuning = self.extensions.get(|extensions| &extensions.tuning);
        tuning.copied().unwrap_or_default()
    }

    /// Replaces the settings. A path MTU among them takes effect at once.
    pub(crate) fn tune(&mut self, tuning: PathTuning) {
        let boxed = (tuning != PathTuning::default()).then(|| tuning.into());
        self.extensions
            .put(|extensions| &mut extensions.tuning, boxed);
        if !self.may_search_mtu() {
            self.extensions
                .put(|extensions| &mut extensions.mtu_search, None);
        }
        if let Some(pmtu) = tuning.pmtu {
            self.set_pmtu(pmtu.max(LEAST_PMTU));
        }
    }

    /// Whether the user allows MTU discovery.
    pub(crate) fn may_search_mtu(&self) -> bool {
        !self.has_fixed_pmtu() && self.mtu_probes() != Some(MtuProbes::Off)
    }

    pub(crate) fn mtu_probes(&self) -> Option<MtuProbes> {
        let tuning = self.extensions.get(|extensions| &extensions.tuning);
        tuning.and_then(|tuning| tuning.mtu_probes)
    }

    /// Whether the user has set the path MTU.
    pub(crate) fn has_fixed_pmtu(&self) -> bool {
        self.tuning().pmtu.is_some()
    }

    pub(crate) fn heartbeats(&self, options: &Options) -> Heartbeats {
        self.tuning().heartbeats.unwrap_or(options.heartbeats)
    }

    pub(crate) fn max_retrans(&self, options: &Options) -> u32 {
        self.tuning()
            .max_retrans
            .unwrap_or(options.path_max_retrans)
    }

    pub(crate) fn potentially_failed_max_retrans(&self, options: &Options) -> Option<u32> {
        let own = self.tuning().potentially_failed_max_retrans;
        own.or(options.potentially_failed_max_retrans)
    }

    pub(crate) fn primary_switchover_max_retrans(&self, options: &Options) -> Option<u32> {
        let own = self.tuning().primary_switchover_max_retrans;
        own.or(options.primary_switchover_max_retrans)
    }

    pub(crate) fn marking(&self, options: &Options) -> Marking {
        let (own, usual) = (self.tuning(), options.marking());
        Marking {
            dscp: own.dscp.unwrap_or(usual.dscp),
            flow_label: own.flow_label.unwrap_or(usual.flow_label),
        }
    }
}
