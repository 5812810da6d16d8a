use std::collections::VecDeque;
use std::hint::black_box;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use rtc_sctp::{
    Association, AssociationHandle, ClientConfig, DatagramEvent, Endpoint, EndpointConfig, Event,
    Payload, PayloadProtocolIdentifier, ServerConfig, TransportConfig,
};
use rtc_shared::TransportProtocol;

use super::ends::{End, Ends};
use super::{Clock, PACKET, Pair, Reading, UserData};

/// An endpoint of the crate `rtc-sctp`.
struct RtcSctpEnd {
    endpoint: Endpoint,
    transport: TransportConfig,
    associations: Vec<(AssociationHandle, Association)>,
    peer: SocketAddr,
    packets: VecDeque<Bytes>,
    established: usize,
    buffer: usize,
    reader: Vec<u8>,
}

/// Creates two endpoints without an association, with buffers of `buffer` bytes.
pub(crate) fn pair(buffer: usize) -> Box<dyn Pair> {
    let transport = TransportConfig::default()
        .with_max_receive_buffer_size(u32::try_from(buffer).expect("a few megabytes"));
    let server = Arc::new(ServerConfig::new(transport.clone()));
    let [left, right] = [[192, 0, 2, 1], [192, 0, 2, 2]].map(|ip| SocketAddr::from((ip, 9899)));
    let end = |local: SocketAddr, peer: SocketAddr, server| {
        let packet = u32::try_from(PACKET).expect("a packet is small");
        let mut config = EndpointConfig::new();
        config.max_payload_size(rtc_sctp::max_payload_size_for_mtu(packet));
        RtcSctpEnd {
            endpoint: Endpoint::new(local, TransportProtocol::UDP, Arc::new(config), server),
            transport: transport.clone(),
            associations: Vec::new(),
            peer,
            packets: VecDeque::new(),
            established: 0,
            buffer,
            reader: Vec::new(),
        }
    };
    let caller = end(left, right, None);
    Box::new(Ends::new(caller, end(right, left, Some(server))))
}

impl RtcSctpEnd {
    fn last(&mut self) -> Option<&mut Association> {
        let (_, association) = self.associations.last_mut()?;
        Some(association)
    }
}

impl End for RtcSctpEnd {
    type Packet = Bytes;

    fn call(&mut self, clock: &Clock) {
        let config = ClientConfig::new(self.transport.clone());
        let association = self.endpoint.connect(clock.instant(), config, self.peer);
        self.associations
            .push(association.expect("the peer can be called"));
    }

    fn established(&self) -> usize {
        self.established
    }

    fn run_timers(&mut self, clock: &Clock) {
        let now = clock.instant();
        if let Some(association) = self.last()
            && association.poll_timeout().is_some_and(|due| due <= now)
        {
            association.handle_timeout(now);
        }
    }

    fn due(&self, clock: &Clock) -> Option<Duration> {
        let (_, association) = self.associations.last()?;
        Some(clock.since_origin(association.poll_timeout()?))
    }

    fn packets(&mut self, clock: &Clock) -> impl Iterator<Item = Bytes> {
        if let Some((handle, association)) = self.associations.last_mut() {
            while let Some(event) = association.poll() {
                match event {
                    Event::Connected => self.established += 1,
                    Event::AssociationLost { reason, .. } => {
                        panic!("the association ended: {reason}");
                    }
                    _ => {}
                }
            }
            while let Some(event) = association.poll_endpoint_event() {
                self.endpoint.handle_event(*handle, event);
            }
            while association.accept_stream().is_some() {}
            while let Some(transmit) = association.poll_transmit(clock.instant()) {
                if let Payload::RawEncode(packets) = transmit.message {
                    self.packets.extend(packets);
                }
            }
        }
        self.packets.drain(..)
    }

    fn handle(&mut self, clock: &Clock, packet: Bytes) {
        let handled = self
            .endpoint
            .handle(clock.instant(), self.peer, None, packet);
        match handled {
            Some((handle, DatagramEvent::NewAssociation(association))) => {
                self.associations.push((handle, association));
            }
            Some((handle, DatagramEvent::AssociationEvent(event))) => {
                if let Some((last, association)) = self.associations.last_mut()
                    && *last == handle
                {
                    association.handle_event(event);
                }
            }
            _ => {}
        }
    }

    fn offer(&mut self, clock: &Clock, data: &mut UserData, most: u64) -> u64 {
        let buffer = self.buffer;
        let Some(association) = self.last() else {
            return 0;
        };
        let ppid = PayloadProtocolIdentifier::Binary;
        if association.stream(0).is_err() {
            association.open_stream(0, ppid).expect("the stream is new");
        }
        let mut stream = association.stream(0).expect("the stream is open");
        let buffered = stream.buffered_amount().expect("the stream is open");
        let room = buffer.saturating_sub(buffered) / data.message_len();
        let count = most.min(room as u64);
        for _ in 0..count {
            let written = stream.write_sctp(clock.instant(), &data.next_bytes(), ppid);
            written.expect("a message is accepted");
        }
        count
    }

    fn read(&mut self) -> Reading {
        let mut reading = Reading::default();
        let Some((_, association)) = self.associations.last_mut() else {
            return reading;
        };
        let Ok(mut stream) = association.stream(0) else {
            return reading;
        };
        self.reader.resize(1 << 20, 0);
        while let Ok(Some(message)) = stream.read_sctp() {
            let len = message.read(&mut self.reader).expect("there is room");
            black_box(&self.reader);
            reading.messages += 1;
            reading.bytes += len as u64;
        }
        reading
    }
}
