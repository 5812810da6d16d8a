//! The plan of the live runs.

use super::super::NAME;
use super::super::claims::{FEW, MANY};
use super::variant::ALONE;
use crate::{Effort, Run, Settings};

/// Experiment: throughput and CPU use of both ends.
pub(in super::super) const THROUGHPUT: &str = "throughput";
/// Experiment: throughput and CPU use of both ends under random loss.
pub(in super::super) const LOSSES: &str = "live-random-loss";
/// Experiment: instructions per message at both ends.
pub(in super::super) const PATH_LENGTH: &str = "path-length";
/// Experiment: size of an association's state.
pub(in super::super) const BLOCK: &str = "association-block";

/// Duration of a sample, seconds.
const SECONDS: f64 = 1.0;

/// Duration of a sample under loss, seconds, where timeouts take 0.2 s.
const SECONDS_WITH_LOSSES: f64 = 3.0;

/// Repetitions of an instruction count in the full extent, since threads that wait for each other
/// cause some variation.
const COUNTS: u64 = 3;

/// A workload of the papers, run with several variants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Work {
    /// Id of the claim that uses the workload.
    pub(in super::super) id: &'static str,
    pub(in super::super) message: u16,
    pub(in super::super) connections: u16,
    pub(in super::super) streams: u16,
    pub(in super::super) buffer_kib: u16,
    pub(in super::super) processors: &'static str,
}

impl Work {
    const fn new(id: &'static str, message: u16, buffer_kib: u16) -> Self {
        Self {
            id,
            message,
            connections: 1,
            streams: 1,
            buffer_kib,
            processors: "one each",
        }
    }

    const fn over(self, connections: u16, streams: u16) -> Self {
        Self {
            connections,
            streams,
            ..self
        }
    }

    const fn on_all(self, connections: u16, streams: u16) -> Self {
        Self {
            processors: "all",
            ..self.over(connections, streams)
        }
    }

    /// Describes the workload for readers.
    pub(in super::super) fn described(self) -> String {
        format!(
            "{}: {} bytes, {} KiB, {} x {}, processors: {}",
            self.id, self.message, self.buffer_kib, self.connections, self.streams, self.processors
        )
    }

    /// The settings shared by the runs of a variant.
    pub(in super::super) fn settings(self, variant: &str) -> Settings {
        Settings::new()
            .with("variant", variant)
            .with("message_bytes", self.message)
            .with("connections", self.connections)
            .with("streams", self.streams)
            .with("buffer_kib", self.buffer_kib)
            .with("processors", self.processors)
    }
}

/// Workload: 12 KB messages over one connection.
pub(in super::super) const LARGE: Work = Work::new("DC-1", 12_000, 256);
/// Workload: 8 KB messages with a window of 64 KB.
pub(in super::super) const NARROW: Work = Work::new("DC-1b", 8000, 64);
/// Workload: 128-byte messages, with two window sizes.
pub(in super::super) const SMALL: [Work; 2] =
    [Work::new("DC-2", 128, 128), Work::new("DC-2", 128, 256)];
/// Workload: 64-byte messages, with two window sizes.
pub(in super::super) const TINY: [Work; 2] =
    [Work::new("DC-2b", 64, 64), Work::new("DC-2b", 64, 128)];
/// Workload: four TCP connections.
pub(in super::super) const FOUR: Work = Work::new("DC-3", 2560, 256).on_all(4, 1);
/// Workload: four associations with two streams each.
pub(in super::super) const FOUR_BY_TWO: Work = Work::new("DC-3", 2560, 256).on_all(4, 2);
/// Workload: two streams of one association.
pub(in super::super) const STREAMS: Work = Work::new("DC-3b", 1280, 256).on_all(1, 2);
/// Workload: two associations.
pub(in super::super) const ASSOCIATIONS: Work = Work::new("DC-3b", 1280, 256).on_all(2, 1);

/// Workload: [`STREAMS`] with one processor per end, which excludes effects of the scheduler.
pub(in super::super) const STREAMS_APART: Work = Work::new("DC-3b", 1280, 256).over(1, 2);
/// Workload: [`ASSOCIATIONS`] with one processor per end.
pub(in super::super) const ASSOCIATIONS_APART: Work = Work::new("DC-3b", 1280, 256).over(2, 1);

/// Workload: that many connections, each with its own addresses.
pub(in super::super) const fn several(connections: u16) -> Work {
    Work::new("DC-5", 12_000, 256).on_all(connections, 1)
}

/// The workloads of the papers' tables, for which instructions are counted.
pub(in super::super) const IN_TABLES: [Work; 10] = [
    LARGE,
    NARROW,
    SMALL[0],
    SMALL[1],
    TINY[0],
    TINY[1],
    FOUR,
    FOUR_BY_TWO,
    STREAMS,
    ASSOCIATIONS,
];

/// Each workload with its variants, in the order in which a round runs them.
fn works() -> Vec<(Work, Vec<&'static str>)> {
    let mut large = vec![
        "tcp",
        "sctp-classic",
        "sctp",
        "sctp, CRC32c",
        "tcp, segmentation",
        "sctp, segmentation",
    ];
    large.extend(ALONE);
    let mut works = vec![
        (LARGE, large),
        (NARROW, vec!["tcp", "sctp-classic", "sctp"]),
    ];
    for work in SMALL {
        // DC-6 uses the same workload.
        let all = vec!["tcp", "sctp-classic", "tcp, no delay", "sctp"];
        works.push((work, all));
    }
    for work in TINY {
        works.push((work, vec!["tcp", "sctp-classic", "sctp"]));
    }
    works.push((FOUR, vec!["tcp"]));
    works.push((FOUR_BY_TWO, vec!["sctp-classic", "sctp"]));
    // Alternates streams and associations.
    works.push((STREAMS, vec!["sctp-classic"]));
    works.push((ASSOCIATIONS, vec!["sctp-classic"]));
    works.push((STREAMS, vec!["sctp"]));
    works.push((ASSOCIATIONS, vec!["sctp"]));
    works.push((STREAMS_APART, vec!["sctp"]));
    works.push((ASSOCIATIONS_APART, vec!["sctp"]));
    for connections in 1..=4 {
        works.push((several(connections), vec!["tcp", "sctp"]));
    }
    works
}

/// The workloads of DC-1, DC-4 and DC-9 only, to save time: each variant takes five rounds of a
/// second.
fn few_works() -> Vec<(Work, Vec<&'static str>)> {
    let large = vec!["tcp", "sctp-classic", "sctp", "sctp, CRC32c"];
    vec![(LARGE, large)]
}

/// The settings of both transports under random loss, at the rates used for judging.
fn under_losses() -> Vec<Settings> {
    let losses = FEW.into_iter().chain(MANY);
    let both = losses.flat_map(|loss| {
        ["tcp", "sctp"].map(|variant| {
            let settings = LARGE.settings(variant).with("loss_percent", loss);
            settings.with("duration_s", SECONDS_WITH_LOSSES)
        })
    });
    both.collect()
}

/// The runs, round by round, so that compared variants take turns.
pub(in super::super) fn plan(effort: Effort) -> Vec<Run> {
    let run = |experiment: &str, settings, seed| Run::new(NAME, experiment, settings, seed);
    let mut plan = vec![run(BLOCK, Settings::new(), 1)];
    for round in effort.rounds() {
        for (work, variants) in effort.choose(few_works(), works()) {
            for variant in variants {
                let settings = work.settings(variant).with("duration_s", SECONDS);
                plan.push(run(THROUGHPUT, settings, round));
            }
        }
        for settings in effort.choose(Vec::new(), under_losses()) {
            plan.push(run(LOSSES, settings, round));
        }
    }
    for (work, variants) in effort.choose(few_works(), works()) {
        if !IN_TABLES.contains(&work) {
            continue;
        }
        for variant in variants {
            let settings = work.settings(variant);
            let counts = effort.seeded(effort.choose(1, COUNTS));
            plan.extend(counts.map(|seed| run(PATH_LENGTH, settings.clone(), seed)));
        }
    }
    plan
}
