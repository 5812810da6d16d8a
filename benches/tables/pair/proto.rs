//! The crates `sctp-proto`, of str0m, and `rtc-sctp`, of webrtc-rs, which descends from it: their types
//! differ, their calls hardly do.

use std::collections::VecDeque;
use std::hint::black_box;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use rtc_shared::TransportProtocol;

use super::{Clock, End, Ends, PACKET, Pair, Reading, UserData};

/// Defines the function `$pair` over the crate `$proto`. The expressions are the calls that differ.
macro_rules! pair_over {
    (
        $pair:ident, $proto:ident, $Transport:ty,
        new($local:ident, $config:ident, $server:ident) = $new:expr,
        server($of:ident) = $make_server:expr,
        transport($shared:ident) = $transport:expr,
        call($endpoint:ident, $clock:ident, $with:ident, $peer:ident) = $call:expr,
        settle($at:ident, $handle:ident, $event:ident) = $settle:expr,
        packets($transmit:ident) = $packets:expr,
        handle($into:ident, $now:ident, $from:ident, $packet:ident) = $handled:expr,
        write($stream:ident, $when:ident, $message:ident, $ppid:ident) = $write:expr,
    ) => {
        /// Creates two endpoints without an association, with buffers of `buffer` bytes.
        pub(crate) fn $pair(buffer: usize) -> Box<dyn Pair> {
            use $proto::{
                Association, AssociationHandle, DatagramEvent, Endpoint, EndpointConfig, Event,
                Payload, PayloadProtocolIdentifier, TransportConfig,
            };

            struct ProtoEnd {
                endpoint: Endpoint,
                transport: $Transport,
                associations: Vec<(AssociationHandle, Association)>,
                peer: SocketAddr,
                packets: VecDeque<Bytes>,
                established: usize,
                buffer: usize,
                reader: Vec<u8>,
            }

            impl ProtoEnd {
                fn last(&mut self) -> Option<&mut Association> {
                    let (_, association) = self.associations.last_mut()?;
                    Some(association)
                }
            }

            impl End for ProtoEnd {
                type Packet = Bytes;

                fn call(&mut self, $clock: &Clock) {
                    let ($endpoint, $with, $peer) =
                        (&mut self.endpoint, self.transport.clone(), self.peer);
                    let association = $call;
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
                    if let Some(($handle, association)) = self.associations.last_mut() {
                        while let Some(event) = association.poll() {
                            match event {
                                Event::Connected => self.established += 1,
                                Event::AssociationLost { reason, .. } => {
                                    panic!("the association ended: {reason}");
                                }
                                _ => {}
                            }
                        }
                        while let Some($event) = association.poll_endpoint_event() {
                            let $at = &mut self.endpoint;
                            $settle;
                        }
                        while association.accept_stream().is_some() {}
                        while let Some($transmit) = association.poll_transmit(clock.instant()) {
                            if let Payload::RawEncode(packets) = $packets {
                                self.packets.extend(packets);
                            }
                        }
                    }
                    self.packets.drain(..)
                }

                fn handle(&mut self, clock: &Clock, $packet: Bytes) {
                    let ($into, $now, $from) = (&mut self.endpoint, clock.instant(), self.peer);
                    match $handled {
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
                        #[allow(unreachable_patterns, reason = "one crate has further events")]
                        _ => {}
                    }
                }

                fn offer(&mut self, clock: &Clock, data: &mut UserData, most: u64) -> u64 {
                    let (buffer, $when) = (self.buffer, clock.instant());
                    let Some(association) = self.last() else {
                        return 0;
                    };
                    let $ppid = PayloadProtocolIdentifier::Binary;
                    if association.stream(0).is_err() {
                        association
                            .open_stream(0, $ppid)
                            .expect("the stream is new");
                    }
                    let mut $stream = association.stream(0).expect("the stream is open");
                    let buffered = $stream.buffered_amount().expect("the stream is open");
                    let room = buffer.saturating_sub(buffered) / data.message_len();
                    let count = most.min(room as u64);
                    for _ in 0..count {
                        let $message = data.next_bytes();
                        $write.expect("a message is accepted");
                    }
                    count
                }

                fn read(&mut self, _: &Clock) -> Reading {
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

            let $shared = TransportConfig::default()
                .with_max_receive_buffer_size(u32::try_from(buffer).expect("a few megabytes"));
            let transport: $Transport = $transport;
            let ends = [[192, 0, 2, 1], [192, 0, 2, 2]].map(|ip| SocketAddr::from((ip, 9899)));
            let $of = transport.clone();
            let server = Arc::new($make_server);
            let end = |$local: SocketAddr, peer: SocketAddr, $server| {
                let mut $config = EndpointConfig::new();
                // The packet's space behind the common header and a DATA chunk's.
                $config.max_payload_size(u32::try_from(PACKET - 28).expect("a packet is small"));
                ProtoEnd {
                    endpoint: $new,
                    transport: transport.clone(),
                    associations: Vec::new(),
                    peer,
                    packets: VecDeque::new(),
                    established: 0,
                    buffer,
                    reader: Vec::new(),
                }
            };
            let caller = end(ends[0], ends[1], None);
            Box::new(Ends::between(caller, end(ends[1], ends[0], Some(server))))
        }
    };
}

pair_over! {
    rtc_sctp, rtc_sctp, TransportConfig,
    new(local, config, server) =
        Endpoint::new(local, TransportProtocol::UDP, Arc::new(config), server),
    server(transport) = rtc_sctp::ServerConfig::new(transport),
    transport(transport) = transport,
    call(endpoint, clock, transport, peer) =
        endpoint.connect(clock.instant(), rtc_sctp::ClientConfig::new(transport), peer),
    settle(endpoint, handle, event) = endpoint.handle_event(*handle, event),
    packets(transmit) = transmit.message,
    handle(endpoint, now, peer, packet) = endpoint.handle(now, peer, None, packet),
    write(stream, now, message, ppid) = stream.write_sctp(now, &message, ppid),
}

pair_over! {
    sctp_proto, sctp_proto, Arc<TransportConfig>,
    new(_local, config, server) = Endpoint::new(Arc::new(config), server),
    server(transport) = {
        let mut server = sctp_proto::ServerConfig::new();
        server.transport = transport;
        server
    },
    transport(transport) = Arc::new(transport),
    call(endpoint, _clock, transport, peer) = {
        let mut config = sctp_proto::ClientConfig::new();
        config.transport = transport;
        endpoint.connect(config, peer)
    },
    settle(_endpoint, _handle, _event) = {},
    packets(transmit) = transmit.payload,
    handle(endpoint, now, peer, packet) = endpoint.handle(now, peer, None, None, packet),
    write(stream, _now, message, ppid) = stream.write_sctp(&message, ppid),
}
