//! Timestamps of this machine's clock, exchanged by the processes of a run in their payload.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Bytes of an encoded timestamp.
pub(crate) const STAMP: usize = 8;

/// The time since the Unix epoch.
pub(crate) fn clock() -> Duration {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.unwrap_or_default()
}

/// Encodes a timestamp: nanoseconds, big-endian.
pub(crate) fn stamp(time: Duration) -> [u8; STAMP] {
    u64::try_from(time.as_nanos()).unwrap_or(0).to_be_bytes()
}

/// Decodes the timestamp at the start of `bytes`; `None` if there are too few bytes.
pub(crate) fn stamped(bytes: &[u8]) -> Option<Duration> {
    let nanos = bytes.first_chunk()?;
    Some(Duration::from_nanos(u64::from_be_bytes(*nanos)))
}
