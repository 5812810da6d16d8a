//! Two endpoints that are connected directly, without a network.

use core::net::{IpAddr, Ipv4Addr};

use bytes::Bytes;
use sheave_engine::wire::StreamId;
use sheave_engine::{
    AssocId, Connect, Datagram, Ecn, Endpoint, EndpointOptions, Event, Message, Node, PeerAddress,
    Profile, SendOptions, Time,
};
use sheave_sim::{Random, tcp};

/// The listener's port.
pub(super) const PORT: u16 = 5000;
/// The client's address.
pub(super) const CLIENT: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1));
/// The listener's address.
pub(super) const LISTENER: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 2));

/// Most half-open connections of the TCP listener.
pub(super) const BACKLOG: usize = 128;

/// Creates an endpoint with its own random seed.
pub(super) fn endpoint(address: IpAddr, random: &mut Random) -> Endpoint {
    let mut seed = [0; 32];
    for word in seed.chunks_mut(8) {
        word.copy_from_slice(&random.u64().to_le_bytes());
    }
    Endpoint::new(vec![address], EndpointOptions::default(), seed)
}

/// Creates a listening endpoint.
pub(super) fn listener(random: &mut Random) -> Result<Endpoint, String> {
    let mut listener = endpoint(LISTENER, random);
    let listening = listener.listen(PORT, Profile::Rfc9260.options());
    listening.map_err(|error| error.to_string())?;
    Ok(listener)
}

/// Creates a listening TCP stack.
pub(super) fn tcp_listener(random: &mut Random) -> Result<tcp::Stack, String> {
    let mut listener = tcp::Stack::new(random.u64());
    let listening = listener.listen(PORT, tcp::Options::default(), BACKLOG);
    listening.map_err(|error| error.to_string())?;
    Ok(listener)
}

/// Passes a packet to a node.
pub(super) fn hand_over(to: &mut dyn Node, now: Time, from: (IpAddr, IpAddr), payload: &[u8]) {
    let datagram = Datagram {
        local: from.1,
        remote: PeerAddress::native(from.0),
        ecn: Ecn::NotEct,
        payload,
    };
    to.handle_datagram(now, datagram);
}

/// Exchanges packets between two nodes until both have nothing to send.
pub(super) fn settle(now: Time, one: &mut dyn Node, other: &mut dyn Node) {
    let mut packet = Vec::new();
    loop {
        let mut quiet = true;
        for (from, to) in [(CLIENT, LISTENER), (LISTENER, CLIENT)] {
            let (source, sink): (&mut dyn Node, &mut dyn Node) = if from == CLIENT {
                (&mut *one, &mut *other)
            } else {
                (&mut *other, &mut *one)
            };
            packet.clear();
            while let Some(transmit) = source.poll_transmit(now, &mut packet, 1) {
                if transmit.remote.ip == to {
                    hand_over(sink, now, (from, to), &packet);
                }
                quiet = false;
                packet.clear();
            }
        }
        if quiet {
            return;
        }
    }
}

/// Parameters of an association with the listener.
pub(super) fn connect() -> Connect {
    Connect {
        local_port: None,
        local: Vec::new(),
        remote_port: PORT,
        remote: vec![PeerAddress::native(LISTENER)],
        options: Profile::Rfc9260.options(),
    }
}

/// Establishes an association, if possible; returns its ids at both ends.
pub(super) fn associate(
    now: Time,
    client: &mut Endpoint,
    listener: &mut Endpoint,
) -> Option<(AssocId, AssocId)> {
    let ours = client.connect(now, connect()).ok()?;
    settle(now, client, listener);
    established(client)?;
    Some((ours, established(listener)?))
}

/// The established association, taken from the endpoint's events.
fn established(endpoint: &mut Endpoint) -> Option<AssocId> {
    let mut found = None;
    while let Some((id, event)) = endpoint.poll_event() {
        if matches!(event, Event::Established { .. }) {
            found = Some(id);
        }
    }
    found
}

/// Whether a message arrives.
pub(super) fn talks(
    now: Time,
    client: &mut Endpoint,
    listener: &mut Endpoint,
    names: (AssocId, AssocId),
) -> bool {
    let message = Message::new(StreamId(0), Bytes::from_static(b"still there"));
    let sent = client
        .assoc(names.0)
        .is_some_and(|mut assoc| assoc.send(now, message, SendOptions::default()).is_ok());
    settle(now, client, listener);
    let received = listener
        .assoc(names.1)
        .and_then(|mut assoc| assoc.receive(now));
    sent && received.is_some()
}
