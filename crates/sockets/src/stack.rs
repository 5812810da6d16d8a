//! The stack: sockets, associations and the dispatch of engine events to sockets.

mod accept;
mod bind;
mod close;
mod connect;
mod delivery;
mod events;
mod host_addresses;
mod library;
mod listing;
mod names;
mod open;
mod options;
mod readiness;
mod receive;
mod send;

use core::net::IpAddr;
use core::time::Duration;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use sheave_engine::{
    Admission, Assoc, AssocId, Datagram, Endpoint, EndpointOptions, Icmp, IcmpError, Node, Options,
    Routes, Time, Transmit,
};

use self::events::Digested;
pub use self::listing::{ListedAssociation, ListedListener, Tally};
use crate::abi::System;
use crate::settings::{AssocSettings, SocketSettings};
use crate::socket::{Association, Kind, Socket};
use crate::{Abi, AssocId32, Domain, Errno, KeyManagement, SocketId, SocketMemory, Style};

/// The first association id; smaller ids are reserved (RFC 6458 §7.2).
const FIRST_ASSOC: AssocId32 = 3;

/// An endpoint and its sockets.
#[derive(Debug)]
pub struct Stack {
    endpoint: Endpoint,
    keys: Option<Box<dyn KeyManagement>>,
    defaults: Options,
    abi: Abi,
    encapsulation: Option<u16>,
    sockets: BTreeMap<SocketId, Socket>,
    next_socket: u64,
    assocs: BTreeMap<AssocId32, Association>,
    numbers: BTreeMap<AssocId, AssocId32>,
    next_assoc: AssocId32,
    changed: VecDeque<SocketId>,
    is_changed: BTreeSet<SocketId>,
    /// State of the port-number generator.
    draws: u64,
    /// Wall-clock time at [`Time::ZERO`], since the Unix epoch.
    wall_clock: Duration,
    timestamps: Timestamps,
    own_encapsulation: Option<u16>,
    tally: Tally,
    /// Addresses that sockets use which are bound to them by name, and no others.
    named: Vec<IpAddr>,
    /// The address for which the last `bind` failed.
    missing: Option<IpAddr>,
    /// Sizes of the send and receive buffers.
    memory: [SocketMemory; 2],
}

/// Whether any program has ever asked for arrival times; packets cost an extra look-up once one
/// has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Timestamps {
    Unused,
    Used,
}

impl Stack {
    /// Creates a stack that owns the addresses `local`. New sockets start with the options
    /// `defaults`; `seed` must come from the operating system's random source.
    #[must_use]
    pub fn new(
        local: Vec<IpAddr>,
        options: EndpointOptions,
        mut defaults: Options,
        abi: Abi,
        seed: [u8; 32],
    ) -> Self {
        if abi.system() == System::Linux {
            defaults.admission = Admission::WhileNotFull;
        }
        let (first, _) = seed.split_at(8);
        let draws = u64::from_le_bytes(first.try_into().unwrap_or_default());
        Self {
            endpoint: Endpoint::new(local, options, seed),
            keys: None,
            defaults,
            abi,
            encapsulation: None,
            sockets: BTreeMap::new(),
            next_socket: 1,
            assocs: BTreeMap::new(),
            numbers: BTreeMap::new(),
            next_assoc: FIRST_ASSOC,
            changed: VecDeque::new(),
            is_changed: BTreeSet::new(),
            draws: draws | 1,
            wall_clock: Duration::ZERO,
            timestamps: Timestamps::Unused,
            own_encapsulation: None,
            tally: Tally::default(),
            named: Vec::new(),
            missing: None,
            memory: [SocketMemory::LINUX; 2],
        }
    }

    /// Sets the peers' default UDP port (`SCTP_REMOTE_UDP_ENCAPS_PORT`) for sockets created from
    /// now on; `None` for plain IP.
    pub const fn set_encapsulation(&mut self, port: Option<u16>) {
        self.encapsulation = port;
    }

    /// Sets the routes that choose the source addresses of packets.
    pub fn set_routes(&mut self, routes: Arc<dyn Routes>) {
        self.endpoint.set_routes(routes);
    }

    /// Sets key management for associations from now on.
    pub fn set_key_management(&mut self, keys: Box<dyn KeyManagement>) {
        self.keys = Some(keys);
    }

    /// Sets the stack's own UDP port, if packets travel over UDP; sockets of this stack reach each
    /// other at this port, not at the peers' port.
    pub const fn set_own_encapsulation(&mut self, port: Option<u16>) {
        self.own_encapsulation = port;
    }

    /// Sets the default and largest buffer sizes for sending and receiving; initially those of an
    /// untuned Linux.
    pub const fn set_memory(&mut self, send: SocketMemory, receive: SocketMemory) {
        self.memory = [send, receive];
    }

    /// Sets the wall-clock time at `now`, since the Unix epoch, for arrival times (`SO_TIMESTAMP`).
    /// The last call counts; before the first, times count from [`Time::ZERO`].
    pub const fn set_wall_clock(&mut self, now: Time, since_epoch: Duration) {
        self.wall_clock = since_epoch.saturating_sub(now.since(Time::ZERO));
    }

    /// The wall-clock time at `at`, since the Unix epoch.
    const fn since_epoch(&self, at: Time) -> Duration {
        self.wall_clock.saturating_add(at.since(Time::ZERO))
    }

    /// The endpoint, for its addresses and counters. Read-only: changes go through the stack, which
    /// handles the resulting events.
    #[must_use]
    pub const fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// The numbers and struct layouts in use.
    #[must_use]
    pub const fn abi(&self) -> Abi {
        self.abi
    }

    /// Creates a socket (RFC 6458 §3.1.1, §4.1.1).
    pub fn socket(&mut self, domain: Domain, style: Style) -> SocketId {
        let kind = match style {
            Style::OneToOne => Kind::OneToOne,
            Style::OneToMany => Kind::OneToMany,
        };
        let mut own = SocketSettings::new();
        if self.abi.system() == System::FreeBsd {
            own.mapped_v4 = 0;
            own.fragment_interleave = 1;
        }
        let mut defaults = AssocSettings::of(&self.defaults, self.encapsulation);
        defaults.path.uncounted = self.abi.uncounted(domain);
        if self.abi.system() == System::FreeBsd {
            defaults.path.shows_discovery();
        }
        defaults.scheduler_number = self.abi.scheduler_number(defaults.scheduler);
        self.enter(Socket::new(domain, kind, own, defaults))
    }

    fn enter(&mut self, socket: Socket) -> SocketId {
        let id = SocketId(self.next_socket);
        self.next_socket += 1;
        self.sockets.insert(id, socket);
        id
    }

    fn find(&self, id: SocketId) -> Result<&Socket, Errno> {
        self.sockets.get(&id).ok_or(Errno::EBADF)
    }

    fn find_mut(&mut self, id: SocketId) -> Result<&mut Socket, Errno> {
        self.sockets.get_mut(&id).ok_or(Errno::EBADF)
    }

    /// Queues a socket for [`poll_changed`](Self::poll_changed).
    fn touch(&mut self, id: SocketId) {
        if self.is_changed.insert(id) {
            self.changed.push_back(id);
        }
    }

    /// Returns a socket whose [readiness](Self::readiness) may have changed since it was last
    /// returned; `None` if there is none.
    pub fn poll_changed(&mut self) -> Option<SocketId> {
        let id = self.changed.pop_front()?;
        self.is_changed.remove(&id);
        Some(id)
    }

    /// Whether all sockets are closed and no association is left.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.sockets.is_empty() && self.assocs.is_empty()
    }

    fn admit(&mut self, association: Association) -> AssocId32 {
        let number = self.next_assoc;
        // Ids start again after 2^31 associations.
        self.next_assoc = number.checked_add(1).unwrap_or(FIRST_ASSOC);
        self.numbers.insert(association.engine, number);
        self.assocs.insert(number, association);
        number
    }

    /// The engine's handle of an association.
    fn engine_assoc(&mut self, number: AssocId32) -> Option<Assoc<'_>> {
        let engine = self.assocs.get(&number)?.engine;
        self.endpoint.assoc(engine)
    }
}

/// The engine options for an association under this key management.
fn fit(keys: Option<&dyn KeyManagement>, options: Options) -> Options {
    match keys {
        Some(keys) => keys.fit(options),
        None => options,
    }
}

impl Node for Stack {
    fn handle_datagram(&mut self, now: Time, datagram: Datagram<'_>) {
        self.endpoint.handle_datagram(now, datagram);
        self.digest(now);
        self.note_arrivals(now);
    }

    fn handle_icmp(&mut self, now: Time, icmp: Icmp<'_>) {
        match icmp.error {
            IcmpError::NoSuchPort => self.on_no_such_port(now, icmp),
            IcmpError::NoSuchProtocol | IcmpError::Unreachable | IcmpError::PacketTooBig { .. } => {
                self.endpoint.handle_icmp(now, icmp);
            }
        }
        self.digest(now);
    }

    fn handle_addresses(&mut self, now: Time, gained: &[IpAddr], lost: &[IpAddr]) {
        let mut all = self.endpoint.local_addresses().to_vec();
        all.retain(|ip| !lost.contains(ip));
        all.extend_from_slice(gained);
        self.set_local_addresses(now, &all);
    }

    fn handle_timeout(&mut self, now: Time) {
        self.endpoint.handle_timeout(now);
        self.close_idle(now);
        self.digest(now);
    }

    fn poll_transmit(
        &mut self,
        now: Time,
        buf: &mut Vec<u8>,
        max_segments: usize,
    ) -> Option<Transmit> {
        loop {
            let transmit = self.endpoint.poll_transmit(now, buf, max_segments);
            // Handles events left by earlier engine calls before returning.
            if transmit.is_some() || self.digest(now) == Digested::Nothing {
                return transmit;
            }
        }
    }

    fn poll_timeout(&self) -> Option<Time> {
        let due = self.next_auto_close();
        [self.endpoint.poll_timeout(), due]
            .into_iter()
            .flatten()
            .min()
    }
}
