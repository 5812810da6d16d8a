use alloc::boxed::Box;

use super::{
    Bbr, CongestionControl, CongestionSignals, Coupled, Cubic, CustomCongestion, Dctcp,
    DecreaseTrigger, EarlyDecrease, EcnDiscrimination, HighSpeed, NewPath, NewReno,
};
use crate::Coupling;

/// The congestion control of an association's paths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CongestionAlgorithm {
    /// RFC 9260 §7.2.
    #[default]
    NewReno,
    /// New Reno that also cuts its window before a loss occurs; see
    /// [`EarlyDecrease`](crate::EarlyDecrease).
    EarlyDecrease {
        /// When the window is cut.
        trigger: DecreaseTrigger,
        /// Thousandths of cwnd removed by each step, 1 to 999; the paper uses 144.
        factor: u16,
    },
    /// New Reno that ignores a loss if no packet of the same window was marked; see
    /// [`EcnDiscrimination`](crate::EcnDiscrimination) for why it is not recommended. Needs
    /// [`ExplicitCongestion::On`](crate::ExplicitCongestion).
    EcnDiscrimination,
    /// RFC 9438; see [`Cubic`](crate::Cubic).
    Cubic,
    /// RFC 3649; see [`HighSpeed`](crate::HighSpeed).
    HighSpeed,
    /// RFC 8257, for data centres whose switches mark early. Set it at both ends: the receiver then
    /// reports each mark at once. See [`Dctcp`](crate::Dctcp). Needs
    /// [`ExplicitCongestion::On`](crate::ExplicitCongestion).
    Dctcp,
    /// draft-ietf-ccwg-bbr-06; see [`Bbr`](crate::Bbr) for the flows that it harms. Paces
    /// everything it sends, whatever [`Options::pacing`](crate::Options::pacing) says; works best
    /// with [`LossDetection::Rack`](crate::LossDetection).
    Bbr,
    /// A congestion control of the user's own.
    Custom(CustomCongestion),
}

impl CongestionAlgorithm {
    /// Whether the algorithm reacts to ECN marks.
    pub(crate) const fn needs_ecn(self) -> bool {
        matches!(self, Self::EcnDiscrimination) || self.counts_marks()
    }

    /// Whether the algorithm needs every mark reported, not one per window.
    pub(crate) const fn counts_marks(self) -> bool {
        match self {
            Self::Dctcp => true,
            Self::Custom(custom) => matches!(custom.signals, CongestionSignals::Marks),
            _ => false,
        }
    }

    /// Whether the algorithm needs delivery rates and paces everything it sends.
    pub(crate) const fn goes_by_rates(self) -> bool {
        match self {
            Self::Bbr => true,
            Self::Custom(custom) => matches!(custom.signals, CongestionSignals::DeliveryRates),
            _ => false,
        }
    }

    /// The congestion control of a path.
    pub(crate) fn start(self, path: &NewPath, coupling: Coupling) -> Box<dyn CongestionControl> {
        let &NewPath {
            pmdcs,
            rules,
            initial,
        } = path;
        if coupling != Coupling::Uncoupled {
            return Box::new(Coupled::new(pmdcs, rules, initial, coupling));
        }
        match self {
            Self::NewReno => Box::new(NewReno::new(pmdcs, rules, initial)),
            Self::EarlyDecrease { trigger, factor } => {
                Box::new(EarlyDecrease::new(pmdcs, rules, initial, trigger, factor))
            }
            Self::EcnDiscrimination => Box::new(EcnDiscrimination::new(pmdcs, rules, initial)),
            Self::Cubic => Box::new(Cubic::new(pmdcs, rules, initial)),
            Self::HighSpeed => Box::new(HighSpeed::new(pmdcs, rules, initial)),
            Self::Dctcp => Box::new(Dctcp::new(pmdcs, rules, initial)),
            Self::Bbr => Box::new(Bbr::new(pmdcs, rules, initial)),
            Self::Custom(custom) => (custom.make)(path),
        }
    }
}
