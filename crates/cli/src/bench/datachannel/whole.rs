//! Two complete connections, with datagrams passed in memory or through sockets.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

use sheave::dtls::DtlsVersion;
use sheave_datachannel::{ChannelConfig, ChannelId, Message, SendError};
use sheave_webrtc::{ConnectionConfig, ConnectionEvent, PeerConnection, UdpDriver};

use super::{Ends, Progress, open, transfer};
use crate::failure::{Failure, While};

/// Maximum packets passed on at once.
const TRAIN: usize = 16;

/// Two connections with one open channel.
pub struct Whole {
    ends: [PeerConnection; 2],
    carrier: Carrier,
    progress: Progress,
}

enum Carrier {
    Memory(Vec<u8>),
    Sockets(Box<[UdpDriver; 2]>),
}

impl Whole {
    /// Connects two ends in memory.
    pub fn in_memory(size: usize, pmtu: u16, version: DtlsVersion) -> Result<Self, Failure> {
        let addresses = [1, 2].map(|host| SocketAddr::from(([192, 0, 2, host], 4000)));
        let carrier = Carrier::Memory(Vec::new());
        Self::new(
            size,
            pmtu,
            version,
            addresses.map(|address| vec![address]),
            carrier,
        )
    }

    /// Connects two ends over loopback.
    pub fn over_sockets(size: usize, pmtu: u16) -> Result<Self, Failure> {
        let here = [IpAddr::V4(Ipv4Addr::LOCALHOST)];
        let bind = || UdpDriver::bind(&here, 0).map_err(Failure::new);
        let drivers = [bind()?, bind()?];
        let addresses = [drivers[0].addresses(), drivers[1].addresses()];
        let carrier = Carrier::Sockets(Box::new(drivers));
        Self::new(size, pmtu, DtlsVersion::V1_3, addresses, carrier)
    }

    fn new(
        size: usize,
        pmtu: u16,
        version: DtlsVersion,
        [left, right]: [Vec<SocketAddr>; 2],
        carrier: Carrier,
    ) -> Result<Self, Failure> {
        let now = Instant::now();
        let end = |addresses: Vec<SocketAddr>| {
            let mut config = ConnectionConfig::new(addresses);
            config.dtls = version;
            config.max_pmtu = pmtu;
            PeerConnection::new(now, config).map_err(Failure::new)
        };
        let mut ends = [end(left)?, end(right)?];
        let offer = ends[0].offer().map_err(Failure::new)?;
        let answer = ends[1].answer(now, &offer).map_err(Failure::new)?;
        ends[0].accept(now, &answer).map_err(Failure::new)?;
        ends[0]
            .open(now, ChannelConfig::new("bench"))
            .while_doing("open")?;
        let mut whole = open(Self {
            ends,
            carrier,
            progress: Progress::default(),
        })?;
        // Path MTU discovery needs some data first.
        let count = u64::try_from((4 << 20) / size + 1).unwrap_or(1);
        transfer(&mut whole, size, count)?;
        Ok(whole)
    }
}

impl Ends for Whole {
    const BURST: u64 = 256;

    fn progress(&self) -> &Progress {
        &self.progress
    }

    fn send(&mut self, channel: ChannelId, message: Message) -> Result<(), SendError> {
        self.ends[0].send(Instant::now(), channel, message)
    }

    fn turn(&mut self) -> Result<(), Failure> {
        for n in [0, 1] {
            match &mut self.carrier {
                Carrier::Sockets(drivers) => {
                    let turned = drivers[n].turn(&mut self.ends[n], Duration::ZERO);
                    turned.while_doing("waiting for datagrams")?;
                }
                Carrier::Memory(buffer) => {
                    let now = Instant::now();
                    self.ends[n].handle_timeout(now);
                    let (left, right) = self.ends.split_at_mut(1);
                    let (from, to) = match n {
                        0 => (&mut left[0], &mut right[0]),
                        _ => (&mut right[0], &mut left[0]),
                    };
                    while let Some(sent) = from.poll_transmit(now, buffer, TRAIN) {
                        let length = sent.segment_size.unwrap_or(buffer.len());
                        for datagram in buffer.chunks(length.max(1)) {
                            to.handle_datagram(now, sent.remote, sent.local, datagram);
                        }
                    }
                }
            }
            for end in &mut self.ends {
                while let Some(event) = end.poll_event(Instant::now()) {
                    match event {
                        ConnectionEvent::Channel(event) => self.progress.note(&event),
                        ConnectionEvent::Ended(reason) => return Err(Failure::new(reason)),
                        _ => {}
                    }
                }
            }
        }
        Ok(())
    }
}
