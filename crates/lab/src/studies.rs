//! The studies.

mod datacenter;
mod establishment;
mod extensions;
mod failover;
mod features;
mod network;
mod rivals;
mod streams;
mod transfer;
mod validation;
mod wireless;

use crate::Study;

/// The studies, in the order of the report.
#[must_use]
pub fn studies() -> &'static [&'static dyn Study] {
    &[
        &datacenter::Datacenter,
        &failover::Failover,
        &wireless::Wireless,
        &streams::Streams,
        &transfer::Transfer,
        &establishment::Establishment,
        &features::Features,
        &extensions::Extensions,
        &validation::Validation,
    ]
}

/// The study of that name.
#[must_use]
pub fn find(name: &str) -> Option<&'static dyn Study> {
    studies().iter().copied().find(|study| study.name() == name)
}
