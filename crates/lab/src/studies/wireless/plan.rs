use super::radio::{BAD, BAD_STAYS, GOOD, GOOD_STAYS, QUEUE, SECONDS};
use super::{BETA, CAUSE, DAMAGE, LOSS, NAME, PERIOD, TRACE};
use crate::{Effort, Extent, Quantity, Run, Settings};

/// Interpretations of the radio channel; the paper's most likely one is first.
pub(super) const READINGS: [&str; 3] = ["gilbert-ns2", "gilbert-periodic", "gilbert-exponential"];
/// The number of paths: one or two.
pub(super) const HOMINGS: [&str; 2] = ["single", "multi"];
/// The rules of the paper's simulator, and the current RFC's.
pub(super) const RULES: [&str; 2] = ["rfc2960", "rfc9260"];
/// Sheave's default profile.
pub(super) const RULES_TODAY: &str = "modern";
/// The paper's two schemes.
pub(super) const SCHEMES: [&str; 2] = ["sctp", "chunk-checksum"];
/// The paper's probability of corruption in the bad state.
pub(super) const USUAL_BETA: f64 = 0.25;
const RTO_MIN_200_MS: &str = "RTO.Min 200 ms";
/// The fast recovery of ns-2.
pub(super) const LASTING_RECOVERY: &str = "fast recovery outlives T3-rtx";
const WINDOW_1_MIB: &str = "window 1 MiB";
const HEARTBEATS_EVERY_SECOND: &str = "heartbeats every second";
/// Causes that are removed or added, one at a time.
pub(super) const CHANGES: [&str; 9] = [
    "none",
    "a SACK for each packet",
    RTO_MIN_200_MS,
    "third missing report",
    WINDOW_1_MIB,
    HEARTBEATS_EVERY_SECOND,
    "fast retransmissions on the same path",
    LASTING_RECOVERY,
    "damage both ways",
];

/// Bit errors anywhere in the packet.
pub(super) const SCATTERED: &str = "scattered";
/// Bit errors in adjacent positions.
pub(super) const BURST: &str = "burst";

/// Rivals of the paper's two schemes: scheme and homing.
pub(super) const RIVALS: [(&str, &str); 5] = [
    ("tcp", "single"),
    ("ecn-discrimination", "single"),
    ("ecn-discrimination", "multi"),
    ("mac-error-warning", "single"),
    ("mac-error-warning", "multi"),
];

/// The values of placeholders in the texts of the parameters.
pub(super) fn quantities() -> Vec<Quantity> {
    vec![
        ("good_s", GOOD.to_string()),
        ("good_stays", GOOD_STAYS.to_string()),
        ("bad_s", BAD.to_string()),
        ("bad_stays", BAD_STAYS.to_string()),
        ("beta", USUAL_BETA.to_string()),
        ("queue", QUEUE.to_string()),
    ]
}

/// The swept settings of the radio, with their experiments.
fn swept(effort: Effort) -> Vec<(&'static str, Settings)> {
    let mut all = Vec::new();
    let betas = effort.choose(
        vec![0.0, 0.25, 0.5],
        vec![0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5],
    );
    for beta in betas {
        all.push((BETA, Settings::new().with("beta", beta)));
    }
    let usual = Settings::new().with("beta", USUAL_BETA);
    let scales = effort.choose(
        vec![4.0, 0.03125],
        vec![4.0, 2.0, 1.0, 0.5, 0.25, 0.125, 0.0625, 0.03125],
    );
    for scale in scales {
        all.push((PERIOD, usual.clone().with("scale", scale)));
    }
    let losses = effort.choose(
        vec![1.0, 5.0],
        vec![0.0, 0.5, 1.0, 1.5, 1.9, 3.0, 4.0, 6.0, 8.0, 10.0],
    );
    for loss in losses {
        all.push((LOSS, usual.clone().with("loss_percent", loss)));
    }
    all
}

pub(super) fn plan(effort: Effort) -> Vec<Run> {
    let mut settings = Vec::new();
    for (experiment, swept) in swept(effort) {
        for reading in READINGS {
            let one = swept.clone().with("reading", reading);
            if reading == READINGS[0] || effort.extent == Extent::Full {
                let today = one.clone().with("rules", RULES_TODAY);
                let today = today.with("seconds", effort.choose(30.0, SECONDS));
                settings.extend(pairs(&today, experiment));
            }
            // Other interpretations get the rivals and RFC 9260's rules in the full extent only.
            let usual = experiment == BETA && one.number("beta") == USUAL_BETA;
            let beside = effort.extent == Extent::Full || reading == READINGS[0] && usual;
            for rules in RULES.iter().take(if beside { 2 } else { 1 }) {
                settings.extend(pairs(&one.clone().with("rules", *rules), experiment));
            }
            if beside {
                settings.extend(RIVALS.map(|(scheme, homing)| {
                    let rival = one.clone().with("scheme", scheme).with("homing", homing);
                    (experiment, rival.with("rules", RULES[0]))
                }));
            }
        }
    }
    settings.extend(sizes(effort));
    settings.extend(causes(effort));
    settings.extend(traces());
    let runs = settings.into_iter().flat_map(|(experiment, settings)| {
        // In the quick extent, experiments that only explain results need few seeds.
        let most = match experiment {
            TRACE => 1,
            CAUSE => effort.choose(3, usize::MAX),
            _ => usize::MAX,
        };
        effort.runs(NAME, experiment, settings).take(most)
    });
    runs.collect()
}

/// The settings of the paper's four curves.
fn pairs(one: &Settings, experiment: &'static str) -> Vec<(&'static str, Settings)> {
    let homings = HOMINGS.iter().flat_map(|homing| {
        let one = one.clone().with("homing", *homing);
        SCHEMES.map(|scheme| (experiment, one.clone().with("scheme", scheme)))
    });
    homings.collect()
}

/// The paper's two schemes over one path, long enough for corruption to occur.
fn traces() -> [(&'static str, Settings); 2] {
    SCHEMES.map(|scheme| {
        let settings = Settings::new()
            .with("reading", READINGS[0])
            .with("rules", RULES[0])
            .with("beta", USUAL_BETA)
            .with("homing", HOMINGS[0])
            .with("seconds", 10.0);
        (TRACE, settings.with("scheme", scheme))
    })
}

/// The paper's two schemes over one path, with several bit errors, scattered and in bursts.
fn sizes(effort: Effort) -> Vec<(&'static str, Settings)> {
    let usual = Settings::new()
        .with("reading", READINGS[0])
        .with("beta", USUAL_BETA)
        .with("rules", RULES[0])
        .with("homing", HOMINGS[0]);
    let scattered = effort.choose(
        vec![4.0, 64.0],
        vec![2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0],
    );
    let bursts = effort.choose(vec![400.0], vec![16.0, 100.0, 400.0, 1600.0]);
    let mut all = Vec::new();
    for (placement, sizes) in [(SCATTERED, scattered), (BURST, bursts)] {
        for bits in sizes {
            let one = usual.clone().with("wrong_bits", bits);
            let one = one.with("placement", placement);
            all.extend(SCHEMES.map(|scheme| (DAMAGE, one.clone().with("scheme", scheme))));
        }
    }
    all
}

/// The settings that remove or add one cause; in the quick extent, only those needed for
/// explanations.
fn causes(effort: Effort) -> Vec<(&'static str, Settings)> {
    let usual = Settings::new()
        .with("reading", READINGS[0])
        .with("rules", RULES[0])
        .with("beta", USUAL_BETA);
    let named = [
        CHANGES[0],
        RTO_MIN_200_MS,
        WINDOW_1_MIB,
        HEARTBEATS_EVERY_SECOND,
        LASTING_RECOVERY,
    ];
    let changes = effort.choose(named.to_vec(), CHANGES.to_vec());
    let all = changes.iter().flat_map(|change| {
        let one = usual.clone().with("change", *change);
        pairs(&one, CAUSE)
    });
    all.collect()
}
