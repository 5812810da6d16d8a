//! Sheave over UDP at both ends.

use std::net::SocketAddr;
use std::sync::atomic::Ordering;
use std::thread;

use sheave::config::Offload;
use sheave::{Association, Bytes, Config, Endpoint, Listener, Message, Options, StreamId, Target};

use super::part::{Count, Load, PATIENCE};

/// The listening SCTP port.
const PORT: u16 = 5001;

/// Listening endpoints, one per connection.
pub(super) struct SctpEnds {
    listeners: Vec<(Endpoint, Listener)>,
}

/// Listens for all connections.
pub(super) fn listen(load: &Load, options: &Options, offload: Offload) -> Result<SctpEnds, String> {
    let listener = |connection| {
        let endpoint = endpoint(connection, offload)?;
        let listener = endpoint.listen(PORT, options.clone());
        let listener = listener.map_err(|error| format!("cannot listen: {error}"))?;
        Ok((endpoint, listener))
    };
    let listeners: Result<_, String> = (0..load.connections).map(listener).collect();
    Ok(SctpEnds {
        listeners: listeners?,
    })
}

impl SctpEnds {
    pub(super) fn addresses(&self) -> Vec<SocketAddr> {
        let endpoints = self.listeners.iter().map(|(endpoint, _)| endpoint);
        let address = |endpoint: &Endpoint| {
            let ip = endpoint.local_addresses().first()?;
            Some(SocketAddr::new(*ip, endpoint.udp_port()?))
        };
        endpoints.filter_map(address).collect()
    }

    /// Receives from all connections, with a thread for each.
    pub(super) fn receive(self, count: &Count) {
        for (endpoint, listener) in self.listeners {
            let count = count.clone();
            thread::spawn(move || {
                let Some(association) = listener.accept_timeout(PATIENCE) else {
                    return;
                };
                while let Ok(Some(received)) = association.receive() {
                    let len = received.message.payload.len() as u64;
                    count.fetch_add(len, Ordering::Relaxed);
                }
                drop(endpoint);
            });
        }
    }
}

/// Sends over all connections, with a thread for each stream.
pub(super) fn send(
    load: &Load,
    to: &[SocketAddr],
    options: &Options,
    offload: Offload,
    count: &Count,
) -> Result<(), String> {
    let options = Options {
        outbound_streams: load.streams,
        ..options.clone()
    };
    let connect = |(address, connection): (&SocketAddr, u16)| {
        let target = Target::over_udp([address.ip()], address.port(), PORT);
        let endpoint = endpoint(connection, offload)?;
        let association = endpoint.connect_timeout(target.with_options(options.clone()), PATIENCE);
        association.map_err(|error| format!("cannot connect: {error}"))
    };
    let associations: Result<Vec<_>, String> = to.iter().zip(0..).map(connect).collect();
    for association in associations? {
        for stream in 0..load.streams {
            let (association, load, count) = (association.clone(), load.clone(), count.clone());
            thread::spawn(move || send_all(&association, StreamId(stream), &load, &count));
        }
    }
    Ok(())
}

fn send_all(association: &Association, stream: StreamId, load: &Load, count: &Count) {
    let payload = Bytes::from(vec![7; load.message]);
    for _ in 0..load.count.unwrap_or(u64::MAX) {
        let message = Message::new(stream, payload.clone());
        if association.send(message).is_err() {
            return;
        }
        count.fetch_add(payload.len() as u64, Ordering::Relaxed);
    }
    // Keeps the association open until the process ends.
    thread::sleep(PATIENCE);
}

fn endpoint(connection: u16, offload: Offload) -> Result<Endpoint, String> {
    let config = Config {
        offload,
        ..Config::udp([Load::address(connection)], 0)
    };
    Endpoint::bind(config).map_err(|error| format!("cannot bind: {error}"))
}
