use alloc::boxed::Box;
use core::fmt;
use core::hash::{Hash, Hasher};

use super::CongestionControl;
use crate::WindowRules;

/// A congestion control that the user brings: its name, by which it is compared, and how one is made
/// for a path.
#[derive(Clone, Copy)]
pub struct CustomCongestion {
    /// Two with the same name are taken for the same.
    pub name: &'static str,
    /// The signals that it needs beside SACKs and losses.
    pub signals: CongestionSignals,
    /// Called once for each path, and again when it begins anew, as after a restart.
    pub make: fn(&NewPath) -> Box<dyn CongestionControl>,
}

/// The signals that a congestion control of the user's own needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CongestionSignals {
    /// SACKs and losses, and marks where ECN is in use.
    #[default]
    Acknowledgements,
    /// Every mark of a router, as a control that counts them needs: the receiving end tells of each at
    /// once, so that both ends are to have it, like [`Dctcp`](crate::Dctcp). Needs
    /// [`ExplicitCongestion::On`](crate::ExplicitCongestion).
    Marks,
    /// The rates at which the path delivers ([`CongestionControl::on_delivery`] and
    /// [`on_restart`](CongestionControl::on_restart)). All that it sends is paced, without
    /// [`max_burst`](crate::Options::max_burst).
    DeliveryRates,
}

/// A path that needs a congestion control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewPath {
    /// The largest DATA chunk of the path, bytes.
    pub pmdcs: u64,
    /// The rules for the first and the least window.
    pub rules: WindowRules,
    /// Bytes that RFC 9260 §7.2.1 puts between two and four PMDCS to get the first window.
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
