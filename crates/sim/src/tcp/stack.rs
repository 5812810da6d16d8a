mod error;
mod event;
mod node;
mod slot;
mod slots;

use core::net::IpAddr;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use bytes::{BufMut, Bytes};
use sheave_engine::{Checksum, Time};

pub use self::error::{ConnectError, ListenError};
pub use self::event::Event;
use self::slot::{Opener, Slot, Writable};
use self::slots::Slots;
use super::framing::TooLong;
use super::receiver::Receiver;
use super::segment::Header;
use super::tcb::{CloseReason, Reaction, Tcb, Tuple};
use super::{Connection, Options, Phase, SendCounts, SendError, Seq};

/// Most RSTs queued; further ones are dropped.
const REPLIES_MAX: usize = 64;
/// First port for connections that name none (RFC 6335 §6).
const EPHEMERAL: u16 = 49152;

/// Id of a connection of a stack; never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConnectionId(u64);

/// Counters of a stack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StackStats {
    /// Segments dropped for a wrong checksum.
    pub checksum_errors: u64,
    /// Malformed segments.
    pub malformed: u64,
    /// Segments without a connection or listener.
    pub misdirected: u64,
    /// SYNs dropped because of too many half-open connections.
    pub backlog_drops: u64,
    /// Connections with a completed handshake, on either side.
    pub opened: u64,
}

/// A host's TCP: listeners and connections.
#[derive(Debug)]
pub struct Stack {
    checksum: Checksum,
    connections: Slots,
    by_tuple: BTreeMap<Tuple, ConnectionId>,
    /// Connection of the last segment, which is often the next one's, too.
    recent: Option<ConnectionId>,
    listeners: BTreeMap<u16, Listener>,
    /// Deadlines of connections not in `ready`, earliest first. An entry may be too early but never
    /// too late, so postponing a deadline costs nothing.
    deadlines: BTreeSet<(Time, ConnectionId)>,
    /// Connections that may have something to send, in turn.
    ready: VecDeque<ConnectionId>,
    replies: VecDeque<(Tuple, Header)>,
    events: VecDeque<Event>,
    next_port: u16,
    /// State of the generator of initial sequence numbers.
    isn: u64,
    stats: StackStats,
    /// Segments sent by connections that have ended.
    sent: SendCounts,
}

#[derive(Debug)]
struct Listener {
    options: Options,
    backlog: usize,
    half_open: usize,
}

impl Stack {
    /// Creates a stack without connections. The seed determines its initial sequence numbers.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self {
            checksum: Checksum::Computed,
            connections: Slots::new(),
            by_tuple: BTreeMap::new(),
            recent: None,
            listeners: BTreeMap::new(),
            deadlines: BTreeSet::new(),
            ready: VecDeque::new(),
            replies: VecDeque::new(),
            events: VecDeque::new(),
            next_port: EPHEMERAL,
            isn: seed,
            stats: StackStats::default(),
            sent: SendCounts::default(),
        }
    }

    /// Creates a stack without connections, with a seed from [`World::seed`](crate::World::seed).
    /// The seed also determines the first ephemeral port, so that stacks on one host use different
    /// ports (RFC 6056 §3.3.1).
    #[must_use]
    pub fn seeded(seed: [u8; 32]) -> Self {
        let [word, port] = [0, 8].map(|at| {
            let word = seed.get(at..).and_then(<[u8]>::first_chunk);
            u64::from_le_bytes(word.copied().unwrap_or_default())
        });
        let offset = port % u64::from(u16::MAX - EPHEMERAL);
        Self {
            next_port: EPHEMERAL + u16::try_from(offset).unwrap_or(0),
            ..Self::new(word)
        }
    }

    /// Sets whether checksums are computed and verified, or left to the carrier.
    #[must_use]
    pub const fn with_checksum(mut self, checksum: Checksum) -> Self {
        self.checksum = checksum;
        self
    }

    /// Listens on a port; connections use `options`, and at most `backlog` of them may be half
    /// open.
    ///
    /// # Errors
    /// [`ListenError::InUse`].
    pub fn listen(
        &mut self,
        port: u16,
        options: Options,
        backlog: usize,
    ) -> Result<(), ListenError> {
        if self.listeners.contains_key(&port) {
            return Err(ListenError::InUse);
        }
        let listener = Listener {
            options,
            backlog,
            half_open: 0,
        };
        self.listeners.insert(port, listener);
        Ok(())
    }

    /// Stops listening on a port; existing connections continue.
    pub fn unlisten(&mut self, port: u16) {
        self.listeners.remove(&port);
    }

    /// Opens a connection from `local` to a port of `remote`.
    ///
    /// # Errors
    /// [`ConnectError::Exists`].
    pub fn connect(
        &mut self,
        local: IpAddr,
        remote: (IpAddr, u16),
        options: &Options,
    ) -> Result<ConnectionId, ConnectError> {
        let local_port = self.next_port;
        self.next_port = local_port.checked_add(1).unwrap_or(EPHEMERAL);
        let tuple = Tuple {
            local,
            local_port,
            remote: remote.0,
            remote_port: remote.1,
        };
        if self.by_tuple.contains_key(&tuple) {
            return Err(ConnectError::Exists);
        }
        let isn = self.isn();
        Ok(self.add(Tcb::connect(tuple, options, isn), Opener::Us))
    }

    /// Access to a connection; `None` if it is gone.
    pub fn connection(&mut self, id: ConnectionId) -> Option<Connection<'_>> {
        self.connections.get(id)?;
        Some(Connection::new(self, id))
    }

    /// The next event for the application.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// Whether a port is in use or listened on.
    pub fn owns_port(&self, port: u16) -> bool {
        self.listeners.contains_key(&port)
            || self.by_tuple.keys().any(|tuple| tuple.local_port == port)
    }

    /// Counters of the stack.
    pub const fn stats(&self) -> StackStats {
        self.stats
    }

    /// Segments sent by all connections, including ended ones.
    pub fn sent(&self) -> SendCounts {
        let open = self.connections.iter();
        let open = open.filter(|slot| slot.tcb.phase() != Phase::Closed);
        open.fold(self.sent, |sum, slot| sum.plus(slot.tcb.sender().counts()))
    }

    /// Number of connections in any state.
    pub const fn len(&self) -> usize {
        self.connections.len()
    }

    /// Whether there is no connection.
    pub const fn is_empty(&self) -> bool {
        self.connections.len() == 0
    }

    /// Removes an ended connection with its unread data; no effect on other connections.
    pub fn forget(&mut self, id: ConnectionId) {
        if self.tcb(id).is_some_and(|tcb| tcb.phase() == Phase::Closed) {
            self.connections.remove(id);
        }
    }

    pub(super) fn tcb(&self, id: ConnectionId) -> Option<&Tcb> {
        self.connections.get(id).map(|slot| &slot.tcb)
    }

    pub(super) fn send(&mut self, id: ConnectionId, bytes: &Bytes) -> Result<usize, SendError> {
        let Some(slot) = self.connections.get_mut(id) else {
            return Err(SendError::Finished);
        };
        if slot.tcb.sender().is_finishing() || slot.tcb.phase() == Phase::Closed {
            return Err(SendError::Finished);
        }
        let taken = slot.tcb.sender_mut().write(bytes);
        if taken < bytes.len() {
            slot.writable = Writable::Wanted;
        }
        self.settle(id);
        Ok(taken)
    }

    pub(super) fn receive(&mut self, id: ConnectionId, out: &mut impl BufMut, max: usize) -> usize {
        let count = self
            .receiver_mut(id)
            .map_or(0, |receiver| receiver.read(out, max));
        self.settle(id);
        count
    }

    pub(super) fn receive_message(
        &mut self,
        id: ConnectionId,
        max: usize,
    ) -> Result<Option<Bytes>, TooLong> {
        let message = self
            .receiver_mut(id)
            .map_or(Ok(None), |receiver| receiver.read_message(max));
        self.settle(id);
        message
    }

    pub(super) fn discard(&mut self, id: ConnectionId, max: usize) -> usize {
        let count = self
            .receiver_mut(id)
            .map_or(0, |receiver| receiver.discard(max));
        self.settle(id);
        count
    }

    pub(super) fn shutdown(&mut self, id: ConnectionId) {
        if let Some(slot) = self.connections.get_mut(id) {
            slot.tcb.shutdown();
        }
        self.settle(id);
    }

    pub(super) fn abort(&mut self, id: ConnectionId) {
        if let Some(slot) = self.connections.get(id) {
            if slot.tcb.phase() != Phase::Closed {
                let header = slot.tcb.reset();
                self.reply(slot.tcb.tuple(), header);
                self.close(id, CloseReason::Aborted);
            }
            self.connections.remove(id);
        }
    }

    fn receiver_mut(&mut self, id: ConnectionId) -> Option<&mut Receiver> {
        self.connections.get_mut(id)?.tcb.receiver_mut()
    }

    fn add(&mut self, tcb: Tcb, origin: Opener) -> ConnectionId {
        let tuple = tcb.tuple();
        let id = self.connections.add(Slot::new(tcb, origin));
        self.by_tuple.insert(tuple, id);
        self.settle(id);
        id
    }

    /// Next number of a splitmix sequence; sequence numbers need not be secret in a simulation.
    fn isn(&mut self) -> Seq {
        self.isn = self.isn.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.isn ^ (self.isn >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        Seq(u32::try_from(mixed >> 32).unwrap_or(0))
    }

    /// The connection between these two ends.
    fn find(&mut self, tuple: &Tuple) -> Option<ConnectionId> {
        if let Some(id) = self.recent
            && self.tcb(id).is_some_and(|tcb| tcb.tuple() == *tuple)
        {
            return Some(id);
        }
        self.recent = self.by_tuple.get(tuple).copied();
        self.recent
    }

    /// Queues a connection for processing after an event; its deadline is updated afterwards.
    fn settle(&mut self, id: ConnectionId) {
        if let Some(slot) = self.connections.get_mut(id) {
            slot.enlist(id, &mut self.ready);
        }
    }

    fn reply(&mut self, tuple: Tuple, header: Header) {
        if self.replies.len() < REPLIES_MAX {
            self.replies.push_back((tuple, header));
        }
    }

    fn react(&mut self, id: ConnectionId, reaction: Reaction) {
        match reaction {
            Reaction::Nothing => {}
            Reaction::Refuse(header) => {
                if let Some(tuple) = self.tcb(id).map(Tcb::tuple) {
                    self.reply(tuple, header);
                }
            }
            Reaction::Over(reason) => self.close(id, reason),
        }
        self.settle(id);
    }

    /// Handles the end of a connection, and removes it if nothing is left to read.
    fn close(&mut self, id: ConnectionId, reason: CloseReason) {
        let Some(slot) = self.connections.get_mut(id) else {
            return;
        };
        let stats = Box::new(slot.tcb.stats());
        let tuple = slot.tcb.tuple();
        self.sent = self.sent.plus(stats.sent);
        if let Some(at) = slot.filed.take() {
            self.deadlines.remove(&(at, id));
        }
        self.by_tuple.remove(&tuple);
        self.recent = None;
        if slot.tcb.receiver().is_none_or(|r| r.readable() == 0) {
            self.connections.remove(id);
        }
        self.events.push_back(Event::Closed { id, reason, stats });
    }
}

#[cfg(test)]
mod tests;
