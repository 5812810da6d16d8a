//! An end: an engine and its user.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use core::net::IpAddr;

use sheave_engine::{
    AddressChange, Assoc, AssocId, AuthenticationChange, CloseReason, Connect, Endpoint,
    EndpointOptions, Event, Heartbeats, Inits, Interleaving, KeyId, MessageParts, Obstacle,
    Options, PathChange, PathStats, PeerAddress, Phase, Protection, SendError, SendOptions,
    StreamDirection, Time,
};

use super::driver::Driver;
use super::fault::{Verdict, ensure, fault};
use super::ledger::{Ledger, Pattern, Told};
use super::manager::Manager;
use super::net::{NETWORKS, Net};
use super::plan::End;
use super::quiet::OneNetwork;

/// The port of both ends.
pub(crate) const PORT: u16 = 5000;
/// Initial UDP port of both ends.
pub(crate) const UDP: u16 = 9899;

/// Reading behaviour of a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// Everything, at once.
    Eager,
    /// Not at all.
    Stopped,
    /// A message per event.
    Slow,
}

/// A pending stream reconfiguration request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Request {
    Reset(StreamDirection),
    Tsns,
    Streams,
}

/// User actions that explain the end of an association.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Deeds {
    pub(crate) shutdowns: u32,
    pub(crate) aborts: u32,
    pub(crate) reboots: u32,
    pub(crate) handovers: u32,
    pub(crate) rebinds: u32,
    pub(crate) icmp: u32,
    pub(crate) jumps: u32,
    pub(crate) neglects: u32,
    pub(crate) restarts_seen: u32,
}

pub(crate) struct Host {
    pub(crate) end: End,
    pub(crate) engine: Endpoint,
    pub(crate) options: Options,
    pub(crate) limits: EndpointOptions,
    pub(crate) current: Option<AssocId>,
    /// The UDP port, if packets are encapsulated.
    pub(crate) udp: Option<u16>,
    /// Bit mask of networks in which the host has an address.
    pub(crate) owned: u32,
    /// Network of the peer address to connect to.
    pub(crate) called: usize,
    pub(crate) reading: Reading,
    readable: Vec<AssocId>,
    outbox: VecDeque<(usize, SendOptions)>,
    /// The peer's NAT took another port while the peer sends no heartbeats, which alone would show
    /// it: no packet reaches the addresses that the peer has not sent from since.
    pub(crate) peer_is_hidden: bool,
    /// Bytes of accepted messages.
    pub(crate) accepted: u64,
    blocked: bool,
    /// Time of the last packet, or since when there has been something to send.
    pub(crate) silent_since: Option<Time>,
    /// Bytes that were not acknowledged then.
    pub(crate) waited: Option<usize>,
    pub(crate) life: u32,
    pub(crate) deeds: Deeds,
    pub(crate) driver: Driver,
    pub(crate) established: u32,
    pub(crate) closed: Vec<(Time, AssocId, CloseReason)>,
    /// Associations whose end was reported.
    pub(crate) ended: BTreeSet<AssocId>,
    /// Deleted peer addresses.
    removed: Vec<(AssocId, IpAddr)>,
    pub(crate) request: Option<Request>,
    /// Pending address changes.
    pub(crate) changes: Vec<AddressChange>,
    pub(crate) abandoned: u64,
    pub(crate) events: u64,
    /// Bytes of received packets.
    pub(crate) wire_bytes: u64,
    /// Maximum memory charged to an association.
    pub(crate) most_charged: usize,
    pub(crate) keys: Vec<u32>,
    pub(crate) active_key: u32,
    /// Deactivated keys that messages may still use.
    pub(crate) leaving_keys: Vec<KeyId>,
    pub(crate) manager: Manager,
}

impl Host {
    /// The current association.
    pub(crate) fn assoc(&mut self) -> Option<Assoc<'_>> {
        self.engine.assoc(self.current?)
    }

    /// Whether the current association has a path to that address; true without one.
    pub(crate) fn is_of_peer(&self, address: IpAddr) -> bool {
        self.current.is_none_or(|id| {
            let paths = self.engine.paths_of(id);
            paths.iter().any(|path| path.remote == address)
        })
    }

    /// Number of plain packets that the current association has dropped because it is protected.
    pub(crate) fn refused_plain(&self) -> u64 {
        let protected = (self.options.protection != Protection::Off).then_some(self.current);
        let stats = protected.flatten().and_then(|id| self.engine.stats_of(id));
        stats.map_or(0, |stats| stats.protection.unprotected)
    }

    pub(crate) fn new(
        end: End,
        (options, memory): (Options, Option<usize>),
        owned: u32,
        net: &mut Net,
    ) -> Self {
        let limits = EndpointOptions {
            max_memory: memory.unwrap_or(EndpointOptions::default().max_memory),
            ..EndpointOptions::default()
        };
        let engine = fresh(end, &options, &limits, owned, net);
        let mut keys = Vec::new();
        let mut active_key = 0;
        if let sheave_engine::Authentication::On(chosen) = &options.authentication {
            keys.extend([0, 1]);
            active_key = chosen.active.0.into();
        }
        Self {
            end,
            engine,
            options,
            limits,
            current: None,
            udp: None,
            owned,
            called: 0,
            reading: Reading::Eager,
            readable: Vec::new(),
            outbox: VecDeque::new(),
            peer_is_hidden: false,
            accepted: 0,
            blocked: false,
            silent_since: None,
            waited: None,
            life: 0,
            deeds: Deeds::default(),
            driver: Driver::default(),
            established: 0,
            closed: Vec::new(),
            ended: BTreeSet::new(),
            removed: Vec::new(),
            request: None,
            changes: Vec::new(),
            abandoned: 0,
            events: 0,
            wire_bytes: 0,
            most_charged: 0,
            keys,
            active_key,
            leaving_keys: Vec::new(),
            manager: Manager::default(),
        }
    }

    /// Connects to the peer's first address.
    pub(crate) fn connect(&mut self, now: Time, net: &Net, peer_udp: Option<u16>) -> Verdict {
        let to = self.to_the_first(net, peer_udp);
        let Ok(id) = self.engine.connect(now, to) else {
            return Ok(());
        };
        self.current = Some(id);
        self.blocked = false;
        let assoc = self.engine.assoc(id);
        assoc.map_or(Ok(()), |mut assoc| self.manager.resume(now, &mut assoc))
    }

    /// Starts an association whose INITs the ends exchanged.
    pub(crate) fn connect_with_inits(
        &mut self,
        now: Time,
        net: &Net,
        (peer_udp, inits): (Option<u16>, Inits<'_>),
    ) {
        let to = self.to_the_first(net, peer_udp);
        if let Ok(id) = self.engine.connect_with_inits(now, to, inits) {
            self.current = Some(id);
            self.blocked = false;
        }
    }

    fn to_the_first(&self, net: &Net, peer_udp: Option<u16>) -> Connect {
        let first = net.address(self.end.other(), self.called);
        Connect {
            local_port: Some(PORT),
            local: Vec::new(),
            remote_port: PORT,
            remote: vec![PeerAddress {
                ip: first,
                encapsulation: peer_udp,
            }],
            options: self.options.clone(),
        }
    }

    /// Replaces the engine, as after a reboot.
    pub(crate) fn replace(&mut self, net: &mut Net) -> Endpoint {
        self.current = None;
        self.readable.clear();
        self.ended.clear();
        self.removed.clear();
        self.request = None;
        self.changes.clear();
        self.leaving_keys.clear();
        self.blocked = false;
        self.abandoned = 0;
        let engine = fresh(self.end, &self.options, &self.limits, self.owned, net);
        core::mem::replace(&mut self.engine, engine)
    }

    /// Restarts the host; the user's unsent messages are lost.
    pub(crate) fn reboot(&mut self, net: &mut Net) {
        self.manager.lose(&mut self.engine);
        self.replace(net);
        self.outbox.clear();
        self.life += 1;
        self.deeds.reboots += 1;
        self.reset_keys();
    }

    /// Resets the keys to those of the options for a new association.
    fn reset_keys(&mut self) {
        if let sheave_engine::Authentication::On(chosen) = &self.options.authentication {
            self.keys = vec![0, 1];
            self.active_key = chosen.active.0.into();
        }
    }

    pub(crate) fn queue(&mut self, number: usize, options: SendOptions) {
        self.outbox.push_back((number, options));
    }

    pub(crate) fn waiting(&self) -> usize {
        self.outbox.len()
    }

    /// Whether nothing is in flight as far as the host knows; for a `pair`, nothing at all.
    pub(crate) fn is_settled(&mut self, pair: bool) -> bool {
        if self.current.is_some() && self.assoc().is_none() {
            return false;
        }
        // Only heartbeats reveal that a peer is gone that was asked to reset or add streams.
        let is_the_peers = matches!(
            self.request,
            Some(Request::Reset(StreamDirection::Incoming) | Request::Streams)
        );
        let is_lost = !pair && self.options.heartbeats == Heartbeats::Off && is_the_peers;
        let asks = self.request.is_some() && !is_lost;
        let waits = !self.outbox.is_empty()
            || asks
            || !self.changes.is_empty() && !self.peer_is_hidden
            || !self.leaving_keys.is_empty();
        if self.current.is_some() && waits || self.unread() {
            return false;
        }
        let ids: Vec<AssocId> = self.engine.associations().collect();
        ids.into_iter().all(|id| {
            let stats = self.engine.assoc(id).map(|assoc| assoc.stats());
            stats.is_some_and(|stats| {
                let mut rests = || stats.receive_buffered == 0 && self.obstacles(id).is_empty();
                stats.phase == Phase::Established && stats.send_buffered == 0 && (!pair || rests())
            })
        })
    }

    /// Matters that an association must settle before it is at rest.
    pub(crate) fn obstacles(&mut self, id: AssocId) -> Vec<Obstacle> {
        let assoc = self.engine.assoc(id);
        let mut obstacles = assoc.map_or_else(Vec::new, |assoc| assoc.handover_obstacles());
        obstacles.retain(|obstacle| match obstacle {
            Obstacle::AddressChange => !self.peer_is_hidden,
            other => *other != Obstacle::Protected,
        });
        obstacles
    }

    /// Paths of the host's association.
    pub(crate) fn paths(&mut self) -> Vec<PathStats> {
        (self.assoc()).map_or_else(Vec::new, |assoc| assoc.path_stats())
    }

    /// Whether the host's association is established.
    pub(crate) fn is_up(&mut self) -> bool {
        (self.assoc()).is_some_and(|assoc| assoc.stats().phase == Phase::Established)
    }

    pub(crate) fn unread(&self) -> bool {
        !self.readable.is_empty()
    }

    /// Runs the user: events, reading, writing. Returns whether anything happened.
    pub(crate) fn act(
        &mut self,
        now: Time,
        pattern: &Pattern,
        [mine, theirs]: [&mut Ledger; 2],
    ) -> Result<bool, Box<super::Fault>> {
        let mut any = false;
        while let Some((id, event)) = self.engine.poll_event() {
            any = true;
            self.events += 1;
            self.on_event(now, pattern, id, event, [&mut *mine, &mut *theirs])?;
        }
        any |= self.read(now, pattern, theirs)?;
        any |= self.write(now, pattern, mine)?;
        Ok(any)
    }

    fn read(
        &mut self,
        now: Time,
        pattern: &Pattern,
        theirs: &mut Ledger,
    ) -> Result<bool, Box<super::Fault>> {
        let mut any = false;
        let sender = self.end.other();
        while self.reading != Reading::Stopped
            && let Some(id) = self.readable.last().copied()
        {
            let assoc = self.engine.assoc(id);
            let received = assoc.and_then(|mut assoc| {
                let options = assoc.options();
                let together = options.message_parts == MessageParts::Together
                    && options.interleaving == Interleaving::Off;
                Some((assoc.receive(now)?, together))
            });
            let Some((received, together)) = received else {
                self.readable.pop();
                continue;
            };
            any = true;
            if together {
                theirs.check_together(id, received.message.stream)?;
            }
            theirs.on_received(pattern, sender, id, &received)?;
            if self.reading == Reading::Slow {
                break;
            }
        }
        Ok(any)
    }

    fn write(
        &mut self,
        now: Time,
        pattern: &Pattern,
        mine: &mut Ledger,
    ) -> Result<bool, Box<super::Fault>> {
        let mut any = false;
        while !self.blocked && !self.outbox.is_empty() {
            let Some(mut assoc) = self.current.and_then(|id| self.engine.assoc(id)) else {
                break;
            };
            let Some((number, options)) = self.outbox.pop_front() else {
                break;
            };
            let entry = &mut mine.entries[number];
            let message = pattern.message(self.end, number, entry);
            match assoc.send(now, message, options) {
                Ok(()) => {
                    entry.accepted = true;
                    self.accepted += entry.len as u64;
                    entry.life = self.life;
                    any = true;
                }
                Err(SendError::BufferFull(_)) => {
                    self.outbox.push_front((number, options));
                    self.blocked = true;
                }
                Err(SendError::ShuttingDown) => self.outbox.clear(),
                Err(SendError::InvalidStream | SendError::TooLarge | SendError::Key(_)) => {}
                Err(error) => return Err(fault("send", format!("{error}"))),
            }
        }
        Ok(any)
    }

    fn on_event(
        &mut self,
        now: Time,
        pattern: &Pattern,
        id: AssocId,
        event: Event,
        [mine, theirs]: [&mut Ledger; 2],
    ) -> Verdict {
        ensure(!self.ended.contains(&id), "after the end", || {
            format!("{event:?}")
        })?;
        if let Some(assoc) = self.engine.assoc(id) {
            self.manager.handle_event(now, assoc, &event)?;
        }
        match event {
            Event::Established { .. } => {
                self.current = Some(id);
                self.blocked = false;
                self.established += 1;
            }
            Event::Restarted => {
                self.deeds.restarts_seen += 1;
                self.request = None;
                self.changes.clear();
                self.blocked = false;
            }
            Event::Readable => self.readable.push(id),
            Event::Writable => self.blocked = false,
            Event::Path { remote, change } => self.on_path(id, remote, change)?,
            Event::SendFailed {
                message,
                context,
                failure,
            } => mine.on_told(self.end, context, &message, (Told::Failed, failure))?,
            Event::Abandoned {
                message,
                context,
                policy,
                failure,
            } => {
                self.abandoned += 1;
                mine.on_told(
                    self.end,
                    context,
                    &message,
                    (Told::Abandoned(policy), failure),
                )?;
            }
            Event::PartialDeliveryAborted { stream } => theirs.on_aborted_part(id, stream)?,
            Event::StreamsReset { direction, .. } => {
                let asked = self.request;
                if asked == Some(Request::Reset(direction)) {
                    self.request = None;
                }
            }
            Event::AssociationReset { .. } if self.request == Some(Request::Tsns) => {
                self.request = None;
            }
            Event::StreamsChanged { .. } if self.request == Some(Request::Streams) => {
                self.request = None;
            }
            Event::ReconfigurationFailed { .. } => self.request = None,
            Event::Authentication(AuthenticationChange::FreeKey(key)) => {
                self.leaving_keys.retain(|leaving| *leaving != key);
            }
            Event::AddressChanged { change } | Event::AddressChangeRefused { change, .. } => {
                let at = self.changes.iter().position(|asked| *asked == change);
                let at =
                    at.ok_or_else(|| fault("told", format!("{change:?} was not asked for")))?;
                self.changes.remove(at);
                if let (AddressChange::Delete(ip), Event::AddressChanged { .. }) = (change, &event)
                {
                    self.engine.remove_local_address(ip);
                }
            }
            Event::Closed { reason, unread } => {
                for received in &unread {
                    theirs.on_received(pattern, self.end.other(), id, received)?;
                }
                theirs.forget_parts(id);
                theirs.read.remove(&id);
                self.on_closed(now, id, reason);
            }
            _ => {}
        }
        Ok(())
    }

    fn on_closed(&mut self, now: Time, id: AssocId, reason: CloseReason) {
        self.closed.push((now, id, reason));
        self.ended.insert(id);
        self.readable.retain(|other| *other != id);
        self.removed.retain(|(other, _)| *other != id);
        if self.current == Some(id) {
            self.current = None;
            self.request = None;
            self.changes.clear();
            self.leaving_keys.clear();
            self.outbox.clear();
            self.abandoned = 0;
            self.reset_keys();
            self.manager.forget();
        }
    }

    /// Checks that no event is reported for an address that the peer deleted.
    pub(crate) fn on_path(&mut self, id: AssocId, remote: IpAddr, change: PathChange) -> Verdict {
        match change {
            PathChange::Removed => self.removed.push((id, remote)),
            PathChange::Added => self.removed.retain(|gone| *gone != (id, remote)),
            _ => {
                let gone = self.removed.contains(&(id, remote));
                return ensure(!gone, "deleted address", || {
                    format!("{change:?} of {remote}, which is deleted")
                });
            }
        }
        Ok(())
    }

    /// Adds the host's address in a network, for new associations and for receiving.
    pub(crate) fn own(&mut self, net: &Net, network: usize) -> IpAddr {
        let ip = net.address(self.end, network);
        self.owned |= 1 << network;
        self.engine.add_local_address(ip);
        ip
    }
}

fn fresh(
    end: End,
    options: &Options,
    limits: &EndpointOptions,
    owned: u32,
    net: &mut Net,
) -> Endpoint {
    let local = (0..NETWORKS).filter(|network| owned >> network & 1 != 0);
    let local = local.map(|network| net.address(end, network)).collect();
    let seed = net.random.bytes();
    let mut engine = Endpoint::new(local, limits.clone(), seed);
    engine
        .listen(PORT, options.clone())
        .expect("the options of a plan are valid");
    if net.checks_sources {
        engine.set_routes(Arc::new(OneNetwork));
    }
    engine
}
