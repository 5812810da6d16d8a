//! The endpoint: which packet belongs to which association, and what belongs to none.

mod agenda;
mod departed;
mod error_warning;
mod greet;
mod greet_authenticated;
mod handover;
mod icmp;
mod lingering;
mod registry;
mod replies;

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::net::IpAddr;

use sheave_wire::{ChunkType, Packet, Vtag};

use self::agenda::Agenda;
use self::departed::Departed;
pub use self::error_warning::ErrorWarning;
pub use self::icmp::{Complaint, Icmp};
use self::lingering::Lingering;
pub use self::registry::AssocId;
use self::registry::Registry;
pub(crate) use self::replies::Replies;
use crate::assoc::{
    Context, Ending, Farewell, Incoming, Opener, Outlet, Proof, Queued, Tcb, WellFormed,
    leading_asconf,
};
use crate::contents::Contents;
use crate::cookie::Secrets;
use crate::event::Events;
use crate::out_of_the_blue::{self, Cast, Reply};
use crate::phase::Transition;
use crate::pool::Pool;
use crate::rng::Rng;
use crate::tag_rules::{self, TagCheck};
use crate::{
    Assoc, Checksum, ConnectError, Datagram, EndpointOptions, EndpointStats, Event, Integrity,
    ListenError, Node, Options, PathError, PeerAddress, Phase, Received, Time, Transmit, Unsealed,
};

/// The first port that is picked for a side that asks for none (RFC 6335 §6).
const FIRST_EPHEMERAL: u16 = 49_152;

/// Whom to set up an association with (RFC 9260 §11.1.2, ASSOCIATE).
#[derive(Clone, Debug)]
pub struct Connect {
    /// Our SCTP port; `None` picks a free one from 49152 up.
    pub local_port: Option<u16>,
    /// The local addresses to use and to tell the peer; empty means all of the endpoint's.
    pub local: Vec<IpAddr>,
    /// The peer's SCTP port.
    pub remote_port: u16,
    /// Known addresses of the peer, the one to try first in front. Others come from its INIT ACK.
    pub remote: Vec<PeerAddress>,
    /// The protocol parameters.
    pub options: Options,
}

/// An SCTP endpoint: its ports, its addresses and all associations that live on them.
pub struct Endpoint {
    local: Arc<[IpAddr]>,
    options: EndpointOptions,
    rng: Rng,
    /// Made when the first INIT comes, since it needs the time.
    secrets: Option<Secrets>,
    registry: Registry,
    listeners: BTreeMap<u16, Arc<Options>>,
    /// The options of the association that was connected last.
    connected_with: Option<Arc<Options>>,
    agenda: Agenda,
    replies: Replies,
    pool: Pool,
    lingering: Lingering,
    departed: Departed,
    events: Events,
    stats: EndpointStats,
}

impl Endpoint {
    /// An endpoint that owns `local` addresses. `seed` must come from the operating system's
    /// random source; all tags, TSNs, secrets and nonces derive from it.
    #[must_use]
    pub fn new(local: Vec<IpAddr>, options: EndpointOptions, seed: [u8; 32]) -> Self {
        let replies = Replies::new(options.checksum);
        Self {
            local: local.into(),
            options,
            rng: Rng::new(seed).fork("associations"),
            secrets: None,
            registry: Registry::default(),
            listeners: BTreeMap::new(),
            connected_with: None,
            agenda: Agenda::default(),
            replies,
            pool: Pool::default(),
            lingering: Lingering::default(),
            departed: Departed::default(),
            events: Events::default(),
            stats: EndpointStats::default(),
        }
    }

    /// Accepts associations on `port` with these options.
    ///
    /// # Errors
    /// See [`ListenError`].
    pub fn listen(&mut self, port: u16, options: Options) -> Result<(), ListenError> {
        if port == 0 {
            return Err(ListenError::PortZero);
        }
        options.validate().map_err(ListenError::Option)?;
        if self.listeners.contains_key(&port) {
            return Err(ListenError::InUse);
        }
        self.listeners.insert(port, Arc::new(options));
        Ok(())
    }

    /// Accepts no new associations on `port`; those that exist live on.
    pub fn stop_listening(&mut self, port: u16) {
        self.listeners.remove(&port);
    }

    /// Whether packets to `port` concern this endpoint: it listens there, or has an association
    /// or had one until a minute ago.
    #[must_use]
    pub fn owns_port(&self, port: u16) -> bool {
        self.listeners.contains_key(&port)
            || self.registry.uses_port(port)
            || self.lingering.contains(port)
    }

    /// The ports that [`owns_port`](Self::owns_port) holds for, ascending.
    #[must_use]
    pub fn ports(&self) -> Vec<u16> {
        let mut ports: Vec<u16> = self
            .listeners
            .keys()
            .copied()
            .chain(self.registry.ports())
            .chain(self.lingering.ports())
            .collect();
        ports.sort_unstable();
        ports.dedup();
        ports
    }

    /// Starts an association; [`Event::Established`] or [`Event::Closed`] tells how it went.
    ///
    /// # Errors
    /// See [`ConnectError`].
    pub fn connect(&mut self, now: Time, to: Connect) -> Result<AssocId, ConnectError> {
        to.options.validate().map_err(ConnectError::Option)?;
        if to.remote_port == 0 {
            return Err(ConnectError::PortZero);
        }
        if self.registry.len() >= self.options.max_associations {
            return Err(ConnectError::TooManyAssociations);
        }
        let local = self.local_subset(&to.local)?;
        let remote = reachable(&to.remote, &local)?;
        let local_port = self.pick_port(to.local_port, to.remote_port, &remote)?;
        let index = self.registry.vacancy();
        let opener = Opener {
            id: self.registry.id(index),
            options: self.shared(to.options),
            ports: (local_port, to.remote_port),
            local_tag: self.fresh_tag(Vtag(0)),
            local,
            remote,
        };
        let id = opener.id;
        let tcb = Tcb::connect(&mut self.context(now), opener);
        self.registry.insert(index, Box::new(tcb));
        self.settle(now, index);
        Ok(id)
    }

    /// The association of that id, `None` once it is closed.
    pub fn assoc(&mut self, id: AssocId) -> Option<Assoc<'_>> {
        let index = self.registry.find(id)?;
        Some(Assoc::new(self, index))
    }

    /// The next event, in the order in which they happened.
    pub fn poll_event(&mut self) -> Option<(AssocId, Event)> {
        self.events.pop()
    }

    /// As [`handle_datagram`](Node::handle_datagram), where the checksum was looked at before.
    pub fn handle_verified(&mut self, now: Time, datagram: Datagram<'_>, known: Integrity) {
        let Ok(packet) = Packet::parse(datagram.payload) else {
            self.stats.malformed += 1;
            return;
        };
        if !self.is_intact(&packet, datagram.remote.ip.to_canonical(), known) {
            self.stats.bad_checksum += 1;
            return self.salvage(now, &packet, datagram.remote.ip.to_canonical());
        }
        if packet.header.source_port == 0 || packet.header.destination_port == 0 {
            self.stats.malformed += 1;
            return;
        }
        let remote = PeerAddress {
            ip: datagram.remote.ip.to_canonical(),
            ..datagram.remote
        };
        let local = datagram.local.to_canonical();
        let incoming = Incoming {
            packet,
            local,
            remote,
            ecn: datagram.ecn,
            handled: 0,
            proof: Proof::None,
        };
        let tagged = self.addressee(&incoming.packet, remote.ip);
        match tagged {
            Some(index)
                if first_is(&incoming.packet, ChunkType::DATA)
                    || first_is(&incoming.packet, ChunkType::CHECKED_DATA)
                    || first_is(&incoming.packet, ChunkType::SACK) =>
            {
                self.deliver(now, index, &incoming);
            }
            _ => self.place(now, &incoming, tagged),
        }
    }

    /// As [`poll_transmit`](Node::poll_transmit), but leaves the checksums to the caller, who may
    /// write them while others have the endpoint.
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
        while let Some(index) = self.agenda.pop_sender() {
            let Some(tcb) = self.registry.get_mut(index) else {
                continue;
            };
            if let Some(unsealed) = tcb.poll_transmit(now, &mut outlet, max_segments) {
                // Others come first before its next train.
                self.agenda.put_back(index);
                self.agenda.note_deadline(index, tcb);
                return Some(unsealed);
            }
            tcb.books.queued = Queued::No;
        }
        None
    }

    /// Counters of the endpoint.
    #[must_use]
    pub fn stats(&self) -> EndpointStats {
        EndpointStats {
            associations: self.registry.len(),
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
        let ip = ip.to_canonical();
        if !self.local.contains(&ip) {
            self.local = self.local.iter().copied().chain([ip]).collect();
        }
    }

    /// Associations that begin use the address no longer; those that there are do so until
    /// [`Assoc::delete_address`]. The last address stays.
    pub fn remove_local_address(&mut self, ip: IpAddr) {
        let ip = ip.to_canonical();
        if self.local.iter().any(|other| *other != ip) {
            let others = self.local.iter().copied().filter(|other| *other != ip);
            self.local = others.collect();
        }
    }

    pub(crate) fn owns_address(&self, ip: IpAddr) -> bool {
        self.local.contains(&ip)
    }

    /// An association, for changes of which the endpoint's books say nothing.
    pub(crate) fn tcb_mut(&mut self, index: usize) -> &mut Tcb {
        self.registry.tcb_mut(index)
    }

    pub(crate) const fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Lets an association act, then puts the endpoint's books in order.
    pub(crate) fn touch<R>(
        &mut self,
        now: Time,
        index: usize,
        act: impl FnOnce(&mut Tcb, &mut Context<'_>) -> R,
    ) -> R {
        let mut cx = Context {
            now,
            rng: &mut self.rng,
            events: &mut self.events,
            replies: &mut self.replies,
            pool: &mut self.pool,
            memory_left: self.options.max_memory.saturating_sub(self.stats.buffered),
        };
        let outcome = act(self.registry.tcb_mut(index), &mut cx);
        self.settle(now, index);
        outcome
    }

    /// Takes what the user reads next out of an association. Of the books only memory can change
    /// by that, and whether a SACK is due.
    #[inline]
    pub(crate) fn receive(&mut self, now: Time, index: usize) -> Option<Received> {
        let tcb = self.registry.tcb_mut(index);
        let left = self.options.max_memory.saturating_sub(self.stats.buffered);
        let received = tcb.receive(now, left)?;
        let memory = tcb.memory();
        self.stats.buffered = self.stats.buffered + memory - tcb.books.memory;
        tcb.books.memory = memory;
        let left = self.options.max_memory.saturating_sub(self.stats.buffered);
        tcb.announce_room(&mut self.events, left);
        if tcb.owes_sack(now) {
            self.agenda.enlist(index, tcb);
        }
        Some(received)
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
        let Some(tcb) = self.registry.remove(index) else {
            return;
        };
        self.agenda.forget(index, &tcb);
        self.stats.buffered -= tcb.books.memory;
        self.lingering.add(now, tcb.local_port);
        // Before the peer has told its tag there is nobody to say farewell to.
        if tcb.peer_tag != Vtag(0)
            && let Some((local, remote)) = tcb.farewell_addresses()
        {
            match &ending.farewell {
                Farewell::Silent => {}
                Farewell::Abort { causes, reflected } => {
                    self.replies
                        .last_abort((local, remote), &tcb, causes, *reflected);
                }
                Farewell::ShutdownComplete => {
                    self.replies.shutdown_complete(local, remote, tcb.header());
                }
            }
        }
        tcb.close(ending.reason, &mut self.events);
    }

    fn context(&mut self, now: Time) -> Context<'_> {
        Context {
            now,
            rng: &mut self.rng,
            events: &mut self.events,
            replies: &mut self.replies,
            pool: &mut self.pool,
            memory_left: self.options.max_memory.saturating_sub(self.stats.buffered),
        }
    }

    /// After an association was touched: routes to addresses that it has learnt, memory,
    /// deadline, and its place among the senders.
    fn settle(&mut self, now: Time, index: usize) {
        while let Some(gone) = self.registry.tcb_mut(index).take_gone_address() {
            self.registry.forget(index, gone);
        }
        if !self.registry.tcb(index).is_routed() {
            self.registry.route(index);
        }
        let tcb = self.registry.tcb_mut(index);
        tcb.watch_window(now);
        tcb.watch_idleness(now);
        let memory = tcb.memory();
        self.stats.buffered = self.stats.buffered + memory - tcb.books.memory;
        tcb.books.memory = memory;
        let left = self.options.max_memory.saturating_sub(self.stats.buffered);
        tcb.announce_room(&mut self.events, left);
        self.agenda.note_deadline(index, tcb);
        self.agenda.enlist(index, tcb);
    }

    /// Puts an association among those that may have something to send.
    pub(crate) fn enlist(&mut self, index: usize) {
        self.agenda.enlist(index, self.registry.tcb_mut(index));
    }

    /// The options as associations share them that were connected with the same ones.
    fn shared(&mut self, options: Options) -> Arc<Options> {
        match &self.connected_with {
            Some(last) if **last == options => last.clone(),
            _ => self.connected_with.insert(Arc::new(options)).clone(),
        }
    }

    fn local_subset(&self, wanted: &[IpAddr]) -> Result<Arc<[IpAddr]>, ConnectError> {
        if wanted.is_empty() {
            return Ok(self.local.clone());
        }
        match wanted.iter().find(|ip| !self.local.contains(ip)) {
            Some(stranger) => Err(ConnectError::NotLocal(*stranger)),
            None => Ok(wanted.into()),
        }
    }

    fn pick_port(
        &mut self,
        wanted: Option<u16>,
        remote_port: u16,
        remote: &[PeerAddress],
    ) -> Result<u16, ConnectError> {
        let free = |registry: &Registry, port: u16| {
            remote
                .iter()
                .all(|to| registry.by_peer(port, remote_port, to.ip).is_none())
        };
        if let Some(port) = wanted {
            return if port != 0 && free(&self.registry, port) {
                Ok(port)
            } else {
                Err(ConnectError::PortInUse)
            };
        }
        let count = u64::from(u16::MAX - FIRST_EPHEMERAL);
        let start = self.rng.below(count);
        let rest = FIRST_EPHEMERAL + u16::try_from(start).unwrap_or(0)..=u16::MAX;
        let shard = self.options.shard;
        (rest.chain(FIRST_EPHEMERAL..=u16::MAX))
            .filter(|port| shard.has_port(*port))
            .find(|port| !self.listeners.contains_key(port) && free(&self.registry, *port))
            .ok_or(ConnectError::PortInUse)
    }

    /// A verification tag that no association has, nor the peer: equal tags would blur the T bit.
    fn fresh_tag(&mut self, peer: Vtag) -> Vtag {
        loop {
            let near = self.options.shard.tag_near(self.rng.nonzero_u32());
            let is_taken = |tag| self.registry.by_tag(tag).is_some() || self.departed.contains(tag);
            let fresh = near.filter(|tag| *tag != peer && !is_taken(*tag));
            if let Some(tag) = fresh {
                return tag;
            }
        }
    }

    /// The association that a packet names by its tag, ports and source.
    fn addressee(&self, packet: &Packet<'_>, source: IpAddr) -> Option<usize> {
        let index = self.registry.by_tag(packet.header.vtag)?;
        let tcb = self.registry.tcb(index);
        let ports = tcb.local_port == packet.header.destination_port
            && tcb.remote_port == packet.header.source_port;
        // The answer to our INIT may come from another address of the peer (RFC 9260 §5.1.2).
        let known = tcb.path_to(source).is_some()
            || tcb.phase == Phase::CookieWait
            // One of its new addresses, told by itself (RFC 5061 §5.2).
            || tcb.takes_address_changes() && leading_asconf(packet).is_some();
        (ports && known).then_some(index)
    }

    /// Whether it has the tag of an association whose peer may have had that address until a moment
    /// ago: an ABORT in answer would end what only moved (RFC 5061).
    fn is_from_left_address(&self, packet: &Packet<'_>) -> bool {
        let index = self.registry.by_tag(packet.header.vtag);
        index.is_some_and(|index| {
            let tcb = self.registry.tcb(index);
            tcb.takes_address_changes()
                && tcb.local_port == packet.header.destination_port
                && tcb.remote_port == packet.header.source_port
        })
    }

    fn deliver(&mut self, now: Time, index: usize, incoming: &Incoming<'_>) {
        let outcome = self.touch(now, index, |tcb, cx| tcb.handle_packet(cx, incoming));
        match outcome {
            Ok(WellFormed::Yes) => {}
            Ok(WellFormed::No) => self.stats.malformed += 1,
            Err(ending) => self.end(now, index, ending),
        }
    }

    /// A packet that needs more than its tag to be placed (RFC 9260 §8.4, §8.5.1).
    fn place(&mut self, now: Time, incoming: &Incoming<'_>, tagged: Option<usize>) {
        let header = incoming.packet.header;
        let contents = Contents::of(&incoming.packet);
        let index = tagged.or_else(|| {
            self.registry.by_peer(
                header.destination_port,
                header.source_port,
                incoming.remote.ip,
            )
        });
        let Some(index) = index else {
            if self.is_from_left_address(&incoming.packet) {
                self.stats.out_of_the_blue += 1;
                return;
            }
            return self.out_of_the_blue(now, incoming, &contents);
        };
        let tcb = self.registry.tcb(index);
        let peers = (tcb.peer_tag != Vtag(0)).then_some(tcb.peer_tag);
        match tag_rules::check(header.vtag, &contents, tcb.phase, tcb.local_tag, peers) {
            TagCheck::Accept if contents.begins_with(ChunkType::COOKIE_ECHO) => {
                self.on_cookie_echo(now, incoming, Some(index));
            }
            TagCheck::Accept => self.deliver(now, index, incoming),
            TagCheck::Discard => self.stats.bad_tag += 1,
            TagCheck::Init => self.on_init(now, incoming, Some(index)),
            TagCheck::CookieEcho => self.on_cookie_echo(now, incoming, Some(index)),
            TagCheck::OutOfTheBlue => self.out_of_the_blue(now, incoming, &contents),
        }
    }

    /// Whether a packet has the right checksum, or none where its association does without.
    fn is_intact(&self, packet: &Packet<'_>, source: IpAddr, known: Integrity) -> bool {
        self.options.checksum == Checksum::Offloaded
            || match known {
                Integrity::Intact => true,
                Integrity::Damaged => false,
                Integrity::Unknown => {
                    (packet.checksum() == 0 && self.takes_zero_checksum(packet, source))
                        || packet.checksum_is_valid()
                }
            }
    }

    /// Whether a checksum of zero will do (RFC 9653 §5.3). Chunks that set up associations always
    /// have a right one.
    fn takes_zero_checksum(&self, packet: &Packet<'_>, source: IpAddr) -> bool {
        !first_is(packet, ChunkType::INIT)
            && !first_is(packet, ChunkType::COOKIE_ECHO)
            && self
                .addressee(packet, source)
                .is_some_and(|index| self.registry.tcb(index).takes_zero_checksum())
    }

    /// What can be learnt from a packet whose checksum is wrong: nothing, unless its association
    /// has agreed to checksums of chunk headers, or to tell its sender.
    fn salvage(&mut self, now: Time, packet: &Packet<'_>, remote: IpAddr) {
        if let Some(index) = self.addressee(packet, remote) {
            self.touch(now, index, |tcb, cx| {
                tcb.on_damaged_packet(cx, packet, remote);
                tcb.report_drop(cx, packet, remote);
            });
        }
    }

    // RFC 9260 §8.4
    fn out_of_the_blue(&mut self, now: Time, incoming: &Incoming<'_>, contents: &Contents) {
        self.lingering.forget_old(now);
        let header = incoming.packet.header;
        if self.departed.contains(header.vtag) {
            return;
        }
        let cast = Cast::between(incoming.local, incoming.remote.ip);
        match out_of_the_blue::reply(header.vtag, contents, cast) {
            Reply::HandleInit => return self.on_init(now, incoming, None),
            Reply::HandleCookieEcho => return self.on_cookie_echo(now, incoming, None),
            Reply::Silent => {}
            Reply::ShutdownComplete => self.replies.reflect_shutdown_complete(incoming),
            Reply::Abort => self.replies.reflect_abort(incoming),
        }
        self.stats.out_of_the_blue += 1;
    }
}

impl Node for Endpoint {
    fn handle_datagram(&mut self, now: Time, datagram: Datagram<'_>) {
        self.handle_verified(now, datagram, Integrity::Unknown);
    }

    fn handle_timeout(&mut self, now: Time) {
        while let Some(index) = self.agenda.pop_due(now) {
            self.registry.tcb_mut(index).books.deadline = Time::MAX;
            let outcome = self.touch(now, index, Tcb::handle_timeout);
            if let Err(ending) = outcome {
                self.end(now, index, ending);
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
        self.agenda.next_due()
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("local", &self.local)
            .field("listeners", &self.listeners.keys())
            .field("stats", &self.stats())
            .finish_non_exhaustive()
    }
}

/// Whether a packet begins with a chunk of that type.
fn first_is(packet: &Packet<'_>, chunk_type: ChunkType) -> bool {
    packet.bytes().get(12) == Some(&chunk_type.0)
}

/// The peer's addresses that can be reached from `local`.
fn reachable(remote: &[PeerAddress], local: &[IpAddr]) -> Result<Vec<PeerAddress>, ConnectError> {
    let mut usable: Vec<PeerAddress> = Vec::with_capacity(remote.len());
    for address in remote {
        let address = PeerAddress {
            ip: address.ip.to_canonical(),
            ..*address
        };
        let broadcast = matches!(address.ip, IpAddr::V4(ip) if ip.is_broadcast());
        if address.ip.is_unspecified() || address.ip.is_multicast() || broadcast {
            return Err(ConnectError::UnusableAddress(address.ip));
        }
        let reachable = local.iter().any(|ip| ip.is_ipv4() == address.ip.is_ipv4());
        let known = usable.iter().any(|other| other.ip == address.ip);
        if reachable && !known && usable.len() < crate::greeting::MAX_LISTED {
            usable.push(address);
        }
    }
    if usable.is_empty() {
        Err(ConnectError::NoAddress)
    } else {
        Ok(usable)
    }
}
