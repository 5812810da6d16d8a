use crate::{Options, RtoGains};

/// The gains with which SRTT and RTTVAR follow measurements: RTO.Alpha and RTO.Beta as right
/// shifts.
///
/// [`RtoGains::Adaptive`] is our version of the RTO with adaptive constants that the paper
/// "multihoming failure avoidance" names as future work. A measurement that differs from SRTT by
/// more than twice RTTVAR shows a changing path and doubles both gains, up to four times the
/// configured ones. A measurement that differs by less than half of RTTVAR shows a steady path and
/// halves both gains, down to half of the configured ones. Other measurements leave the gains
/// unchanged.
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
