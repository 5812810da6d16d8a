//! QUIC (RFC 9000) as a rival in the simulator: the crate `quinn-proto`, unchanged, as a
//! [`Transport`](sheave_sim::Transport).
//!
//! Packets are real bytes, TLS 1.3 included. Everything that is random follows from the run's seed,
//! and the keys of TLS are constants, so that equal seeds give equal runs, byte for byte. One
//! exception: quinn's BBR draws the phase of its gain cycle from the operating system, so runs with
//! it differ a little from each other, and have no fingerprint.
//!
//! A stream of the simulator is a unidirectional stream of QUIC, opened at its first message; each
//! message has a length prefix. A connection begins without a saved session, so without 0-RTT data.
//! The adapter stands here and not in the simulator, which has no cryptography.

mod streams;
mod transport;

use std::sync::Arc;

use quinn_proto::congestion::{BbrConfig, ControllerFactory, CubicConfig, NewRenoConfig};
use sheave_sim::CustomTransport;
use sheave_sim::scenario::{FlowKind, Scenario};

use self::transport::Quic;

/// Size of the send buffer, bytes: TCP's here.
pub(crate) const SEND_BUFFER: u32 = 4 << 20;
/// Size of the receive buffer, of a connection and of each of its streams, bytes: TCP's here.
pub(crate) const RECEIVE_BUFFER: u32 = 6 << 20;

/// QUIC with CUBIC, quinn's default.
pub(crate) const CUBIC: CustomTransport = CustomTransport {
    name: "quic",
    make: |new| Box::new(Quic::new(new, Arc::<CubicConfig>::default())),
};

/// QUIC with New Reno.
pub(crate) const NEW_RENO: CustomTransport = CustomTransport {
    name: "quic-new-reno",
    make: |new| Box::new(Quic::new(new, Arc::<NewRenoConfig>::default())),
};

/// QUIC with BBR.
pub(crate) const BBR: CustomTransport = CustomTransport {
    name: "quic-bbr",
    make: |new| Box::new(Quic::new(new, Arc::<BbrConfig>::default())),
};

/// The kinds of QUIC, for scenarios.
pub(crate) const TRANSPORTS: [CustomTransport; 3] = [CUBIC, NEW_RENO, BBR];

type Congestion = Arc<dyn ControllerFactory + Send + Sync>;

/// Whether equal seeds give equal runs of a scenario.
pub(crate) fn is_repeatable(scenario: &Scenario) -> bool {
    let mut kinds = scenario.flows.iter().map(|flow| &flow.kind);
    !kinds.any(|kind| matches!(kind, FlowKind::Custom { transport, .. } if *transport == BBR))
}

#[cfg(test)]
mod tests;
