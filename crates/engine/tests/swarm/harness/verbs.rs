//! The verbs of plans.

use sheave_engine::{
    Admission, Bundling, ChunkChecksum, Coalescing, DeliverySacks, ExplicitCongestion,
    FastRecoveryAtTimeout, FastRetransmissions, FirstHeartbeat, Interleaving, KeyMethods, KeyRoles,
    LossDetection, LossRecovery, MessageParts, Options, Pacing, PacketDropReports,
    PartialReliability, ProtectedRestart, Protection, RestartPorts, RtoGains, SelectiveAcks,
};

use super::features::{self, ms, scheduler};
use super::policies;

/// A verb: its name in the text of a plan, and its arguments.
pub(crate) struct Verb {
    pub(crate) name: &'static str,
    pub(crate) args: &'static [&'static str],
    pub(crate) kind: Kind,
}

/// Effect of an item.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// Sets an option of an end.
    Option(fn(&mut Options, u32)),
    /// Sets a property of the whole run.
    World(WorldVerb),
    /// Sets a property of an end's outgoing link on a path.
    Net(NetVerb),
    /// A user's action; the first argument is its time, ms.
    Act(ActVerb),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WorldVerb {
    /// Number of networks that both ends have from the start.
    Paths,
    /// Bit mask of IPv6 networks.
    V6,
    Encapsulated,
    /// Redundant driver calls, per mille.
    Redundant,
    /// Maximum segments per `poll_transmit`.
    Segments,
    /// The end that closes after the run.
    Closer,
    /// Limit on an endpoint's buffered user data.
    Memory,
    /// The end loses its restart keys with its state.
    Forgets,
    /// Exchanges INITs through signalling.
    Snap,
    /// After the run, only this network recovers at first.
    HealOne,
    /// Condition of the networks that do not recover then; a digit each, all dead by default.
    Ailments,
    /// Network of the peer address to connect to.
    Called,
    /// Drivers check and compute checksums, outside of the engine.
    Verified,
    /// Both ends know their routes, and networks drop packets with foreign source addresses.
    Routed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NetVerb {
    Delay,
    Jitter,
    Rate,
    Mtu,
    Loss,
    Duplicate,
    Reorder,
    Corrupt,
    Mark,
    /// Packets whose ECN field a middlebox clears, per mille.
    Bleach,
    /// Packets whose SACKs lose gap blocks, per mille.
    Thin,
    /// Packets whose SACKs lose their duplicates, per mille.
    Distinct,
    /// SACKs announce a closed window for a while.
    Shut,
    /// Lost packets for which the sender gets a warning, per mille.
    Warn,
    /// Reports too large packets by ICMP.
    Icmp,
    Cut,
    /// Packets above a size are silently dropped for a while.
    Hole,
    /// The link alternates between down and up a number of times.
    Flap,
    /// The MTU changes.
    Remtu,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ActVerb {
    Connect,
    Send,
    /// Sends a message on each of several streams.
    Spread,
    Read,
    Shutdown,
    Abort,
    Restart,
    Reset,
    ResetTsns,
    AddStreams,
    AddAddress,
    DeleteAddress,
    SetPeerPrimary,
    SetPrimary,
    Heartbeat,
    InsertKey,
    ActivateKey,
    DeactivateKey,
    DeleteKey,
    /// Begins a change of the keys that protect packets.
    Rekey,
    Scheduler,
    Priority,
    Weight,
    /// Changes the buffer sizes; 0 leaves one unchanged.
    Resize,
    Handover,
    /// Hands both ends over, with numbers that soon wrap.
    Wrap,
    Rebind,
    /// Sends messages to an address chosen by the user.
    Direct,
    RetunePath,
    MaxFragment,
    LowWater,
    Icmp,
    Jump,
    /// The driver does not handle timers for a while.
    NeglectTimers,
    /// The driver does not poll for packets for a while.
    NeglectTransmits,
}

const fn option(name: &'static str, set: fn(&mut Options, u32)) -> Verb {
    Verb {
        name,
        args: &["value"],
        kind: Kind::Option(set),
    }
}

const fn world(name: &'static str, verb: WorldVerb) -> Verb {
    Verb {
        name,
        args: &["value"],
        kind: Kind::World(verb),
    }
}

const fn net(name: &'static str, args: &'static [&'static str], verb: NetVerb) -> Verb {
    Verb {
        name,
        args,
        kind: Kind::Net(verb),
    }
}

const fn act(name: &'static str, args: &'static [&'static str], verb: ActVerb) -> Verb {
    Verb {
        name,
        args,
        kind: Kind::Act(verb),
    }
}

/// Number of verbs.
pub(crate) const COUNT: usize = VERBS.len();

/// Index of the verb with that name.
pub(crate) fn row(name: &str) -> usize {
    let row = VERBS.iter().position(|verb| verb.name == name);
    row.unwrap_or_else(|| panic!("no verb {name}"))
}

pub(crate) const VERBS: &[Verb] = &[
    option("profile", features::profile),
    option("rto_initial", |o, n| o.rto_initial = ms(n.clamp(10, 3000))),
    option("rto_min", |o, n| o.rto_min = ms(n.clamp(10, 2000))),
    option("rto_max", |o, n| o.rto_max = ms(n.clamp(200, 4000))),
    option("rto_shifts", features::rto_shifts),
    option("rto_gains", |o, _| o.rto_gains = RtoGains::Adaptive),
    option("max_burst", |o, n| {
        o.max_burst = (n > 0).then_some(n as u16);
    }),
    option("cookie_life", |o, n| {
        o.valid_cookie_life = ms(n.clamp(10, 60_000));
    }),
    option("association_max_retrans", |o, n| {
        o.association_max_retrans = n.clamp(1, 20);
    }),
    option("path_max_retrans", |o, n| o.path_max_retrans = n),
    option("potentially_failed", |o, n| {
        o.potentially_failed_max_retrans = n.checked_sub(1);
    }),
    option("switchover", |o, n| {
        o.primary_switchover_max_retrans = Some(n);
    }),
    option("max_init", |o, n| o.max_init_retransmits = n.min(12)),
    option("heartbeats", features::heartbeats),
    option("hb_max_burst", |o, n| o.hb_max_burst = n as u8),
    option("sack_delay", |o, n| o.sack_delay = ms(n.min(500))),
    option("sack_frequency", |o, n| o.sack_frequency = n as u8),
    option("nagle", |o, _| o.coalescing = Coalescing::Nagle),
    option("ecn", |o, _| o.ecn = ExplicitCongestion::On),
    option("congestion", features::congestion),
    option("custom_congestion", policies::congestion),
    option("custom_acks", policies::acknowledgement),
    option("dead_peer", |o, n| {
        o.dead_peer_timeout = (n > 0).then_some(ms(n));
    }),
    option("pacing", |o, _| o.pacing = Pacing::On),
    option("standing_queue", |o, n| {
        o.standing_queue = Some(ms(n.clamp(1, 10_000)));
    }),
    option("window_rules", features::window_rules),
    option("missing_reports", |o, n| o.missing_reports = n as u8),
    option("fast_retransmissions", |o, _| {
        o.fast_retransmissions = FastRetransmissions::OtherPath;
    }),
    option("fast_recovery_at_timeout", |o, _| {
        o.fast_recovery_at_timeout = FastRecoveryAtTimeout::Lasts;
    }),
    option("first_heartbeat", |o, _| {
        o.first_heartbeat = FirstHeartbeat::AtRandom;
    }),
    option("rack", |o, _| o.loss_detection = LossDetection::Rack),
    option("go_back_n", |o, _| o.loss_recovery = LossRecovery::GoBackN),
    option("nr_sack", |o, _| {
        o.selective_acks = SelectiveAcks::NonRenegable;
    }),
    option("chunk_checksum", |o, _| {
        o.chunk_checksum = ChunkChecksum::On;
    }),
    option("zero_checksum", features::zero_checksum),
    option("packet_drop", |o, _| {
        o.packet_drop_reports = PacketDropReports::On;
    }),
    option("reconfiguration", features::reconfiguration),
    option("authentication", features::authentication),
    option("partial_reliability", |o, _| {
        o.partial_reliability = PartialReliability::On;
    }),
    option("interleaving", |o, _| o.interleaving = Interleaving::On),
    option("multipath", features::multipath),
    option("restart_ports", |o, _| o.restart_ports = RestartPorts::Any),
    option("address_changes", features::address_changes),
    option("adaptation", |o, n| o.adaptation_indication = Some(n)),
    option("spare_full", |o, _| o.bundling = Bundling::SpareFullChunks),
    option("scheduler", |o, n| o.scheduler = scheduler(n)),
    option("early_data", features::early_data),
    option("sack_start", features::sack_start),
    option("spurious_timeouts", features::spurious_timeouts),
    option("failover", features::failover),
    option("delivery_sacks", |o, _| {
        o.delivery_sacks = DeliverySacks::Always;
    }),
    option("admission", |o, _| o.admission = Admission::WhileNotFull),
    option("message_parts", |o, _| {
        o.message_parts = MessageParts::Together;
    }),
    option("redundancy", |o, n| o.redundancy = Some(n)),
    option("plpmtud", features::plpmtud),
    option("protection", |o, n| {
        o.protection = match n {
            0 => Protection::Loose,
            _ => Protection::Strict,
        };
    }),
    option("key_roles", |o, n| {
        o.key_roles = match n {
            0 => KeyRoles::Client,
            _ => KeyRoles::Server,
        };
    }),
    option("key_methods", |o, n| {
        o.key_methods = KeyMethods(vec![n as u8]);
    }),
    option("protected_restart", |o, _| {
        o.protected_restart = ProtectedRestart::On;
    }),
    option("replay_window", |o, n| o.replay_window = n as u16),
    option("initial_pmtu", |o, n| {
        o.initial_pmtu = n.clamp(512, 1500) as u16;
    }),
    option("outbound_streams", |o, n| o.outbound_streams = n as u16),
    option("inbound_streams", |o, n| o.max_inbound_streams = n as u16),
    option("send_buffer", |o, n| o.send_buffer = n as usize),
    option("receive_buffer", features::receive_buffer),
    option("auto_buffers", features::auto_buffers),
    option("partial_delivery", |o, n| {
        o.partial_delivery_point = n as usize;
    }),
    world("forgets", WorldVerb::Forgets),
    world("paths", WorldVerb::Paths),
    world("v6", WorldVerb::V6),
    world("encapsulated", WorldVerb::Encapsulated),
    world("redundant", WorldVerb::Redundant),
    world("segments", WorldVerb::Segments),
    world("closer", WorldVerb::Closer),
    world("memory", WorldVerb::Memory),
    world("snap", WorldVerb::Snap),
    world("heal_one", WorldVerb::HealOne),
    world("ailments", WorldVerb::Ailments),
    world("called", WorldVerb::Called),
    world("verified", WorldVerb::Verified),
    world("routed", WorldVerb::Routed),
    net("delay", &["path", "us"], NetVerb::Delay),
    net("jitter", &["path", "us"], NetVerb::Jitter),
    net("rate", &["path", "kbit"], NetVerb::Rate),
    net("mtu", &["path", "bytes"], NetVerb::Mtu),
    net("loss", &["path", "permille"], NetVerb::Loss),
    net("duplicate", &["path", "permille"], NetVerb::Duplicate),
    net("reorder", &["path", "permille"], NetVerb::Reorder),
    net("corrupt", &["path", "permille"], NetVerb::Corrupt),
    net("mark", &["path", "permille"], NetVerb::Mark),
    net("bleach", &["path", "permille"], NetVerb::Bleach),
    net("thin", &["path", "permille"], NetVerb::Thin),
    net("distinct", &["path", "permille"], NetVerb::Distinct),
    net("shut", &["path", "at", "span"], NetVerb::Shut),
    net("warn", &["path", "permille"], NetVerb::Warn),
    net("icmp", &["path", "on"], NetVerb::Icmp),
    net("cut", &["path", "at", "span"], NetVerb::Cut),
    net("hole", &["path", "at", "span", "bytes"], NetVerb::Hole),
    net("flap", &["path", "at", "period", "count"], NetVerb::Flap),
    net("remtu", &["path", "at", "bytes"], NetVerb::Remtu),
    act("connect", &["at"], ActVerb::Connect),
    act(
        "send",
        &["at", "count", "stream", "bytes", "flags", "policy", "limit"],
        ActVerb::Send,
    ),
    act(
        "spread",
        &["at", "streams", "bytes", "unordered"],
        ActVerb::Spread,
    ),
    act("read", &["at", "mode"], ActVerb::Read),
    act("shutdown", &["at"], ActVerb::Shutdown),
    act("abort", &["at"], ActVerb::Abort),
    act("restart", &["at", "connects"], ActVerb::Restart),
    act("reset", &["at", "streams", "direction"], ActVerb::Reset),
    act("reset_tsns", &["at"], ActVerb::ResetTsns),
    act(
        "add_streams",
        &["at", "count", "direction"],
        ActVerb::AddStreams,
    ),
    act("add_address", &["at", "path"], ActVerb::AddAddress),
    act("delete_address", &["at", "path"], ActVerb::DeleteAddress),
    act("set_peer_primary", &["at", "path"], ActVerb::SetPeerPrimary),
    act("set_primary", &["at", "path"], ActVerb::SetPrimary),
    act("heartbeat", &["at", "path"], ActVerb::Heartbeat),
    act("insert_key", &["at", "key"], ActVerb::InsertKey),
    act("activate_key", &["at", "key"], ActVerb::ActivateKey),
    act("deactivate_key", &["at", "key"], ActVerb::DeactivateKey),
    act("delete_key", &["at", "key"], ActVerb::DeleteKey),
    act("rekey", &["at", "hasty"], ActVerb::Rekey),
    act("set_scheduler", &["at", "which"], ActVerb::Scheduler),
    act(
        "set_priority",
        &["at", "stream", "value"],
        ActVerb::Priority,
    ),
    act("set_weight", &["at", "stream", "value"], ActVerb::Weight),
    act("resize", &["at", "send", "receive"], ActVerb::Resize),
    act("wrap", &["at", "tsns"], ActVerb::Wrap),
    act("handover", &["at"], ActVerb::Handover),
    act("rebind", &["at", "port"], ActVerb::Rebind),
    act(
        "direct",
        &["at", "count", "stream", "bytes", "path"],
        ActVerb::Direct,
    ),
    act(
        "retune_path",
        &["at", "path", "which", "value"],
        ActVerb::RetunePath,
    ),
    act("max_fragment", &["at", "bytes"], ActVerb::MaxFragment),
    act("low_water", &["at", "stream", "bytes"], ActVerb::LowWater),
    act("icmp_told", &["at", "path", "kind", "mtu"], ActVerb::Icmp),
    act("jump", &["at", "millis"], ActVerb::Jump),
    act("neglect_timers", &["at", "millis"], ActVerb::NeglectTimers),
    act(
        "neglect_transmits",
        &["at", "millis"],
        ActVerb::NeglectTransmits,
    ),
];
