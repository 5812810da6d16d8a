//! The bounds that associations keep to, at work and at rest.

use core::time::Duration;

use sheave_engine::{BufferSizes, Options, Time};

use super::fault::{Verdict, ensure};
use super::plan::End;

/// Bytes that an association holds at most when nothing is under way.
pub(crate) const IDLE_FOOTPRINT: usize = 64 << 10;

/// Bytes of that for each stream in use: its next numbers, in both directions.
pub(crate) const IDLE_STREAM: usize = 16;

/// Bytes for each stream in use of an association that is busy: its queue, its place in the schedule.
const BUSY_STREAM: usize = 64;

/// Bytes that one holds at most beside what it is charged: queues keep their room until it is idle.
const BUSY_FOOTPRINT: usize = 256 << 10;

/// Elementary steps that an end may take for each byte of the packets that it gets.
const STEPS_PER_BYTE: u64 = 1;
const SPARE_STEPS: u64 = 100;

/// An end's work stays in proportion to the bytes that it got.
pub(crate) fn check_work(work: u64, bytes: u64) -> Verdict {
    ensure(work <= bytes * STEPS_PER_BYTE + SPARE_STEPS, "work", || {
        format!("{work} steps for {bytes} bytes")
    })
}

/// An association occupies no more than the most that it was charged allows.
pub(crate) fn check_footprint(footprint: usize, charge: usize, streams: usize) -> Verdict {
    ensure(
        footprint <= BUSY_FOOTPRINT + 2 * charge + BUSY_STREAM * streams,
        "footprint",
        || format!("{footprint} bytes for a charge of {charge}"),
    )
}

/// An endpoint holds what its associations are charged; `gaps`: and what is kept of TSNs.
pub(crate) fn check_books(buffered: usize, charged: usize, gaps: bool) -> Verdict {
    let exact = buffered == charged || gaps && buffered > charged;
    ensure(exact, "rest", || {
        format!("{buffered} bytes are held, associations are charged {charged}")
    })
}

/// For how long nothing arrives that is on its way.
pub(crate) struct Standstill {
    longest: Duration,
    since: Time,
    outcomes: u64,
    /// The most bytes that there were with these outcomes.
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

    /// The outcomes and the bytes that have arrived so far, where what was taken back counts once;
    /// `delivering`: whether anything is on its way.
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

/// Bytes of the receive buffer at most.
const fn largest_buffer(options: &Options) -> usize {
    match options.buffers {
        BufferSizes::Auto { max } if max > options.receive_buffer => max,
        BufferSizes::Fixed | BufferSizes::Auto { .. } => options.receive_buffer,
    }
}

/// The window that is told is no wider than what is left of the buffer, and of the sixteenth that
/// overhead has beside it.
pub(crate) fn check_advertised(options: &Options, rwnd: u32, buffered: usize) -> Verdict {
    let most = largest_buffer(options);
    let left = (most + most / 16).saturating_sub(buffered);
    ensure(rwnd as usize <= left, "advertised", || {
        format!("a window of {rwnd}, {buffered} bytes are there, {most} may be")
    })
}

/// The window of an association of which nothing is left to be read: the options are those of its end,
/// and those that it has now.
pub(crate) fn check_window(
    end: End,
    (options, now): (&Options, &Options),
    stats: &sheave_engine::AssocStats,
) -> Verdict {
    let most = largest_buffer(options);
    let rwnd = stats.rwnd as usize;
    // The rest is for the overhead of small messages.
    let least = now.receive_buffer.min(options.receive_buffer) / 32;
    ensure((least..=most).contains(&rwnd), "rest", || {
        format!("{end:?}: a window of {rwnd}, {most} bytes in all")
    })
}
