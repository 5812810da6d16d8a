use super::{CONGESTION, DEATH, NAME, SURFACE};
use crate::{Effort, Parameter, Run, Settings};

/// The cross traffic that the search found; see [`SURFACE`].
const BOTTLENECK_MBIT: f64 = 5.0;
const BURST_LOAD: f64 = 3.0;
const ON_MS: f64 = 300.0;
const OFF_MS: f64 = 300.0;

/// The algorithms, standard first.
pub(super) const ALGORITHMS: [&str; 3] = ["standard", "heartbeat", "always"];
/// How a dead path is found out.
pub(super) const RULES: [&str; 3] = ["RFC 9260", "RFC 7829", "adaptive RTO"];

pub(super) fn parameters() -> Vec<Parameter> {
    vec![
        Parameter::paper("links", "1 Gb/s, 30 ms one way"),
        Parameter::paper("router queue", "20 packets, drop-tail; RED as second case"),
        Parameter::paper("path MTU", "3500 bytes"),
        Parameter::paper("heartbeat interval", "60 s"),
        Parameter::paper("work", "100 messages of 4000 bytes, all there at once"),
        Parameter::paper("early decrease", "cwnd less 0.144 cwnd"),
        Parameter::ours(
            "triggers",
            "an unanswered heartbeat (its prose), and each SACK in congestion avoidance (its pseudo-code)",
        ),
        Parameter::ours(
            "bottleneck",
            format!("{BOTTLENECK_MBIT} Mb/s on the primary path's last link"),
        ),
        Parameter::ours(
            "cross traffic",
            format!(
                "bursts of 1500-byte packets at {BURST_LOAD} times the bottleneck's rate, {ON_MS} ms on and {OFF_MS} ms off on average (exponential)"
            ),
        ),
        Parameter::ours("RED", "thresholds 5 and 15 packets, 0.1, weight 0.002"),
        Parameter::ours("receive buffer", "65,535 bytes"),
        Parameter::ours(
            "all other",
            "as RFC 9260; its least RTO is 1 s, which the paper's printed RTOs (0.62 to 2.78 s) fall below",
        ),
        Parameter::ours(
            "death of the primary path",
            "after 2 s, for good; 1000 messages of 1000 bytes, one every 100 ms",
        ),
    ]
}

fn cross(bottleneck: f64, load: f64, on: f64, off: f64) -> Settings {
    Settings::new()
        .with("bottleneck_mbit", bottleneck)
        .with("burst_load", load)
        .with("on_ms", on)
        .with("off_ms", off)
}

pub(super) fn plan(effort: Effort) -> Vec<Run> {
    let mut settings = Vec::new();
    for algorithm in ALGORITHMS {
        for queue in ["drop-tail", "red"] {
            let found = cross(BOTTLENECK_MBIT, BURST_LOAD, ON_MS, OFF_MS);
            let one = found.with("algorithm", algorithm).with("queue", queue);
            settings.push((CONGESTION, one));
        }
    }
    let bottlenecks = effort.choose(vec![5.0], vec![1.0, 2.0, 5.0, 10.0]);
    for bottleneck in bottlenecks {
        for load in [1.0, 1.5, 3.0] {
            for on in [100.0, 300.0, 1000.0] {
                for off in [100.0, 300.0, 1000.0] {
                    for algorithm in ["standard", "always"] {
                        let one = cross(bottleneck, load, on, off);
                        let one = one.with("algorithm", algorithm).with("queue", "drop-tail");
                        settings.push((SURFACE, one));
                    }
                }
            }
        }
    }
    for rule in RULES {
        for limit in 0..=5_u16 {
            let one = Settings::new().with("rule", rule);
            settings.push((DEATH, one.with("path_max_retrans", limit)));
        }
    }
    let runs = settings.into_iter().flat_map(|(experiment, settings)| {
        // The comparison is cheap and noisy: it gets four times the seeds.
        let more = if experiment == CONGESTION { 4 } else { 1 };
        let seeds = effort.seeds().count() as u64 * more;
        (1..=seeds).map(move |seed| Run {
            study: NAME.to_owned(),
            experiment: experiment.to_owned(),
            settings: settings.clone(),
            seed,
        })
    });
    runs.collect()
}
