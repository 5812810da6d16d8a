//! All that a plan can say.

use sheave_engine::Options;

use super::{features, policies};

/// A kind of item: its name in the text of a plan, and what its numbers are.
pub(crate) struct Verb {
    pub(crate) name: &'static str,
    pub(crate) args: &'static [&'static str],
    pub(crate) kind: Kind,
}

/// The kind of an item.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// Sets an option of an end.
    Option(fn(&mut Options, u32)),
    /// Sets what holds for the whole run.
    World(WorldVerb),
    /// Sets a property of the links that lead from an end over a path.
    Net(NetVerb),
    /// Lets a user do something; the first argument is when, in milliseconds.
    Act(ActVerb),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WorldVerb {
    /// Networks that both ends have from the beginning.
    Paths,
    /// Networks of IP version 6, a bit each.
    V6,
    Encapsulated,
    /// Superfluous calls of the driver, per mille.
    Redundant,
    /// Segments that one call of `poll_transmit` may return.
    Segments,
    /// Which end closes when all is done.
    Closer,
    /// User data that an endpoint may hold.
    Memory,
    /// The INITs travel in the signalling.
    Snap,
    /// At first that network alone heals; the others are dead.
    HealOne,
    /// The network of the peer's address that is called.
    Called,
    /// Both know their routes, and networks drop packets from addresses of others.
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
    /// Per mille of the packets that are lost of which the sender is warned.
    Warn,
    /// Packets that are too big are told of by ICMP.
    Icmp,
    Cut,
    /// Packets above a size vanish for a while.
    Hole,
    /// Down for a period and up for one, so many times.
    Flap,
    /// The MTU changes.
    Remtu,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ActVerb {
    Connect,
    Send,
    /// A message on each of some streams.
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
    /// Other sizes of the buffers, where they are not 0.
    Resize,
    Handover,
    Rebind,
    /// Messages to an address that the user chooses.
    Direct,
    RetunePath,
    MaxFragment,
    LowWater,
    Icmp,
    Jump,
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

/// The row of that name.
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
    world("called", WorldVerb::Called),
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
];
