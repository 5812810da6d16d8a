use std::net::SocketAddr;
use std::time::Duration;

use quic::{Connection, FourTuple, PathStatus, TransportConfig};

use crate::Outcome;

/// Uses both paths; a path silent for a second is abandoned.
pub fn transport() -> TransportConfig {
    let mut config = TransportConfig::default();
    config.max_concurrent_multipath_paths(8);
    config.default_path_max_idle_timeout(Some(Duration::from_secs(1)));
    config.default_path_keep_alive_interval(Some(Duration::from_millis(200)));
    config
}

/// Opens a path per address pair, and reopens abandoned ones.
pub async fn keep_open(
    connection: &Connection,
    remote: &[SocketAddr],
    local: &[SocketAddr],
) -> Outcome {
    let pairs = remote.iter().zip(local);
    let tuples = pairs.map(|(remote, local)| FourTuple::new(*remote, Some(local.ip())));
    let tuples: Vec<FourTuple> = tuples.collect();
    for tuple in &tuples {
        // The peer's connection identifiers for further paths arrive slightly later.
        while connection
            .open_path_ensure(*tuple, PathStatus::Available)
            .await
            .is_err()
        {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
    let connection = connection.clone();
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(Duration::from_millis(500)).await;
            for tuple in &tuples {
                drop(connection.open_path_ensure(*tuple, PathStatus::Available));
            }
        }
    });
    Ok(())
}
