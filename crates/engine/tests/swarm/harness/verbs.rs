//! The verbs of plans.

use sheave_engine::Options;

use super::{features, policies};

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
    option("rto_initial", features::rto_initial),
    option("rto_min", features::rto_min),
    option("rto_max", features::rto_max),
    option("rto_shifts", features::rto_shifts),
    option("rto_gains", features::rto_gains),
    option("max_burst", features::max_burst),
    option("cookie_life", features::cookie_life),
    option("association_max_retrans", features::association_max_retrans),
    option("path_max_retrans", features::path_max_retrans),
    option("potentially_failed", features::potentially_failed),
    option("switchover", features::switchover),
    option("max_init", features::max_init),
    option("heartbeats", features::heartbeats),
    option("hb_max_burst", features::hb_max_burst),
    option("sack_delay", features::sack_delay),
    option("sack_frequency", features::sack_frequency),
    option("nagle", features::nagle),
    option("ecn", features::ecn),
    option("congestion", features::congestion),
    option("custom_congestion", policies::congestion),
    option("custom_acks", policies::acknowledgement),
    option("dead_peer", features::dead_peer),
    option("pacing", features::pacing),
    option("standing_queue", features::standing_queue),
    option("window_rules", features::window_rules),
    option("missing_reports", features::missing_reports),
    option("fast_retransmissions", features::fast_retransmissions),
    option(
        "fast_recovery_at_timeout",
        features::fast_recovery_at_timeout,
    ),
    option("first_heartbeat", features::first_heartbeat),
    option("rack", features::rack),
    option("go_back_n", features::go_back_n),
    option("nr_sack", features::nr_sack),
    option("chunk_checksum", features::chunk_checksum),
    option("zero_checksum", features::zero_checksum),
    option("packet_drop", features::packet_drop),
    option("reconfiguration", features::reconfiguration),
    option("authentication", features::authentication),
    option("partial_reliability", features::partial_reliability),
    option("interleaving", features::interleaving),
    option("multipath", features::multipath),
    option("restart_ports", features::restart_ports),
    option("address_changes", features::address_changes),
    option("adaptation", features::adaptation),
    option("spare_full", features::spare_full),
    option("scheduler", features::scheduler_option),
    option("early_data", features::early_data),
    option("sack_start", features::sack_start),
    option("spurious_timeouts", features::spurious_timeouts),
    option("failover", features::failover),
    option("delivery_sacks", features::delivery_sacks),
    option("admission", features::admission),
    option("message_parts", features::message_parts),
    option("redundancy", features::redundancy),
    option("plpmtud", features::plpmtud),
    option("initial_pmtu", features::initial_pmtu),
    option("outbound_streams", features::outbound_streams),
    option("inbound_streams", features::inbound_streams),
    option("send_buffer", features::send_buffer),
    option("receive_buffer", features::receive_buffer),
    option("auto_buffers", features::auto_buffers),
    option("partial_delivery", features::partial_delivery),
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
