use std::collections::VecDeque;
use std::hint::black_box;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use sctp_proto::{
    Association, AssociationHandle, ClientConfig, DatagramEvent, Endpoint, EndpointConfig, Event,
    Payload, PayloadProtocolIdentifier, ServerConfig, TransportConfig,
};

use super::ends::{End, Ends};
use super::{Clock, PACKET, Pair, Reading, UserData};

/// Size of the common header plus a DATA chunk header, bytes.
const HEADERS: usize = 28;

/// An endpoint of the crate `sctp-proto`.
struct SctpProtoEnd {
    endpoint: Endpoint,
    transport: Arc<TransportConfig>,
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
    let transport = Arc::new(transport);
    let mut server = ServerConfig::new();
    server.transport = Arc::clone(&transport);
    let end = |peer: [u8; 4], server| {
        let mut config = EndpointConfig::new();
        config.max_payload_size(u32::try_from(PACKET - HEADERS).expect("a packet is small"));
        SctpProtoEnd {
            endpoint: Endpoint::new(Arc::new(config), server),
            transport: Arc::clone(&transport),
            associations: Vec::new(),
            peer: SocketAddr::from((peer, 9899)),
            packets: VecDeque::new(),
            established: 0,
            buffer,
            reader: Vec::new(),
        }
    };
    let left = end([192, 0, 2, 2], None);
    Box::new(Ends::new(left, end([192, 0, 2, 1], Some(Arc::new(server)))))
}

impl SctpProtoEnd {
    fn last(&mut self) -> Option<&mut Association> {
        let (_, association) = self.associations.last_mut()?;
        Some(association)
    }
}

impl End for SctpProtoEnd {
    type Packet = Bytes;

    fn call(&mut self, _: &Clock) {
        let mut config = ClientConfig::new();
        config.transport = Arc::clone(&self.transport);
        let association = self.endpoint.connect(config, self.peer);
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
        if let Some((_, association)) = self.associations.last_mut() {
            while let Some(event) = association.poll() {
                match event {
                    Event::Connected => self.established += 1,
                    Event::AssociationLost { reason } => panic!("the association ended: {reason}"),
                    _ => {}
                }
            }
            while association.poll_endpoint_event().is_some() {}
            while association.accept_stream().is_some() {}
            while let Some(transmit) = association.poll_transmit(clock.instant()) {
                if let Payload::RawEncode(packets) = transmit.payload {
                    self.packets.extend(packets);
                }
            }
        }
        self.packets.drain(..)
    }

    fn handle(&mut self, clock: &Clock, packet: Bytes) {
        let handled = self
            .endpoint
            .handle(clock.instant(), self.peer, None, None, packet);
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
            None => {}
        }
    }

    fn offer(&mut self, _: &Clock, data: &mut UserData, most: u64) -> u64 {
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
            let written = stream.write_sctp(&data.next_bytes(), ppid);
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
