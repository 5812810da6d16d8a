//! Export and import of a path in a handover between endpoints.

use super::Path;
use crate::handover::PathStanding;
use crate::{Options, Time};

/// Largest window in bytes accepted from an exported state; larger values are invalid.
const MAX_WINDOW: u64 = u32::MAX as u64;

impl Path {
    /// The state to export while nothing is in flight.
    pub(crate) fn standing(&self) -> PathStanding {
        PathStanding {
            local: self.local,
            remote: self.remote,
            state: self.state,
            errors: self.errors,
            pmtu: self.pmtu,
            cwnd: self.congestion.cwnd(),
            ssthresh: self.congestion.ssthresh(),
            rto: self.rto.standing(),
        }
    }

    /// Resumes from an exported state. Imported values cannot make packets smaller than the least
    /// MTU, timeouts longer than the options allow, or windows smaller than a packet.
    pub(crate) fn resume(now: Time, standing: &PathStanding, options: &Options) -> Self {
        let (local, remote) = (standing.local, standing.remote);
        let mut path = Self::new(now, local, remote, standing.state, options);
        path.errors = standing
            .errors
            .min(options.path_max_retrans.saturating_add(1));
        path.set_pmtu(standing.pmtu.max(path.least_pmtu()));
        path.rto.resume(&standing.rto, options);
        let pmdcs = path.pmdcs();
        path.congestion.on_resume(
            standing.cwnd.clamp(pmdcs, MAX_WINDOW),
            standing.ssthresh.clamp(pmdcs, MAX_WINDOW),
        );
        path
    }
}
