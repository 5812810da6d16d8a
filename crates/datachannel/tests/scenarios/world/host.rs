//! An end of the association: an endpoint, its data channels, and a user.

use core::net::IpAddr;
use std::collections::VecDeque;

use sheave_datachannel::{
    Channel, ChannelConfig, ChannelEvent, ChannelId, ChannelOptions, DataChannels, Message,
    OpenError, Role, SendError,
};
use sheave_engine::wire::StreamId;
use sheave_engine::{
    AssocId, Connect, Datagram, Endpoint, EndpointOptions, Event, Node, Options, PeerAddress,
    Received, Time, Transmit,
};
use sheave_sim::{Agent, Protocol};

pub(super) const PORT: u16 = 5000;

/// Whether the user reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    Eager,
    Stopped,
}

/// The settings of one end.
pub(super) struct Side {
    pub(super) address: IpAddr,
    pub(super) options: Options,
    pub(super) role: Role,
    /// None without data channels.
    pub(super) limits: Option<ChannelOptions>,
    pub(super) seed: [u8; 32],
}

/// An endpoint, its data channels, and a user who writes down what happens.
pub(crate) struct Host {
    pub(crate) endpoint: Endpoint,
    pub(crate) assoc: Option<AssocId>,
    channels: Option<DataChannels>,
    role: Role,
    limits: Option<ChannelOptions>,
    pub(crate) reading: Reading,
    pub(crate) log: Vec<ChannelEvent>,
    /// Events of the engine.
    pub(crate) events: Vec<Event>,
    /// Messages of the engine, where there are no data channels.
    pub(crate) received: Vec<Received>,
    /// Messages that wait for room.
    pub(crate) outbox: VecDeque<(ChannelId, Message)>,
    /// Errors that sending gave, other than those that pass.
    pub(crate) errors: Vec<SendError>,
}

/// The data channels of a host, with its endpoint.
pub(crate) struct Borrowed<'a> {
    pub(crate) channels: &'a mut DataChannels,
    pub(crate) endpoint: &'a mut Endpoint,
}

impl Borrowed<'_> {
    pub(crate) fn open(
        &mut self,
        now: Time,
        config: ChannelConfig,
    ) -> Result<ChannelId, OpenError> {
        self.channels.open(now, self.endpoint, config)
    }

    pub(crate) fn send(
        &mut self,
        now: Time,
        id: ChannelId,
        message: Message,
    ) -> Result<(), SendError> {
        self.channels.send(now, self.endpoint, id, message)
    }

    pub(crate) fn close(&mut self, now: Time, id: ChannelId) {
        self.channels.close(now, self.endpoint, id);
    }

    pub(crate) fn set_low_water(&mut self, id: ChannelId, bytes: usize) {
        self.channels.set_low_water(self.endpoint, id, bytes);
    }

    pub(crate) fn buffered(&mut self, id: ChannelId) -> usize {
        self.channels.buffered(self.endpoint, id)
    }
}

fn host(side: &Side) -> Host {
    let options = EndpointOptions::default();
    Host {
        endpoint: Endpoint::new(vec![side.address], options, side.seed),
        assoc: None,
        channels: None,
        role: side.role,
        limits: side.limits.clone(),
        reading: Reading::Eager,
        log: Vec::new(),
        events: Vec::new(),
        received: Vec::new(),
        outbox: VecDeque::new(),
        errors: Vec::new(),
    }
}

pub(super) fn client(side: Side, remote: IpAddr) -> Host {
    let mut host = host(&side);
    let connect = Connect {
        local_port: None,
        local: Vec::new(),
        remote_port: PORT,
        remote: vec![PeerAddress::native(remote)],
        options: side.options,
    };
    let assoc = host.endpoint.connect(Time::ZERO, connect);
    host.begin(assoc.expect("an association"));
    host
}

pub(super) fn server(side: Side) -> Host {
    let mut host = host(&side);
    let outcome = host.endpoint.listen(PORT, side.options);
    outcome.expect("a listener");
    host
}

impl Host {
    fn begin(&mut self, assoc: AssocId) {
        self.assoc = Some(assoc);
        if let Some(limits) = self.limits.clone() {
            let channels = DataChannels::new(&mut self.endpoint, assoc, self.role, limits);
            self.channels = Some(channels);
        }
    }

    pub(crate) fn channels(&mut self) -> Borrowed<'_> {
        Borrowed {
            channels: self.channels.as_mut().expect("data channels"),
            endpoint: &mut self.endpoint,
        }
    }

    /// The channel on a stream.
    pub(crate) fn channel_at(&self, stream: StreamId) -> Option<ChannelId> {
        let mut all = self.channels.as_ref()?.channels();
        let found = all.find(|channel| channel.id().stream() == stream);
        found.map(Channel::id)
    }

    /// Hands events on, reads, and sends what waits.
    pub(crate) fn pump(&mut self, now: Time) {
        while let Some((id, event)) = self.endpoint.poll_event() {
            if self.assoc.is_none() {
                self.begin(id);
            }
            self.events.push(event.clone());
            if let Some(channels) = &mut self.channels {
                channels.handle_event(now, &mut self.endpoint, event);
            }
        }
        if self.reading == Reading::Eager {
            self.read(now);
        }
        self.write(now);
    }

    fn read(&mut self, now: Time) {
        if let Some(channels) = &mut self.channels {
            while let Some(event) = channels.poll_event(now, &mut self.endpoint) {
                self.log.push(event);
            }
        } else if let Some(id) = self.assoc {
            while let Some(mut assoc) = self.endpoint.assoc(id)
                && let Some(received) = assoc.receive(now)
            {
                self.received.push(received);
            }
        }
    }

    fn write(&mut self, now: Time) {
        let Some(channels) = &mut self.channels else {
            return;
        };
        while let Some((id, message)) = self.outbox.pop_front() {
            match channels.send(now, &mut self.endpoint, id, message) {
                Ok(()) => {}
                Err(SendError::BufferFull(message) | SendError::NotReady(message)) => {
                    self.outbox.push_front((id, message));
                    return;
                }
                Err(error) => self.errors.push(error),
            }
        }
    }
}

impl Node for Host {
    fn handle_datagram(&mut self, now: Time, datagram: Datagram<'_>) {
        self.endpoint.handle_datagram(now, datagram);
        self.pump(now);
    }

    fn handle_timeout(&mut self, now: Time) {
        self.endpoint.handle_timeout(now);
        self.pump(now);
    }

    fn poll_transmit(
        &mut self,
        now: Time,
        buf: &mut Vec<u8>,
        max_segments: usize,
    ) -> Option<Transmit> {
        self.endpoint.poll_transmit(now, buf, max_segments)
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.endpoint.poll_timeout()
    }
}

impl Agent for Host {
    fn protocol(&self) -> Protocol {
        Protocol::Sctp
    }

    fn owns_port(&self, port: u16) -> bool {
        self.endpoint.owns_port(port)
    }
}
