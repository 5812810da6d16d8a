use crate::{Options, RtoGains};

/// The gains by which SRTT and RTTVAR follow the measurements: RTO.Alpha and RTO.Beta as right
/// shifts.
///
/// [`RtoGains::Adaptive`] is our own reading of the future work that the paper "multihoming
/// failure avoidance" names, an RTO whose constants adapt. While measurements differ from SRTT by
/// more than twice RTTVAR, the path is changing: each doubles both gains, up to fourfold the
/// configured ones. While they differ by less than half of RTTVAR, it is steady: each halves both
/// gains, down to half of the configured ones. In between nothing changes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Gains {
    /// Doublings of the configured gains.
    eagerness: i8,
}

const MOST: i8 = 2;
const LEAST: i8 = -1;

impl Gains {
    /// The shifts for a measurement that differs from SRTT by `surprise`, nanoseconds.
    pub(super) fn shifts(&mut self, surprise: u64, rttvar: u64, options: &Options) -> (u8, u8) {
        match options.rto_gains {
            RtoGains::Fixed => {}
            RtoGains::Adaptive => self.adapt(surprise, rttvar),
        }
        (
            self.applied_to(options.rto_alpha_shift),
            self.applied_to(options.rto_beta_shift),
        )
    }

    fn adapt(&mut self, surprise: u64, rttvar: u64) {
        if surprise > rttvar.saturating_mul(2) {
            self.eagerness = (self.eagerness + 1).min(MOST);
        } else if surprise < rttvar / 2 {
            self.eagerness = (self.eagerness - 1).max(LEAST);
        }
    }

    fn applied_to(self, shift: u8) -> u8 {
        shift.saturating_add_signed(-self.eagerness).max(1)
    }
}

#[cfg(test)]
mod tests;
