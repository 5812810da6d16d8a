//! Data channels between two ends, over networks in virtual time.
#![expect(
    clippy::cast_possible_truncation,
    reason = "the numbers of a test are small, or meant to be cut"
)]

mod buffers;
mod closing;
mod crowd;
mod hostile;
mod lossy;
mod messages;
mod opening;
mod streams;
mod world;
