//! Times of this machine's clock, which the processes of a run tell each other in their data.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Bytes of a time on the way.
pub(crate) const STAMP: usize = 8;

/// The time now.
pub(crate) fn clock() -> Duration {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.unwrap_or_default()
}

/// A time as it travels.
pub(crate) fn stamp(time: Duration) -> [u8; STAMP] {
    u64::try_from(time.as_nanos()).unwrap_or(0).to_be_bytes()
}

/// The time at the beginning of those bytes; `None` where they are too few.
pub(crate) fn stamped(bytes: &[u8]) -> Option<Duration> {
    let nanos = bytes.first_chunk()?;
    Some(Duration::from_nanos(u64::from_be_bytes(*nanos)))
}
