use super::live::LIVE;
use super::live::packets::{APART, DIFFERING, PACKETS};
use super::{BULK, DYING, GILBERT, NAME, NS2, SAW_TOOTH, SCTP, SHEAVE, SHEAVE_LASTING, TCP};
use crate::estimate::shown;
use crate::{Cell, Claim, Evidence, Judgement, Ruling, SEEDS_MIN, Settings, Source, Summary};

/// Relative difference up to which two simulators agree. Ours.
pub(super) const NEAR: f64 = 0.05;
/// Relative difference up to which live and simulated agree. Ours.
const LIVE_NEAR: f64 = 0.1;
const RATE: &str = "mbit_per_s";
const RULE: &str = "At each point: the ratio of the means, ours to ns-2's, between 0.95 and 1.05. \
                    Reproduced if at all, partly if at some.";
const PUBLISHED: &str = "1, ns-2 beside itself";

pub(super) fn claims() -> Vec<Claim> {
    let claim = |id, statement, judge| Claim {
        id,
        statement,
        source: Source::Ours,
        paper: PUBLISHED,
        rule: RULE,
        judge,
    };
    vec![
        claim(
            "VA-1",
            "SCTP's goodput under random losses is what ns-2 finds",
            |summary| judge(summary, BULK, SCTP),
        ),
        claim(
            "VA-2",
            "TCP's goodput under random losses is what ns-2 finds",
            |summary| judge(summary, BULK, TCP),
        ),
        claim(
            "VA-3",
            "SCTP's goodput over a Gilbert channel is what ns-2 finds",
            |summary| judge(summary, GILBERT, SCTP),
        ),
        claim(
            "VA-4",
            "TCP's goodput over a Gilbert channel is what ns-2 finds",
            |summary| judge(summary, GILBERT, TCP),
        ),
        claim(
            "VA-5",
            "the saw-tooth of SCTP's window is as long as in ns-2",
            |summary| judge(summary, SAW_TOOTH, SCTP),
        ),
        claim(
            "VA-6",
            "the saw-tooth of TCP's window is as long as in ns-2",
            |summary| judge(summary, SAW_TOOTH, TCP),
        ),
        claim(
            "VA-7",
            "after the death of the primary path SCTP goes on as soon as in ns-2, whatever \
             Path.Max.Retrans",
            |summary| judge(summary, DYING, SCTP),
        ),
        Claim {
            id: "VA-8",
            statement: "live, through the emulator, the engine has the goodput that the simulator \
                        foretells",
            source: Source::Ours,
            paper: "1, the simulation beside itself",
            rule: "At each loss: the ratio of the means, live to simulated, between 0.9 and 1.1. \
                   Reproduced if at all, partly if at some. Only in the full extent.",
            judge: agreement,
        },
        Claim {
            id: "VA-9",
            statement: "live, through the emulator, the engine sends the packets that it sends in \
                        the simulator",
            source: Source::Ours,
            paper: "all of them, the simulation beside itself",
            rule: "Without losses and with listed ones: in every run all packets of 5 s, both ways, \
                   have the chunks, TSNs and bytes (but a cookie's) of their simulated twins, in \
                   the same order, with none between them. Reproduced if both hold, partly if one. \
                   How far apart they leave is told, not judged. Only in the full extent.",
            judge: packet_for_packet,
        },
    ]
}

/// Live and simulated goodput at each loss: the loss, and both cells.
pub(super) fn twins(summary: &Summary) -> Vec<(f64, &Cell, &Cell)> {
    let losses = summary.numbers(NAME, LIVE, "loss_percent").into_iter();
    let twins = |loss: f64| {
        let some = Settings::new().with("loss_percent", loss);
        let cell = |how: &str| summary.cell(NAME, LIVE, &some.clone().with("how", how));
        Some((loss, cell("live")?, cell("simulated")?))
    };
    losses.filter_map(twins).collect()
}

fn agreement(summary: &Summary) -> Option<Judgement> {
    let (mut parts, mut ours) = (Vec::new(), Vec::new());
    for (loss, live, simulated) in twins(summary) {
        if live.seeds(RATE).count() < SEEDS_MIN
            && let Some(reason) = live.skipped()
        {
            return Some(Judgement::not_testable(reason));
        }
        parts.push(live.is_near(simulated, RATE, LIVE_NEAR)?);
        ours.push(format!("{} at {loss} %", live.ratio(simulated, RATE)?));
    }
    (!parts.is_empty()).then(|| Judgement {
        why: Evidence::counted(&parts),
        ruling: Ruling::of(parts),
        ours: format!("live / simulated: {}", ours.join(", ")),
    })
}

/// The runs that were compared packet by packet, by their losses.
pub(super) fn exchanges(summary: &Summary) -> Vec<(&'static str, &Cell)> {
    let cell = |losses| {
        let some = Settings::new().with("losses", losses);
        Some((losses, summary.cell(NAME, PACKETS, &some)?))
    };
    ["none", "listed"].into_iter().filter_map(cell).collect()
}

fn packet_for_packet(summary: &Summary) -> Option<Judgement> {
    let (mut parts, mut ours) = (Vec::new(), Vec::new());
    for (losses, cell) in exchanges(summary) {
        if cell.seeds(DIFFERING).count() < SEEDS_MIN
            && let Some(reason) = cell.skipped()
        {
            return Some(Judgement::not_testable(reason));
        }
        let differing = cell.values(DIFFERING);
        parts.push(cell.every(DIFFERING, differing.iter().all(|packets| *packets == 0.0)));
        ours.push(format!(
            "losses {losses}: of {} packets {} are in both, with {} between them, {} ms apart",
            shown(cell.mean("packets")?),
            shown(cell.mean("common_packets")?),
            shown(cell.mean("further_packets")?),
            cell.estimate(APART)?
        ));
    }
    (!parts.is_empty()).then(|| Judgement {
        why: Evidence::counted(&parts),
        ruling: Ruling::of(parts),
        ours: ours.join("; "),
    })
}

/// A point of the comparison: the same setting in both simulators.
#[derive(Clone, Debug)]
pub(super) struct Pair<'a> {
    pub(super) experiment: &'static str,
    pub(super) transport: &'static str,
    /// The quantity that is varied, and its value.
    pub(super) at: f64,
    pub(super) ours: &'a Cell,
    pub(super) theirs: &'a Cell,
    /// Ours with the fast recovery of theirs, where that was run.
    pub(super) ours_lasting: Option<&'a Cell>,
}

impl<'a> Pair<'a> {
    /// The points of an experiment, in the order of what is varied.
    pub(super) fn all(
        summary: &'a Summary,
        experiment: &'static str,
        transport: &'static str,
    ) -> Vec<Self> {
        let varied = varied(experiment);
        let points = summary.numbers(NAME, experiment, varied.name).into_iter();
        let cell = |at: f64, simulator: &str| {
            let some = Settings::new()
                .with(varied.name, at)
                .with("transport", transport)
                .with("simulator", simulator);
            summary.cell(NAME, experiment, &some)
        };
        let pair = |at| {
            Some(Self {
                experiment,
                transport,
                at,
                ours: cell(at, SHEAVE)?,
                theirs: cell(at, NS2)?,
                ours_lasting: cell(at, SHEAVE_LASTING),
            })
        };
        points.filter_map(pair).collect()
    }

    /// The metric that is compared.
    pub(super) fn metric(&self) -> &'static str {
        varied(self.experiment).metric
    }

    fn is_near(&self) -> Option<Evidence> {
        self.ours.is_near(self.theirs, self.metric(), NEAR)
    }

    /// The ratio of the means, where both were run.
    pub(super) fn ratio(&self) -> Option<f64> {
        let metric = self.metric();
        Some(self.ours.mean(metric)? / self.theirs.mean(metric)?)
    }
}

/// The quantities of an experiment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Varied {
    /// The setting that is varied.
    pub(super) name: &'static str,
    /// The same with its unit, for readers.
    pub(super) label: &'static str,
    /// The metric that is compared.
    pub(super) metric: &'static str,
    /// The same with its unit, for readers.
    pub(super) measured: &'static str,
}

pub(super) fn varied(experiment: &str) -> Varied {
    match experiment {
        BULK => Varied {
            name: "loss_percent",
            label: "losses (%)",
            metric: "mbit_per_s",
            measured: "goodput (Mb/s)",
        },
        GILBERT => Varied {
            name: "beta_percent",
            label: "losses in the bad state (%)",
            metric: "mbit_per_s",
            measured: "goodput (Mb/s)",
        },
        SAW_TOOTH => Varied {
            name: "queue",
            label: "queue (packets)",
            metric: "cycle_s",
            measured: "cycle (s)",
        },
        _ => Varied {
            name: "path_max_retrans",
            label: "Path.Max.Retrans",
            metric: "switch_over_s",
            measured: "switch-over (s)",
        },
    }
}

fn judge(
    summary: &Summary,
    experiment: &'static str,
    transport: &'static str,
) -> Option<Judgement> {
    let there = Settings::new()
        .with("simulator", NS2)
        .with("transport", transport);
    let theirs = summary.cells(NAME, experiment, &there);
    if let Some(reason) = theirs.iter().find_map(|cell| cell.skipped()) {
        return Some(Judgement::not_testable(reason));
    }
    let pairs = Pair::all(summary, experiment, transport);
    let (mut parts, mut ours) = (Vec::new(), Vec::new());
    for pair in &pairs {
        parts.push(pair.is_near()?);
        let ratio = pair.ours.ratio(pair.theirs, pair.metric())?;
        ours.push(format!("{ratio} at {}", pair.at));
    }
    (!parts.is_empty()).then(|| Judgement {
        why: Evidence::counted(&parts),
        ruling: Ruling::of(parts),
        ours: format!(
            "ours / ns-2 by {}: {}",
            varied(experiment).label,
            ours.join(", ")
        ),
    })
}
