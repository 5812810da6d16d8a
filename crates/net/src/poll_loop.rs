//! Sockets and a clock without threads, for a program with its own poll loop.
//!
//! A [`PollLoop`] owns only the sockets. The caller owns the [`Node`], usually an `Endpoint` of
//! `sheave-engine`. It waits until the loop's file descriptor is readable or the deadline returned
//! by the last step has passed, then calls [`step`](PollLoop::step). It also calls `step` after
//! each of its own calls to the node, so that resulting packets are sent.
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

/// Maximum batches received from one socket per step.
const BATCHES: usize = 8;

/// Maximum trains sent per step; the rest waits for the next step, which is due at once.
const TRAINS: usize = 64;

/// Epoll key of the address-change socket; carrier sockets use their positions.
const NEWS: u64 = u64::MAX;

/// Maximum epoll events per wait.
const EVENTS: usize = 32;

/// Sockets of an endpoint, its clock, and the train waiting to be sent.
pub struct PollLoop {
    carrier: Carrier,
    clock: Clock,
    /// Epoll descriptor, readable when a socket is.
    epoll: OwnedFd,
    batch: Batch,
    train: Vec<u8>,
    blocked: Option<Blocked>,
    ports: Ports,
    filtered: u64,
    news: Option<AddressNews>,
    tap: Option<Box<dyn Tap>>,
}

/// A train interrupted by a full socket buffer.
struct Blocked {
    transmit: Transmit,
    /// Bytes already sent.
    sent: usize,
    since: Time,
}

/// Whether any report was passed to the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reported {
    Something,
    Nothing,
}

impl PollLoop {
    /// Binds the sockets that `config` requests; its thread counts and linger time are ignored.
    ///
    /// # Errors
    /// The errors of [`Endpoint::bind`](crate::Endpoint::bind).
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

    /// Adds a socket at `ip`, for an endpoint whose addresses change (RFC 5061).
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

    /// Checks this machine's addresses and reports changes to the node, if the configuration uses
    /// all addresses. Each [`step`](Self::step) does the same when the system signals a change.
    pub fn look_for_addresses(&mut self, node: &mut impl Node) {
        let Some(news) = &self.news else {
            return;
        };
        let before = self.carrier.sockets().count();
        let change = news.look(&self.carrier);
        if change != AddressChange::default() {
            // A failure is harmless: unwatched sockets are read when another socket becomes ready,
            // or not at all.
            let _ = self.watch_from(before);
            node.handle_addresses(self.clock.now(), &change.gained, &change.lost);
        }
    }

    /// Adds the new sockets, from position `before` on, to epoll.
    fn watch_from(&self, before: usize) -> rustix::io::Result<()> {
        if self.carrier.udp_port().is_none() {
            self.carrier.set_ports(&self.ports);
        }
        (before..self.carrier.sockets().count()).try_for_each(|position| self.watch(position))
    }

    /// Local addresses of the sockets.
    #[must_use]
    pub fn local_addresses(&self) -> &[IpAddr] {
        self.carrier.addresses()
    }

    /// The routes of this machine, for [`Endpoint::set_routes`](sheave_engine::Endpoint::set_routes).
    #[must_use]
    pub fn routes(&self) -> Arc<dyn Routes> {
        Arc::new(SystemRoutes::default())
    }

    /// The UDP port; `None` over raw IP.
    #[must_use]
    pub fn udp_port(&self) -> Option<u16> {
        self.carrier.udp_port()
    }

    /// Time since the sockets were bound; the node's clock.
    #[must_use]
    pub fn now(&self) -> Time {
        self.clock.now()
    }

    /// Returns the options with path MTUs adapted to the interfaces.
    #[must_use]
    pub fn fit(&self, options: Options) -> Options {
        self.carrier.fit(options, &[])
    }

    /// Warnings about this machine's configuration.
    #[must_use]
    pub fn warnings(&self, config: &Config) -> Vec<Warning> {
        self.carrier.warnings(config)
    }

    /// Counters of the sockets.
    #[must_use]
    pub fn stats(&self) -> CarrierStats {
        self.carrier.stats()
    }

    /// Accepts packets to that SCTP port. Only raw IP needs this, where other stacks may share the
    /// address and packets to other ports are ignored; over UDP, all packets are accepted.
    pub fn open_port(&mut self, port: u16) {
        self.ports.add(port);
    }

    /// Undoes an [`open_port`](Self::open_port).
    pub fn close_port(&mut self, port: u16) {
        self.ports.remove(port);
    }

    /// Passes each further packet to `tap`.
    pub fn set_tap(&mut self, tap: Box<dyn Tap>) {
        self.tap = Some(tap);
    }

    /// Receives waiting packets, runs due timers and sends. Returns the latest time for the next
    /// step; `None` if only an arriving packet requires one.
    pub fn step(&mut self, node: &mut impl Node) -> Option<Time> {
        self.receive(node);
        let now = self.now();
        self.report(now, node);
        if node.poll_timeout().is_some_and(|due| due <= now) {
            node.handle_timeout(now);
        }
        self.send(node)
    }

    /// Sends the node's packets without receiving first; the last part of a step.
    pub fn send(&mut self, node: &mut impl Node) -> Option<Time> {
        // Update the filter before a packet leaves, so that its answer can come in, and for ports
        // that only listen.
        self.admit_ports();
        let now = self.now();
        if !self.resume(now) {
            return Some(now + Duration::from_millis(1));
        }
        let max_segments = self.carrier.max_segments();
        for _ in 0..TRAINS {
            let Some(transmit) = node.poll_transmit(now, &mut self.train, max_segments) else {
                // The reports may cause further packets.
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

    /// Sleeps until a socket is ready or `deadline` has passed.
    ///
    /// # Errors
    /// The error of the system call.
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

    /// Receives at most [`BATCHES`] batches from each ready socket.
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

    /// Passes ICMP reports about sent packets to the node.
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

    /// Whether a train is addressed to its own endpoint and needs no network.
    fn stays_here(&self, transmit: &Transmit) -> bool {
        let remote = transmit.remote;
        let is_ours = match (remote.encapsulation, self.carrier.udp_port()) {
            (Some(port), Some(own)) => port == own,
            // Another stack may own the port at the same address.
            (None, None) => destination_port(&self.train).is_some_and(|p| self.ports.contains(p)),
            _ => false,
        };
        is_ours && self.carrier.has(remote.ip) && self.carrier.has(transmit.local)
    }

    /// Delivers a train to its own endpoint; the tap has seen it as sent.
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

    /// Resumes an interrupted train; returns whether sending may continue.
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
