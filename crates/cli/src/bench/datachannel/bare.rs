//! SCTP and data channels in memory, as inside a WebRTC stack.

use std::net::{IpAddr, Ipv4Addr};
use std::time::{Duration, Instant};

use sheave_datachannel::{
    ChannelConfig, ChannelEvent, ChannelId, ChannelOptions, DataChannels, Role, SendError,
    association_options,
};
use sheave_engine::{
    Connect, Datagram, Ecn, Endpoint, EndpointOptions, Node, Options, PeerAddress, Time,
    ZeroChecksum,
};

use super::{Ends, fresh};
use crate::failure::{Failure, While};

/// Maximum message size, bytes: the usual `max-message-size`.
pub const LARGEST: usize = 256 << 10;

/// Packet overhead beyond SCTP and IPv4 that the whole stack assumes, bytes.
const OVERHEAD: u16 = 65;

/// Wall time without progress that counts as failure.
const PATIENCE: Duration = Duration::from_secs(60);

/// Two ends without DTLS.
pub struct Bare {
    began: Instant,
    ends: [End; 2],
    channel: Option<ChannelId>,
    size: usize,
    received: u64,
    packet: Vec<u8>,
}

struct End {
    ip: IpAddr,
    endpoint: Endpoint,
    channels: DataChannels,
}

impl Bare {
    /// Creates two ends with one open channel.
    ///
    /// # Errors
    /// The ends do not connect.
    pub fn new(size: usize, pmtu: u16) -> Result<Self, Failure> {
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
            channel: None,
            size,
            received: 0,
            packet: Vec::new(),
        };
        let now = bare.now();
        let End {
            endpoint, channels, ..
        } = &mut bare.ends[0];
        let opened = channels.open(now, endpoint, ChannelConfig::new("bench"));
        opened.while_doing("open")?;
        bare.run_until(|bare| bare.channel.is_some())?;
        Ok(bare)
    }

    fn now(&self) -> Time {
        let nanos = u64::try_from(self.began.elapsed().as_nanos());
        Time::from_nanos(nanos.unwrap_or(u64::MAX))
    }

    fn run_until(&mut self, done: impl Fn(&Self) -> bool) -> Result<(), Failure> {
        let end = Instant::now() + PATIENCE;
        while !done(self) {
            if !self.turn() && Instant::now() > end {
                return Err(Failure::new("it came to a standstill"));
            }
        }
        Ok(())
    }

    /// Carries packets in both directions; returns whether there were any.
    fn turn(&mut self) -> bool {
        let mut any = false;
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
                any = true;
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
        any
    }

    fn settle(&mut self, n: usize, now: Time) {
        let End {
            endpoint, channels, ..
        } = &mut self.ends[n];
        while let Some((_, event)) = endpoint.poll_event() {
            channels.handle_event(now, endpoint, event);
        }
        while let Some(event) = channels.poll_event(now, endpoint) {
            match event {
                ChannelEvent::Opened { channel } => self.channel = Some(channel),
                ChannelEvent::Message { .. } => self.received += 1,
                _ => {}
            }
        }
    }
}

impl Ends for Bare {
    fn transfer(&mut self, count: u64) -> Result<(), Failure> {
        let (goal, mut unsent) = (self.received + count, count);
        let end = Instant::now() + PATIENCE;
        while self.received < goal {
            let now = self.now();
            while unsent > 0
                && let Some(id) = self.channel
            {
                let End {
                    endpoint, channels, ..
                } = &mut self.ends[0];
                match channels.send(now, endpoint, id, fresh(self.size, unsent)) {
                    Ok(()) => unsent -= 1,
                    Err(SendError::BufferFull(_)) => break,
                    Err(error) => return Err(Failure::new(format!("{error:?}"))),
                }
            }
            if !self.turn() && Instant::now() > end {
                return Err(Failure::new("it came to a standstill"));
            }
        }
        Ok(())
    }
}
