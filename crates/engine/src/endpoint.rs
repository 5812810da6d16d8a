//! The endpoint: assigns packets to associations, and answers packets that belong to none.

mod arrival;
mod assoc;
mod closed_ports;
mod connect;
mod deadlines;
mod encapsulation;
mod error_warning;
mod exported_tags;
mod handover;
mod handshake;
mod handshake_authenticated;
mod icmp;
mod inspection;
mod listeners;
mod local_addresses;
mod peers;
mod protection;
mod ready_queue;
mod registry;
mod snap;
mod spent_tags;

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::net::{IpAddr, Ipv4Addr, SocketAddr};

use sheave_wire::{Abort, Causes, StreamId, Vtag};

pub use self::assoc::Assoc;
use self::closed_ports::ClosedPorts;
pub use self::connect::Connect;
use self::deadlines::Deadlines;
pub use self::error_warning::ErrorWarning;
use self::exported_tags::ExportedTags;
pub use self::inspection::Inspection;
use self::listeners::Listeners;
use self::local_addresses::LocalAddresses;
pub use self::protection::Shielded;
use self::ready_queue::ReadyQueue;
use self::registry::Registry;
pub use self::snap::Inits;
use self::spent_tags::SpentTags;
use crate::assoc::extensions::address_changes::following::follow;
use crate::assoc::{Context, Ending, Farewell, Outlet, Queued, Tcb};
use crate::cookie::{Cookie, Secrets};
use crate::memory::Memory;
use crate::phase::Transition;
use crate::pool::Pool;
use crate::replies::Replies;
use crate::rng::Rng;
use crate::value::event::Events;
use crate::{
    AssocId, AssocStats, Datagram, EndpointOptions, EndpointStats, Event, FollowAddresses, Icmp,
    Integrity, ListenError, Message, Node, Options, PathError, PathStats, PeerAddress, Received,
    Routes, SendError, SendOptions, Time, Transmit, Unsealed,
};

/// An SCTP endpoint: its ports, its addresses and all its associations.
///
/// A clone continues from the same state, with the same random sequence, tags and secrets; use it
/// to try out a step. Two clones on one network would act as one endpoint with two states.
#[derive(Clone)]
pub struct Endpoint {
    local: LocalAddresses,
    routes: Option<Arc<dyn Routes>>,
    options: EndpointOptions,
    rng: Rng,
    /// Created at the first INIT, which supplies the current time.
    secrets: Option<Secrets>,
    registry: Registry,
    listeners: Listeners,
    /// Options of the most recent `connect`, shared by associations that use the same ones.
    connected_with: Option<Arc<Options>>,
    deadlines: Deadlines,
    ready: ReadyQueue,
    replies: Replies,
    pool: Pool,
    closed_ports: ClosedPorts,
    exported_tags: ExportedTags,
    spent: SpentTags,
    events: Events,
    memory: Memory,
    stats: EndpointStats,
    /// The packet that was last taken out of a DTLS chunk.
    opened: Vec<u8>,
    /// The peer refused last for lack of protection, and the cause.
    unprotected: Option<(PeerAddress, u16)>,
    /// The association that took the last packet.
    last_receiver: Option<AssocId>,
}

impl Endpoint {
    /// Creates an endpoint that owns the `local` addresses. `seed` must come from the operating
    /// system's random source; all tags, TSNs, secrets and nonces derive from it.
    #[must_use]
    pub fn new(local: Vec<IpAddr>, options: EndpointOptions, seed: [u8; 32]) -> Self {
        let replies = Replies::new(options.checksum);
        let memory = Memory::new(options.max_memory, options.source_share);
        Self {
            local: LocalAddresses::new(local, options.with_loopback),
            routes: None,
            options,
            rng: Rng::new(seed).fork("associations"),
            secrets: None,
            registry: Registry::default(),
            listeners: Listeners::default(),
            connected_with: None,
            deadlines: Deadlines::default(),
            ready: ReadyQueue::default(),
            replies,
            pool: Pool::default(),
            closed_ports: ClosedPorts::default(),
            exported_tags: ExportedTags::default(),
            spent: SpentTags::default(),
            events: Events::default(),
            memory,
            stats: EndpointStats::default(),
            opened: Vec::new(),
            unprotected: None,
            last_receiver: None,
        }
    }

    /// Sets the routes by which new paths choose their local addresses.
    pub fn set_routes(&mut self, routes: Arc<dyn Routes>) {
        self.routes = Some(routes);
    }

    /// Accepts associations on `port` with these options.
    ///
    /// # Errors
    /// See [`ListenError`].
    pub fn listen(&mut self, port: u16, options: Options) -> Result<(), ListenError> {
        self.listen_on(port, &[], options)
    }

    /// Accepts associations on `port` if the INIT arrives at one of these addresses; only these are
    /// listed to the peer. An empty list means all of the endpoint's addresses. Listeners with
    /// different addresses may share a port.
    ///
    /// # Errors
    /// See [`ListenError`].
    pub fn listen_on(
        &mut self,
        port: u16,
        local: &[IpAddr],
        options: Options,
    ) -> Result<(), ListenError> {
        if port == 0 {
            return Err(ListenError::PortZero);
        }
        options.validate().map_err(ListenError::Option)?;
        let local = local.iter().map(IpAddr::to_canonical).collect();
        self.listeners.add(port, local, options)
    }

    /// Stops accepting associations on `port`; existing ones continue.
    pub fn stop_listening(&mut self, port: u16) {
        self.stop_listening_on(port, &[]);
    }

    /// Stops accepting associations for the listener that [`listen_on`](Self::listen_on) created
    /// with these addresses; existing ones continue.
    pub fn stop_listening_on(&mut self, port: u16, local: &[IpAddr]) {
        let local: Vec<IpAddr> = local.iter().map(IpAddr::to_canonical).collect();
        self.listeners.remove(port, &local);
    }

    /// Whether packets to `port` belong to this endpoint: it listens there, has an association
    /// there, or had one within the last minute.
    #[must_use]
    pub fn owns_port(&self, port: u16) -> bool {
        self.listeners.has_port(port)
            || self.registry.uses_port(port)
            || self.closed_ports.contains(port)
    }

    /// The ports for which [`owns_port`](Self::owns_port) is true, ascending.
    #[must_use]
    pub fn ports(&self) -> Vec<u16> {
        let mut ports: Vec<u16> = self
            .listeners
            .ports()
            .chain(self.registry.ports())
            .chain(self.closed_ports.ports())
            .collect();
        ports.sort_unstable();
        ports.dedup();
        ports
    }

    /// The association with that id; `None` once it is closed.
    pub fn assoc(&mut self, id: AssocId) -> Option<Assoc<'_>> {
        let index = self.registry.find(id)?;
        Some(Assoc::new(self, index))
    }

    /// Counters and state of an association, as from [`Assoc::stats`], without mutable access;
    /// `None` if the association is gone.
    #[must_use]
    pub fn stats_of(&self, id: AssocId) -> Option<AssocStats> {
        let index = self.registry.find(id)?;
        Some(self.registry.tcb(index).stats())
    }

    /// Counters and state of each path of an association, as from [`Assoc::path_stats`]; empty if
    /// the association is gone.
    #[must_use]
    pub fn paths_of(&self, id: AssocId) -> Vec<PathStats> {
        let index = self.registry.find(id);
        index.map_or_else(Vec::new, |index| self.registry.tcb(index).paths.stats())
    }

    /// Bytes buffered on a stream, as from [`Assoc::stream_buffered`], without mutable access; 0 if
    /// the association is gone.
    #[must_use]
    pub fn stream_buffered(&self, id: AssocId, stream: StreamId) -> usize {
        let index = self.registry.find(id);
        index.map_or(0, |index| self.registry.tcb(index).stream_buffered(stream))
    }

    /// The next event; events come in the order in which they occurred.
    pub fn poll_event(&mut self) -> Option<(AssocId, Event)> {
        self.events.pop()
    }

    /// Whether [`poll_event`](Self::poll_event) has an event.
    #[must_use]
    pub fn has_events(&self) -> bool {
        !self.events.is_empty()
    }

    /// Works like [`poll_transmit`](Node::poll_transmit) but leaves checksums to the caller, who
    /// may compute them without holding the endpoint.
    pub fn poll_unsealed(
        &mut self,
        now: Time,
        buf: &mut Vec<u8>,
        max_segments: usize,
    ) -> Option<Unsealed> {
        buf.clear();
        if let Some(unsealed) = self.replies.pop(buf) {
            return Some(unsealed);
        }
        let mut outlet = Outlet {
            buf,
            rng: &mut self.rng,
            checksum: self.options.checksum,
        };
        while let Some(index) = self.ready.pop() {
            let Some(tcb) = self.registry.get_mut(index) else {
                continue;
            };
            if let Some(unsealed) = tcb.poll_transmit(now, &mut outlet, max_segments) {
                // Other senders go first before this one's next train.
                self.ready.put_back(index);
                self.deadlines.note(index, tcb);
                return Some(unsealed);
            }
            tcb.accounting.queued = Queued::No;
        }
        None
    }

    /// Counters of the endpoint.
    #[must_use]
    pub fn stats(&self) -> EndpointStats {
        EndpointStats {
            associations: self.registry.len(),
            buffered: self.memory.held(),
            ..self.stats
        }
    }

    /// The ids of all associations.
    pub fn associations(&self) -> impl Iterator<Item = AssocId> + '_ {
        self.registry.iter().map(|tcb| tcb.id)
    }

    /// The associations of a local port with an address of a peer and its port; several only if they
    /// have different local addresses.
    pub fn associations_with(
        &self,
        local_port: u16,
        peer: SocketAddr,
    ) -> impl Iterator<Item = AssocId> + '_ {
        let place = (local_port, peer.port(), peer.ip().to_canonical());
        let all = self.registry.with_peer(place);
        all.map(|(_, tcb)| tcb.id)
    }

    /// Adds a local address. New associations use it; existing ones after [`Assoc::add_address`].
    /// Packets to it must be passed to [`handle_datagram`](Node::handle_datagram).
    pub fn add_local_address(&mut self, ip: IpAddr) {
        self.local.add(ip.to_canonical());
    }

    /// Removes a local address. New associations do not use it; existing ones do until
    /// [`Assoc::delete_address`]. The last address cannot be removed.
    pub fn remove_local_address(&mut self, ip: IpAddr) {
        self.local.remove(ip.to_canonical());
    }

    /// The endpoint's local addresses.
    #[must_use]
    pub fn local_addresses(&self) -> &[IpAddr] {
        self.local.all()
    }

    pub(crate) fn owns_address(&self, ip: IpAddr) -> bool {
        self.local.contains(ip)
    }

    /// Mutable access to an association, for changes that do not affect the endpoint's accounting.
    pub(crate) fn tcb_mut(&mut self, index: usize) -> &mut Tcb {
        self.registry.tcb_mut(index)
    }

    pub(crate) const fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Runs `act` on an association, handles messages to be abandoned as a result, and updates the
    /// endpoint's accounting.
    pub(crate) fn with_tcb<R>(
        &mut self,
        now: Time,
        index: usize,
        act: impl FnOnce(&mut Tcb, &mut Context<'_>) -> R,
    ) -> R {
        let tcb = self.registry.tcb_mut(index);
        let mut cx = Context {
            now,
            rng: &mut self.rng,
            events: &mut self.events,
            replies: &mut self.replies,
            pool: &mut self.pool,
            routes: self.routes.as_deref(),
            memory_left: self.memory.left(&tcb.memory),
        };
        let outcome = act(tcb, &mut cx);
        tcb.settle_partial(&mut cx);
        tcb.report_low_streams(cx.events);
        tcb.report_free_keys(cx.events);
        protection::report(tcb, cx.events);
        self.settle(now, index);
        outcome
    }

    /// Queues a user message: checked in place, then moved once into the queue.
    #[inline]
    pub(crate) fn send(
        &mut self,
        now: Time,
        index: usize,
        message: Message,
        options: SendOptions,
    ) -> Result<(), SendError> {
        let tcb = self.registry.tcb_mut(index);
        let left = self.memory.left(&tcb.memory);
        let outcome = match tcb.admit(now, left, (&message, &options)) {
            Ok(terms) => {
                tcb.enqueue(message, options, terms);
                Ok(())
            }
            Err(objection) => Err(objection.to(message)),
        };
        if tcb.gives_up() {
            self.with_tcb(now, index, |_, _| ());
        } else {
            // No memory was freed, so a refused message stays refused.
            self.account(now, index);
        }
        outcome
    }

    /// Checks a message as [`send`](Self::send) would, without queueing it.
    pub(crate) fn check_send(
        &mut self,
        now: Time,
        index: usize,
        message: &Message,
        options: &SendOptions,
    ) -> Result<(), SendError> {
        let tcb = self.registry.tcb_mut(index);
        let left = self.memory.left(&tcb.memory);
        let outcome = tcb.admit(now, left, (message, options));
        if tcb.gives_up() {
            self.with_tcb(now, index, |_, _| ());
        }
        outcome
            .map(|_| ())
            .map_err(|objection| objection.to(message.clone()))
    }

    /// Whether an association accepts a message while its buffer is not full.
    pub(crate) fn has_room(&mut self, index: usize, length: usize) -> bool {
        let tcb = self.registry.tcb_mut(index);
        let left = self.memory.left(&tcb.memory);
        tcb.is_open(length, left)
    }

    /// Takes the next readable message from an association. Reading affects only memory and SACKs,
    /// so the rest of the accounting is skipped.
    #[inline]
    pub(crate) fn receive(&mut self, now: Time, index: usize) -> Option<Received> {
        let tcb = self.registry.tcb_mut(index);
        let (memory, booking) = (&self.memory, tcb.memory);
        let received = tcb.receive(now, || memory.left(&booking));
        if received.is_some() {
            let held = tcb.memory();
            self.memory.book(&mut tcb.memory, held);
            let (memory, booking) = (&self.memory, tcb.memory);
            tcb.announce_room(&mut self.events, || memory.left(&booking));
            if tcb.owes_sack(now) {
                self.ready.enlist(index, tcb);
            }
        }
        received
    }

    /// Makes the path to `remote` the primary path of an association.
    pub(crate) fn redirect(&mut self, index: usize, remote: IpAddr) -> Result<(), PathError> {
        let outcome = self
            .registry
            .tcb_mut(index)
            .set_primary(&mut self.events, remote);
        self.enlist(index);
        outcome
    }

    /// Ends an association: sends the final chunk to the peer and the last events to the user.
    pub(crate) fn end(&mut self, now: Time, index: usize, ending: Ending) {
        let phase = self.registry.tcb(index).phase;
        if phase.next(ending.trigger) != Transition::Close {
            return;
        }
        let Some(mut tcb) = self.registry.remove(index) else {
            return;
        };
        self.stats.ended.add(&tcb.stats());
        self.deadlines.forget(index);
        self.memory.close(tcb.memory);
        self.closed_ports.add(now, tcb.local_port);
        let life = Cookie::longest_life(tcb.options.valid_cookie_life);
        self.spent.add(now, life, tcb.local_tag);
        // Before the peer's tag is known, no ABORT can be sent.
        if tcb.peer_tag.is_some()
            && let Some(envelope) = tcb.farewell_envelope()
        {
            match &ending.farewell {
                Farewell::Silent => {}
                Farewell::Abort { causes, reflected } => {
                    let abort = Abort {
                        reflected: *reflected,
                        causes: Causes::from_wire(causes),
                    };
                    let authenticator = tcb.extensions.authenticator.as_deref();
                    self.replies
                        .last_abort(envelope, tcb.header(), abort, authenticator);
                }
                Farewell::ShutdownComplete => {
                    self.replies.shutdown_complete(envelope, tcb.header());
                }
            }
            if !matches!(ending.farewell, Farewell::Silent)
                && let Some(shield) = tcb.extensions.shield()
            {
                self.replies.seal_last(shield);
            }
        }
        tcb.close(ending.reason, &mut self.events);
    }

    /// Adds an association at the reserved `index` and opens its entry in the memory accounting.
    fn enroll(&mut self, now: Time, index: usize, make: impl FnOnce(&mut Context<'_>) -> Tcb) {
        let mut tcb = make(&mut Context {
            now,
            rng: &mut self.rng,
            events: &mut self.events,
            replies: &mut self.replies,
            pool: &mut self.pool,
            routes: self.routes.as_deref(),
            memory_left: 0,
        });
        let peer = tcb.paths.iter().next().map(|path| path.remote.ip);
        let peer = peer.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
        tcb.memory = self.memory.open(peer);
        self.registry.insert(index, Box::new(tcb));
    }

    /// Updates routes for addresses gained or lost by an association, then the rest of the
    /// accounting.
    fn settle(&mut self, now: Time, index: usize) {
        let mut tcb = self.registry.tcb_mut(index);
        while let Some(gone) = tcb.extensions.take_gone_address() {
            self.registry.forget(index, gone);
            tcb = self.registry.tcb_mut(index);
        }
        if !tcb.is_routed() {
            self.registry.route(index);
        }
        self.balance(now, index);
    }

    /// Updates the accounting as [`account`](Self::account) does after data arrived or left, and
    /// emits events to users waiting for room.
    #[inline(always)] // After each packet.
    fn balance(&mut self, now: Time, index: usize) {
        let (tcb, memory, events) = self.account(now, index);
        let booking = tcb.memory;
        tcb.announce_room(events, || memory.left(&booking));
    }

    /// Updates the memory, deadline and ready-queue entry of an association.
    #[inline(always)] // After each packet and each message.
    fn account(&mut self, now: Time, index: usize) -> (&mut Tcb, &Memory, &mut Events) {
        let tcb = self.registry.tcb_mut(index);
        tcb.watch_window(now);
        tcb.watch_idleness(now);
        let held = tcb.memory();
        self.memory.book(&mut tcb.memory, held);
        self.deadlines.note(index, tcb);
        self.ready.enlist(index, tcb);
        (tcb, &self.memory, &mut self.events)
    }

    /// Adds an association to the queue of possible senders.
    pub(crate) fn enlist(&mut self, index: usize) {
        self.ready.enlist(index, self.registry.tcb_mut(index));
    }

    /// The options in shared form; associations connected with equal options share one copy.
    fn shared(&mut self, options: Options) -> Arc<Options> {
        match &self.connected_with {
            Some(last) if **last == options => last.clone(),
            _ => self.connected_with.insert(Arc::new(options)).clone(),
        }
    }

    /// A verification tag that neither the peer nor any local association uses. Equal tags at both
    /// ends would make the T bit ambiguous.
    fn fresh_tag(&mut self, peer: Option<Vtag>) -> Vtag {
        loop {
            let near = self.options.shard.tag_near(self.rng.nonzero_u32());
            let is_taken = |tag| {
                self.registry.by_tag(tag).is_some()
                    || self.exported_tags.contains(tag)
                    || self.spent.contains(tag)
            };
            let fresh = near.filter(|tag| Some(*tag) != peer && !is_taken(*tag));
            if let Some(tag) = fresh {
                return tag;
            }
        }
    }
}

impl Node for Endpoint {
    fn handle_datagram(&mut self, now: Time, datagram: Datagram<'_>) {
        self.handle_verified(now, datagram, Integrity::Unknown);
    }

    fn handle_icmp(&mut self, now: Time, icmp: Icmp<'_>) {
        Self::handle_icmp(self, now, icmp);
    }

    fn handle_addresses(&mut self, now: Time, gained: &[IpAddr], lost: &[IpAddr]) {
        gained.iter().for_each(|ip| self.add_local_address(*ip));
        lost.iter().for_each(|ip| self.remove_local_address(*ip));
        if self.options.follow_addresses == FollowAddresses::On {
            let owned = self.local.all().clone();
            let ids: Vec<AssocId> = self.associations().collect();
            for id in ids {
                if let Some(index) = self.registry.find(id) {
                    self.with_tcb(now, index, |tcb, cx| follow(tcb, cx, &owned));
                }
            }
        }
    }

    fn handle_timeout(&mut self, now: Time) {
        while let Some(index) = self.deadlines.pop_due(now) {
            let was_busy = self.tcb_mut(index).is_watched();
            let outcome = self.with_tcb(now, index, Tcb::handle_timeout);
            if let Err(ending) = outcome {
                self.end(now, index, ending);
            } else if was_busy && !self.tcb_mut(index).is_watched() && self.memory.held() == 0 {
                // The last busy association became idle.
                self.pool = Pool::default();
            }
        }
    }

    fn poll_transmit(
        &mut self,
        now: Time,
        buf: &mut Vec<u8>,
        max_segments: usize,
    ) -> Option<Transmit> {
        let unsealed = self.poll_unsealed(now, buf, max_segments)?;
        Some(unsealed.seal(buf))
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.deadlines.next_due()
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("local", self.local.all())
            .field("listeners", &self.listeners)
            .field("stats", &self.stats())
            .finish_non_exhaustive()
    }
}
