use std::hint::black_box;
use std::iter;
use std::time::Duration;

use dcsctp::api::{
    DcSctpSocket, Message, Options, PpId, SendOptions, SocketEvent, SocketTime, StreamId,
};

use super::{Clock, End, Ends, PACKET, Pair, Reading, UserData};

/// Maximum messages per call.
const BATCH: u64 = 1024;

/// Sockets of the crate `dcsctp`, one per association.
///
/// Packets are formatted as text before the crate checks whether logging is on, which the API cannot
/// turn off; `benches/quiet-dcsctp` measures without that.
struct DcsctpEnd {
    sockets: Vec<Box<dyn DcSctpSocket>>,
    options: Options,
    established: usize,
}

/// Creates two ends without sockets; each socket will have buffers of `buffer` bytes.
pub(crate) fn pair(buffer: usize) -> Box<dyn Pair> {
    let end = || DcsctpEnd {
        sockets: Vec::new(),
        options: Options {
            mtu: PACKET,
            max_receiver_window_buffer_size: buffer,
            max_send_buffer_size: buffer,
            per_stream_send_queue_limit: buffer,
            ..Options::default()
        },
        established: 0,
    };
    Box::new(Ends::between(end(), end()))
}

impl DcsctpEnd {
    /// Takes the next packet of the last socket.
    fn poll_packet(&mut self) -> Option<Vec<u8>> {
        let socket = self.sockets.last_mut()?;
        while let Some(event) = socket.poll_event() {
            match event {
                SocketEvent::SendPacket(packet) => return Some(packet),
                SocketEvent::OnConnected() => self.established += 1,
                SocketEvent::OnAborted(_, reason) => panic!("the association ended: {reason}"),
                _ => {}
            }
        }
        None
    }
}

impl End for DcsctpEnd {
    type Packet = Vec<u8>;

    fn prepare(&mut self) {
        self.sockets
            .push(dcsctp::new_socket("bench", &self.options));
    }

    fn call(&mut self, clock: &Clock) {
        self.run_timers(clock);
        if let Some(socket) = self.sockets.last_mut() {
            socket.connect();
        }
    }

    fn established(&self) -> usize {
        self.established
    }

    fn run_timers(&mut self, clock: &Clock) {
        if let Some(socket) = self.sockets.last_mut() {
            socket.advance_time(SocketTime::zero() + clock.passed());
        }
    }

    fn due(&self, _: &Clock) -> Option<Duration> {
        let due = self.sockets.last()?.poll_timeout() - SocketTime::zero();
        (due < Duration::MAX).then_some(due)
    }

    fn packets(&mut self, _: &Clock) -> impl Iterator<Item = Vec<u8>> {
        iter::from_fn(|| self.poll_packet())
    }

    fn handle(&mut self, _: &Clock, packet: Vec<u8>) {
        if let Some(socket) = self.sockets.last_mut() {
            socket.handle_input(&packet);
        }
    }

    fn offer(&mut self, _: &Clock, data: &mut UserData, most: u64) -> u64 {
        let Some(socket) = self.sockets.last_mut() else {
            return 0;
        };
        let buffered = socket.buffered_amount(StreamId(0));
        let room = self.options.max_send_buffer_size.saturating_sub(buffered);
        let count = most.min((room / data.message_len()) as u64).min(BATCH);
        if count == 0 {
            return 0;
        }
        let messages = (0..count)
            .map(|_| Message::new(StreamId(0), PpId(0), data.next_vec()))
            .collect();
        socket
            .send_many(messages, &SendOptions::default())
            .expect("there is room");
        count
    }

    fn read(&mut self, _: &Clock) -> Reading {
        let mut reading = Reading::default();
        let Some(socket) = self.sockets.last_mut() else {
            return reading;
        };
        while let Some(message) = socket.get_next_message() {
            reading.messages += 1;
            reading.bytes += black_box(&message.payload).len() as u64;
        }
        reading
    }
}
