//! Part of the findings about dcsctp.

use std::time::Duration;

use dcsctp::api::{DcSctpSocket, Message, Options, PpId, SendOptions, SocketEvent, SocketTime, StreamId};

/// Two sockets in one process.
pub struct Pair(pub [Box<dyn DcSctpSocket>; 2], SocketTime);

impl Pair {
    /// A pair that is connected.
    pub fn new(options: [Options; 2]) -> Self {
        let [a, b] = options.map(|options| dcsctp::new_socket("", &options));
        let mut pair = Self([a, b], SocketTime::zero());
        pair.0[0].connect();
        pair.pass();
        pair
    }

    /// Lets a second pass: packets arrive at once.
    pub fn pass(&mut self) {
        for _ in 0..1000 {
            for at in [0, 1, 0, 1] {
                while let Some(event) = self.0[at].poll_event() {
                    if let SocketEvent::SendPacket(packet) = event {
                        self.0[1 - at].handle_input(&packet);
                    }
                }
            }
            self.1 = self.1 + Duration::from_millis(1);
            self.0.iter_mut().for_each(|socket| socket.advance_time(self.1));
        }
    }

    pub fn send(&mut self, stream: u16, bytes: usize) {
        let message = Message::new(StreamId(stream), PpId(53), vec![1; bytes]);
        self.0[0].send(message, &SendOptions::default()).expect("sent");
        self.pass();
    }
}
