//! Resource bounds of associations, busy and at rest.

use core::time::Duration;

use sheave_engine::{BufferSizes, Options, Time};

use super::fault::{Verdict, ensure};
use super::plan::End;

/// Maximum memory of an idle association, bytes.
pub(crate) const IDLE_FOOTPRINT: usize = 64 << 10;

/// Additional idle memory per stream in use, bytes: its next numbers, both directions.
pub(crate) const IDLE_STREAM: usize = 16;

/// Additional busy memory per stream in use beside the idle, bytes: its queue and its scheduler entry,
/// in tables at most twice as long as needed.
const BUSY_STREAM: usize = 128;

/// Maximum busy memory beyond the charge, bytes: queues keep their capacity until idle.
const BUSY_FOOTPRINT: usize = 256 << 10;

/// Maximum elementary steps per received byte.
const STEPS_PER_BYTE: u64 = 1;
const SPARE_STEPS: u64 = 100;

/// Checks that an end's work is proportional to its received bytes.
pub(crate) fn check_work(work: u64, bytes: u64) -> Verdict {
    ensure(work <= bytes * STEPS_PER_BYTE + SPARE_STEPS, "work", || {
        format!("{work} steps for {bytes} bytes")
    })
}

/// Checks an association's memory against its maximum charge.
pub(crate) fn check_footprint(footprint: usize, charge: usize, streams: usize) -> Verdict {
    ensure(
        footprint <= BUSY_FOOTPRINT + 2 * charge + (BUSY_STREAM + IDLE_STREAM) * streams,
        "footprint",
        || format!("{footprint} bytes for a charge of {charge}"),
    )
}

/// Checks that an endpoint's total equals its associations' charges; with `gaps`, state of TSNs
/// comes on top.
pub(crate) fn check_books(buffered: usize, charged: usize, gaps: bool) -> Verdict {
    let exact = buffered == charged || gaps && buffered > charged;
    ensure(exact, "rest", || {
        format!("{buffered} bytes are held, associations are charged {charged}")
    })
}

/// Detects stalls: time during which data in transit does not arrive.
pub(crate) struct Standstill {
    longest: Duration,
    since: Time,
    outcomes: u64,
    /// Maximum bytes seen with the current number of outcomes.
    bytes: i64,
}

impl Standstill {
    pub(crate) const fn new(now: Time, longest: Duration) -> Self {
        Self {
            longest,
            since: now,
            outcomes: 0,
            bytes: i64::MIN,
        }
    }

    /// Checks for a stall, given outcomes and bytes so far (revoked bytes count once);
    /// `delivering`: whether data is in transit.
    pub(crate) fn check(
        &mut self,
        now: Time,
        (outcomes, bytes): (u64, i64),
        delivering: bool,
    ) -> Verdict {
        if outcomes != self.outcomes || bytes > self.bytes || !delivering {
            (self.since, self.outcomes, self.bytes) = (now, outcomes, bytes);
        }
        let longest = self.longest;
        ensure(now.since(self.since) <= longest, "stall", || {
            format!("nothing arrives for {longest:?}")
        })
    }
}

/// Maximum size of the receive buffer, bytes.
const fn largest_buffer(options: &Options) -> usize {
    match options.buffers {
        BufferSizes::Auto { max } if max > options.receive_buffer => max,
        BufferSizes::Fixed | BufferSizes::Auto { .. } => options.receive_buffer,
    }
}

/// Checks that the advertised window does not exceed the free receive buffer plus a sixteenth for
/// overhead.
pub(crate) fn check_advertised(options: &Options, rwnd: u32, buffered: usize) -> Verdict {
    let most = largest_buffer(options);
    let left = (most + most / 16).saturating_sub(buffered);
    ensure(rwnd as usize <= left, "advertised", || {
        format!("a window of {rwnd}, {buffered} bytes are there, {most} may be")
    })
}

/// Checks the window of an association with nothing left to read, given its initial and its current
/// options.
pub(crate) fn check_window(
    end: End,
    (options, now): (&Options, &Options),
    stats: &sheave_engine::AssocStats,
) -> Verdict {
    let most = largest_buffer(options);
    let rwnd = stats.rwnd as usize;
    // The rest may be reserved for the overhead of chunks of a byte.
    let least = now.receive_buffer.min(options.receive_buffer) / 64;
    ensure((least..=most).contains(&rwnd), "rest", || {
        format!("{end:?}: a window of {rwnd}, {most} bytes in all")
    })
}
