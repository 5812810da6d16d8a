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

/// RSTs that wait to be sent; more are not worth it.
const REPLIES_MAX: usize = 64;
/// The first port that is given to a connection which names none (RFC 6335 §6).
const EPHEMERAL: u16 = 49152;

/// Names a connection of a stack; never used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConnectionId(u64);

/// Counters of a stack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StackStats {
    /// Segments that were dropped for their checksum.
    pub checksum_errors: u64,
    /// Segments that were no segments.
    pub malformed: u64,
    /// Segments for which there was no connection and no listener.
    pub misdirected: u64,
    /// SYNs that were dropped because too many connections were half open.
    pub backlog_drops: u64,
    /// Connections whose handshake was completed, whoever began it.
    pub opened: u64,
}

/// A host's TCP: listeners and connections.
#[derive(Debug)]
pub struct Stack {
    checksum: Checksum,
    connections: Slots,
    by_tuple: BTreeMap<Tuple, ConnectionId>,
    /// The connection of the last segment; most come for the same.
    recent: Option<ConnectionId>,
    listeners: BTreeMap<u16, Listener>,
    /// Deadlines of the connections that are not `ready`, the next first. They may be early, never
    /// late: moving one back costs nothing.
    deadlines: BTreeSet<(Time, ConnectionId)>,
    /// Connections that may have something to send, in turn.
    ready: VecDeque<ConnectionId>,
    replies: VecDeque<(Tuple, Header)>,
    events: VecDeque<Event>,
    next_port: u16,
    /// State of the generator of initial sequence numbers.
    isn: u64,
    stats: StackStats,
    /// Segments sent by the connections that are over.
    sent: SendCounts,
}

#[derive(Debug)]
struct Listener {
    options: Options,
    backlog: usize,
    half_open: usize,
}

impl Stack {
    /// A stack without connections. The seed decides its initial sequence numbers.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
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
            stats: StackStats {
                checksum_errors: 0,
                malformed: 0,
                misdirected: 0,
                backlog_drops: 0,
                opened: 0,
            },
            sent: SendCounts::NONE,
        }
    }

    /// A stack without connections, its seed taken from [`World::seed`](crate::World::seed). It
    /// also decides the first port of its own, so that stacks which share a host do not share ports
    /// (RFC 6056 §3.3.1).
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

    /// The same stack, with checksums computed and verified, or left to the carrier.
    #[must_use]
    pub const fn with_checksum(mut self, checksum: Checksum) -> Self {
        self.checksum = checksum;
        self
    }

    /// Listens at a port for connections that behave as `options` say, `backlog` of them half open
    /// at most.
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

    /// Takes no more connections at a port. Those that there are go on.
    pub fn unlisten(&mut self, port: u16) {
        self.listeners.remove(&port);
    }

    /// Begins a connection from `local` to a port of `remote`.
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

    /// A connection, to act on it; `None` when it is gone.
    pub fn connection(&mut self, id: ConnectionId) -> Option<Connection<'_>> {
        self.connections.get(id)?;
        Some(Connection::new(self, id))
    }

    /// The next thing that the application should know.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// Whether a port is listened at or in use.
    #[must_use]
    pub fn owns_port(&self, port: u16) -> bool {
        self.listeners.contains_key(&port)
            || self.by_tuple.keys().any(|tuple| tuple.local_port == port)
    }

    /// Counters of the stack.
    #[must_use]
    pub const fn stats(&self) -> StackStats {
        self.stats
    }

    /// Segments sent by all connections, including those that are over.
    #[must_use]
    pub fn sent(&self) -> SendCounts {
        let open = self.connections.iter();
        let open = open.filter(|slot| slot.tcb.phase() != Phase::Closed);
        open.fold(self.sent, |sum, slot| sum.plus(slot.tcb.sender().counts()))
    }

    /// Connections that exist, in whatever phase.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.connections.len()
    }

    /// Whether there is no connection.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.connections.len() == 0
    }

    /// Forgets a connection that is over, with what has not been read of it. One that is not over
    /// stays.
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

    /// The next number of a splitmix sequence: sequence numbers need not be secret in here.
    fn isn(&mut self) -> Seq {
        self.isn = self.isn.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.isn ^ (self.isn >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        Seq(u32::try_from(mixed >> 32).unwrap_or(0))
    }

    /// The connection of those two ends.
    fn find(&mut self, tuple: &Tuple) -> Option<ConnectionId> {
        if let Some(id) = self.recent
            && self.tcb(id).is_some_and(|tcb| tcb.tuple() == *tuple)
        {
            return Some(id);
        }
        self.recent = self.by_tuple.get(tuple).copied();
        self.recent
    }

    /// Something happened to a connection: it has its turn, and its deadline is filed after that.
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

    /// A connection is over. One of which nothing is left to be read is forgotten.
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
