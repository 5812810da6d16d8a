use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// CPU time that the calling thread has used: what others do on the machine does not count.
#[must_use]
pub fn cpu_time() -> Duration {
    let spent = clock_gettime(ClockId::ThreadCPUTime);
    let secs = u64::try_from(spent.tv_sec).unwrap_or(0);
    Duration::from_secs(secs) + Duration::from_nanos(spent.tv_nsec.unsigned_abs())
}
