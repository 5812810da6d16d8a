//! The searched worlds.

use core::time::Duration;

use crate::digest::Matters;
use crate::end::{Action, LONG_COOKIE_LIFE, Listening, Peer, Plan, Timeouts, small};
use crate::packet::Side;
use crate::user_log::Gaps;
use sheave_engine::{
    AddressChanges, Authentication, AuthenticationOptions, Coalescing, Heartbeats, Interleaving,
    LossDetection, LossRecovery, Options, PartialReliability, PeerRequests, Reconfiguration,
    SelectiveAcks,
};

use Action::{
    Abort, AddAddress, AddStreams, Connect, Crash, DeleteAddress, HandOver, ResetIncoming,
    ResetOutgoing, ResetTsns, Send, SendLarge, SendOnce, SetPeerPrimary, Shutdown,
};

/// Start state of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beginning {
    /// Nothing has happened.
    Nothing,
    /// A has completed its first action, connecting, and no packet is in flight.
    Connected,
}

/// Timer expiries allowed while packets are in flight that might have stopped them. With no
/// packet in flight, expiries are not limited by this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Haste {
    Unlimited,
    Times(u8),
}

impl Haste {
    pub(crate) const fn less(self) -> Self {
        match self {
            Self::Unlimited => Self::Unlimited,
            Self::Times(times) => Self::Times(times.saturating_sub(1)),
        }
    }

    pub(crate) fn number(self) -> u64 {
        match self {
            Self::Unlimited => u64::from(u8::MAX),
            Self::Times(times) => times.into(),
        }
    }
}

/// Two ends, their users' scripts, and the network's fault budget.
#[derive(Clone, Debug)]
pub(crate) struct World {
    pub(crate) name: String,
    /// Maximum lost packets.
    pub(crate) losses: u8,
    /// Maximum duplicated packets.
    pub(crate) duplicates: u8,
    pub(crate) haste: Haste,
    /// Maximum timer expiries with no packet in flight. A world whose timers never end has this
    /// horizon, at which only the invariants of every state are checked.
    pub(crate) calm: Haste,
    pub(crate) beginning: Beginning,
    scripts: [Vec<Action>; 2],
    listening: [Listening; 2],
    addresses: [Vec<u8>; 2],
    homes: Vec<u8>,
    options: Options,
    gaps: Gaps,
}

impl World {
    fn new(name: &str, a: &[Action], z: &[Action]) -> Self {
        Self {
            name: name.to_owned(),
            losses: 0,
            duplicates: 0,
            haste: Haste::Unlimited,
            calm: Haste::Unlimited,
            beginning: Beginning::Nothing,
            scripts: [a.to_vec(), z.to_vec()],
            listening: [Listening::No, Listening::Yes],
            addresses: [vec![1], vec![1]],
            homes: vec![1],
            options: small(),
            gaps: Gaps::Never,
        }
    }

    /// Creates a world that starts with an association initiated by A.
    fn connected(name: &str, a: &[Action], z: &[Action]) -> Self {
        let a: Vec<_> = [Connect].iter().chain(a).copied().collect();
        Self {
            beginning: Beginning::Connected,
            ..Self::new(name, &a, z)
        }
    }

    fn faulty(mut self, losses: u8, duplicates: u8) -> Self {
        self.losses = losses;
        self.duplicates = duplicates;
        self
    }

    fn hasty(mut self, times: u8) -> Self {
        self.haste = Haste::Times(times);
        self
    }

    /// Ends the world after `times` timer expiries with no packet in flight.
    fn until(mut self, times: u8) -> Self {
        self.calm = Haste::Times(times);
        self
    }

    fn both_listen(mut self) -> Self {
        self.listening = [Listening::Yes; 2];
        self
    }

    fn reconfigured(mut self) -> Self {
        self.options.reconfiguration = Reconfiguration::On(PeerRequests::ALL);
        self
    }

    /// Gives A a second address to add. Probing continues until the address answers, so timers that
    /// always expire early would never end.
    fn readdressed(mut self) -> Self {
        self.haste = Haste::Times(3);
        self.options.address_changes = AddressChanges::Unauthenticated;
        self.addresses = [vec![1, 2], vec![1]];
        self
    }

    fn partial(mut self) -> Self {
        self.options.partial_reliability = PartialReliability::On;
        self.gaps = Gaps::Allowed;
        self
    }

    /// Gives both ends two addresses; the second ones must be probed first.
    fn multihomed(mut self) -> Self {
        self.haste = Haste::Times(3);
        self.addresses = [vec![1, 2], vec![1, 2]];
        self.homes = vec![1, 2];
        self
    }

    fn gaps(mut self, gaps: Gaps) -> Self {
        self.gaps = gaps;
        self
    }

    fn with(mut self, edit: impl FnOnce(&mut Options)) -> Self {
        edit(&mut self.options);
        self
    }

    fn peer_of(&self, side: Side) -> Peer {
        let script = &self.scripts[side.other() as usize];
        let connects = script.iter().filter(|action| **action == Connect).count();
        if connects > 1 || script.contains(&Crash) {
            Peer::Restarting
        } else {
            Peer::Steady
        }
    }

    fn matters(&self) -> Matters {
        Matters {
            round_trips: self.options.loss_detection == LossDetection::Rack,
            clock: self.options.valid_cookie_life < LONG_COOKIE_LIFE,
        }
    }

    /// Whether losses alone can exceed the error limit; without early timers and crashes, each loss
    /// counts as at most one error.
    fn timeouts(&self) -> Timeouts {
        let crashes = self.scripts.iter().any(|script| script.contains(&Crash));
        let few = u32::from(self.losses) <= self.options.association_max_retrans;
        if few && !crashes && self.haste == Haste::Times(0) {
            Timeouts::Impossible
        } else {
            Timeouts::Possible
        }
    }

    pub(crate) fn plans(&self) -> [Plan; 2] {
        Side::BOTH.map(|side| Plan {
            side,
            listening: self.listening[side as usize],
            addresses: self.addresses[side as usize].clone(),
            homes: self.homes.clone(),
            peer: self.peer_of(side),
            options: self.options.clone(),
            matters: self.matters(),
            timeouts: self.timeouts(),
            script: self.scripts[side as usize].clone(),
            gaps: self.gaps,
        })
    }
}

/// Worlds whose searches take a few seconds.
pub(crate) fn few() -> Vec<World> {
    vec![
        World::new("handshake", &[Connect], &[]).faulty(1, 1),
        World::new("handshake with data", &[Connect, Send(0)], &[Send(0)]),
        World::new("shutdown", &[Connect, Shutdown], &[]).faulty(1, 0),
        World::new("shutdown with data", &[Connect, Send(0), Shutdown], &[]),
        World::new("abort", &[Connect, Abort], &[Send(0)]),
        World::new("restart", &[Connect, Crash, Connect], &[]),
        World::new("crash of the listener", &[Connect, Send(0)], &[Crash]),
        World::connected("shutdown of both", &[Shutdown], &[Shutdown]),
        World::connected("data", &[Send(0), Send(0)], &[]),
        World::connected("stream reset", &[Send(0), ResetOutgoing], &[]).reconfigured(),
        World::connected("address", &[AddAddress(2)], &[]).readdressed(),
        World::connected("partial reliability", &[SendOnce(0)], &[]).partial(),
    ]
}

/// The worlds.
pub(crate) fn all() -> Vec<World> {
    let mut worlds = few();
    worlds.extend(beginnings());
    worlds.extend(ends());
    worlds.extend(restarts());
    worlds.extend(changes_of_streams());
    worlds.extend(changes_of_addresses());
    worlds.extend(partly_reliable());
    worlds.extend(handovers());
    worlds.extend(several_paths());
    worlds.extend(variants());
    worlds
}

fn beginnings() -> Vec<World> {
    let short_cookies = |options: &mut Options| {
        options.valid_cookie_life = Duration::from_millis(500);
        options.max_init_retransmits = 2;
    };
    vec![
        World::new("handshake, faulty", &[Connect], &[]).faulty(3, 3),
        World::new(
            "handshake with data, lossy",
            &[Connect, Send(0)],
            &[Send(0)],
        )
        .faulty(2, 0),
        World::new("stale cookie", &[Connect], &[Connect])
            .with(short_cookies)
            .hasty(3),
        World::connected("stale cookie at a restart", &[Crash, Connect], &[Send(0)])
            .with(short_cookies)
            .faulty(1, 0)
            .hasty(3),
        World::new("collision, lossy", &[Connect], &[Connect]).faulty(1, 0),
        World::new("collision, both listen", &[Connect], &[Connect]).both_listen(),
        World::connected("data, faulty", &[Send(0), Send(0)], &[]).faulty(2, 1),
        World::connected("data on two streams", &[Send(0), Send(1), Send(0)], &[]).faulty(1, 0),
        World::connected("data both ways", &[Send(0)], &[Send(0)]).faulty(1, 0),
    ]
}

fn ends() -> Vec<World> {
    vec![
        World::new("shutdown, faulty", &[Connect, Shutdown], &[]).faulty(1, 1),
        World::new(
            "shutdown of both, from nothing",
            &[Connect, Shutdown],
            &[Shutdown],
        ),
        World::connected("shutdown of both, faulty", &[Shutdown], &[Shutdown]).faulty(2, 1),
        World::connected("shutdown with data, faulty", &[Send(0), Shutdown], &[]).faulty(1, 1),
        World::connected(
            "shutdown with data of both",
            &[Send(0), Shutdown],
            &[Send(0)],
        ),
        World::connected("shutdown and data of the other", &[Shutdown], &[Send(0)]).faulty(1, 0),
        World::new("abort, lossy", &[Connect, Send(0), Abort], &[Send(0)]).faulty(1, 0),
        World::connected("abort and shutdown", &[Send(0), Abort], &[Shutdown]).faulty(1, 1),
    ]
}

/// Worlds whose ends lose their state.
fn restarts() -> Vec<World> {
    vec![
        World::new("restart, lossy", &[Connect, Crash, Connect], &[]).faulty(1, 0),
        World::new("restart of both", &[Connect, Crash, Connect], &[Crash]),
        World::connected("restart with data", &[Crash, Connect, Send(0)], &[Send(0)]),
        World::connected("restart and shutdown", &[Crash, Connect], &[Shutdown]).faulty(1, 0),
        World::connected("restart by the listener", &[Send(0)], &[Crash, Connect]).both_listen(),
        World::connected("restart by both", &[Crash, Connect], &[Crash, Connect]).both_listen(),
        World::connected("another association", &[Abort, Connect], &[]).faulty(1, 1),
        World::connected("another after a shutdown", &[Shutdown, Connect], &[]).faulty(1, 0),
    ]
}

fn changes_of_streams() -> Vec<World> {
    let reset: [Action; 3] = [Send(0), ResetOutgoing, Send(0)];
    let tsns: [Action; 3] = [Send(0), ResetTsns, Send(0)];
    [
        World::new(
            "resets of both",
            &[Connect, ResetOutgoing],
            &[ResetOutgoing],
        ),
        World::new(
            "reset and restart",
            &[Connect, ResetOutgoing, Crash, Connect],
            &[],
        ),
        World::connected("resets of both, faulty", &[ResetOutgoing], &[ResetOutgoing]).faulty(2, 1),
        World::connected("reset between data", &reset, &[]).faulty(1, 1),
        World::connected("reset both ways", &[ResetOutgoing, ResetIncoming], &[]).faulty(1, 1),
        World::connected("incoming reset with data", &[ResetIncoming], &[Send(0)])
            .faulty(1, 0)
            .hasty(5),
        World::connected("TSN reset", &[ResetTsns], &[Send(0)])
            .faulty(1, 0)
            .hasty(5),
        World::connected("TSN reset between data", &tsns, &[])
            .faulty(1, 0)
            .hasty(5),
        World::connected("TSN resets of both", &[ResetTsns], &[ResetTsns])
            .faulty(1, 0)
            .hasty(5),
        World::connected("streams added", &[AddStreams, Send(0)], &[AddStreams]).faulty(1, 0),
        World::connected("reset and shutdown", &[ResetOutgoing], &[Shutdown]).faulty(1, 0),
    ]
    .map(World::reconfigured)
    .into()
}

fn changes_of_addresses() -> Vec<World> {
    let moved = [AddAddress(2), DeleteAddress(1)];
    let primary = [AddAddress(2), SetPeerPrimary(2)];
    [
        World::connected("address, lossy", &[AddAddress(2)], &[]).faulty(1, 0),
        World::connected("address moved", &moved, &[]),
        World::connected("address moved, with data", &moved, &[Send(0)]),
        World::connected("address made primary", &primary, &[]),
        World::connected("address and shutdown", &[AddAddress(2)], &[Shutdown]),
        World::connected("address and restart", &[AddAddress(2), Crash, Connect], &[]),
    ]
    .map(World::readdressed)
    .into()
}

fn partly_reliable() -> Vec<World> {
    let both = [SendOnce(0), Send(0)];
    [
        World::connected("partial reliability, faulty", &both, &[]).faulty(2, 1),
        World::connected("partial reliability, both ways", &both, &[SendOnce(0)]).faulty(1, 0),
        World::connected(
            "partial reliability and shutdown",
            &[SendOnce(0), Shutdown],
            &[],
        )
        .faulty(2, 1),
    ]
    .map(World::partial)
    .into()
}

fn handovers() -> Vec<World> {
    vec![
        World::connected("handover", &[Send(0), HandOver, Send(0)], &[]).faulty(1, 1),
        World::connected("handover, data both ways", &[HandOver, Send(0)], &[Send(0)]).faulty(1, 0),
        World::connected("handovers of both", &[HandOver, Send(0)], &[HandOver]).faulty(1, 1),
        World::connected("handover and shutdown", &[HandOver], &[Shutdown]).faulty(1, 1),
        World::connected("handover and restart", &[HandOver], &[Crash, Connect])
            .both_listen()
            .faulty(1, 0),
        World::connected(
            "handover and reset",
            &[HandOver, Send(0)],
            &[ResetOutgoing, Send(0)],
        )
        .reconfigured()
        .faulty(1, 0)
        .hasty(5),
        World::connected(
            "handover and address",
            &[AddAddress(2), HandOver],
            &[Send(0)],
        )
        .readdressed(),
    ]
}

fn several_paths() -> Vec<World> {
    let heartbeats = |options: &mut Options| {
        options.heartbeats = Heartbeats::Every(Duration::from_secs(1));
    };
    vec![
        World::new("two paths", &[Connect], &[]).multihomed(),
        World::new("two paths, lossy", &[Connect, Send(0)], &[])
            .multihomed()
            .faulty(1, 0),
        World::new("two paths, shutdown", &[Connect, Shutdown], &[]).multihomed(),
        World::connected("two paths, failover", &[Send(0), Send(0)], &[])
            .multihomed()
            .with(|options| options.path_max_retrans = 0)
            .faulty(1, 0),
        World::connected("two paths, restart", &[Crash, Connect], &[Send(0)]).multihomed(),
        World::connected(
            "two paths, one deleted",
            &[DeleteAddress(1), Send(0)],
            &[Send(0)],
        )
        .readdressed()
        .multihomed()
        .hasty(2),
        World::connected("two paths, heartbeats", &[], &[])
            .multihomed()
            .with(heartbeats)
            .faulty(1, 1)
            .hasty(0)
            .until(14),
        World::connected("two paths, heartbeats and data", &[Send(0)], &[])
            .multihomed()
            .with(heartbeats)
            .faulty(2, 0)
            .hasty(1)
            .until(7),
    ]
}

/// Worlds with optional behaviour.
fn variants() -> Vec<World> {
    let large = [SendLarge(0), Send(0)];
    let mixed = [SendLarge(0), SendOnce(1), Send(1)];
    let authentic = |options: &mut Options| {
        options.authentication = Authentication::On(AuthenticationOptions::default().into());
        options.address_changes = AddressChanges::On;
    };
    vec![
        World::connected("fragments", &large, &[])
            .faulty(1, 1)
            .hasty(3),
        World::connected("go-back-n", &large, &[])
            .with(|options| options.loss_recovery = LossRecovery::GoBackN)
            .faulty(1, 0),
        World::connected("non-renegable", &large, &[])
            .with(|options| options.selective_acks = SelectiveAcks::NonRenegable)
            .gaps(Gaps::AtTheEnd)
            .faulty(1, 0)
            .hasty(3),
        World::connected("interleaved", &mixed, &[])
            .with(|options| options.interleaving = Interleaving::On)
            .partial()
            .hasty(2),
        World::connected("partial reliability, fragments", &mixed, &[])
            .partial()
            .hasty(2),
        World::connected("losses found by time", &[Send(0), Send(0), Send(0)], &[])
            .with(|options| options.loss_detection = LossDetection::Rack)
            .faulty(1, 0)
            .hasty(1),
        World::connected("losses of fragments found by time", &large, &[])
            .with(|options| options.loss_detection = LossDetection::Rack)
            .faulty(2, 0)
            .hasty(0),
        World::connected("delayed acknowledgement", &[Send(0), Send(0)], &[Send(0)])
            .with(|options| options.sack_frequency = 2),
        World::connected("coalesced", &[Send(0), Send(0)], &[])
            .with(|options| options.coalescing = Coalescing::Nagle)
            .faulty(1, 0),
        World::connected(
            "address, authentic",
            &[AddAddress(2), DeleteAddress(1)],
            &[],
        )
        .readdressed()
        .with(authentic),
    ]
}
