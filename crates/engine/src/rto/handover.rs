//! Export and import of round-trip times.

use core::num::NonZeroU64;

use super::{RtoEstimator, nanos, within_bounds};
use crate::Options;
use crate::handover::RtoStanding;

impl RtoEstimator {
    pub(crate) fn standing(&self) -> RtoStanding {
        RtoStanding {
            srtt: self.srtt.map(NonZeroU64::get),
            rttvar: self.rttvar,
            rto: self.rto,
        }
    }

    /// Resumes from exported values, within the limits of the options.
    pub(crate) fn resume(&mut self, standing: &RtoStanding, options: &Options) {
        let most = nanos(options.rto_max);
        let srtt = standing.srtt.map(|srtt| srtt.min(most));
        self.srtt = srtt.and_then(NonZeroU64::new);
        self.rttvar = standing.rttvar.min(most);
        self.rto = within_bounds(standing.rto, options);
    }
}
