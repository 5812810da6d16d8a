//! Types of messages and their per-message options.

pub use sheave_engine::{Acknowledgement, Origin, Part, Redundancy};
