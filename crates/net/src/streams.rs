//! Streams: directions of changes, and the schedulers that choose which stream sends next.

pub use sheave_engine::{CustomScheduler, HasMore, Schedule, StreamDirection, StreamScheduler};
