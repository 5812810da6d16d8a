//! The endpoint: which packet belongs to which association, and what belongs to none.

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
use core::net::{IpAddr, Ipv4Addr};

use sheave_wire::{Abort, Causes, StreamId, Verifier, Vtag};

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
    Integrity, ListenError, Message, Node, Options, PathError, PathStats, Received, Routes,
    SendError, SendOptions, Time, Transmit, Unsealed,
};

/// An SCTP endpoint: its ports, its addresses and all associations that live on them.
///
/// A clone goes on from the same state with the same draws, tags and secrets: it serves to try what
/// would come of a step. Two of them on one network would be one endpoint in two minds.
#[derive(Clone)]
pub struct Endpoint {
    local: LocalAddresses,
    routes: Option<Arc<dyn Routes>>,
    options: EndpointOptions,
    rng: Rng,
    /// Made when the first INIT comes, since it needs the time.
    secrets: Option<Secrets>,
    verifier: Verifier,
    registry: Registry,
    listeners: Listeners,
    /// The options of the association that was connected last.
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
    /// The association that took the last packet.
    last_receiver: Option<AssocId>,
}

impl Endpoint {
    /// An endpoint that owns `local` addresses. `seed` must come from the operating system's
    /// random source; all tags, TSNs, secrets and nonces derive from it.
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
            verifier: Verifier::default(),
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
            last_receiver: None,
        }
    }

    /// Chooses the local addresses of paths that begin by these routes from now on.
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

    /// Accepts associations on `port` whose INIT comes to one of these addresses, which are all
    /// that the peer is told; no addresses means all of the endpoint's. Listeners of different
    /// addresses may share a port.
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

    /// Accepts no new associations on `port`; those that exist live on.
    pub fn stop_listening(&mut self, port: u16) {
        self.stop_listening_on(port, &[]);
    }

    /// Accepts no new associations any more where [`listen_on`](Self::listen_on) was given these
    /// addresses; those that exist live on.
    pub fn stop_listening_on(&mut self, port: u16, local: &[IpAddr]) {
        let local: Vec<IpAddr> = local.iter().map(IpAddr::to_canonical).collect();
        self.listeners.remove(port, &local);
    }

    /// Whether packets to `port` concern this endpoint: it listens there, or has an association
    /// or had one until a minute ago.
    #[must_use]
    pub fn owns_port(&self, port: u16) -> bool {
        self.listeners.has_port(port)
            || self.registry.uses_port(port)
            || self.closed_ports.contains(port)
    }

    /// The ports that [`owns_port`](Self::owns_port) holds for, ascending.
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

    /// The association of that id, `None` once it is closed.
    pub fn assoc(&mut self, id: AssocId) -> Option<Assoc<'_>> {
        let index = self.registry.find(id)?;
        Some(Assoc::new(self, index))
    }

    /// Counters and state of an association, as [`Assoc::stats`] has them, through a shared reference;
    /// `None` if it is gone.
    #[must_use]
    pub fn stats_of(&self, id: AssocId) -> Option<AssocStats> {
        let index = self.registry.find(id)?;
        Some(self.registry.tcb(index).stats())
    }

    /// Counters and state of each path of an association, as
    /// [`Assoc::path_stats`] has them; none if it is gone.
    #[must_use]
    pub fn paths_of(&self, id: AssocId) -> Vec<PathStats> {
        let index = self.registry.find(id);
        index.map_or_else(Vec::new, |index| self.registry.tcb(index).paths.stats())
    }

    /// The bytes buffered on a stream, as [`Assoc::stream_buffered`] tells them, through a shared reference;
    /// 0 where there is no such association.
    #[must_use]
    pub fn stream_buffered(&self, id: AssocId, stream: StreamId) -> usize {
        let index = self.registry.find(id);
        index.map_or(0, |index| self.registry.tcb(index).stream_buffered(stream))
    }

    /// The next event, in the order in which they happened.
    pub fn poll_event(&mut self) -> Option<(AssocId, Event)> {
        self.events.pop()
    }

    /// Polls like [`poll_transmit`](Node::poll_transmit), but leaves the checksums to the caller,
    /// who may write them while others have the endpoint.
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
                // Others come first before its next train.
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

    /// Owns another address from now on: associations that begin use it, and those that there are
    /// after [`Assoc::add_address`]. Packets to it must reach
    /// [`handle_datagram`](Node::handle_datagram).
    pub fn add_local_address(&mut self, ip: IpAddr) {
        self.local.add(ip.to_canonical());
    }

    /// Associations that begin use the address no longer; those that there are do so until
    /// [`Assoc::delete_address`]. The last address stays.
    pub fn remove_local_address(&mut self, ip: IpAddr) {
        self.local.remove(ip.to_canonical());
    }

    /// The addresses that it owns.
    #[must_use]
    pub fn local_addresses(&self) -> &[IpAddr] {
        self.local.all()
    }

    pub(crate) fn owns_address(&self, ip: IpAddr) -> bool {
        self.local.contains(ip)
    }

    /// An association, for changes that leave the endpoint's accounting alone.
    pub(crate) fn tcb_mut(&mut self, index: usize) -> &mut Tcb {
        self.registry.tcb_mut(index)
    }

    pub(crate) const fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Lets an association act, settles what that means for messages that may be given up, then
    /// brings the endpoint's accounting up to date.
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

    /// Queues what the user sends. It is looked at where it stands, and moved once, into the queue.
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
            // Nothing came free that a refused message could wait for.
            self.account(now, index);
        }
        outcome
    }

    /// Looks at a message as [`send`](Self::send) does.
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

    /// Whether an association takes a message while its buffer is not full.
    pub(crate) fn has_room(&mut self, index: usize, length: usize) -> bool {
        let tcb = self.registry.tcb_mut(index);
        let left = self.memory.left(&tcb.memory);
        tcb.is_open(length, left)
    }

    /// Takes what the user reads next out of an association. Of the accounting only memory can change
    /// by that, and whether a SACK is due.
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

    /// Makes the path to `remote` the primary one of an association.
    pub(crate) fn redirect(&mut self, index: usize, remote: IpAddr) -> Result<(), PathError> {
        let outcome = self
            .registry
            .tcb_mut(index)
            .set_primary(&mut self.events, remote);
        self.enlist(index);
        outcome
    }

    /// Ends an association: the peer gets its last chunk, the user all that is left to tell.
    pub(crate) fn end(&mut self, now: Time, index: usize, ending: Ending) {
        let phase = self.registry.tcb(index).phase;
        if phase.next(ending.trigger) != Transition::Close {
            return;
        }
        let Some(mut tcb) = self.registry.remove(index) else {
            return;
        };
        self.deadlines.forget(index);
        self.memory.close(tcb.memory);
        self.closed_ports.add(now, tcb.local_port);
        let life = Cookie::longest_life(tcb.options.valid_cookie_life);
        self.spent.add(now, life, tcb.local_tag);
        // Before the peer has told its tag there is nobody to say farewell to.
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

    /// Takes in an association, for which `index` was kept free: with a place in the accounting, which
    /// no association is without.
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

    /// After an association was touched: routes to addresses that it has learnt or lost, and the
    /// rest of the accounting.
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

    /// After data came or went in an association: what [`account`](Self::account) does, and those
    /// hear of room who wait for it.
    #[inline(always)] // After each packet.
    fn balance(&mut self, now: Time, index: usize) {
        let (tcb, memory, events) = self.account(now, index);
        let booking = tcb.memory;
        tcb.announce_room(events, || memory.left(&booking));
    }

    /// Memory of an association, its deadline, and its place among the senders.
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

    /// Puts an association among those that may have something to send.
    pub(crate) fn enlist(&mut self, index: usize) {
        self.ready.enlist(index, self.registry.tcb_mut(index));
    }

    /// The options as associations share them that were connected with the same ones.
    fn shared(&mut self, options: Options) -> Arc<Options> {
        match &self.connected_with {
            Some(last) if **last == options => last.clone(),
            _ => self.connected_with.insert(Arc::new(options)).clone(),
        }
    }

    /// A verification tag that no association has, nor the peer: equal tags would blur the T bit.
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
                // The last busy one has fallen idle.
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
