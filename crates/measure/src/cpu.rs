use std::time::Duration;

/// CPU time of the calling thread, independent of other load on the machine.
#[must_use]
pub fn cpu_time() -> Duration {
    clock(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// CPU time of all threads of this process.
#[must_use]
pub fn process_cpu_time() -> Duration {
    clock(libc::CLOCK_PROCESS_CPUTIME_ID)
}

fn clock(id: libc::clockid_t) -> Duration {
    let mut spent = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    #[expect(
        unsafe_code,
        reason = "the crates that wrap the call do not run under valgrind, as this must"
    )]
    // SAFETY: `spent` is ours to write to.
    let status = unsafe { libc::clock_gettime(id, &raw mut spent) };
    assert_eq!(status, 0, "every Linux has the clock");
    let secs = u64::try_from(spent.tv_sec).unwrap_or(0);
    Duration::from_secs(secs) + Duration::from_nanos(spent.tv_nsec.unsigned_abs())
}
