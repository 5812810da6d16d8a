use super::scene::{DEATH_AT, DEATH_WATCHED, WATCHED};
use crate::{Quantity, Settings};

/// The network found by the search; see [`SURFACE`].
const FOUND: Cross = Cross {
    bottleneck_mbit: 20.0,
    burst_load: 1.2,
    on_ms: 0.0,
    off_ms: 0.0,
};
/// Load during temporary congestion, as a multiple of the bottleneck rate.
const SPELL_LOAD: f64 = 4.0;
/// Bottleneck rate for temporary congestion, low enough for cheap simulation of a greedy sender.
const SPELL_MBIT: f64 = 5.0;
/// Bottleneck rate of the other path if a greedy sender may switch to it. A window of 65,535 bytes
/// causes no loss there, and an unlimited one does not send 1 Gb/s for the rest of the run, which
/// no figure shows.
pub(super) const OTHER_MBIT: f64 = 10.0;

/// Bottleneck and cross traffic of the path that fails: enough traffic for varying round trips.
const DEATH_MBIT: f64 = 2.0;
const DEATH_LOAD: f64 = 0.8;

/// Receive buffer in the paper's run of the standard algorithm, bytes: the largest window printed,
/// plus one message.
pub(super) const BUFFER: usize = 65_535;
/// Receive buffer in the paper's run of the modified algorithm, derived likewise, bytes.
pub(super) const GREATER_BUFFER: usize = 99_535;

/// The algorithms, the standard one first.
pub(super) const ALGORITHMS: [&str; 3] = ["standard", "heartbeat", "always"];
/// The queue disciplines of the router.
pub(super) const QUEUES: [&str; 2] = ["drop-tail", "red"];
/// A greedy sender.
pub(super) const BULK: &str = "bulk";
/// Data is lost.
pub(super) const THERE: &str = "there";
/// Replies to data are lost.
pub(super) const BACK: &str = "back";
/// The associations exposed to temporary congestion: name, algorithm, rule.
pub(super) const EXPOSED: [(&str, &str, &str); 4] = [
    ("standard", "standard", "RFC 9260"),
    ("heartbeat", "heartbeat", "RFC 9260"),
    ("always", "always", "RFC 9260"),
    ("standard with RFC 7829", "standard", "RFC 7829"),
];

/// The associations exposed to temporary congestion with Sheave's default profile, which leaves a
/// path according to RFC 7829.
pub(super) const EXPOSED_TODAY: [(&str, &str, &str); 3] = [
    ("standard", "standard", MODERN),
    ("heartbeat", "heartbeat", MODERN),
    ("always", "always", MODERN),
];
/// The rules of Sheave's default profile.
pub(super) const MODERN: &str = "modern";

/// Bottleneck and cross traffic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cross {
    bottleneck_mbit: f64,
    burst_load: f64,
    on_ms: f64,
    /// Mean pause, ms; 0 without pauses.
    off_ms: f64,
}

impl Cross {
    pub(super) fn settings(self) -> Settings {
        Settings::new()
            .with("bottleneck_mbit", self.bottleneck_mbit)
            .with("burst_load", self.burst_load)
            .with("on_ms", self.on_ms)
            .with("off_ms", self.off_ms)
    }

    /// The network used for the comparison.
    pub(super) const fn found() -> Self {
        FOUND
    }
}

/// A single change to the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Variation {
    Nothing,
    Buffer,
    RtoMin,
    Heartbeats,
    Rfc2960,
}

impl Variation {
    pub(super) const ALL: [Self; 5] = [
        Self::Nothing,
        Self::Buffer,
        Self::RtoMin,
        Self::Heartbeats,
        Self::Rfc2960,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Buffer => "receive buffer of 99,535 bytes",
            Self::RtoMin => "RTO.Min of 0.5 s",
            Self::Heartbeats => "a heartbeat every second",
            Self::Rfc2960 => "the rules of RFC 2960",
        }
    }

    /// The variation of a run.
    pub(super) fn of(settings: &Settings) -> Self {
        let name = settings.text("changed");
        let mut all = Self::ALL.into_iter();
        all.find(|one| one.name() == name).unwrap_or(Self::Nothing)
    }
}

/// The values of placeholders in the texts of the parameters.
pub(super) fn quantities() -> Vec<Quantity> {
    let Cross {
        burst_load,
        on_ms,
        off_ms,
        ..
    } = FOUND;
    let bursts = match off_ms {
        0.0 => "Poisson, without pauses".to_owned(),
        _ => format!("{on_ms} ms on and {off_ms} ms off on average (exponential)"),
    };
    vec![
        ("bottleneck_mbit", FOUND.bottleneck_mbit.to_string()),
        ("burst_load", burst_load.to_string()),
        ("bursts", bursts),
        ("spell_load", SPELL_LOAD.to_string()),
        ("spell_mbit", SPELL_MBIT.to_string()),
        ("other_mbit", OTHER_MBIT.to_string()),
        ("watched_s", WATCHED.as_secs().to_string()),
        ("death_at_s", DEATH_AT.as_secs().to_string()),
        ("death_watched_s", DEATH_WATCHED.as_secs().to_string()),
        ("death_mbit", DEATH_MBIT.to_string()),
        ("death_load", DEATH_LOAD.to_string()),
    ]
}
