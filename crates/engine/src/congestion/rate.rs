use core::time::Duration;

/// A rate of sending.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rate {
    /// Bytes per second.
    pub bytes_per_second: u64,
}

impl Rate {
    /// That of `bytes` in `span`; `None` if that is no time.
    pub(crate) fn of(bytes: u64, span: Duration) -> Option<Self> {
        let rate = (u128::from(bytes) * 1_000_000_000).checked_div(span.as_nanos())?;
        Some(Self {
            bytes_per_second: u64::try_from(rate).unwrap_or(u64::MAX),
        })
    }

    /// Bytes in that time.
    pub(crate) fn bytes_in(self, span: Duration) -> u64 {
        let bytes = span.as_nanos().saturating_mul(self.bytes_per_second.into()) / 1_000_000_000;
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }
}
