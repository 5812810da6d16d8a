//! Numbers printed in the papers on a study's subject, from a TOML file beside the study.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::contrast::Spec;
use crate::{Chart, Contrast, Curve, Exhibit, Point, Settings, Summary, Table};

/// The papers' numbers for one study.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sheet {
    #[serde(default)]
    pub(crate) contrast: Vec<Spec>,
    #[serde(default)]
    pub(crate) table: Vec<PaperTable>,
    #[serde(default)]
    pub(crate) curve: Vec<PaperCurve>,
}

/// A table of a paper.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PaperTable {
    title: String,
    /// The experiments that measure the table's metrics; the first one gives the command.
    experiments: Vec<String>,
    /// Words that select the runs, as for `--only`.
    #[serde(default)]
    words: Vec<String>,
    /// Name and metric of each column; `END` in a metric is replaced by the row's end.
    columns: Vec<[String; 2]>,
    pub(crate) row: Vec<PaperRow>,
}

/// A row of a paper's table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PaperRow {
    case: String,
    /// The measured end of the association.
    end: String,
    /// The settings of our cell.
    one: Settings,
    /// The paper's numbers, by column name; empty for a row that only we have.
    #[serde(default)]
    paper: BTreeMap<String, f64>,
}

/// Values of a paper to be drawn in one of our figures.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PaperCurve {
    /// Prefix of the figure's title.
    pub(crate) figure: String,
    name: String,
    /// Pairs of x and y.
    points: Vec<[f64; 2]>,
}

impl Sheet {
    /// Parses a file.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| error.to_string())
    }

    /// The ratios of claims that can be compared with our runs.
    pub(crate) fn contrasts(&self, study: &str, summary: &Summary) -> Vec<Contrast> {
        let specs = self.contrast.iter();
        let all = specs.flat_map(|spec| spec.contrasts(study, summary));
        all.collect()
    }

    /// The papers' tables, with our numbers added.
    pub(crate) fn tables(&self, study: &str, summary: &Summary) -> impl Iterator<Item = Exhibit> {
        let tables = self.table.iter();
        tables.map(|table| Exhibit::Table(table.filled(study, summary)))
    }

    /// Adds the papers' values to a figure.
    pub(crate) fn draw(&self, chart: &mut Chart) {
        // Without our own curves, there is nothing to compare.
        if chart.curves.is_empty() {
            return;
        }
        let title = chart.title.clone();
        let own = self.curve.iter();
        let own = own.filter(|drawn| title.starts_with(&drawn.figure));
        chart.paper.extend(own.map(|drawn| {
            Curve::new(
                drawn.name.clone(),
                drawn.points.iter().map(|&[x, y]| Point::exact(x, y)),
            )
        }));
    }
}

impl PaperTable {
    fn filled(&self, study: &str, summary: &Summary) -> Table {
        let words: Vec<&str> = self.words.iter().map(String::as_str).collect();
        let first = self.experiments.first().map_or("", String::as_str);
        let mut table = Table::new(&self.title, &["case", "variant"]).with_runs(first, &words);
        for [name, _] in &self.columns {
            table.head.push(format!("{name}: paper"));
            table.head.push("ours".to_owned());
        }
        for row in &self.row {
            let mut cells = vec![row.case.clone(), row.one.text("variant").to_owned()];
            for [name, metric] in &self.columns {
                let paper = row.paper.get(name);
                cells.push(paper.map_or_else(String::new, f64::to_string));
                cells.push(self.ours(study, summary, (row, &metric.replace("END", &row.end))));
            }
            table.push(cells);
        }
        table
    }

    /// Our number, or the reason why it is missing.
    fn ours(&self, study: &str, summary: &Summary, (row, metric): (&PaperRow, &str)) -> String {
        let cells = self.experiments.iter();
        let cells = cells.filter_map(|experiment| summary.cell(study, experiment, &row.one));
        let mut skipped = false;
        for cell in cells {
            if let Some(estimate) = cell.estimate(metric) {
                return estimate.to_string();
            }
            skipped |= cell.skipped().is_some();
        }
        let why = if skipped { "not testable here" } else { "–" };
        why.to_owned()
    }
}

#[cfg(test)]
mod tests;
