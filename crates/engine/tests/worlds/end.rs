use core::time::Duration;
use std::rc::Rc;

use bytes::Bytes;
use sheave_engine::wire::StreamId;
use sheave_engine::{
    AssocId, CloseReason, Connect, Datagram, Ecn, Endpoint, EndpointOptions, Event, Node, Options,
    PeerAddress, Phase, Profile, Reliability, SendOptions, StreamDirection, Time,
};

use crate::digest::{Matters, digest};
use crate::packet::{Parcel, Side};
use crate::user_log::{Fate, Gaps, UserLog, greeting};

/// SCTP port of both ends.
const PORT: u16 = 5000;

/// Message sizes, bytes: just the name, and more than a packet.
const SMALL: usize = 4;
const LARGE: usize = 1000;

/// Cookie lifetime longer than any run.
pub(crate) const LONG_COOKIE_LIFE: Duration = Duration::from_secs(3600);

/// Whether an end accepts associations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Listening {
    No,
    Yes,
}

/// Whether an end's peer may lose its state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Peer {
    Steady,
    Restarting,
}

/// Whether losses can make an end give up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Timeouts {
    Possible,
    Impossible,
}

/// A user call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Connect,
    /// Loses all state; the new endpoint listens as before.
    Crash,
    /// Sends a small message on a stream.
    Send(u8),
    /// Sends a message of two fragments.
    SendLarge(u8),
    /// Sends a message that is abandoned rather than retransmitted.
    SendOnce(u8),
    Shutdown,
    Abort,
    /// Resets the outgoing streams.
    ResetOutgoing,
    /// Requests a reset of the peer's outgoing streams.
    ResetIncoming,
    ResetTsns,
    AddStreams,
    AddAddress(u8),
    DeleteAddress(u8),
    SetPeerPrimary(u8),
    /// Hands the association over to another endpoint.
    HandOver,
}

/// Constant parts of an end.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) side: Side,
    pub(crate) listening: Listening,
    pub(crate) addresses: Vec<u8>,
    /// Addresses to connect from.
    pub(crate) homes: Vec<u8>,
    /// Whether the peer may lose its state or start a new association.
    pub(crate) peer: Peer,
    pub(crate) options: Options,
    pub(crate) matters: Matters,
    pub(crate) timeouts: Timeouts,
    pub(crate) script: Vec<Action>,
    pub(crate) gaps: Gaps,
}

/// An input to an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input<'a> {
    Arrival(&'a Parcel),
    /// Expiry of the first timer, regardless of the other end's clock.
    Expiry,
    /// The user's next action.
    Act,
}

/// An engine and its user, with their own clock, which advances only with their timers.
#[derive(Clone)]
pub(crate) struct End {
    plan: Rc<Plan>,
    engine: Endpoint,
    clock: Time,
    incarnation: u8,
    /// Completed actions of the script.
    acted: usize,
    current: Option<AssocId>,
    pub(crate) log: UserLog,
}

impl End {
    pub(crate) fn new(plan: Rc<Plan>) -> Self {
        Self {
            engine: engine(&plan, 0),
            plan,
            clock: Time::from_millis(1000),
            incarnation: 0,
            acted: 0,
            current: None,
            log: UserLog::default(),
        }
    }

    pub(crate) fn digest(&self) -> u64 {
        let shown = (
            self.engine.inspect(),
            self.incarnation,
            self.acted,
            self.current,
            &self.log,
        );
        digest(self.clock, self.plan.matters, &shown)
    }

    /// Describes the visible state.
    pub(crate) fn describe(&self) -> String {
        format!(
            "at {}: {:?} {:?}",
            self.clock,
            self.engine.inspect(),
            self.log
        )
    }

    pub(crate) fn waits_for_timer(&self) -> bool {
        self.engine.poll_timeout().is_some()
    }

    pub(crate) fn gaps(&self) -> Gaps {
        self.plan.gaps
    }

    /// Whether the user has an association.
    pub(crate) const fn is_open(&self) -> bool {
        self.current.is_some()
    }

    pub(crate) fn phase(&mut self) -> Option<Phase> {
        let id = self.current?;
        Some(self.engine.assoc(id)?.phase())
    }

    /// The next action of the script, if possible now.
    pub(crate) fn next_action(&mut self) -> Option<Action> {
        let action = *self.plan.script.get(self.acted)?;
        match action {
            Action::HandOver => self.is_quiet().then_some(action),
            Action::Connect => self.current.is_none().then_some(action),
            Action::Crash => Some(action),
            _ => self.current.map(|_| action),
        }
    }

    /// Whether the association exists and has nothing in flight or buffered.
    pub(crate) fn is_quiet(&mut self) -> bool {
        let Some(assoc) = self.current.and_then(|id| self.engine.assoc(id)) else {
            return false;
        };
        let stats = assoc.stats();
        assoc.handover_obstacles().is_empty()
            && stats.send_buffered == 0
            && stats.receive_buffered == 0
            && assoc.path_stats().iter().all(|path| path.flight == 0)
    }

    /// Applies an input; returns the sent packets.
    pub(crate) fn step(&mut self, input: Input<'_>) -> Result<Vec<Parcel>, String> {
        match input {
            Input::Arrival(parcel) => self.engine.handle_datagram(
                self.clock,
                Datagram {
                    local: parcel.to,
                    remote: peer_address(parcel.from),
                    ecn: Ecn::NotEct,
                    payload: &parcel.bytes,
                },
            ),
            Input::Expiry => {
                let due = self.engine.poll_timeout().unwrap_or(self.clock);
                self.clock = self.clock.max(due);
                self.engine.handle_timeout(self.clock);
            }
            Input::Act => self.act()?,
        }
        let parcels = self.pump()?;
        self.skip_what_is_moot();
        self.check()?;
        Ok(parcels)
    }

    /// Sends a greeting on an association that seems to be up.
    pub(crate) fn greet(&mut self) -> Result<Vec<Parcel>, String> {
        let clock = self.clock;
        if let Some(id) = self.current
            && let Some(mut assoc) = self.engine.assoc(id)
        {
            let sent = assoc.send(clock, greeting(), SendOptions::default());
            sent.map_err(|error| format!("no greeting can be sent: {error:?}"))?;
        }
        self.pump()
    }

    fn act(&mut self) -> Result<(), String> {
        let Some(action) = self.next_action() else {
            return Ok(());
        };
        self.acted += 1;
        match action {
            Action::Connect => self.connect(),
            Action::Crash => {
                self.incarnation += 1;
                self.engine = engine(&self.plan, self.incarnation);
                self.current = None;
                self.log.crash();
                Ok(())
            }
            Action::HandOver => self.hand_over(),
            Action::Send(stream) => self.send(stream, SMALL, SendOptions::default()),
            Action::SendLarge(stream) => self.send(stream, LARGE, SendOptions::default()),
            Action::SendOnce(stream) => self.send(
                stream,
                SMALL,
                SendOptions {
                    reliability: Reliability::Retransmissions(0),
                    ..SendOptions::default()
                },
            ),
            other => {
                self.command(other);
                Ok(())
            }
        }
    }

    /// Makes a request, which may be refused because of the phase or a pending request.
    fn command(&mut self, action: Action) {
        let clock = self.clock;
        let side = self.plan.side;
        let Some(mut assoc) = self.current.and_then(|id| self.engine.assoc(id)) else {
            return;
        };
        let all: &[StreamId] = &[];
        match action {
            Action::Shutdown => drop(assoc.shutdown(clock)),
            Action::Abort => assoc.abort(clock, Bytes::new()),
            Action::ResetOutgoing => {
                let _ = assoc.reset_streams(clock, all, StreamDirection::Outgoing);
            }
            Action::ResetIncoming => {
                let _ = assoc.reset_streams(clock, all, StreamDirection::Incoming);
            }
            Action::ResetTsns => drop(assoc.reset_tsns(clock)),
            Action::AddStreams => drop(assoc.add_streams(clock, 1, StreamDirection::Outgoing)),
            Action::AddAddress(n) => drop(assoc.add_address(clock, side.address(n))),
            Action::DeleteAddress(n) => drop(assoc.delete_address(clock, side.address(n))),
            Action::SetPeerPrimary(n) => drop(assoc.set_peer_primary(clock, side.address(n))),
            _ => {}
        }
    }

    fn connect(&mut self) -> Result<(), String> {
        let homes = self.plan.homes.iter().map(|n| self.plan.side.address(*n));
        let to = Connect {
            local_port: Some(PORT),
            local: homes.collect(),
            remote_port: PORT,
            remote: vec![peer_address(self.plan.side.other().address(1))],
            options: self.plan.options.clone(),
        };
        // The peer's INIT may have arrived first.
        let Ok(id) = self.engine.connect(self.clock, to) else {
            return Ok(());
        };
        self.current = Some(id);
        self.log.begin_epoch();
        Ok(())
    }

    fn hand_over(&mut self) -> Result<(), String> {
        let id = self.current.ok_or("nothing to hand over")?;
        let exported = self.engine.export(id);
        let exported = exported.map_err(|error| format!("no export: {error:?}"))?;
        self.incarnation += 1;
        self.engine = engine(&self.plan, self.incarnation);
        let options = self.plan.options.clone();
        let imported = self.engine.import(self.clock, &exported, options);
        self.current = Some(imported.map_err(|error| format!("no import: {error:?}"))?);
        Ok(())
    }

    fn send(&mut self, stream: u8, len: usize, options: SendOptions) -> Result<(), String> {
        let message = self.log.next(self.plan.side, stream, len);
        let Some(mut assoc) = self.current.and_then(|id| self.engine.assoc(id)) else {
            return Err("the user's association is gone and nobody said so".into());
        };
        if assoc.send(self.clock, message, options).is_err() {
            self.log.take_back();
        }
        Ok(())
    }

    /// Handles all events, reads all messages, and takes all packets.
    fn pump(&mut self) -> Result<Vec<Parcel>, String> {
        let mut parcels = Vec::new();
        let mut buf = Vec::new();
        for _ in 0..1000 {
            self.hear()?;
            let Some(transmit) = self.engine.poll_transmit(self.clock, &mut buf, 1) else {
                return Ok(parcels);
            };
            parcels.push(Parcel {
                from: transmit.local,
                to: transmit.remote.ip,
                bytes: buf.clone(),
            });
        }
        Err("poll_transmit has no end".into())
    }

    fn hear(&mut self) -> Result<(), String> {
        let (side, gaps) = (self.plan.side, self.plan.gaps);
        loop {
            let mut idle = true;
            while let Some((id, event)) = self.engine.poll_event() {
                idle = false;
                self.on_event(id, event)?;
            }
            if let Some(mut assoc) = self.current.and_then(|id| self.engine.assoc(id)) {
                while let Some(received) = assoc.receive(self.clock) {
                    idle = false;
                    self.log.receive(side, &received.message, gaps)?;
                }
            }
            if idle {
                return Ok(());
            }
        }
    }

    fn on_event(&mut self, id: AssocId, event: Event) -> Result<(), String> {
        match event {
            Event::Established { .. } if self.current != Some(id) => {
                if self.current.is_some() {
                    return Err("two associations with one peer".into());
                }
                self.current = Some(id);
                self.log.begin_epoch();
            }
            Event::Restarted if self.plan.peer == Peer::Steady => {
                return Err("a restart that was none".into());
            }
            Event::Restarted => self.log.begin_epoch(),
            Event::SendFailed {
                message, failure, ..
            } => self.log.came_back(&message, Fate::Failed(failure))?,
            Event::Abandoned {
                message, failure, ..
            } => self.log.came_back(&message, Fate::Abandoned(failure))?,
            Event::PeerError { cause, detail } => {
                return Err(format!("the peer complains: {cause} {detail:?}"));
            }
            Event::Closed {
                reason: CloseReason::TimedOut,
                ..
            } if self.plan.timeouts == Timeouts::Impossible => {
                return Err("given up after too few losses".into());
            }
            Event::Closed { reason, unread } => {
                for received in unread {
                    let message = &received.message;
                    self.log.receive(self.plan.side, message, self.plan.gaps)?;
                }
                if self.current == Some(id) {
                    self.current = None;
                    self.log.close(&reason)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Skips actions that are impossible without an association.
    fn skip_what_is_moot(&mut self) {
        if self.current.is_some() || self.log.epoch == 0 {
            return;
        }
        let rest = self.plan.script.iter().skip(self.acted);
        let moot = rest.take_while(|action| !matches!(action, Action::Connect | Action::Crash));
        self.acted += moot.count();
    }

    /// Checks the invariants of every state.
    fn check(&mut self) -> Result<(), String> {
        if self.engine.associations().count() > 1 {
            return Err("two associations with one peer".into());
        }
        let waits = self.waits_for_timer();
        let Some(id) = self.current else {
            return Ok(());
        };
        let Some(assoc) = self.engine.assoc(id) else {
            return Err("the user's association is gone and nobody said so".into());
        };
        let busy = assoc.phase() != Phase::Established || assoc.stats().send_buffered > 0;
        if busy && !waits {
            return Err(format!("nothing wakes it up in {:?}", assoc.phase()));
        }
        Ok(())
    }
}

fn engine(plan: &Plan, incarnation: u8) -> Endpoint {
    let addresses = plan.addresses.iter().map(|n| plan.side.address(*n));
    let seed = [plan.side as u8 * 16 + incarnation + 1; 32];
    let mut engine = Endpoint::new(addresses.collect(), EndpointOptions::default(), seed);
    if plan.listening == Listening::Yes {
        let listening = engine.listen(PORT, plan.options.clone());
        listening.expect("the port is free");
    }
    engine
}

fn peer_address(ip: core::net::IpAddr) -> PeerAddress {
    PeerAddress {
        ip,
        encapsulation: None,
    }
}

/// Options with constant timers and few retries.
pub(crate) fn small() -> Options {
    let second = Duration::from_secs(1);
    Options {
        rto_initial: second,
        rto_min: second,
        rto_max: second,
        valid_cookie_life: LONG_COOKIE_LIFE,
        max_init_retransmits: 1,
        association_max_retrans: 1,
        path_max_retrans: 1,
        heartbeats: sheave_engine::Heartbeats::Off,
        path_mtu_discovery: sheave_engine::PathMtuDiscovery::Off,
        initial_pmtu: 576,
        outbound_streams: 2,
        max_inbound_streams: 4,
        sack_frequency: 1,
        ..Profile::Rfc9260.options()
    }
}
