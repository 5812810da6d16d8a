//! Part of the findings about sctp-proto.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use sctp_proto::*;

/// An end, and the packets that it has to send.
pub struct End {
    endpoint: Endpoint,
    pub association: Option<(AssociationHandle, Association)>,
    pub packets: VecDeque<Bytes>,
    pub lost: bool,
}

/// Two ends in one process; time passes only here.
pub struct Pair(pub [End; 2], Instant);

fn peer() -> SocketAddr {
    SocketAddr::from(([192, 0, 2, 1], 9899))
}

impl Pair {
    /// A pair that is connected.
    pub fn new() -> Self {
        let end = |server| End {
            endpoint: Endpoint::new(Arc::new(EndpointConfig::new()), server),
            association: None,
            packets: VecDeque::new(),
            lost: false,
        };
        let mut ends = [end(None), end(Some(Arc::new(ServerConfig::new())))];
        ends[0].association = Some(ends[0].endpoint.connect(ClientConfig::new(), peer()).expect("called"));
        let mut pair = Self(ends, Instant::now());
        pair.pass(|_| ());
        pair
    }

    pub fn association(&mut self, at: usize) -> &mut Association {
        &mut self.0[at].association.as_mut().expect("connected").1
    }

    /// Lets ten seconds pass; packets arrive at once, after `change` has seen them.
    pub fn pass(&mut self, mut change: impl FnMut(&mut Vec<u8>)) {
        for _ in 0..1000 {
            for at in [0, 1, 0, 1] {
                self.0[at].collect(self.1);
                while let Some(packet) = self.0[at].packets.pop_front() {
                    let mut bytes = packet.to_vec();
                    change(&mut bytes);
                    self.0[1 - at].handle(self.1, bytes.into());
                }
            }
            self.1 += Duration::from_millis(10);
        }
    }
}

impl End {
    fn collect(&mut self, now: Instant) {
        let Some((handle, association)) = &mut self.association else { return };
        if association.poll_timeout().is_some_and(|due| due <= now) {
            association.handle_timeout(now);
        }
        while let Some(event) = association.poll() {
            self.lost |= matches!(event, Event::AssociationLost { .. });
        }
        while let Some(event) = association.poll_endpoint_event() {
            self.endpoint.handle_event(*handle, event);
        }
        while association.accept_stream().is_some() {}
        while let Some(transmit) = association.poll_transmit(now) {
            if let Payload::RawEncode(packets) = transmit.payload {
                self.packets.extend(packets);
            }
        }
    }

    fn handle(&mut self, now: Instant, packet: Bytes) {
        match self.endpoint.handle(now, peer(), None, None, packet) {
            Some((handle, DatagramEvent::NewAssociation(association))) => self.association = Some((handle, association)),
            Some((_, DatagramEvent::AssociationEvent(event))) => {
                self.association.as_mut().expect("known").1.handle_event(event);
            }
            None => {}
        }
    }
}
