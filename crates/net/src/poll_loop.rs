//! The carriers without threads: sockets and a clock for a program that has a poll loop of its own.
//!
//! A [`PollLoop`] owns the sockets, and nothing else. The caller owns the [`Node`], mostly an
//! `Endpoint` of `sheave-engine`, waits until the loop's file descriptor is readable or the
//! deadline of the last step has come, and calls [`step`](PollLoop::step). It also calls it after
//! each call of its own to the node, so that what the call wants to send leaves.
//!
//! ```no_run
//! use sheave::Config;
//! use sheave::poll_loop::PollLoop;
//! use sheave_engine::{Endpoint, EndpointOptions};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut carrier = PollLoop::bind(&Config::default())?;
//! let addresses = carrier.local_addresses().to_vec();
//! let mut endpoint = Endpoint::new(addresses, EndpointOptions::default(), rand_seed());
//! # fn rand_seed() -> [u8; 32] { [0; 32] }
//! loop {
//!     let deadline = carrier.step(&mut endpoint);
//!     carrier.wait(deadline)?; // or any poll, with the file descriptor of `carrier` among others
//! }
//! # }
//! ```

mod tap;

use std::io;
use std::net::IpAddr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, epoll};
pub use sheave_engine::{Node, Time};

pub use self::tap::{SeenPacket, Tap, Way};
use sheave_engine::{Datagram, PeerAddress, Routes, Transmit};

use crate::address_news::{AddressChange, AddressNews};
use crate::carrier::{Batch, Carrier, Ports, Real, Sent, destination_port};
use crate::clock::Clock;
use crate::config::Warning;
use crate::driver::BLOCKED_AT_MOST;
use crate::error::BindError;
use crate::routes::SystemRoutes;
use crate::stats::CarrierStats;
use crate::{Config, Options};

/// Batches that a step takes in from one socket.
const BATCHES: usize = 8;

/// Trains that a step sends; the rest waits for the next one, which is due at once.
const TRAINS: usize = 64;

/// Names the news of addresses among the events; sockets have their positions.
const NEWS: u64 = u64::MAX;

/// Sockets that one wait tells of.
const EVENTS: usize = 32;

/// The sockets of an endpoint, its clock and what waits to be sent.
pub struct PollLoop {
    carrier: Carrier,
    clock: Clock,
    /// Readable when a socket is.
    epoll: OwnedFd,
    batch: Batch,
    train: Vec<u8>,
    blocked: Option<Blocked>,
    ports: Ports,
    filtered: u64,
    news: Option<AddressNews>,
    tap: Option<Box<dyn Tap>>,
}

/// A train that found a socket's buffer full.
struct Blocked {
    transmit: Transmit,
    /// Bytes of it that have left.
    sent: usize,
    since: Time,
}

/// Whether there was something to tell the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reported {
    Something,
    Nothing,
}

impl PollLoop {
    /// Binds the sockets that `config` asks for. Its thread counts and its linger time mean nothing
    /// here.
    ///
    /// # Errors
    /// As [`Endpoint::bind`](crate::Endpoint::bind).
    pub fn bind(config: &Config) -> Result<Self, BindError> {
        let system = Arc::new(Real);
        let news = AddressNews::open(config);
        let carrier = Carrier::bind_on(config, system.clone())?;
        let failed = |error: rustix::io::Errno| BindError::System {
            what: "watch the sockets",
            error: error.into(),
        };
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC).map_err(failed)?;
        if let Some(news) = &news {
            news.begin_with(carrier.addresses());
            let data = epoll::EventData::new_u64(NEWS);
            epoll::add(&epoll, news, data, epoll::EventFlags::IN).map_err(failed)?;
        }
        let poll_loop = Self {
            carrier,
            clock: Clock::start(system),
            epoll,
            batch: Batch::default(),
            train: Vec::new(),
            blocked: None,
            ports: Ports::default(),
            filtered: 0,
            news,
            tap: None,
        };
        poll_loop.watch_from(0).map_err(failed)?;
        Ok(poll_loop)
    }

    /// Adds a socket at that address, for an endpoint whose addresses change (RFC 5061).
    ///
    /// # Errors
    /// The address cannot be bound.
    pub fn add_address(&self, ip: IpAddr) -> Result<(), BindError> {
        let before = self.carrier.sockets().count();
        self.carrier.add(ip)?;
        self.watch_from(before).map_err(|error| BindError::System {
            what: "watch a socket",
            error: error.into(),
        })
    }

    /// Looks which addresses this machine has now, where all of them are used, and tells the node: it also
    /// hears of them at each [`step`](Self::step), if the system tells when they change.
    pub fn look_for_addresses(&mut self, node: &mut impl Node) {
        let Some(news) = &self.news else {
            return;
        };
        let before = self.carrier.sockets().count();
        let change = news.look(&self.carrier);
        if change != AddressChange::default() {
            // What cannot be watched is received with what comes to other sockets, or not at all.
            let _ = self.watch_from(before);
            node.handle_addresses(self.clock.now(), &change.gained, &change.lost);
        }
    }

    /// Watches the sockets from that position on, which are new.
    fn watch_from(&self, before: usize) -> rustix::io::Result<()> {
        if self.carrier.udp_port().is_none() {
            self.carrier.set_ports(&self.ports);
        }
        (before..self.carrier.sockets().count()).try_for_each(|position| self.watch(position))
    }

    /// The addresses that packets leave from and come to.
    #[must_use]
    pub fn local_addresses(&self) -> &[IpAddr] {
        self.carrier.addresses()
    }

    /// The routes of this machine, for [`Endpoint::set_routes`](sheave_engine::Endpoint::set_routes).
    #[must_use]
    pub fn routes(&self) -> Arc<dyn Routes> {
        Arc::new(SystemRoutes::default())
    }

    /// The UDP port, where packets travel over UDP.
    #[must_use]
    pub fn udp_port(&self) -> Option<u16> {
        self.carrier.udp_port()
    }

    /// Time since the sockets were bound, which is what the node's times are.
    #[must_use]
    pub fn now(&self) -> Time {
        self.clock.now()
    }

    /// Returns these options with path MTUs that fit the interfaces.
    #[must_use]
    pub fn fit(&self, options: Options) -> Options {
        self.carrier.fit(options, &[])
    }

    /// Facts about this machine that may surprise the user.
    #[must_use]
    pub fn warnings(&self, config: &Config) -> Vec<Warning> {
        self.carrier.warnings(config)
    }

    /// Counters of the sockets.
    #[must_use]
    pub fn stats(&self) -> CarrierStats {
        self.carrier.stats()
    }

    /// Lets in packets to that SCTP port. Over raw IP, where other stacks may share the address,
    /// packets to other ports are not for this endpoint; over UDP every packet is.
    pub fn open_port(&mut self, port: u16) {
        self.ports.add(port);
    }

    /// Undoes an [`open_port`](Self::open_port).
    pub fn close_port(&mut self, port: u16) {
        self.ports.remove(port);
    }

    /// Shows each packet to `tap` from now on.
    pub fn set_tap(&mut self, tap: Box<dyn Tap>) {
        self.tap = Some(tap);
    }

    /// Receives what waits, runs what is due and sends what is to be sent. Returns when the next
    /// step is due at the latest; `None` when only a packet can bring news.
    pub fn step(&mut self, node: &mut impl Node) -> Option<Time> {
        self.receive(node);
        let now = self.now();
        self.report(now, node);
        if node.poll_timeout().is_some_and(|due| due <= now) {
            node.handle_timeout(now);
        }
        self.send(node)
    }

    /// Sends what is to be sent, without a look at what waits to be received: the end of a step.
    pub fn send(&mut self, node: &mut impl Node) -> Option<Time> {
        // Before anything leaves that is answered, and for ports that only wait.
        self.admit_ports();
        let now = self.now();
        if !self.resume(now) {
            return Some(now + Duration::from_millis(1));
        }
        let max_segments = self.carrier.max_segments();
        for _ in 0..TRAINS {
            let Some(transmit) = node.poll_transmit(now, &mut self.train, max_segments) else {
                // It may have more to send after that.
                match self.report(now, node) {
                    Reported::Something => continue,
                    Reported::Nothing => return node.poll_timeout(),
                }
            };
            self.show_sent(now, &transmit);
            if self.stays_here(&transmit) {
                self.turn_back(now, &transmit, node);
                continue;
            }
            if let Sent::Blocked { sent } = self.carrier.send(&transmit, &self.train) {
                self.blocked = Some(Blocked {
                    transmit,
                    sent,
                    since: now,
                });
                return Some(now + Duration::from_millis(1));
            }
        }
        Some(now)
    }

    /// Sleeps until a socket has something or `deadline` has come.
    ///
    /// # Errors
    /// The system's.
    pub fn wait(&self, deadline: Option<Time>) -> io::Result<()> {
        let span = deadline.map(|deadline| deadline.since(self.now()));
        let span = span.map(|span| Timespec {
            tv_sec: span.as_secs().try_into().unwrap_or(i64::MAX),
            tv_nsec: span.subsec_nanos().into(),
        });
        let mut polled = [PollFd::new(&self.epoll, PollFlags::IN)];
        match rustix::event::poll(&mut polled, span.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn watch(&self, position: usize) -> rustix::io::Result<()> {
        let Some(socket) = self.carrier.socket(position) else {
            return Ok(());
        };
        let token = u64::try_from(position).unwrap_or(u64::MAX);
        let data = epoll::EventData::new_u64(token);
        epoll::add(&self.epoll, socket, data, epoll::EventFlags::IN)
    }

    /// Takes in what the sockets have, at most a few batches of each.
    fn receive(&mut self, node: &mut impl Node) {
        let mut events = [const {
            epoll::Event {
                flags: epoll::EventFlags::empty(),
                data: epoll::EventData::new_u64(0),
            }
        }; EVENTS];
        let at_once = Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        let count = epoll::wait(&self.epoll, &mut events, Some(&at_once)).unwrap_or(0);
        for event in events.iter().take(count) {
            let data = event.data;
            if data.u64() == NEWS {
                self.look_for_addresses(node);
                continue;
            }
            let position = usize::try_from(data.u64()).unwrap_or(usize::MAX);
            let flags = event.flags;
            if flags.contains(epoll::EventFlags::ERR) {
                self.carrier.read_icmp_reports(position);
            }
            self.receive_from(position, node);
        }
    }

    fn receive_from(&mut self, position: usize, node: &mut impl Node) {
        for _ in 0..BATCHES {
            if self.carrier.receive(position, &mut self.batch).is_err() {
                return;
            }
            let now = self.clock.now();
            for (datagram, _) in self.batch.datagrams() {
                if !self.carrier.takes(&self.ports, datagram.payload) {
                    continue;
                }
                if let Some(tap) = &mut self.tap {
                    tap.see(
                        now,
                        &SeenPacket::received(&datagram, self.carrier.udp_port()),
                    );
                }
                node.handle_datagram(now, datagram);
            }
            if !self.batch.is_large() {
                return;
            }
        }
    }

    /// Tells the node what was said of packets that were sent.
    fn report(&self, now: Time, node: &mut impl Node) -> Reported {
        let reports = self.carrier.take_icmp_reports();
        for report in &reports {
            node.handle_icmp(now, report.icmp());
        }
        match reports.as_slice() {
            [] => Reported::Nothing,
            _ => Reported::Something,
        }
    }

    /// Whether a train is for the endpoint that sends it: then it needs no network.
    fn stays_here(&self, transmit: &Transmit) -> bool {
        let remote = transmit.remote;
        let is_ours = match (remote.encapsulation, self.carrier.udp_port()) {
            (Some(port), Some(own)) => port == own,
            // Another stack may have the port at the same address.
            (None, None) => destination_port(&self.train).is_some_and(|p| self.ports.contains(p)),
            _ => false,
        };
        is_ours && self.carrier.has(remote.ip) && self.carrier.has(transmit.local)
    }

    /// Gives the endpoint its own train, which was shown to the tap as one that left.
    fn turn_back(&mut self, now: Time, transmit: &Transmit, node: &mut impl Node) {
        let segment = transmit.segment_size.unwrap_or(self.train.len()).max(1);
        for packet in self.train.chunks(segment) {
            let datagram = Datagram {
                local: transmit.remote.ip,
                remote: PeerAddress {
                    ip: transmit.local,
                    encapsulation: self.carrier.udp_port(),
                },
                ecn: transmit.ecn,
                payload: packet,
            };
            node.handle_datagram(now, datagram);
        }
    }

    /// Goes on with a train that found no room; whether nothing is in the way any more.
    fn resume(&mut self, now: Time) -> bool {
        let Some(blocked) = self.blocked.take() else {
            return true;
        };
        let rest = self.train.get(blocked.sent..).unwrap_or_default();
        match self.carrier.send(&blocked.transmit, rest) {
            Sent::Done => true,
            Sent::Blocked { .. } if now.since(blocked.since) >= BLOCKED_AT_MOST => {
                let segment = blocked.transmit.segment_size.unwrap_or(rest.len()).max(1);
                self.carrier.lose(rest.len().div_ceil(segment));
                true
            }
            Sent::Blocked { sent } => {
                self.blocked = Some(Blocked {
                    sent: blocked.sent + sent,
                    ..blocked
                });
                false
            }
        }
    }

    fn show_sent(&mut self, now: Time, transmit: &Transmit) {
        if let Some(tap) = &mut self.tap {
            let segment = transmit.segment_size.unwrap_or(self.train.len()).max(1);
            for packet in self.train.chunks(segment) {
                tap.see(
                    now,
                    &SeenPacket::sent(transmit, packet, self.carrier.udp_port()),
                );
            }
        }
    }

    /// Brings the raw sockets' filter up to date.
    fn admit_ports(&mut self) {
        let revision = self.ports.revision();
        if self.carrier.udp_port().is_none() && revision != self.filtered {
            self.filtered = revision;
            self.carrier.set_ports(&self.ports);
        }
    }
}

impl AsFd for PollLoop {
    /// Readable when a socket has packets or errors.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.epoll.as_fd()
    }
}

#[cfg(test)]
mod tests;
