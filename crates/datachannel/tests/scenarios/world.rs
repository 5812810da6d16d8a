//! Two ends of an association with data channels, in virtual time.

mod host;

use core::net::{IpAddr, Ipv4Addr};
use core::time::Duration;

use sheave_datachannel::{
    Channel, ChannelConfig, ChannelEvent, ChannelId, ChannelOptions, ClosedReason, ConnectionStats,
    Message, Role, association_options,
};
use sheave_engine::wire::{Ppid, StreamId};
use sheave_engine::{AssocId, Delivery, Endpoint, Options, SendOptions, Time};
use sheave_sim::{AgentId, Bitrate, Errors, LinkSpec, Probability, Reordering, World};

pub(crate) use self::host::{Host, Reading};
use self::host::{Side, client, server};

/// An end of the association.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The end that connects.
    A,
    /// The end that listens.
    Z,
}

pub(crate) use End::{A, Z};

impl End {
    pub(crate) const fn other(self) -> Self {
        match self {
            A => Z,
            Z => A,
        }
    }

    const fn address(self) -> IpAddr {
        IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1 + self as u8))
    }
}

/// The settings of a pair.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    pub(crate) seed: u64,
    pub(crate) role: Role,
    pub(crate) a: Options,
    pub(crate) z: Options,
    pub(crate) limits: ChannelOptions,
    pub(crate) link: LinkSpec,
    /// The end that has no data channels, but speaks plain SCTP.
    pub(crate) plain: Option<End>,
}

impl Default for Setup {
    fn default() -> Self {
        let options = association_options(Options::default());
        Self {
            seed: 1,
            role: Role::Client,
            a: options.clone(),
            z: options,
            limits: ChannelOptions::default(),
            link: LinkSpec::new(Bitrate::mbit(100), Duration::from_millis(10)),
            plain: None,
        }
    }
}

impl Setup {
    /// The same, where `share` of the packets is lost and a tenth overtaken.
    pub(crate) fn lossy(mut self, share: f64) -> Self {
        self.link.loss = Errors::Uniform(Probability::new(share));
        self.link.reordering = Some(Reordering {
            probability: Probability::new(0.1),
            extra: Duration::from_millis(8),
        });
        self
    }

    /// The two ends, with the association up.
    pub(crate) fn established(&self) -> Pair {
        let mut pair = self.connecting();
        pair.run(2);
        for end in [A, Z] {
            assert!(pair.host(end).assoc.is_some(), "{end:?} is not connected");
        }
        pair
    }

    /// The two ends, with a channel that `end` has opened, and its id at that end and at the other.
    pub(crate) fn opened(&self, end: End, config: ChannelConfig) -> (Pair, ChannelId, ChannelId) {
        let mut pair = self.established();
        let (here, there) = pair.opened(end, config);
        (pair, here, there)
    }

    /// The two ends, with the association on its way.
    pub(crate) fn connecting(&self) -> Pair {
        let mut world = World::new(self.seed);
        let side = |end: End, options: &Options| Side {
            address: end.address(),
            options: options.clone(),
            role: match end {
                A => self.role,
                Z => self.role.peer(),
            },
            limits: (self.plain != Some(end)).then(|| self.limits.clone()),
            seed: world.seed(&format!("{end:?}")),
        };
        let (a, z) = (side(A, &self.a), side(Z, &self.z));
        let hosts = [A, Z].map(|end| {
            let added = world.add_host(&format!("{end:?}"), &[end.address()]);
            added.expect("a host")
        });
        let ports = [A, Z].map(|end| world.interface(end.address()).expect("an interface"));
        let added = world.add_links("wire", ports[0], ports[1], &self.link);
        added.expect("links");
        let agents = [
            world.add_agent(hosts[0], Box::new(client(a, Z.address()))),
            world.add_agent(hosts[1], Box::new(server(z))),
        ];
        Pair { world, agents }
    }
}

/// The two ends and the network between them.
pub(crate) struct Pair {
    pub(crate) world: World,
    agents: [AgentId; 2],
}

impl Pair {
    pub(crate) fn now(&self) -> Time {
        self.world.now()
    }

    /// Lets so many seconds pass.
    pub(crate) fn run(&mut self, seconds: u64) {
        self.world.run_for(Duration::from_secs(seconds));
    }

    pub(crate) fn run_ms(&mut self, millis: u64) {
        self.world.run_for(Duration::from_millis(millis));
    }

    pub(crate) fn host(&mut self, end: End) -> &mut Host {
        let agent = self.agents[end as usize];
        self.world.agent_mut(agent).expect("a host")
    }

    /// Acts on an end's endpoint, as plain SCTP.
    pub(crate) fn with_endpoint<R>(
        &mut self,
        end: End,
        act: impl FnOnce(&mut Endpoint, AssocId, Time) -> R,
    ) -> R {
        let now = self.now();
        let host = self.host(end);
        let assoc = host.assoc.expect("an association");
        let outcome = act(&mut host.endpoint, assoc, now);
        host.pump(now);
        outcome
    }

    /// Sends a message as plain SCTP.
    pub(crate) fn send_plain(
        &mut self,
        end: End,
        stream: u16,
        ppid: u32,
        delivery: Delivery,
        payload: &[u8],
    ) {
        self.with_endpoint(end, |endpoint, assoc, now| {
            let message = sheave_engine::Message {
                stream: StreamId(stream),
                ppid: Ppid(ppid),
                delivery,
                payload: payload.to_vec().into(),
            };
            let mut assoc = endpoint.assoc(assoc).unwrap();
            assert_eq!(assoc.send(now, message, SendOptions::default()), Ok(()));
        });
    }

    pub(crate) fn open(&mut self, end: End, config: ChannelConfig) -> ChannelId {
        let now = self.now();
        let host = self.host(end);
        let opened = host.channels().open(now, config);
        host.pump(now);
        opened.expect("a channel")
    }

    /// Opens a channel and waits until it is open.
    pub(crate) fn opened(&mut self, end: End, config: ChannelConfig) -> (ChannelId, ChannelId) {
        let id = self.open(end, config);
        self.run(5);
        assert!(self.is_open(end, id));
        let there = self.host(end.other()).channel_at(id.stream());
        (id, there.expect("the peer's channel"))
    }

    /// Opens so many channels.
    pub(crate) fn open_many(&mut self, end: End, count: usize) -> Vec<ChannelId> {
        let open = |n| self.open(end, ChannelConfig::new(format!("{n}")));
        (0..count).map(open).collect()
    }

    /// Opens a channel and returns its stream.
    pub(crate) fn next_id(&mut self, end: End) -> StreamId {
        self.open(end, ChannelConfig::new("next")).stream()
    }

    /// The channel of Z on a stream.
    pub(crate) fn channel_of_z(&mut self, stream: u16) -> ChannelId {
        self.host(Z).channel_at(StreamId(stream)).unwrap()
    }

    /// A channel as an end sees it now.
    pub(crate) fn channel(&mut self, end: End, id: ChannelId) -> Channel {
        let channels = self.host(end).channels().channels;
        channels.channel(id).expect("a channel").clone()
    }

    pub(crate) fn stats(&mut self, end: End) -> ConnectionStats {
        self.host(end).channels().channels.stats()
    }

    /// Number of channels of an end.
    pub(crate) fn channel_count(&mut self, end: End) -> usize {
        self.host(end).channels().channels.channels().count()
    }

    /// Queues a message, which is sent as soon as there is room.
    pub(crate) fn send(&mut self, end: End, id: ChannelId, message: Message) {
        let now = self.now();
        let host = self.host(end);
        host.outbox.push_back((id, message));
        host.pump(now);
    }

    pub(crate) fn close(&mut self, end: End, id: ChannelId) {
        let now = self.now();
        let host = self.host(end);
        host.channels().close(now, id);
        host.pump(now);
    }

    pub(crate) fn set_reading(&mut self, end: End, reading: Reading) {
        let now = self.now();
        let host = self.host(end);
        host.reading = reading;
        host.pump(now);
    }

    /// The messages that an end got on a channel.
    pub(crate) fn messages(&mut self, end: End, id: ChannelId) -> Vec<Message> {
        let log = self.host(end).log.iter();
        let messages = log.filter_map(|event| match event {
            ChannelEvent::Message { channel, message } if *channel == id => Some(message.clone()),
            _ => None,
        });
        messages.collect()
    }

    /// The reason why a channel ended, if it did.
    pub(crate) fn closed(&mut self, end: End, id: ChannelId) -> Option<ClosedReason> {
        self.host(end).log.iter().find_map(|event| match event {
            ChannelEvent::Closed { channel, reason } if *channel == id => Some(reason.clone()),
            _ => None,
        })
    }

    /// Whether an end was told once that its channel is open.
    pub(crate) fn is_open(&mut self, end: End, id: ChannelId) -> bool {
        self.count(end, |event| *event == ChannelEvent::Opened { channel: id }) == 1
    }

    /// Number of events of an end that `wanted` holds for.
    pub(crate) fn count(&mut self, end: End, wanted: impl Fn(&ChannelEvent) -> bool) -> usize {
        self.host(end)
            .log
            .iter()
            .filter(|event| wanted(event))
            .count()
    }
}

/// A message of `len` bytes that differ from place to place.
pub(crate) fn blob(len: usize) -> Message {
    let bytes: Vec<u8> = (0..len).map(|at| (at * 7 + at / 251) as u8).collect();
    Message::binary(bytes)
}
