use std::sync::LazyLock;

use serde::Deserialize;

use super::{NAME, checksums, runs};
use crate::estimate::shown;
use crate::formula::Test;
use crate::words::Text;
use crate::{Cell, Measured, Settings, Summary};

/// A row of the table: a property, its measurement, and the paper's answers.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Property {
    /// Id of the corresponding claim.
    pub(super) id: String,
    /// The paper's name for the property.
    pub(super) name: String,
    /// The experiment that measures the property.
    pub(super) experiment: String,
    /// The paper's answers for TCP, UDP and SCTP.
    pub(super) paper: [String; 3],
    /// Description of the evidence.
    pub(super) shown_as: String,
    /// The metrics used as evidence.
    metrics: Vec<String>,
    /// Our answer is Y if the test holds in all runs, N if it holds in none.
    holds: Option<Test>,
    /// Our answer is a number of bits, taken from the metric with this name.
    bits: Option<String>,
    /// The reason why the transports differ.
    pub(super) why: Text,
}

#[derive(Deserialize)]
struct Table {
    property: Vec<Property>,
}

/// The properties, in the order of the paper's table.
pub(super) static PROPERTIES: LazyLock<Vec<Property>> = LazyLock::new(|| {
    let table: Table = toml::from_str(include_str!("properties.toml")).expect("the properties");
    table.property
});

/// Measures the property of an experiment for a transport and a seed.
pub(super) fn run(experiment: &str, transport: &str, seed: u64) -> Result<Measured, String> {
    let run = match experiment {
        "connection" => runs::connection,
        "reliable" => runs::reliable,
        "boundaries" => runs::boundaries,
        "ordered" => runs::ordered,
        "unordered" => runs::unordered,
        "checksum" => checksums::run,
        "flow-control" => runs::flow_control,
        "congestion-control" => runs::congestion_control,
        "streams" => runs::streams,
        "multi-homing" => runs::multi_homing,
        other => return Err(format!("there is no experiment {other}")),
    };
    run(transport, seed)
}

impl Property {
    /// Our answer for a transport if all runs agree, else `mixed`; `None` if it was not run.
    pub(super) fn cell(&self, summary: &Summary, transport: &str) -> Option<String> {
        let cell = self.records(summary, transport)?;
        if let Some(bits) = &self.bits {
            let estimate = cell.estimate(bits)?;
            return Some(format!("{estimate} bit").replace(".00 bit", " bit"));
        }
        let runs = cell.values(self.metrics.first()?).len();
        let with = (0..runs).filter(|run| self.holds(cell, *run)).count();
        let word = match with {
            0 => "N",
            all if all == runs => "Y",
            _ => "mixed",
        };
        Some(word.to_owned())
    }

    fn holds(&self, cell: &Cell, run: usize) -> bool {
        let metric = |name: &str| cell.values(name).get(run).copied();
        let test = self.holds.iter().flat_map(|test| &test.comparisons);
        test.map(|one| Some(one.holds(one.left.value(&metric)?, one.right.value(&metric)?)))
            .all(|holds| holds == Some(true))
    }

    pub(super) fn evidence(&self, summary: &Summary, transport: &str) -> String {
        let Some(cell) = self.records(summary, transport) else {
            return "not run".to_owned();
        };
        let means = self.metrics.iter().filter_map(|metric| cell.mean(metric));
        let shown: Vec<String> = means.map(plain).collect();
        shown.join("; ")
    }

    fn records<'a>(&self, summary: &'a Summary, transport: &str) -> Option<&'a Cell> {
        let some = Settings::new().with("transport", transport);
        summary.cell(NAME, &self.experiment, &some)
    }
}

/// Formats an integer without decimals, and any other number as usual.
fn plain(mean: f64) -> String {
    if mean.fract() == 0.0 {
        format!("{mean:.0}")
    } else {
        shown(mean)
    }
}
