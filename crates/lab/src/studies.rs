//! The studies.

mod datacenter;
mod establishment;
mod failover;
mod network;
mod streams;
mod wireless;

use crate::Study;

/// All studies, in the order of the report.
#[must_use]
pub fn studies() -> &'static [&'static dyn Study] {
    &[
        &datacenter::Datacenter,
        &failover::Failover,
        &wireless::Wireless,
        &streams::Streams,
        &establishment::Establishment,
    ]
}

/// The study of that name.
#[must_use]
pub fn find(name: &str) -> Option<&'static dyn Study> {
    studies().iter().copied().find(|study| study.name() == name)
}
