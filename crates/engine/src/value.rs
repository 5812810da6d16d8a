//! Basic values: ids, times, messages, events, errors, statistics, and the types of option values.
//! This module imports nothing from the modules above it.

pub(crate) mod address;
pub(crate) mod address_changes;
pub(crate) mod authentication;
pub(crate) mod choice;
pub(crate) mod error;
pub(crate) mod event;
pub(crate) mod extension;
pub(crate) mod ids;
pub(crate) mod losses;
pub(crate) mod message;
pub(crate) mod multipath;
pub(crate) mod protection;
pub(crate) mod reconfiguration;
pub(crate) mod reliability;
pub(crate) mod routes;
pub(crate) mod stats;
pub(crate) mod time;
