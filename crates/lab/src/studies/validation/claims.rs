use super::live::LIVE;
use super::live::packets::{APART, DIFFERING, PACKETS};
use super::{BULK, DYING, GILBERT, NAME, NS2, SAW_TOOTH, SCTP, SHEAVE, SHEAVE_LASTING, TCP};
use crate::estimate::shown;
use crate::{Cell, Evidence, Judgement, Rule, SEEDS_MIN, Settings, Summary};

/// Largest relative difference at which two simulators agree. Our choice.
pub(super) const NEAR: f64 = 0.05;
/// Largest relative difference at which live and simulated runs agree. Our choice.
const LIVE_NEAR: f64 = 0.1;
const RATE: &str = "mbit_per_s";

pub(super) fn rules() -> Vec<Rule> {
    let beside_ns2 = [
        ("VA-1", BULK, SCTP),
        ("VA-2", BULK, TCP),
        ("VA-3", GILBERT, SCTP),
        ("VA-4", GILBERT, TCP),
        ("VA-5", SAW_TOOTH, SCTP),
        ("VA-6", SAW_TOOTH, TCP),
        ("VA-7", DYING, SCTP),
    ];
    let mut rules: Vec<Rule> = beside_ns2
        .map(|(id, experiment, transport)| {
            Rule::new(id, move |summary| judge(summary, experiment, transport))
        })
        .into();
    rules.extend([
        Rule::new("VA-8", agreement),
        Rule::new("VA-9", packet_for_packet),
    ]);
    rules
}

/// Live and simulated goodput at each loss rate: the rate, and both cells.
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
    (!parts.is_empty())
        .then(|| Judgement::counted(parts, format!("live / simulated: {}", ours.join(", "))))
}

/// The runs compared packet by packet, by their losses.
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
    (!parts.is_empty()).then(|| Judgement::counted(parts, ours.join("; ")))
}

/// A point of comparison: the same setting in both simulators.
#[derive(Clone, Debug)]
pub(super) struct Pair<'a> {
    pub(super) experiment: &'static str,
    pub(super) transport: &'static str,
    /// Value of the varied quantity.
    pub(super) at: f64,
    pub(super) ours: &'a Cell,
    pub(super) theirs: &'a Cell,
    /// Our cell with ns-2's fast recovery, if it was run.
    pub(super) ours_lasting: Option<&'a Cell>,
}

impl<'a> Pair<'a> {
    /// The points of an experiment, by ascending value of the varied quantity.
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

    /// The compared metric.
    pub(super) fn metric(&self) -> &'static str {
        varied(self.experiment).metric
    }

    fn is_near(&self) -> Option<Evidence> {
        self.ours.is_near(self.theirs, self.metric(), NEAR)
    }

    /// The ratio of the means, if both were run.
    pub(super) fn ratio(&self) -> Option<f64> {
        let metric = self.metric();
        Some(self.ours.mean(metric)? / self.theirs.mean(metric)?)
    }
}

/// The varied and measured quantities of an experiment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Varied {
    /// The varied setting.
    pub(super) name: &'static str,
    /// The varied setting with its unit, for readers.
    pub(super) label: &'static str,
    /// The compared metric.
    pub(super) metric: &'static str,
    /// The compared metric with its unit, for readers.
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
    (!parts.is_empty()).then(|| {
        Judgement::counted(
            parts,
            format!(
                "ours / ns-2 by {}: {}",
                varied(experiment).label,
                ours.join(", ")
            ),
        )
    })
}
