use core::fmt;
use core::net::IpAddr;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use sheave_engine::{Checksum, Datagram, Ecn, Fragmentation, Node, PeerAddress, Time, Transmit};

use super::receiver::Receiver;
use super::segment::{self, Flags, Header, Segment};
use super::tcb::{CloseReason, ConnectionStats, Reaction, Tcb, Tuple};
use super::{Connection, Options, Phase, SendCounts, SendError, Seq};

/// RSTs that wait to be sent; more are not worth it.
const REPLIES_MAX: usize = 64;
/// The first port that is given to a connection which names none (RFC 6335 §6).
const EPHEMERAL: u16 = 49152;

/// Names a connection of a stack; never used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConnectionId(u64);

/// What the application should know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A connection that this end began is up.
    Connected(ConnectionId),
    /// A connection that a peer began is up; `port` is ours.
    Accepted {
        /// The connection.
        id: ConnectionId,
        /// The port that listens.
        port: u16,
    },
    /// Bytes have come, where there were none.
    Readable(ConnectionId),
    /// There is room again, after a `send` that did not take all.
    Writable(ConnectionId),
    /// The peer has no more to say, and all that it said can be read.
    PeerFinished(ConnectionId),
    /// The connection is over, and this is how it ended. What has come can still be read until the
    /// stack is asked to [`forget`](Stack::forget) it.
    Closed {
        /// The connection.
        id: ConnectionId,
        /// Why.
        reason: CloseReason,
        /// Its last statistics.
        stats: ConnectionStats,
    },
}

/// Why a connection was not begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectError {
    /// There is one between the same two ends.
    Exists,
}

/// Why a port does not listen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListenError {
    /// It already does.
    InUse,
}

impl fmt::Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("there is a connection between these ends already")
    }
}

impl fmt::Display for ListenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the port is listened at already")
    }
}

impl core::error::Error for ConnectError {}
impl core::error::Error for ListenError {}

/// Counters of a stack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StackStats {
    /// Segments that were dropped for their checksum.
    pub checksum_errors: u64,
    /// Segments that were no segments.
    pub malformed: u64,
    /// Segments for which there was no connection and no listener.
    pub strays: u64,
    /// SYNs that were dropped because too many connections were half open.
    pub backlog_drops: u64,
    /// Connections whose handshake was completed, whoever began it.
    pub opened: u64,
}

/// A host's TCP: listeners and connections.
#[derive(Debug)]
pub struct Stack {
    checksum: Checksum,
    connections: BTreeMap<ConnectionId, Slot>,
    by_tuple: BTreeMap<Tuple, ConnectionId>,
    listeners: BTreeMap<u16, Listener>,
    /// Deadlines of all connections, the next first.
    deadlines: BTreeSet<(Time, ConnectionId)>,
    /// Connections that may have something to send, in turn.
    ready: VecDeque<ConnectionId>,
    replies: VecDeque<(Tuple, Header)>,
    events: VecDeque<Event>,
    next_id: u64,
    next_port: u16,
    /// State of the generator of initial sequence numbers.
    isn: u64,
    stats: StackStats,
    /// What the connections that are over have sent.
    sent: SendCounts,
}

#[derive(Debug)]
struct Listener {
    options: Options,
    backlog: usize,
    half_open: usize,
}

#[derive(Debug)]
struct Slot {
    tcb: Tcb,
    /// Whether `ready` names it.
    turn: Turn,
    /// What `deadlines` holds for it.
    deadline: Option<Time>,
    writable: Writable,
    origin: Opener,
    told_finish: Told,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    Queued,
    None,
}

/// Whether an application waits for room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Writable {
    Wanted,
    Unasked,
}

/// Who began a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Opener {
    Us,
    Peer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    Yes,
    No,
}

impl Stack {
    /// A stack without connections. The seed decides its initial sequence numbers.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self {
            checksum: Checksum::Computed,
            connections: BTreeMap::new(),
            by_tuple: BTreeMap::new(),
            listeners: BTreeMap::new(),
            deadlines: BTreeSet::new(),
            ready: VecDeque::new(),
            replies: VecDeque::new(),
            events: VecDeque::new(),
            next_id: 0,
            next_port: EPHEMERAL,
            isn: seed,
            stats: StackStats {
                checksum_errors: 0,
                malformed: 0,
                strays: 0,
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
        self.connections
            .contains_key(&id)
            .then(|| Connection::new(self, id))
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

    /// What all connections have sent, those that are over included.
    #[must_use]
    pub fn sent(&self) -> SendCounts {
        let open = self.connections.values();
        let open = open.filter(|slot| slot.tcb.phase() != Phase::Closed);
        open.fold(self.sent, |sum, slot| sum.plus(slot.tcb.sender().counts()))
    }

    /// Connections that exist, in whatever phase.
    #[must_use]
    pub fn len(&self) -> usize {
        self.connections.len()
    }

    /// Whether there is no connection.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.connections.is_empty()
    }

    /// Forgets a connection that is over, with what has not been read of it. One that is not over
    /// stays.
    pub fn forget(&mut self, id: ConnectionId) {
        if self.tcb(id).is_some_and(|tcb| tcb.phase() == Phase::Closed) {
            self.connections.remove(&id);
        }
    }

    pub(super) fn tcb(&self, id: ConnectionId) -> Option<&Tcb> {
        self.connections.get(&id).map(|slot| &slot.tcb)
    }

    pub(super) fn send(&mut self, id: ConnectionId, bytes: &[u8]) -> Result<usize, SendError> {
        let Some(slot) = self.connections.get_mut(&id) else {
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

    pub(super) fn receive(&mut self, id: ConnectionId, out: &mut Vec<u8>, max: usize) -> usize {
        let count = self
            .receiver_mut(id)
            .map_or(0, |receiver| receiver.read(out, max));
        self.settle(id);
        count
    }

    pub(super) fn discard(&mut self, id: ConnectionId, max: usize) -> usize {
        let count = self
            .receiver_mut(id)
            .map_or(0, |receiver| receiver.discard(max));
        self.settle(id);
        count
    }

    pub(super) fn shutdown(&mut self, id: ConnectionId) {
        if let Some(slot) = self.connections.get_mut(&id) {
            slot.tcb.shutdown();
        }
        self.settle(id);
    }

    pub(super) fn abort(&mut self, id: ConnectionId) {
        if let Some(slot) = self.connections.get(&id) {
            if slot.tcb.phase() != Phase::Closed {
                let header = slot.tcb.reset();
                self.reply(slot.tcb.tuple(), header);
                self.close(id, CloseReason::Aborted);
            }
            self.connections.remove(&id);
        }
    }

    fn receiver_mut(&mut self, id: ConnectionId) -> Option<&mut Receiver> {
        self.connections.get_mut(&id)?.tcb.receiver_mut()
    }

    fn add(&mut self, tcb: Tcb, origin: Opener) -> ConnectionId {
        let id = ConnectionId(self.next_id);
        self.next_id += 1;
        self.by_tuple.insert(tcb.tuple(), id);
        let slot = Slot {
            tcb,
            turn: Turn::None,
            deadline: None,
            writable: Writable::Unasked,
            origin,
            told_finish: Told::No,
        };
        self.connections.insert(id, slot);
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

    /// Something happened to a connection: its turn and its deadline are set anew.
    fn settle(&mut self, id: ConnectionId) {
        let Some(slot) = self.connections.get_mut(&id) else {
            return;
        };
        if slot.turn == Turn::None && slot.tcb.phase() != Phase::Closed {
            slot.turn = Turn::Queued;
            self.ready.push_back(id);
        }
        slot.file_deadline(id, &mut self.deadlines);
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
        let Some(slot) = self.connections.get_mut(&id) else {
            return;
        };
        let stats = slot.tcb.stats();
        let tuple = slot.tcb.tuple();
        self.sent = self.sent.plus(stats.sent);
        if let Some(at) = slot.deadline.take() {
            self.deadlines.remove(&(at, id));
        }
        self.by_tuple.remove(&tuple);
        if slot.tcb.receiver().is_none_or(|r| r.readable() == 0) {
            self.connections.remove(&id);
        }
        self.events.push_back(Event::Closed { id, reason, stats });
    }

    // RFC 9293 §3.10.7.1 and §3.10.7.2
    fn on_stray(&mut self, tuple: Tuple, segment: &Segment<'_>) {
        let header = &segment.header;
        if header.flags.contains(Flags::RST) {
            return;
        }
        let listener = self.listeners.get_mut(&tuple.local_port);
        match (listener, header.ack) {
            (Some(listener), None) if header.flags.contains(Flags::SYN) => {
                if listener.half_open >= listener.backlog {
                    self.stats.backlog_drops += 1;
                    return;
                }
                listener.half_open += 1;
                let options = listener.options.clone();
                let isn = self.isn();
                self.add(Tcb::accept(tuple, &options, isn, header), Opener::Peer);
            }
            (Some(_), None) => {}
            (_, ack) => {
                self.stats.strays += 1;
                self.reply(tuple, refusal(tuple, segment, ack));
            }
        }
    }

    fn on_segment(&mut self, now: Time, id: ConnectionId, segment: &Segment<'_>) {
        let Some(slot) = self.connections.get_mut(&id) else {
            return;
        };
        let before = slot.sight();
        let reaction = slot.tcb.handle(now, segment);
        let after = slot.sight();
        if !before.phase.is_synchronised() && after.phase.is_synchronised() {
            self.on_opened(id, after.phase);
        }
        self.tell(id, before, after);
        self.react(id, reaction);
    }

    /// A handshake is over, well or not.
    fn on_opened(&mut self, id: ConnectionId, phase: Phase) {
        let Some(slot) = self.connections.get(&id) else {
            return;
        };
        let port = slot.tcb.tuple().local_port;
        if slot.origin == Opener::Peer
            && let Some(listener) = self.listeners.get_mut(&port)
        {
            listener.half_open = listener.half_open.saturating_sub(1);
        }
        if phase != Phase::Closed {
            self.stats.opened += 1;
            self.events.push_back(match slot.origin {
                Opener::Us => Event::Connected(id),
                Opener::Peer => Event::Accepted { id, port },
            });
        }
    }

    /// Tells the application what has changed.
    fn tell(&mut self, id: ConnectionId, before: Sight, after: Sight) {
        let Some(slot) = self.connections.get_mut(&id) else {
            return;
        };
        if before.readable == 0 && after.readable > 0 {
            self.events.push_back(Event::Readable(id));
        }
        if slot.writable == Writable::Wanted && slot.tcb.sender().has_much_room() {
            slot.writable = Writable::Unasked;
            self.events.push_back(Event::Writable(id));
        }
        let finished = slot.tcb.receiver().is_some_and(Receiver::is_finished);
        if finished && slot.told_finish == Told::No {
            slot.told_finish = Told::Yes;
            self.events.push_back(Event::PeerFinished(id));
        }
    }

    fn poll_reply(&mut self, buf: &mut Vec<u8>) -> Option<Transmit> {
        let (tuple, header) = self.replies.pop_front()?;
        header.write(buf);
        if self.checksum == Checksum::Computed {
            segment::seal(buf, tuple.local, tuple.remote);
        }
        Some(transmit(tuple))
    }
}

/// What the application can see of a connection.
#[derive(Clone, Copy, Debug)]
struct Sight {
    phase: Phase,
    readable: usize,
}

impl Slot {
    fn sight(&self) -> Sight {
        Sight {
            phase: self.tcb.phase(),
            readable: self.tcb.receiver().map_or(0, Receiver::readable),
        }
    }

    fn file_deadline(&mut self, id: ConnectionId, deadlines: &mut BTreeSet<(Time, ConnectionId)>) {
        let deadline = match self.tcb.phase() {
            Phase::Closed => None,
            _ => self.tcb.deadline(),
        };
        if deadline == self.deadline {
            return;
        }
        if let Some(old) = self.deadline {
            deadlines.remove(&(old, id));
        }
        if let Some(new) = deadline {
            deadlines.insert((new, id));
        }
        self.deadline = deadline;
    }
}

impl Node for Stack {
    fn handle_datagram(&mut self, now: Time, datagram: Datagram<'_>) {
        let (local, remote) = (datagram.local, datagram.remote.ip);
        let bytes = datagram.payload;
        if self.checksum == Checksum::Computed && !segment::checksum_is_valid(bytes, remote, local)
        {
            self.stats.checksum_errors += 1;
            return;
        }
        let Ok(segment) = Segment::parse(bytes) else {
            self.stats.malformed += 1;
            return;
        };
        let tuple = Tuple {
            local,
            local_port: segment.header.destination_port,
            remote,
            remote_port: segment.header.source_port,
        };
        match self.by_tuple.get(&tuple).copied() {
            Some(id) => self.on_segment(now, id, &segment),
            None => self.on_stray(tuple, &segment),
        }
    }

    fn handle_timeout(&mut self, now: Time) {
        while let Some(&(at, id)) = self.deadlines.first() {
            if at > now {
                break;
            }
            let Some(slot) = self.connections.get_mut(&id) else {
                self.deadlines.pop_first();
                continue;
            };
            let before = slot.tcb.phase();
            let reaction = slot.tcb.on_timeout(now);
            if !before.is_synchronised() && slot.tcb.phase() == Phase::Closed {
                self.on_opened(id, Phase::Closed);
            }
            self.react(id, reaction);
        }
    }

    fn poll_transmit(
        &mut self,
        now: Time,
        buf: &mut Vec<u8>,
        _max_segments: usize,
    ) -> Option<Transmit> {
        buf.clear();
        if let Some(transmit) = self.poll_reply(buf) {
            return Some(transmit);
        }
        while let Some(id) = self.ready.pop_front() {
            let Some(slot) = self.connections.get_mut(&id) else {
                continue;
            };
            let sent = slot.tcb.poll(now, self.checksum, buf);
            slot.file_deadline(id, &mut self.deadlines);
            if sent {
                self.ready.push_back(id);
                return Some(transmit(slot.tcb.tuple()));
            }
            slot.turn = Turn::None;
        }
        None
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.deadlines.first().map(|(at, _)| *at)
    }
}

fn transmit(tuple: Tuple) -> Transmit {
    Transmit {
        local: tuple.local,
        remote: PeerAddress::native(tuple.remote),
        ecn: Ecn::NotEct,
        segment_size: None,
        // As all TCPs of today do.
        fragmentation: Fragmentation::Forbidden,
    }
}

// RFC 9293 §3.5.2, group 1
fn refusal(tuple: Tuple, segment: &Segment<'_>, ack: Option<Seq>) -> Header {
    let span = u32::try_from(segment.span()).unwrap_or(0);
    let header = Header {
        source_port: tuple.local_port,
        destination_port: tuple.remote_port,
        flags: Flags::RST,
        ..Header::default()
    };
    match ack {
        Some(ack) => Header { seq: ack, ..header },
        None => Header {
            ack: Some(segment.header.seq.plus(span)),
            ..header
        },
    }
}

#[cfg(test)]
mod tests;
