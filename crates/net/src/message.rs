//! Messages, and the choices that go with one.

pub use sheave_engine::{Acknowledgement, Origin, Part, Redundancy};
