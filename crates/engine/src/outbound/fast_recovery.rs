use core::num::NonZeroU64;

use crate::congestion::Recovery;

/// Fast Recovery state (RFC 9260 §7.2.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FastRecovery {
    Out,
    /// Lasts until everything before `until` is cumulatively acknowledged.
    In {
        until: NonZeroU64,
    },
}

impl FastRecovery {
    /// Fast Recovery until everything before `end` is cumulatively acknowledged.
    pub(super) fn before(end: u64) -> Self {
        let until = NonZeroU64::new(end).unwrap_or(NonZeroU64::MIN);
        Self::In { until }
    }

    pub(super) const fn recovery(self) -> Recovery {
        match self {
            Self::Out => Recovery::Open,
            Self::In { .. } => Recovery::Fast,
        }
    }
}
