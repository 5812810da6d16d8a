//! The verbs of plans.

use sheave_engine::{KeyMethods, Options};

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
    /// Sets the option of that name to one of these words: that at the argument's place, or the last.
    Words(&'static str, &'static str),
    /// Sets a property of the whole run.
    World,
    /// Sets a property of an end's outgoing link on a path.
    Net,
    /// A user's action; the first argument is its time, ms.
    Act,
}

const fn verb(name: &'static str, args: &'static [&'static str], kind: Kind) -> Verb {
    Verb { name, args, kind }
}

const fn option(name: &'static str, set: fn(&mut Options, u32)) -> Verb {
    verb(name, &["value"], Kind::Option(set))
}

const fn words(name: &'static str, words: &'static str) -> Verb {
    renamed(name, name, words)
}

/// The same for an option with another name.
const fn renamed(name: &'static str, option: &'static str, words: &'static str) -> Verb {
    verb(name, &["value"], Kind::Words(option, words))
}

const fn world(name: &'static str) -> Verb {
    verb(name, &["value"], Kind::World)
}

const fn net(name: &'static str, args: &'static [&'static str]) -> Verb {
    verb(name, args, Kind::Net)
}

const fn act(name: &'static str, args: &'static [&'static str]) -> Verb {
    verb(name, args, Kind::Act)
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
    words("rto_gains", "adaptive"),
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
    renamed("nagle", "coalescing", "nagle"),
    words("ecn", "on"),
    words(
        "congestion",
        "cubic highspeed bbr dctcp ecn-discrimination \
         early-decrease:heartbeat:144 early-decrease:always:144 new-reno",
    ),
    option("custom_congestion", policies::congestion),
    option("custom_acks", policies::acknowledgement),
    option("dead_peer", |o, n| {
        o.dead_peer_timeout = (n > 0).then_some(ms(n));
    }),
    words("pacing", "on"),
    option("standing_queue", |o, n| {
        o.standing_queue = Some(ms(n.clamp(1, 10_000)));
    }),
    words("window_rules", "rfc2960 rfc6928 stretched hystart"),
    option("missing_reports", |o, n| o.missing_reports = n as u8),
    words("fast_retransmissions", "other-path"),
    words("fast_recovery_at_timeout", "lasts"),
    words("first_heartbeat", "at-random"),
    renamed("rack", "loss_detection", "rack"),
    renamed("go_back_n", "loss_recovery", "go-back-n"),
    renamed("nr_sack", "selective_acks", "non-renegable"),
    words("chunk_checksum", "on"),
    words("zero_checksum", "dtls memory"),
    renamed("packet_drop", "packet_drop_reports", "on"),
    option("reconfiguration", features::reconfiguration),
    option("authentication", features::authentication),
    words("partial_reliability", "on"),
    words("interleaving", "on"),
    option("multipath", features::multipath),
    words("restart_ports", "any"),
    words("address_changes", "unauthenticated on"),
    option("adaptation", |o, n| o.adaptation_indication = Some(n)),
    renamed("spare_full", "bundling", "spare-full-chunks"),
    option("scheduler", |o, n| o.scheduler = scheduler(n)),
    words("early_data", "off with-cookie first-window"),
    words("sack_start", "delayed quick"),
    words("spurious_timeouts", "kept undone"),
    words("failover", "timeouts round-trips"),
    words("delivery_sacks", "always"),
    words("admission", "while-not-full"),
    words("message_parts", "together"),
    option("redundancy", |o, n| o.redundancy = Some(n)),
    option("plpmtud", features::plpmtud),
    words("protection", "loose strict"),
    words("key_roles", "client server"),
    option("key_methods", |o, n| {
        o.key_methods = KeyMethods(vec![n as u8]);
    }),
    words("protected_restart", "on"),
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
    // The end loses its restart keys with its state.
    world("forgets"),
    // Number of networks that both ends have from the start.
    world("paths"),
    // Bit mask of IPv6 networks.
    world("v6"),
    world("encapsulated"),
    // Redundant driver calls, per mille.
    world("redundant"),
    // Maximum segments per `poll_transmit`.
    world("segments"),
    // The end that closes after the run.
    world("closer"),
    // Limit on an endpoint's buffered user data.
    world("memory"),
    // Exchanges INITs through signalling.
    world("snap"),
    // After the run, only this network recovers at first.
    world("heal_one"),
    // Condition of the networks that do not recover then; a digit each, all dead by default.
    world("ailments"),
    // Network of the peer address to connect to.
    world("called"),
    // Drivers check and compute checksums, outside of the engine.
    world("verified"),
    // Both ends know their routes, and networks drop packets with foreign source addresses.
    world("routed"),
    net("delay", &["path", "us"]),
    net("jitter", &["path", "us"]),
    net("rate", &["path", "kbit"]),
    net("mtu", &["path", "bytes"]),
    net("loss", &["path", "permille"]),
    net("duplicate", &["path", "permille"]),
    net("reorder", &["path", "permille"]),
    net("corrupt", &["path", "permille"]),
    net("mark", &["path", "permille"]),
    // Packets whose ECN field a middlebox clears, per mille.
    net("bleach", &["path", "permille"]),
    // Packets whose SACKs lose gap blocks, per mille.
    net("thin", &["path", "permille"]),
    // Packets whose SACKs lose their duplicates, per mille.
    net("distinct", &["path", "permille"]),
    // SACKs announce a closed window for a while.
    net("shut", &["path", "at", "span"]),
    // Lost packets for which the sender gets a warning, per mille.
    net("warn", &["path", "permille"]),
    // Reports too large packets by ICMP.
    net("icmp", &["path", "on"]),
    net("cut", &["path", "at", "span"]),
    // Packets above a size are silently dropped for a while.
    net("hole", &["path", "at", "span", "bytes"]),
    // The link alternates between down and up a number of times.
    net("flap", &["path", "at", "period", "count"]),
    // The MTU changes.
    net("remtu", &["path", "at", "bytes"]),
    act("connect", &["at"]),
    act(
        "send",
        &["at", "count", "stream", "bytes", "flags", "policy", "limit"],
    ),
    // Sends a message on each of several streams.
    act("spread", &["at", "streams", "bytes", "unordered"]),
    act("read", &["at", "mode"]),
    act("shutdown", &["at"]),
    act("abort", &["at"]),
    act("restart", &["at", "connects"]),
    act("reset", &["at", "streams", "direction"]),
    act("reset_tsns", &["at"]),
    act("add_streams", &["at", "count", "direction"]),
    act("add_address", &["at", "path"]),
    act("delete_address", &["at", "path"]),
    act("set_peer_primary", &["at", "path"]),
    act("set_primary", &["at", "path"]),
    act("heartbeat", &["at", "path"]),
    act("insert_key", &["at", "key"]),
    act("activate_key", &["at", "key"]),
    act("deactivate_key", &["at", "key"]),
    act("delete_key", &["at", "key"]),
    // Begins a change of the keys that protect packets.
    act("rekey", &["at", "hasty"]),
    act("set_scheduler", &["at", "which"]),
    act("set_priority", &["at", "stream", "value"]),
    act("set_weight", &["at", "stream", "value"]),
    // Changes the buffer sizes; 0 leaves one unchanged.
    act("resize", &["at", "send", "receive"]),
    // Hands both ends over, with numbers that soon wrap.
    act("wrap", &["at", "tsns"]),
    act("handover", &["at"]),
    act("rebind", &["at", "port"]),
    // Sends messages to an address chosen by the user.
    act("direct", &["at", "count", "stream", "bytes", "path"]),
    act("retune_path", &["at", "path", "which", "value"]),
    act("max_fragment", &["at", "bytes"]),
    act("low_water", &["at", "stream", "bytes"]),
    act("icmp_told", &["at", "path", "kind", "mtu"]),
    act("jump", &["at", "millis"]),
    // The driver does not handle timers for a while.
    act("neglect_timers", &["at", "millis"]),
    // The driver does not poll for packets for a while.
    act("neglect_transmits", &["at", "millis"]),
];
