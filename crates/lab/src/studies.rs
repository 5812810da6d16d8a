//! The studies, in report order.

mod datacenter;
mod establishment;
mod extensions;
mod failover;
mod features;
mod network;
mod recording;
mod rivals;
mod streams;
mod transfer;
mod validation;
mod versus;
mod wireless;

use crate::Study;

/// The studies, in report order.
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
        &versus::Versus,
        &validation::Validation,
    ]
}

/// Finds a study by its name.
#[must_use]
pub fn find(name: &str) -> Option<&'static dyn Study> {
    studies().iter().copied().find(|study| study.name() == name)
}

/// The papers' numbers for a study, as TOML; empty if the papers print none.
pub(crate) fn sheet(study: &str) -> &'static str {
    match study {
        "datacenter" => include_str!("studies/datacenter/paper.toml"),
        "failover" => include_str!("studies/failover/paper.toml"),
        "wireless" => include_str!("studies/wireless/paper.toml"),
        "streams" => include_str!("studies/streams/paper.toml"),
        "transfer" => include_str!("studies/transfer/paper.toml"),
        _ => "",
    }
}
