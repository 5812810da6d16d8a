//! The two ends of an association in a live run, over UDP.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use bytes::Bytes;
use serde_json::json;
use sheave::{Association, Config, Endpoint, Message, Options, StreamId, Target};

use super::Parent;

/// The SCTP port of the server.
const PORT: u16 = 7;

/// An association and its endpoint, which must live as long.
pub(crate) type Connected = (Endpoint, Association);

/// Listens at an address, reports the UDP port to the parent, and accepts an association.
pub(crate) fn serve(
    parent: &Parent,
    at: Ipv4Addr,
    options: Options,
    patience: Duration,
) -> Result<Connected, String> {
    let endpoint = bind(at)?;
    let listener = endpoint.listen(PORT, options);
    let listener = listener.map_err(|error| error.to_string())?;
    parent.tell(&json!({ "port": endpoint.udp_port() }))?;
    let association = listener.accept_timeout(patience).ok_or("no client came")?;
    Ok((endpoint, association))
}

/// Connects to the server at a UDP address.
pub(crate) fn call(
    from: Ipv4Addr,
    to: SocketAddr,
    options: Options,
    patience: Duration,
) -> Result<Connected, String> {
    let endpoint = bind(from)?;
    let target = Target::over_udp([to.ip()], to.port(), PORT).with_options(options);
    let association = endpoint.connect_timeout(target, patience);
    Ok((endpoint, association.map_err(|error| error.to_string())?))
}

/// Sends a message on a stream.
pub(crate) fn say(
    association: &Association,
    stream: u16,
    payload: impl Into<Bytes>,
) -> Result<(), String> {
    let sent = association.send(Message::new(StreamId(stream), payload));
    sent.map_err(|error| error.to_string())
}

fn bind(address: Ipv4Addr) -> Result<Endpoint, String> {
    Endpoint::bind(Config::udp([address.into()], 0)).map_err(|error| error.to_string())
}
