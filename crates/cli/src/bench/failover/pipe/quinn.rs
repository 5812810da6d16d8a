use std::net::SocketAddr;

use quic::{Connection, TransportConfig};

use crate::Outcome;

pub fn transport() -> TransportConfig {
    TransportConfig::default()
}

/// A connection has one path.
pub async fn keep_open(_: &Connection, _: &[SocketAddr], _: &[SocketAddr]) -> Outcome {
    Ok(())
}
