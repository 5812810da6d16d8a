//! The manual: how to use SCTP, one chapter per subject. Each example is compiled.
//!
//! 1. [Concepts](_01_concepts): endpoints, associations, streams, messages, paths
//! 2. [Lifecycle](_02_lifecycle): listen, connect, shut down, abort, drop
//! 3. [Back-pressure](_03_back_pressure): full buffers, slow readers, large messages
//! 4. [Multi-homing](_04_multi_homing): several addresses, failover, address changes
//! 5. [Errors](_05_errors): one error type per call, and close reasons
//! 6. [Tuning](_06_tuning): profiles, options, cores, what to measure
//! 7. [Tasks and cancellation](_07_tasks): the `async` API

pub mod _01_concepts;
pub mod _02_lifecycle;
pub mod _03_back_pressure;
pub mod _04_multi_homing;
pub mod _05_errors;
pub mod _06_tuning;
#[cfg(feature = "tokio")]
pub mod _07_tasks;
