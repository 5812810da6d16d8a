use core::time::Duration;

use super::{LEAST_PMTU, Path};
use crate::{Heartbeats, Marking, Options};

/// Probes for the path MTU on one path (RFC 8899), where its association looks for MTUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MtuProbes {
    /// No probes: packets stay as long as they are unless an ICMP error shortens them, and routers may
    /// fragment them.
    Off,
    /// Probes by a timer of this span (PROBE_TIMER, RFC 8899 §5.1.1) in place of the RTO. A search
    /// that is complete rests for 30 spans, as in Linux.
    Timed(Duration),
}

/// Settings of one path in place of those of its association. `None` leaves what the options say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PathTuning {
    /// Heartbeats on the path while it is idle (RFC 9260 §8.3).
    pub heartbeats: Option<Heartbeats>,
    /// Consecutive sends without an answer beyond which the path is inactive (Path.Max.Retrans).
    pub max_retrans: Option<u32>,
    /// The same, beyond which it is potentially failed (RFC 7829 §3).
    pub potentially_failed_max_retrans: Option<u32>,
    /// The same, beyond which another path becomes the primary one (RFC 7829 §4).
    pub primary_switchover_max_retrans: Option<u32>,
    /// The path MTU, bytes, which then is neither looked for nor lowered by ICMP errors; at least 576, over
    /// IPv6, too: a tunnel of the user's may carry less than a link does.
    pub pmtu: Option<u16>,
    /// Probes for the path MTU, where `pmtu` does not set it.
    pub mtu_probes: Option<MtuProbes>,
    /// The code point of packets to it, 0 to 63 (RFC 2474).
    pub dscp: Option<u8>,
    /// The flow label of packets to it, 20 bits (RFC 6437).
    pub flow_label: Option<u32>,
}

impl Path {
    pub(crate) fn tuning(&self) -> PathTuning {
        let tuning = self.extensions.get(|extensions| &extensions.tuning);
        tuning.copied().unwrap_or_default()
    }

    /// Goes on with other settings. Where the path MTU is one of them, it holds from now on.
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

    /// Whether the user lets the path MTU be looked for.
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
