use alloc::boxed::Box;
use core::fmt;
use core::hash::{Hash, Hasher};

use super::CongestionControl;
use crate::WindowRules;

/// A user-defined congestion control: a name, by which two controls are compared, and a constructor
/// called per path.
#[derive(Clone, Copy)]
pub struct CustomCongestion {
    /// Two controls with the same name count as equal.
    pub name: &'static str,
    /// Signals needed besides SACKs and losses.
    pub signals: CongestionSignals,
    /// Called once per path, and again whenever the path's state is reset, as after a restart.
    pub make: fn(&NewPath) -> Box<dyn CongestionControl>,
}

/// The signals that a user-defined congestion control needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CongestionSignals {
    /// SACKs and losses, and ECN marks where ECN is in use.
    #[default]
    Acknowledgements,
    /// Every ECN mark. The receiver must report each mark at once, so set it at both ends, as for
    /// [`Dctcp`](crate::Dctcp). Needs [`ExplicitCongestion::On`](crate::ExplicitCongestion).
    Marks,
    /// Delivery rates of the path ([`CongestionControl::on_delivery`] and
    /// [`on_restart`](CongestionControl::on_restart)). Everything sent is paced, and
    /// [`max_burst`](crate::Options::max_burst) does not apply.
    DeliveryRates,
}

/// A path that needs a congestion control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewPath {
    /// The largest DATA chunk of the path, bytes.
    pub pmdcs: u64,
    /// The rules for the initial and the minimum window.
    pub rules: WindowRules,
    /// Bytes that RFC 9260 §7.2.1 bounds between two and four PMDCS to get the initial window.
    pub initial: u64,
}

impl fmt::Debug for CustomCongestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CustomCongestion").field(&self.name).finish()
    }
}

impl PartialEq for CustomCongestion {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for CustomCongestion {}

impl Hash for CustomCongestion {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}
