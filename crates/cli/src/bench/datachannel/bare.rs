//! SCTP and data channels in memory, as inside a WebRTC stack.

use std::net::{IpAddr, Ipv4Addr};
use std::time::Instant;

use sheave_datachannel::{
    ChannelConfig, ChannelId, ChannelOptions, DataChannels, Message, Role, SendError,
    association_options,
};
use sheave_engine::{
    Connect, Datagram, Ecn, Endpoint, EndpointOptions, Node, Options, PeerAddress, Time,
    ZeroChecksum,
};

use super::{Ends, Progress, open};
use crate::failure::{Failure, While};

/// Maximum message size, bytes: the usual `max-message-size`.
pub const LARGEST: usize = 256 << 10;

/// Packet overhead beyond SCTP and IPv4 that the whole stack assumes, bytes.
const OVERHEAD: u16 = 65;

/// Two ends without DTLS.
pub struct Bare {
    began: Instant,
    ends: [End; 2],
    progress: Progress,
    packet: Vec<u8>,
}

struct End {
    ip: IpAddr,
    endpoint: Endpoint,
    channels: DataChannels,
}

impl Bare {
    /// Creates two ends with one open channel.
    pub fn new(pmtu: u16) -> Result<Self, Failure> {
        let addresses = [1, 2].map(|host| IpAddr::V4(Ipv4Addr::new(192, 0, 2, host)));
        let end = |n: usize| -> Result<End, Failure> {
            let seed = [u8::from(n == 1); 32];
            let mut endpoint = Endpoint::new(vec![addresses[n]], EndpointOptions::default(), seed);
            let connect = Connect {
                local_port: Some(5000),
                local: Vec::new(),
                remote_port: 5000,
                remote: vec![PeerAddress::native(addresses[1 - n])],
                options: Options {
                    zero_checksum: ZeroChecksum::Dtls,
                    initial_pmtu: pmtu - OVERHEAD,
                    ..association_options(Options::default())
                },
            };
            let assoc = endpoint
                .connect(Time::ZERO, connect)
                .while_doing("connect")?;
            let role = if n == 0 { Role::Client } else { Role::Server };
            let options = ChannelOptions {
                max_send_size: LARGEST,
                ..ChannelOptions::default()
            };
            let channels = DataChannels::new(&mut endpoint, assoc, role, options);
            let ip = addresses[n];
            Ok(End {
                ip,
                endpoint,
                channels,
            })
        };
        let mut bare = Self {
            began: Instant::now(),
            ends: [end(0)?, end(1)?],
            progress: Progress::default(),
            packet: Vec::new(),
        };
        let now = bare.now();
        let End {
            endpoint, channels, ..
        } = &mut bare.ends[0];
        let opened = channels.open(now, endpoint, ChannelConfig::new("bench"));
        opened.while_doing("open")?;
        open(bare)
    }

    fn now(&self) -> Time {
        let nanos = u64::try_from(self.began.elapsed().as_nanos());
        Time::from_nanos(nanos.unwrap_or(u64::MAX))
    }

    fn settle(&mut self, n: usize, now: Time) {
        let End {
            endpoint, channels, ..
        } = &mut self.ends[n];
        while let Some((_, event)) = endpoint.poll_event() {
            channels.handle_event(now, endpoint, event);
        }
        while let Some(event) = channels.poll_event(now, endpoint) {
            self.progress.note(&event);
        }
    }
}

impl Ends for Bare {
    const BURST: u64 = u64::MAX;

    fn progress(&self) -> &Progress {
        &self.progress
    }

    fn send(&mut self, channel: ChannelId, message: Message) -> Result<(), SendError> {
        let now = self.now();
        let End {
            endpoint, channels, ..
        } = &mut self.ends[0];
        channels.send(now, endpoint, channel, message)
    }

    fn turn(&mut self) -> Result<(), Failure> {
        for n in [0, 1] {
            let now = self.now();
            self.ends[n].endpoint.handle_timeout(now);
            self.settle(n, now);
            let (left, right) = self.ends.split_at_mut(1);
            let (from, to) = match n {
                0 => (&mut left[0], &mut right[0]),
                _ => (&mut right[0], &mut left[0]),
            };
            loop {
                self.packet.clear();
                let sent = from.endpoint.poll_transmit(now, &mut self.packet, 16);
                let Some(sent) = sent else {
                    break;
                };
                let length = sent.segment_size.unwrap_or(self.packet.len());
                for payload in self.packet.chunks(length.max(1)) {
                    let remote = PeerAddress::native(from.ip);
                    let (local, ecn) = (to.ip, Ecn::NotEct);
                    to.endpoint.handle_datagram(
                        now,
                        Datagram {
                            local,
                            remote,
                            ecn,
                            payload,
                        },
                    );
                }
            }
            self.settle(1 - n, now);
        }
        Ok(())
    }
}
