use std::collections::{BTreeMap, VecDeque};
use std::net::{IpAddr, Ipv4Addr};

use bytes::BytesMut;
use sheave_engine::wire::StreamId;
use sheave_engine::{
    AssocId, CloseReason, Connect, Datagram, Ecn, Endpoint, EndpointOptions, Event, Message, Node,
    Options, Part, PeerAddress, Received, Reliability, SendError, SendOptions, Time,
};

use crate::{Admission, Condition, Ending, Stack};

/// The port that the peers of this crate call and are called on.
const PORT: u16 = 5000;

/// Our own stack.
pub struct Sheave {
    /// The endpoint, for whatever a test wants to see of it.
    pub endpoint: Endpoint,
    options: Options,
    local: IpAddr,
    remote: PeerAddress,
    id: Option<AssocId>,
    condition: Condition,
    close_reason: Option<CloseReason>,
    /// Events that change nothing here.
    pub other_events: Vec<Event>,
    parts: BTreeMap<StreamId, BytesMut>,
    arrived: VecDeque<Received>,
    trains: VecDeque<Vec<u8>>,
    buffer: Vec<u8>,
}

impl Sheave {
    /// A stack that listens on port 5000 and connects to it.
    pub fn new(options: Options, seed: u64) -> Self {
        let local = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        let mut endpoint = Endpoint::new(vec![local], EndpointOptions::default(), bytes);
        endpoint
            .listen(PORT, options.clone())
            .expect("the port is free");
        Self {
            endpoint,
            options,
            local,
            remote: PeerAddress::native(IpAddr::V4(Ipv4Addr::new(192, 0, 2, 2))),
            id: None,
            condition: Condition::Down,
            close_reason: None,
            other_events: Vec::new(),
            parts: BTreeMap::new(),
            arrived: VecDeque::new(),
            trains: VecDeque::new(),
            buffer: Vec::new(),
        }
    }

    /// The reason why the association ended.
    pub const fn close_reason(&self) -> Option<&CloseReason> {
        self.close_reason.as_ref()
    }

    /// The association's id.
    pub const fn id(&self) -> Option<AssocId> {
        self.id
    }

    fn take_events(&mut self) {
        while let Some((id, event)) = self.endpoint.poll_event() {
            match event {
                Event::Established { .. } => {
                    assert!(
                        self.id.is_none_or(|known| known == id),
                        "a second association"
                    );
                    self.id = Some(id);
                    self.condition = Condition::Up;
                }
                Event::Closed { reason, unread } => {
                    self.arrived.extend(unread);
                    self.condition = Condition::Closed(match reason {
                        CloseReason::Graceful => Ending::Graceful,
                        CloseReason::AbortedByPeer { .. } => Ending::AbortedByPeer,
                        _ => Ending::Otherwise,
                    });
                    self.close_reason = Some(reason);
                }
                Event::Readable | Event::Writable | Event::Drained => {}
                other => self.other_events.push(other),
            }
        }
    }

    fn join(&mut self, received: Received) -> Option<Message> {
        let Received {
            mut message, part, ..
        } = received;
        if part == Part::Whole {
            return Some(message);
        }
        let parts = self.parts.entry(message.stream).or_default();
        assert_eq!(
            part == Part::First,
            parts.is_empty(),
            "parts follow each other"
        );
        parts.extend_from_slice(&message.payload);
        if part != Part::Last {
            return None;
        }
        message.payload = self.parts.remove(&message.stream)?.freeze();
        Some(message)
    }

    fn poll_received(&mut self, now: Time) -> Option<Received> {
        let assoc = self.id.and_then(|id| self.endpoint.assoc(id));
        match assoc {
            Some(mut assoc) => assoc.receive(now),
            None => self.arrived.pop_front(),
        }
    }
}

impl Stack for Sheave {
    fn connect(&mut self, now: Time) {
        let to = Connect {
            local_port: Some(PORT),
            local: Vec::new(),
            remote_port: PORT,
            remote: vec![self.remote],
            options: self.options.clone(),
        };
        let id = self
            .endpoint
            .connect(now, to)
            .expect("the peer can be tried");
        self.id = Some(id);
    }

    fn handle_packet(&mut self, now: Time, packet: &[u8]) {
        let datagram = Datagram {
            local: self.local,
            remote: self.remote,
            ecn: Ecn::default(),
            payload: packet,
        };
        self.endpoint.handle_datagram(now, datagram);
        self.take_events();
    }

    fn handle_timeout(&mut self, now: Time) {
        self.endpoint.handle_timeout(now);
        self.take_events();
    }

    fn poll_packet(&mut self, now: Time) -> Option<Vec<u8>> {
        while self.trains.is_empty() {
            let transmit = self.endpoint.poll_transmit(now, &mut self.buffer, 16)?;
            assert_eq!(transmit.remote, self.remote, "there is one peer");
            let size = transmit.segment_size.unwrap_or(self.buffer.len()).max(1);
            self.trains.extend(self.buffer.chunks(size).map(Vec::from));
        }
        self.trains.pop_front()
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.endpoint.poll_timeout()
    }

    fn send_until(&mut self, now: Time, message: &Message, until: Reliability) -> Admission {
        let Some(mut assoc) = self.id.and_then(|id| self.endpoint.assoc(id)) else {
            return Admission::Full;
        };
        let options = SendOptions {
            reliability: until,
            ..SendOptions::default()
        };
        let sent = assoc.send(now, message.clone(), options);
        self.take_events();
        match sent {
            Ok(()) => Admission::Accepted,
            Err(SendError::BufferFull(_)) => Admission::Full,
            Err(error) => panic!("sheave refuses a message: {error:?}"),
        }
    }

    fn receive(&mut self, now: Time) -> Option<Message> {
        loop {
            let received = self.poll_received(now)?;
            if let Some(message) = self.join(received) {
                return Some(message);
            }
        }
    }

    fn shutdown(&mut self, now: Time) {
        if let Some(mut assoc) = self.id.and_then(|id| self.endpoint.assoc(id)) {
            assoc.shutdown(now).expect("the association is up");
        }
        self.take_events();
    }

    fn abort(&mut self, now: Time) {
        if let Some(assoc) = self.id.and_then(|id| self.endpoint.assoc(id)) {
            assoc.abort(now, "test".into());
        }
        self.take_events();
    }

    fn condition(&self) -> Condition {
        self.condition
    }
}
