//! The manual: how to use SCTP, one chapter per subject. Each example is compiled.
//!
//! 1. [Concepts](_01_concepts): endpoints, associations, streams, messages, paths
//! 2. [Lifecycle](_02_lifecycle): listen, connect, shut down, abort, drop
//! 3. [Back-pressure](_03_back_pressure): full buffers, slow readers, large messages
//! 4. [Multi-homing](_04_multi_homing): several addresses, failover, address changes
//! 5. [Errors](_05_errors): one error type per call, and close reasons
//! 6. [Tuning](_06_tuning): profiles, options, cores, what to measure
//! 7. [Tasks and cancellation](_07_tasks): the `async` API

#[doc = include_str!("manual/concepts.md")]
pub mod _01_concepts {}
#[doc = include_str!("manual/lifecycle.md")]
pub mod _02_lifecycle {}
#[doc = include_str!("manual/back_pressure.md")]
pub mod _03_back_pressure {}
#[doc = include_str!("manual/multi_homing.md")]
pub mod _04_multi_homing {}
#[doc = include_str!("manual/errors.md")]
pub mod _05_errors {}
#[doc = include_str!("manual/tuning.md")]
pub mod _06_tuning {}
#[cfg(feature = "tokio")]
#[doc = include_str!("manual/tasks.md")]
pub mod _07_tasks {}
