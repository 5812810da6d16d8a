//! The stack: sockets, associations and the dispatch of engine events to sockets.

mod accept;
mod bind;
mod close;
mod connect;
mod events;
mod host_addresses;
mod library;
mod listing;
mod options;
mod receive;
mod send;

use core::net::IpAddr;
use core::time::Duration;
use std::sync::Arc;

use sheave_engine::{
    Admission, Datagram, Endpoint, EndpointOptions, Icmp, IcmpError, Node, Options, Routes, Time,
    Transmit,
};

use self::events::Digested;
pub use self::listing::{ListedAssociation, ListedListener, Listing, Tally};
use crate::abi::System;
use crate::associations::Associations;
use crate::attached::Attached;
use crate::changes::Changes;
use crate::ephemeral::Ephemeral;
use crate::lookup::Lookup;
use crate::sockets::Sockets;
use crate::transport::Transport;
use crate::{
    Abi, AssocId32, Domain, Errno, KeyManagement, Profile, Readiness, Socket, SocketId,
    SocketMemory, Style,
};

/// An endpoint and its sockets.
#[derive(Debug)]
pub struct Stack {
    profile: Profile,
    transport: Transport,
    associations: Associations,
    sockets: Sockets,
    changes: Changes,
    ports: Ephemeral,
    /// Wall-clock time at [`Time::ZERO`], since the Unix epoch.
    wall_clock: Duration,
    timestamps: Timestamps,
    tally: Tally,
    /// The address for which the last `bind` failed.
    missing: Option<IpAddr>,
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
        Self {
            profile: Profile {
                abi,
                defaults,
                encapsulation: None,
                own_encapsulation: None,
                memory: [SocketMemory::LINUX; 2],
            },
            ports: Ephemeral::new(&seed),
            transport: Transport::new(Endpoint::new(local, options, seed)),
            associations: Associations::new(),
            sockets: Sockets::new(),
            changes: Changes::default(),
            wall_clock: Duration::ZERO,
            timestamps: Timestamps::Unused,
            tally: Tally::default(),
            missing: None,
        }
    }

    /// The values that sockets start with when they are created.
    pub const fn profile_mut(&mut self) -> &mut Profile {
        &mut self.profile
    }

    /// Sets the routes that choose the source addresses of packets.
    pub fn set_routes(&mut self, routes: Arc<dyn Routes>) {
        self.transport.endpoint.set_routes(routes);
    }

    /// Sets key management for associations from now on.
    pub fn set_key_management(&mut self, keys: Box<dyn KeyManagement>) {
        self.transport.keys = Some(keys);
    }

    /// Sets the wall-clock time at `now`, since the Unix epoch, for arrival times (`SO_TIMESTAMP`).
    /// The last call counts; before the first, times count from [`Time::ZERO`].
    pub const fn set_wall_clock(&mut self, now: Time, since_epoch: Duration) {
        self.wall_clock = since_epoch.saturating_sub(now.since(Time::ZERO));
    }

    /// The endpoint, for its addresses and counters. Read-only: changes go through the stack, which
    /// handles the resulting events.
    #[must_use]
    pub const fn endpoint(&self) -> &Endpoint {
        &self.transport.endpoint
    }

    /// The numbers and struct layouts in use.
    #[must_use]
    pub const fn abi(&self) -> Abi {
        self.profile.abi
    }

    /// Creates a socket (RFC 6458 §3.1.1, §4.1.1).
    pub fn socket(&mut self, domain: Domain, style: Style) -> SocketId {
        self.sockets.enter(self.profile.socket(domain, style))
    }

    /// A socket, for what callers may ask it.
    ///
    /// # Errors
    /// `EBADF` if it is closed.
    pub fn find(&self, id: SocketId) -> Result<&Socket, Errno> {
        self.sockets.find(id)
    }

    /// The state of a socket as `poll` sees it.
    #[must_use]
    pub fn readiness(&self, id: SocketId) -> Readiness {
        let socket = self.sockets.find(id);
        socket.map_or_else(
            |_| Readiness::default(),
            |socket| socket.readiness(self.profile.system(), &self.associations),
        )
    }

    /// Returns a socket whose [readiness](Self::readiness) may have changed since it was last
    /// returned; `None` if there is none.
    pub fn poll_changed(&mut self) -> Option<SocketId> {
        self.changes.poll()
    }

    /// Whether all sockets are closed and no association is left.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.sockets.is_empty() && self.associations.is_empty()
    }

    fn lookup(&self, id: SocketId) -> Result<Lookup<'_>, Errno> {
        Ok(Lookup {
            abi: self.profile.abi,
            socket: self.sockets.find(id)?,
            associations: &self.associations,
            endpoint: &self.transport.endpoint,
        })
    }

    fn attached(&mut self, number: AssocId32) -> Option<Attached<'_>> {
        let association = self.associations.get_mut(number)?;
        Some(Attached {
            number,
            socket: self.sockets.owner(association.owner),
            association,
            profile: &self.profile,
            transport: &mut self.transport,
            changes: &mut self.changes,
        })
    }

    /// Updates the engine's listener of a socket.
    fn listen_anew(&mut self, id: SocketId) -> Result<(), Errno> {
        let socket = self.sockets.find_mut(id)?;
        self.transport.listen_anew(&self.profile.defaults, socket)
    }
}

impl Node for Stack {
    fn handle_datagram(&mut self, now: Time, datagram: Datagram<'_>) {
        self.transport.endpoint.handle_datagram(now, datagram);
        self.digest(now);
        self.note_arrivals(now);
    }

    fn handle_icmp(&mut self, now: Time, icmp: Icmp<'_>) {
        match icmp.error {
            IcmpError::NoSuchPort => self.on_no_such_port(now, icmp),
            IcmpError::NoSuchProtocol | IcmpError::Unreachable | IcmpError::PacketTooBig { .. } => {
                self.transport.endpoint.handle_icmp(now, icmp);
            }
        }
        self.digest(now);
    }

    fn handle_addresses(&mut self, now: Time, gained: &[IpAddr], lost: &[IpAddr]) {
        let mut all = self.transport.endpoint.local_addresses().to_vec();
        all.retain(|ip| !lost.contains(ip));
        all.extend_from_slice(gained);
        self.set_local_addresses(now, &all);
    }

    fn handle_timeout(&mut self, now: Time) {
        self.transport.endpoint.handle_timeout(now);
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
            let transmit = self
                .transport
                .endpoint
                .poll_transmit(now, buf, max_segments);
            // Handles events left by earlier engine calls before returning.
            if transmit.is_some() || self.digest(now) == Digested::Nothing {
                return transmit;
            }
        }
    }

    fn poll_timeout(&self) -> Option<Time> {
        [
            self.transport.endpoint.poll_timeout(),
            self.sockets.next_look,
        ]
        .into_iter()
        .flatten()
        .min()
    }
}
