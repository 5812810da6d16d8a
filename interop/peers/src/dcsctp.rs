use std::collections::VecDeque;
use std::time::Duration;

use bytes::Bytes;
use dcsctp::api::{
    DcSctpSocket, ErrorKind, Message as Theirs, Options, PpId, SendError, SendOptions, SocketEvent,
    SocketTime, StreamId as TheirStream,
    ZERO_CHECKSUM_ALTERNATE_ERROR_DETECTION_METHOD_LOWER_LAYER_DTLS as DTLS,
};
use sheave_engine::wire::{Ppid, StreamId};
use sheave_engine::{Delivery, Message, Reliability, Time};

use crate::{Admission, Condition, Ending, Stack};

/// The crate `dcsctp`, the stack of Chromium's data channels.
///
/// It sends to SCTP port 5000 from port 5000, whoever starts.
pub struct Dcsctp {
    socket: Box<dyn DcSctpSocket>,
    packets: VecDeque<Vec<u8>>,
    condition: Condition,
    /// Streams that were reset here, in order of happening: those that it sends on, then those that
    /// the other end sends on.
    pub resets: (Vec<u16>, Vec<u16>),
}

impl Dcsctp {
    /// A stack with its defaults, but room for messages of 4 MiB.
    pub fn new() -> Self {
        Self::with(&Options {
            max_message_size: 4 << 20,
            max_send_buffer_size: 8 << 20,
            per_stream_send_queue_limit: 8 << 20,
            ..Options::default()
        })
    }

    /// Makes an end like [`new`](Self::new), for packets that are carried in DTLS: they may go
    /// without a checksum (RFC 9653).
    pub fn within_dtls() -> Self {
        Self::with(&Options {
            zero_checksum_alternate_error_detection_method: DTLS,
            ..Options::default()
        })
    }

    /// Makes an end like [`new`](Self::new), with user message interleaving (RFC 8260).
    pub fn interleaving() -> Self {
        Self::with(&Options {
            max_message_size: 4 << 20,
            max_send_buffer_size: 8 << 20,
            per_stream_send_queue_limit: 8 << 20,
            enable_message_interleaving: true,
            ..Options::default()
        })
    }

    fn with(options: &Options) -> Self {
        Self {
            socket: dcsctp::new_socket("peer", options),
            packets: VecDeque::new(),
            condition: Condition::Down,
            resets: (Vec::new(), Vec::new()),
        }
    }

    fn take_events(&mut self) {
        while let Some(event) = self.socket.poll_event() {
            match event {
                SocketEvent::SendPacket(packet) => self.packets.push_back(packet),
                SocketEvent::OnConnected() => self.condition = Condition::Up,
                SocketEvent::OnClosed() => self.condition = Condition::Closed(Ending::Graceful),
                SocketEvent::OnAborted(kind, _) => {
                    let ending = match kind {
                        ErrorKind::PeerReported => Ending::AbortedByPeer,
                        _ => Ending::Otherwise,
                    };
                    self.condition = Condition::Closed(ending);
                }
                SocketEvent::OnStreamsResetPerformed(streams) => {
                    self.resets.0.extend(streams.iter().map(|stream| stream.0));
                }
                SocketEvent::OnIncomingStreamReset(streams) => {
                    self.resets.1.extend(streams.iter().map(|stream| stream.0));
                }
                _ => {}
            }
        }
    }

    /// Resets streams that it sends on (RFC 6525).
    pub fn reset_streams(&mut self, now: Time, streams: &[u16]) {
        self.advance(now);
        let streams: Vec<TheirStream> = streams.iter().copied().map(TheirStream).collect();
        let outcome = self.socket.reset_streams(&streams);
        outcome.expect("dcsctp resets streams");
        self.take_events();
    }

    fn advance(&mut self, now: Time) {
        self.socket
            .advance_time(SocketTime::zero() + now.since(Time::ZERO));
    }
}

impl Default for Dcsctp {
    fn default() -> Self {
        Self::new()
    }
}

impl Stack for Dcsctp {
    fn connect(&mut self, now: Time) {
        self.advance(now);
        self.socket.connect();
        self.take_events();
    }

    fn handle_packet(&mut self, now: Time, packet: &[u8]) {
        self.advance(now);
        self.socket.handle_input(packet);
        self.take_events();
    }

    fn handle_timeout(&mut self, now: Time) {
        self.advance(now);
        self.take_events();
    }

    fn poll_packet(&mut self, _now: Time) -> Option<Vec<u8>> {
        self.packets.pop_front()
    }

    fn poll_timeout(&self) -> Option<Time> {
        let at = self.socket.poll_timeout() - SocketTime::zero();
        (at != Duration::MAX).then(|| Time::ZERO + at)
    }

    fn send_until(&mut self, now: Time, message: &Message, until: Reliability) -> Admission {
        self.advance(now);
        let theirs = Theirs::new(
            TheirStream(message.stream.0),
            PpId(message.ppid.0),
            message.payload.to_vec(),
        );
        let mut options = SendOptions {
            unordered: message.delivery == Delivery::Unordered,
            ..SendOptions::default()
        };
        match until {
            Reliability::Timed(lifetime) => options.lifetime = Some(lifetime),
            Reliability::Retransmissions(most) => {
                options.max_retransmissions = Some(u16::from(most));
            }
            Reliability::Reliable | Reliability::Priority(_) => {}
        }
        let sent = self.socket.send(theirs, &options);
        self.take_events();
        match sent {
            Ok(()) => Admission::Accepted,
            Err(SendError::ResourceExhaustion) => Admission::Full,
            Err(error) => panic!("dcsctp refuses a message: {error}"),
        }
    }

    fn receive(&mut self, now: Time) -> Option<Message> {
        self.advance(now);
        let message = self.socket.get_next_message()?;
        self.take_events();
        let stream = StreamId(message.stream_id.0);
        Some(Message::new(stream, Bytes::from(message.payload)).with_ppid(Ppid(message.ppid.0)))
    }

    fn shutdown(&mut self, now: Time) {
        self.advance(now);
        self.socket.shutdown();
        self.take_events();
    }

    fn abort(&mut self, now: Time) {
        self.advance(now);
        self.socket.close();
        self.take_events();
        self.condition = Condition::Closed(Ending::Otherwise);
    }

    fn condition(&self) -> Condition {
        self.condition
    }

    fn uses_interleaving(&self) -> bool {
        let metrics = self.socket.get_metrics();
        metrics.is_some_and(|metrics| metrics.uses_message_interleaving)
    }

    fn uses_zero_checksum(&self) -> bool {
        let metrics = self.socket.get_metrics();
        metrics.is_some_and(|metrics| metrics.uses_zero_checksum)
    }
}
