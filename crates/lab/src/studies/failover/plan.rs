use crate::Settings;

/// The network found by the search; see [`SURFACE`].
const FOUND: Cross = Cross {
    bottleneck_mbit: 20.0,
    burst_load: 1.2,
    on_ms: 0.0,
    off_ms: 0.0,
};

/// The algorithms, the standard one first.
pub(super) const ALGORITHMS: [&str; 3] = ["standard", "heartbeat", "always"];
/// The queue disciplines of the router.
pub(super) const QUEUES: [&str; 2] = ["drop-tail", "red"];
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
/// The change of the comparison to the receive buffer of the paper's run of the modified algorithm, derived from the
/// largest window that it prints, plus one message.
pub(super) const GREATER_BUFFER: &str = "receive buffer of 99,535 bytes";
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
