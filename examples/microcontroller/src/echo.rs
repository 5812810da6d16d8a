//! The server: sends every message back on its stream, as `sheave ping --serve` does.

use alloc::vec;
use alloc::vec::Vec;
use core::net::{IpAddr, Ipv4Addr};

use bytes::Bytes;
use cortex_m_semihosting::hprintln;
use sheave_engine::wire::StreamId;
use sheave_engine::{
    Acknowledgement, AssocId, BufferSizes, Endpoint, EndpointOptions, Event, Options, Part,
    PathMtuDiscovery, Profile, SendOptions, Time,
};

use crate::{heap, stack};

/// The SCTP port.
pub const PORT: u16 = 5201;
/// The board's address, as peers see it.
pub const ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
/// Bytes of the longest message that is sent back.
const LONGEST: usize = 4096;

/// An endpoint whose associations are all echoed.
pub struct EchoServer {
    pub endpoint: Endpoint,
}

impl EchoServer {
    /// Listens, with limits that fit the heap and timers that fit a slow line.
    pub fn new(seed: [u8; 32]) -> Self {
        let limits = EndpointOptions {
            max_associations: 8,
            max_memory: 24 << 10,
            ..EndpointOptions::default()
        };
        let options = Options {
            buffers: BufferSizes::Fixed,
            send_buffer: 8 << 10,
            receive_buffer: 8 << 10,
            partial_delivery_point: LONGEST,
            max_message_size: LONGEST,
            outbound_streams: 16,
            max_inbound_streams: 16,
            path_mtu_discovery: PathMtuDiscovery::Off,
            ..Profile::Rfc9260.options()
        };
        let mut endpoint = Endpoint::new(vec![ADDRESS], limits, seed);
        endpoint.listen(PORT, options).expect("options in range");
        Self { endpoint }
    }

    /// Sends back what can be read, and tells what happened.
    pub fn echo(&mut self, now: Time) {
        let ids: Vec<AssocId> = self.endpoint.associations().collect();
        ids.into_iter().for_each(|id| self.echo_of(id, now));
        while let Some((_, event)) = self.endpoint.poll_event() {
            match event {
                Event::Established { .. } => {
                    hprintln!(
                        "association established; heap: {} bytes in use",
                        heap::used()
                    );
                }
                Event::Closed { .. } => hprintln!(
                    "association closed; heap: {} bytes in use, {} at most; stack: {} at most",
                    heap::used(),
                    heap::peak(),
                    stack::peak()
                ),
                _ => {}
            }
        }
    }

    /// Sends back the messages of one association while there is room for the longest.
    fn echo_of(&mut self, id: AssocId, now: Time) {
        let options = SendOptions {
            acknowledgement: Acknowledgement::Immediate,
            ..SendOptions::default()
        };
        while let Some(mut assoc) = self.endpoint.assoc(id) {
            if !assoc.is_readable() || !assoc.has_room(LONGEST) {
                return;
            }
            let Some(received) = assoc.receive(now) else {
                return;
            };
            let mut message = received.message;
            if received.part != Part::Whole || message.payload.len() > LONGEST {
                assoc.abort(now, Bytes::from_static(b"too large to be sent back"));
                return;
            }
            message.stream = StreamId(message.stream.0 % assoc.stats().outbound_streams.max(1));
            // Refused only while the association closes.
            let _ = assoc.send(now, message, options);
        }
    }
}
