//! The studies, in report order.

mod datacenter;
mod establishment;
mod extensions;
mod failover;
mod features;
mod memory;
mod network;
mod pair;
mod quic;
mod recording;
mod rivals;
mod scene;
mod secure;
mod streams;
mod transfer;
mod validation;
mod versus;
mod wireless;

use crate::Study;

static STUDIES: [&Study; 12] = [
    &datacenter::STUDY,
    &failover::STUDY,
    &wireless::STUDY,
    &streams::STUDY,
    &transfer::STUDY,
    &establishment::STUDY,
    &features::STUDY,
    &extensions::STUDY,
    &versus::STUDY,
    &quic::STUDY,
    &secure::STUDY,
    &validation::STUDY,
];

/// The studies, in report order.
#[must_use]
pub fn studies() -> &'static [&'static Study] {
    &STUDIES
}

/// Finds a study by its name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Study> {
    studies().iter().copied().find(|study| study.name == name)
}

#[cfg(test)]
mod tests;
