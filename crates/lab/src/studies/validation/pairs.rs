//! Cells that are compared.

use super::live::LIVE;
use super::live::packets::PACKETS;
use super::{BULK, GILBERT, NAME, NS2, SAW_TOOTH, SHEAVE, SHEAVE_LASTING};
use crate::{Cell, Settings, Summary};

/// Largest relative difference at which two simulators agree. Our choice.
pub(super) const NEAR: f64 = 0.05;

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

/// The runs compared packet by packet, by their losses.
pub(super) fn exchanges(summary: &Summary) -> Vec<(&'static str, &Cell)> {
    let cell = |losses| {
        let some = Settings::new().with("losses", losses);
        Some((losses, summary.cell(NAME, PACKETS, &some)?))
    };
    ["none", "listed"].into_iter().filter_map(cell).collect()
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
