//! The network, its agents, and virtual time.

mod agent_slot;
mod delivery;
mod topology;

use core::fmt;
use core::net::IpAddr;
use core::time::Duration;
use std::collections::VecDeque;
use std::io::{self, Write};

use sheave_engine::Time;

pub use agent_slot::AgentId;
pub use topology::{HostId, InterfaceId, LinkId, Port, RouterId, TopologyError};

use self::agent_slot::AgentSlot;
use self::topology::Topology;
use crate::capture::{Capture, Tap};
use crate::events::{Event, Events};
use crate::link::{Around, Link};
use crate::packets::Packets;
use crate::{Fingerprint, LinkSpec, LinkStats, Random, Visitor};

/// The reason why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Every agent with a goal has reached it.
    Finished,
    /// No events are left.
    Quiet,
    /// The end time was reached.
    TimeUp,
}

/// Packets that hosts and routers could not handle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Misdirected {
    /// Packets without a route to their destination.
    pub unroutable: u64,
    /// Packets that reached a host without an agent for their protocol.
    pub unclaimed: u64,
}

/// Hosts, routers, links, and the agents on the hosts, in virtual time.
pub struct World {
    now: Time,
    random: Random,
    events: Events,
    packets: Packets,
    topology: Topology,
    links: Vec<Link>,
    agents: Vec<AgentSlot>,
    /// Number of agents that are [`Progress::Working`], and that are [`Progress::Done`].
    working: usize,
    done: usize,
    /// Reusable buffer for the next packet.
    spare: Vec<u8>,
    /// Packets of other networks that have arrived, to be taken.
    departures: VecDeque<Visitor>,
    fingerprint: Fingerprint,
    misdirected: Misdirected,
    /// Capture of all packets sent by hosts.
    capture: Option<Capture>,
}

impl World {
    /// Creates an empty world at time 0. The seed determines all random draws.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self {
            now: Time::ZERO,
            random: Random::new(seed),
            events: Events::default(),
            packets: Packets::default(),
            topology: Topology::default(),
            links: Vec::new(),
            agents: Vec::new(),
            working: 0,
            done: 0,
            spare: Vec::new(),
            departures: VecDeque::new(),
            fingerprint: Fingerprint::new(),
            misdirected: Misdirected::default(),
            capture: None,
        }
    }

    /// A random generator, determined by the world's seed and the label only.
    pub fn random(&self, label: &str) -> Random {
        self.random.fork(label)
    }

    /// A seed of 32 bytes for an endpoint, determined by the world's seed and the label only.
    pub fn seed(&self, label: &str) -> [u8; 32] {
        let mut random = self.random.fork(label);
        let mut seed = [0; 32];
        for word in seed.chunks_mut(8) {
            word.copy_from_slice(&random.u64().to_le_bytes());
        }
        seed
    }

    /// Adds a host with one interface per address.
    ///
    /// # Errors
    /// When another interface already has one of the addresses.
    pub fn add_host(&mut self, label: &str, addresses: &[IpAddr]) -> Result<HostId, TopologyError> {
        self.topology.add_host(label, addresses)
    }

    /// Adds a router.
    pub fn add_router(&mut self, label: &str) -> RouterId {
        self.topology.add_router(label)
    }

    /// The label of a host.
    pub fn host_label(&self, host: HostId) -> &str {
        self.topology.host_label(host)
    }

    /// The label of a router.
    pub fn router_label(&self, router: RouterId) -> &str {
        self.topology.router_label(router)
    }

    /// The interface with that address.
    pub fn interface(&self, address: IpAddr) -> Option<InterfaceId> {
        self.topology.find(address)
    }

    /// Adds a one-way link. Its random draws depend on its label and the seed, but not on other
    /// links.
    ///
    /// # Errors
    /// When the interface at its start already has a link, or the label is taken.
    pub fn add_link(
        &mut self,
        label: &str,
        from: impl Into<Port>,
        to: impl Into<Port>,
        spec: &LinkSpec,
    ) -> Result<LinkId, TopologyError> {
        if self.links.iter().any(|link| link.label == label) {
            return Err(TopologyError::LabelTaken(label.to_owned()));
        }
        let to = to.into();
        let id = self.topology.add_link(from.into(), to)?;
        let random = self.random.fork("links").fork(label);
        self.links.push(Link::new(id, label, to, spec, &random));
        Ok(id)
    }

    /// Adds two equal links, one per direction: `label`, and `label` with the suffix `-back`.
    ///
    /// # Errors
    /// The same as for [`add_link`](Self::add_link).
    pub fn add_links(
        &mut self,
        label: &str,
        one: impl Into<Port>,
        other: impl Into<Port>,
        spec: &LinkSpec,
    ) -> Result<(LinkId, LinkId), TopologyError> {
        let (one, other) = (one.into(), other.into());
        let there = self.add_link(label, one, other, spec)?;
        let back = self.add_link(&format!("{label}-back"), other, one, spec)?;
        Ok((there, back))
    }

    /// Makes a router use `link` for packets to a destination; by default, packets take the route
    /// with the fewest links.
    pub fn set_route(&mut self, router: RouterId, destination: InterfaceId, link: LinkId) {
        self.topology.set_route(router, destination, link);
    }

    /// Assigns all unknown addresses to an interface: it receives packets for them, and its host
    /// may use any of them as a source address, for example to forge addresses.
    pub const fn set_elsewhere(&mut self, interface: InterfaceId) {
        self.topology.set_elsewhere(interface);
    }

    /// Writes the packets on a link to `out` as pcapng until
    /// [`finish_captures`](Self::finish_captures).
    pub fn capture(&mut self, link: LinkId, tap: Tap, out: Box<dyn Write + Send>) {
        let link = &mut self.links[link.0];
        let capture = Capture::new([link.label.as_str()], u64::MAX, out);
        link.set_capture(tap, capture);
    }

    /// Writes at most `packets` packets to `out` as pcapng, when hosts send them and before any
    /// loss. Each link is a separate capture interface.
    pub fn capture_hosts(&mut self, packets: u64, out: Box<dyn Write + Send>) {
        let labels = self.links.iter().map(|link| link.label.as_str());
        self.capture = Some(Capture::new(labels, packets, out));
    }

    /// Whether the capture of the hosts' packets has reached its limit.
    pub fn capture_is_full(&self) -> bool {
        self.capture.as_ref().is_some_and(Capture::is_full)
    }

    /// Finishes all captures.
    ///
    /// # Errors
    /// The first write error.
    pub fn finish_captures(&mut self) -> io::Result<()> {
        let captures = self.links.iter_mut().filter_map(Link::take_capture);
        captures
            .chain(self.capture.take())
            .map(Capture::finish)
            .fold(Ok(()), Result::and)
    }

    /// The current virtual time.
    pub const fn now(&self) -> Time {
        self.now
    }

    /// Hash of the run so far.
    pub const fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// Packet counters of a link.
    pub fn link_stats(&self, link: LinkId) -> LinkStats {
        self.links[link.0].stats
    }

    /// Links with their labels, in the order of addition.
    pub fn links(&self) -> impl Iterator<Item = (LinkId, &str)> {
        self.links.iter().map(|link| (link.id, link.label.as_str()))
    }

    /// Packets that hosts and routers could not handle.
    pub const fn misdirected(&self) -> Misdirected {
        self.misdirected
    }

    /// Number of packets queued or in transit.
    pub const fn packets_in_flight(&self) -> usize {
        self.packets.in_use()
    }

    /// Number of packets queued at a link.
    pub fn queue_len(&self, link: LinkId) -> usize {
        self.links[link.0].queue_len()
    }

    /// Sends a packet of another network from an interface, now. The packet travels to its
    /// destination interface like agents' packets; after arrival it is returned by
    /// [`poll_departure`](Self::poll_departure).
    pub fn admit(&mut self, from: InterfaceId, visitor: Visitor) {
        self.topology.complete();
        let Some(link) = self.topology.out(from) else {
            self.misdirected.unroutable += 1;
            return;
        };
        let id = self.packets.take();
        let parcel = self.packets.get_mut(id);
        parcel.to = visitor.to;
        parcel.tag = Some(visitor.tag);
        parcel.packet = visitor.packet;
        let (link, mut around) = self.at(link);
        link.offer(&mut around, id);
    }

    /// The next packet of another network that has arrived.
    pub fn poll_departure(&mut self) -> Option<Visitor> {
        self.departures.pop_front()
    }

    /// Time of the next event; `None` if there are no events. The event may turn out to have no
    /// effect.
    pub fn poll_timeout(&self) -> Option<Time> {
        self.events.next_time()
    }

    /// Runs for a duration.
    pub fn run_for(&mut self, span: Duration) -> Outcome {
        self.run_until(self.now + span)
    }

    /// Runs until `end`, even if the agents reach their goals earlier.
    pub fn run_until(&mut self, end: Time) -> Outcome {
        while self.step(end) {}
        let quiet = self.events.is_empty();
        self.now = self.now.max(end);
        if quiet {
            Outcome::Quiet
        } else {
            Outcome::TimeUp
        }
    }

    /// Runs until every agent with a goal has reached it, but at most until `end`. Time stops at
    /// the last event.
    pub fn run_to_completion(&mut self, end: Time) -> Outcome {
        loop {
            if self.working == 0 && self.done > 0 {
                return Outcome::Finished;
            }
            if !self.step(end) {
                return if self.events.is_empty() {
                    Outcome::Quiet
                } else {
                    Outcome::TimeUp
                };
            }
        }
    }

    /// Handles the next event, unless it is later than `end`.
    fn step(&mut self, end: Time) -> bool {
        self.topology.complete();
        let Some((key, event)) = self.events.pop_until(end) else {
            return false;
        };
        self.now = key.time;
        match event {
            Event::Arrival(link) => self.on_arrival(link, key),
            Event::Free(link) => {
                let (link, mut around) = self.at(link);
                link.on_free(&mut around);
            }
            Event::Icmp(link, icmp) => self.on_icmp(link, icmp),
            Event::Timer(agent) => self.on_timer(agent, key),
        }
        true
    }

    fn at(&mut self, link: LinkId) -> (&mut Link, Around<'_>) {
        let around = Around {
            now: self.now,
            packets: &mut self.packets,
            events: &mut self.events,
        };
        (&mut self.links[link.0], around)
    }
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("World")
            .field("now", &self.now)
            .field("links", &self.links)
            .field("agents", &self.agents.len())
            .field("packets", &self.packets.in_use())
            .field("fingerprint", &self.fingerprint)
            .finish_non_exhaustive()
    }
}
