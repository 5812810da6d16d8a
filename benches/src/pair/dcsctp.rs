use std::hint::black_box;
use std::iter;
use std::time::Duration;

use dcsctp::api::{
    DcSctpSocket, Message, Options, PpId, SendOptions, SocketEvent, SocketTime, StreamId,
};

use super::{Clock, IdleRounds, Impairment, Link, PACKET, Pair, Reading, Toward, UserData, carry};

/// Messages handed over in one call at most.
const BATCH: u64 = 1024;

/// Two sockets of the crate `dcsctp` for each association.
///
/// It writes every packet out as text for its log before it asks whether anyone reads the log, and
/// nothing in its API avoids that; `benches/quiet-dcsctp` measures it without.
pub struct DcsctpPair {
    sockets: Vec<[End; 2]>,
    options: Options,
    link: Option<Link<Vec<u8>>>,
    clock: Clock,
    answers: u64,
}

struct End {
    socket: Box<dyn DcSctpSocket>,
    connected: bool,
}

impl DcsctpPair {
    /// No sockets yet; each will have buffers of `buffer` bytes.
    #[must_use]
    pub fn new(buffer: usize) -> Self {
        Self {
            sockets: Vec::new(),
            options: Options {
                mtu: PACKET,
                max_receiver_window_buffer_size: buffer,
                max_send_buffer_size: buffer,
                per_stream_send_queue_limit: buffer,
                ..Options::default()
            },
            link: None,
            clock: Clock::new(),
            answers: 0,
        }
    }

    fn advance(&mut self) {
        let now = SocketTime::zero() + self.clock.passed();
        for end in self.sockets.last_mut().into_iter().flatten() {
            end.socket.advance_time(now);
        }
    }
}

impl Pair for DcsctpPair {
    fn connect(&mut self) {
        self.sockets
            .push([End::new(&self.options), End::new(&self.options)]);
        self.advance();
        if let Some([left, _]) = self.sockets.last_mut() {
            left.socket.connect();
        }
        let mut idle_rounds = IdleRounds::default();
        while let Some(ends) = self.sockets.last()
            && ends.iter().any(|end| !end.connected)
        {
            if idle_rounds.is_spent(self.carry()) {
                assert!(self.wait(), "the handshake came to a standstill");
            }
        }
    }

    fn offer(&mut self, data: &mut UserData, most: u64) -> u64 {
        let Some([left, _]) = self.sockets.last_mut() else {
            return 0;
        };
        let buffered = left.socket.buffered_amount(StreamId(0));
        let room = self.options.max_send_buffer_size.saturating_sub(buffered);
        let count = most.min((room / data.message_len()) as u64).min(BATCH);
        if count == 0 {
            return 0;
        }
        let messages = (0..count)
            .map(|_| Message::new(StreamId(0), PpId(0), data.next_vec()))
            .collect();
        left.socket
            .send_many(messages, &SendOptions::default())
            .expect("there is room");
        count
    }

    fn carry(&mut self) -> u64 {
        self.clock.turn();
        self.advance();
        let Some([left, right]) = self.sockets.last_mut() else {
            return 0;
        };
        let (passed, link) = (self.clock.passed(), &mut self.link);
        let packets = iter::from_fn(|| left.poll_packet());
        let carried = carry(link, passed, Toward::Right, packets, |packet| {
            right.socket.handle_input(&packet);
        });
        let packets = iter::from_fn(|| right.poll_packet());
        let answered = carry(link, passed, Toward::Left, packets, |packet| {
            left.socket.handle_input(&packet);
        });
        self.answers += answered;
        carried + self.link.as_ref().map_or(0, |_| answered)
    }

    fn answers(&self) -> u64 {
        self.answers
    }

    fn read(&mut self) -> Reading {
        let mut reading = Reading::default();
        let Some([_, right]) = self.sockets.last_mut() else {
            return reading;
        };
        while let Some(message) = right.socket.get_next_message() {
            reading.messages += 1;
            reading.bytes += black_box(&message.payload).len() as u64;
        }
        reading
    }

    fn wait(&mut self) -> bool {
        let ends = self.sockets.last().into_iter().flatten();
        let due = ends.map(|end| end.socket.poll_timeout() - SocketTime::zero());
        match due.chain(self.link.as_ref().and_then(Link::next)).min() {
            Some(due) if due < Duration::MAX => {
                self.clock.skip_to(due);
                self.advance();
                true
            }
            _ => false,
        }
    }

    fn set_impairment(&mut self, impairment: Impairment) {
        self.clock.refine();
        self.link = Some(Link::new(impairment));
    }

    fn passed(&self) -> Duration {
        self.clock.passed()
    }
}

impl End {
    fn new(options: &Options) -> Self {
        Self {
            socket: dcsctp::new_socket("bench", options),
            connected: false,
        }
    }

    /// The next packet that it sends.
    fn poll_packet(&mut self) -> Option<Vec<u8>> {
        while let Some(event) = self.socket.poll_event() {
            match event {
                SocketEvent::SendPacket(packet) => return Some(packet),
                SocketEvent::OnConnected() => self.connected = true,
                SocketEvent::OnAborted(_, reason) => panic!("the association ended: {reason}"),
                _ => {}
            }
        }
        None
    }
}
