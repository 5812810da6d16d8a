use super::scene::{DEATH_AT, DEATH_WATCHED, WATCHED};
use super::{CONGESTION, CONGESTION_TODAY, DEATH, NAME, SURFACE, TEMPORARY, VARIATION};
use crate::{Effort, Quantity, Run, Settings};

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
/// The rules for detecting a failed path.
pub(super) const RULES: [&str; 6] = [
    "RFC 9260",
    "RFC 7829",
    "adaptive RTO",
    "RFC 9260, RTO.Min 0.1 s",
    "adaptive RTO, RTO.Min 0.1 s",
    MODERN,
];
/// The transfers active when the path fails.
pub(super) const WORKLOADS: [&str; 2] = [MESSAGES, BULK];
/// A message every 100 ms.
pub(super) const MESSAGES: &str = "messages";
/// A greedy sender.
pub(super) const BULK: &str = "bulk";
/// The directions in which the path fails.
pub(super) const CUTS: [&str; 3] = [BOTH, THERE, BACK];
/// Neither direction delivers packets.
pub(super) const BOTH: &str = "both";
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

/// An experiment, its settings, and a multiple of the usual number of seeds.
type Wanted = (&'static str, Settings, u64);

pub(super) fn plan(effort: Effort) -> Vec<Run> {
    let mut wanted = comparison();
    wanted.extend(surface(effort));
    wanted.extend(temporary(effort));
    wanted.extend(death());
    wanted.extend(other_deaths(effort));
    let runs = wanted
        .into_iter()
        .flat_map(|(experiment, settings, times)| {
            let seeds = effort.seeds().count() as u64 * times;
            effort
                .seeded(seeds)
                .map(move |seed| Run::new(NAME, experiment, settings.clone(), seed))
        });
    runs.collect()
}

/// The paper's comparison and its variations, with more seeds, since the runs are cheap and noisy.
fn comparison() -> Vec<Wanted> {
    let found = FOUND.settings();
    let mut wanted = Vec::new();
    for algorithm in ALGORITHMS {
        let one = found.clone().with("algorithm", algorithm);
        for queue in QUEUES {
            wanted.push((CONGESTION, one.clone().with("queue", queue), 5));
        }
        let today = one.clone().with("queue", "drop-tail").with("rule", MODERN);
        wanted.push((CONGESTION_TODAY, today, 5));
        for variation in Variation::ALL {
            let varied = one.clone().with("changed", variation.name());
            wanted.push((VARIATION, varied.with("queue", "drop-tail"), 5));
        }
    }
    wanted
}

/// The search, which includes the network found.
fn surface(effort: Effort) -> Vec<Wanted> {
    let bottlenecks = effort.choose(vec![5.0, 20.0], vec![2.0, 5.0, 10.0, 20.0, 50.0]);
    let loads = effort.choose(
        vec![1.0, 1.2, 1.5, 2.0],
        vec![0.8, 1.0, 1.1, 1.2, 1.3, 1.5, 2.0, 3.0],
    );
    let mut wanted = Vec::new();
    for bottleneck_mbit in bottlenecks {
        for burst_load in &loads {
            for (on_ms, off_ms) in pauses(effort) {
                let cross = Cross {
                    bottleneck_mbit,
                    burst_load: *burst_load,
                    on_ms,
                    off_ms,
                };
                for algorithm in ["standard", "always"] {
                    let one = cross.settings().with("algorithm", algorithm);
                    wanted.push((SURFACE, one.with("queue", "drop-tail"), 1));
                }
            }
        }
    }
    wanted
}

/// Mean lengths of bursts and pauses; without pauses, the burst length is meaningless.
fn pauses(effort: Effort) -> Vec<(f64, f64)> {
    let mut pauses = vec![(0.0, 0.0)];
    let more: &[(f64, f64)] = effort.choose(
        &[(100.0, 100.0), (1000.0, 300.0)],
        &[
            (30.0, 30.0),
            (100.0, 30.0),
            (100.0, 100.0),
            (300.0, 100.0),
            (300.0, 300.0),
            (1000.0, 300.0),
            (1000.0, 1000.0),
        ],
    );
    pauses.extend(more);
    pauses
}

fn temporary(effort: Effort) -> Vec<Wanted> {
    let mut wanted = Vec::new();
    for spell in effort.choose(vec![10.0], vec![1.0, 3.0, 10.0, 30.0, 70.0, 100.0]) {
        for (_, algorithm, rule) in EXPOSED.into_iter().chain(EXPOSED_TODAY) {
            for limit in effort.choose(vec![0_u16, 5], vec![0, 1, 2, 3, 4, 5]) {
                let one = Settings::new()
                    .with("bottleneck_mbit", SPELL_MBIT)
                    .with("spell_load", SPELL_LOAD)
                    .with("spell_s", spell)
                    .with("algorithm", algorithm)
                    .with("rule", rule)
                    .with("path_max_retrans", limit);
                wanted.push((TEMPORARY, one, 1));
            }
        }
    }
    wanted
}

/// Failure of the primary path in both directions during messages, with all rules.
fn death() -> Vec<Wanted> {
    let mut wanted = Vec::new();
    for rule in RULES {
        for limit in 0..=5_u16 {
            wanted.push((DEATH, dying(MESSAGES, BOTH, rule, limit), 2));
        }
    }
    wanted
}

/// Failure of the primary path during bulk transfer, or in one direction.
fn other_deaths(effort: Effort) -> Vec<Wanted> {
    let mut wanted = Vec::new();
    for (workload, cut) in other_ways_to_die() {
        for rule in RULES {
            for limit in effort.choose(vec![1_u16, 5], (0..=5).collect()) {
                wanted.push((DEATH, dying(workload, cut, rule, limit), 1));
            }
        }
    }
    wanted
}

/// The pairs of workload and cut, except the first.
pub(super) fn other_ways_to_die() -> impl Iterator<Item = (&'static str, &'static str)> {
    let pairs = WORKLOADS.into_iter();
    pairs
        .flat_map(|workload| CUTS.map(|cut| (workload, cut)))
        .skip(1)
}

fn dying(workload: &str, cut: &str, rule: &str, limit: u16) -> Settings {
    Settings::new()
        .with("workload", workload)
        .with("cut", cut)
        .with("rule", rule)
        .with("bottleneck_mbit", DEATH_MBIT)
        .with("burst_load", DEATH_LOAD)
        .with("path_max_retrans", limit)
}
