//! Counters and states of associations, their paths, endpoints and sockets.

pub use sheave_engine::{
    Abandonments, AssocStats, EndpointStats, PathState, PathStats, Phase, Policy, Traffic,
};

pub use crate::config::CarrierStats;
