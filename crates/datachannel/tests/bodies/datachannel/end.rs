//! An end of the association.

use core::net::{IpAddr, Ipv4Addr};
use core::time::Duration;

use sheave_datachannel::{
    ChannelConfig, ChannelOptions, ChannelState, DataChannels, Message, Negotiation, Role,
    association_options,
};
use sheave_engine::{
    Assoc, AssocId, Connect, Endpoint, EndpointOptions, Options, PeerAddress, Time,
};

use super::LARGEST;
use super::script::Script;
use super::user::User;

pub(super) const PORT: u16 = 5000;

/// Whether an end keeps to the rules of data channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manners {
    Good,
    /// A peer without data channels, which says what the script says.
    Bad,
}

/// Whether the user reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reading {
    Eager,
    Paused,
}

/// An endpoint, its data channels and their user.
pub(super) struct End {
    pub(super) endpoint: Endpoint,
    pub(super) manners: Manners,
    pub(super) user: User,
    role: Role,
    reading: Reading,
    id: Option<AssocId>,
    channels: Option<DataChannels>,
}

pub(super) fn address(place: usize) -> IpAddr {
    IpAddr::V4(Ipv4Addr::new(10, 0, 0, place as u8 + 1))
}

pub(super) fn options() -> Options {
    Options {
        send_buffer: 20_000,
        receive_buffer: 16_384,
        partial_delivery_point: 4000,
        outbound_streams: 40,
        ..association_options(Options::default())
    }
}

/// Limits that are soon reached.
fn limits() -> ChannelOptions {
    ChannelOptions {
        max_send_size: 10_000,
        max_receive_size: 10_000,
        max_unfinished: 11_000,
        max_channels: 14,
        max_label_bytes: 300,
    }
}

impl End {
    fn new(place: usize, manners: Manners, role: Role) -> Self {
        let seed = [place as u8 + 1; 32];
        Self {
            endpoint: Endpoint::new(vec![address(place)], EndpointOptions::default(), seed),
            manners,
            user: User::default(),
            role,
            reading: Reading::Eager,
            id: None,
            channels: None,
        }
    }

    pub(super) fn client(now: Time, manners: Manners, options: Options) -> Self {
        let mut end = Self::new(0, manners, Role::Client);
        let connect = Connect {
            local_port: None,
            local: Vec::new(),
            remote_port: PORT,
            remote: vec![PeerAddress::native(address(1))],
            options,
        };
        let id = end.endpoint.connect(now, connect).expect("an association");
        end.begin(id);
        end
    }

    pub(super) fn server(options: Options) -> Self {
        let mut end = Self::new(1, Manners::Good, Role::Server);
        end.endpoint.listen(PORT, options).expect("a listener");
        end
    }

    fn begin(&mut self, id: AssocId) {
        self.id = Some(id);
        if self.manners == Manners::Good {
            let channels = DataChannels::new(&mut self.endpoint, id, self.role, limits());
            self.channels = Some(channels);
        }
    }

    pub(super) fn assoc(&mut self) -> Option<Assoc<'_>> {
        self.endpoint.assoc(self.id?)
    }

    pub(super) fn open(&mut self, now: Time, script: &mut Script<'_>) {
        let Some(channels) = &mut self.channels else {
            return;
        };
        let (choice, serial) = (script.byte(), self.user.next_serial());
        let mut config = ChannelConfig::new(format!("{serial}"));
        config = match choice & 3 {
            0 | 1 => config,
            2 => config.with_max_retransmissions(u32::from(choice >> 4)),
            _ => config.with_lifetime(Duration::from_millis(u64::from(choice))),
        };
        if choice & 4 != 0 {
            config = config.unordered();
        }
        // Refused where there are enough.
        if let Ok(id) = channels.open(now, &mut self.endpoint, config) {
            self.user.on_open(id);
        }
    }

    pub(super) fn send(&mut self, now: Time, script: &mut Script<'_>) {
        let (Some(channels), Some(id)) = (&mut self.channels, self.user.pick(script.byte())) else {
            return;
        };
        let len = match script.byte() {
            200.. => script.word() % LARGEST,
            small => u16::from(small),
        };
        let message = Message::binary(vec![len as u8; usize::from(len)]);
        let reliable = channels.channel(id).is_some_and(|channel| {
            channel.reliability() == sheave_datachannel::Reliability::Reliable
        });
        let sent = channels.send(now, &mut self.endpoint, id, message);
        if sent.is_ok() && reliable {
            self.user.on_sent(id, usize::from(len));
        }
    }

    pub(super) fn close(&mut self, now: Time, script: &mut Script<'_>) {
        let (Some(channels), Some(id)) = (&mut self.channels, self.user.pick(script.byte())) else {
            return;
        };
        self.user.on_close(id);
        channels.close(now, &mut self.endpoint, id);
    }

    pub(super) fn set_low_water(&mut self, script: &mut Script<'_>) {
        let (Some(channels), Some(id)) = (&mut self.channels, self.user.pick(script.byte())) else {
            return;
        };
        channels.set_low_water(&mut self.endpoint, id, usize::from(script.word()));
    }

    pub(super) fn pause(&mut self) {
        self.reading = match self.reading {
            Reading::Eager => Reading::Paused,
            Reading::Paused => Reading::Eager,
        };
    }

    /// Reads from now on.
    pub(super) fn read_on(&mut self, now: Time) {
        self.reading = Reading::Eager;
        self.settle(now);
    }

    /// Hands events on, reads, and looks at what is held.
    pub(super) fn settle(&mut self, now: Time) {
        while let Some((id, event)) = self.endpoint.poll_event() {
            if self.id.is_none() {
                self.begin(id);
            }
            if let Some(channels) = &mut self.channels
                && self.id == Some(id)
            {
                channels.handle_event(now, &mut self.endpoint, event);
            }
        }
        let Some(channels) = &mut self.channels else {
            while self
                .assoc()
                .and_then(|mut assoc| assoc.receive(now))
                .is_some()
            {}
            return;
        };
        while self.reading == Reading::Eager
            && let Some(event) = channels.poll_event(now, &mut self.endpoint)
        {
            self.user.on_event(channels, event);
        }
        check(channels);
    }

    /// The streams with a channel, all of which must be open.
    pub(super) fn open_streams(&self) -> Vec<u16> {
        let channels = self.channels.iter().flat_map(DataChannels::channels);
        let open = channels.map(|channel| {
            assert_eq!(channel.state(), ChannelState::Open, "{channel:?}");
            channel.id().stream().0
        });
        open.collect()
    }
}

/// Checks that held data stays within its limits.
fn check(channels: &DataChannels) {
    let limits = limits();
    assert!(channels.unfinished() <= limits.max_unfinished);
    assert!(channels.channels().count() <= limits.max_channels);
    let labels = channels.channels().map(|channel| {
        assert_eq!(channel.negotiation(), Negotiation::InBand);
        channel.label().len() + channel.protocol().len()
    });
    assert!(labels.sum::<usize>() <= limits.max_label_bytes + 20 * limits.max_channels);
    let stats = channels.stats();
    assert!(stats.data_channels_closed <= stats.data_channels_opened);
}
