//! Exhibits that studies state in TOML, over the records of any of their experiments.

use serde::Deserialize;
use toml::Table as Toml;

use super::Exhibit;
use crate::place::{Choices, Found, Place};
use crate::{Chart, Curve, Lines, Point, Scale, Study, Summary, Table};

/// The exhibits of a study in TOML.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    exhibit: Vec<Stated>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Stated {
    Chart(StatedChart),
    Table(StatedTable),
    Note(StatedNote),
    /// Exhibits that the study's code makes, by their name.
    Code(String),
}

/// A chart: a curve for each choice, over a setting or over time.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct StatedChart {
    of: String,
    title: String,
    /// A chart for each.
    #[serde(default)]
    each: Choices,
    /// The setting over which curves are drawn, or `time`, and the label of the axis.
    x: (String, String),
    /// The formula, or the name of a series over time, and the label of the axis.
    y: (String, String),
    #[serde(default)]
    x_scale: Scale,
    #[serde(default)]
    y_scale: Scale,
    lines: Option<Lines>,
    curves: Choices,
    /// The name of a curve.
    curve: String,
    #[serde(default)]
    single: Single,
    #[serde(default)]
    series: Toml,
    /// The words that select the runs shown.
    #[serde(default)]
    runs: Vec<String>,
    /// Curves are drawn only if runs with these settings were made.
    #[serde(default)]
    needs: Toml,
}

/// The form of a curve with a single point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Single {
    #[default]
    Point,
    /// A horizontal line over all places.
    Line,
}

/// A table: a row for each choice of which anything was run.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct StatedTable {
    of: String,
    title: String,
    /// A table for each.
    #[serde(default)]
    each: Choices,
    rows: Choices,
    #[serde(default)]
    series: Toml,
    columns: Vec<Column>,
    /// The formula by whose mean rows are sorted.
    sort: Option<String>,
    ratios_from: Option<usize>,
    /// The words for a value that runs lack; without, the content is empty.
    missing: Option<String>,
    /// The words that select the runs shown, if one experiment has them all.
    runs: Option<Vec<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum Column {
    /// Head and content.
    One(String, String),
    /// Columns for each choice.
    Each {
        each: Option<Choices>,
        columns: Vec<(String, String)>,
    },
}

/// A remark, made if all that it names was run.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct StatedNote {
    of: String,
    text: String,
    #[serde(default)]
    each: Choices,
    #[serde(default)]
    series: Toml,
}

/// The word for a chart over time.
const TIME: &str = "time";

/// The exhibits of a study, as its text states them.
pub(crate) fn exhibits(study: &Study, summary: &Summary) -> Vec<Exhibit> {
    let file: Result<File, _> = toml::from_str(study.shown);
    // A test reads all of them.
    let file = file.unwrap_or_else(|error| panic!("the exhibits of {}: {error}", study.name));
    let place = |of: &str| Place::new(study.name, of, summary);
    let exhibits = file.exhibit.iter().flat_map(|stated| match stated {
        Stated::Chart(chart) => each(&place(&chart.of), &chart.each, |place| {
            Some(Exhibit::Chart(chart.chart(place)))
        }),
        Stated::Table(table) => each(&place(&table.of), &table.each, |place| {
            Some(Exhibit::Table(table.table(place)))
        }),
        Stated::Note(note) => each(&place(&note.of), &note.each, |place| {
            let text = place.found(&note.series).text(note.text.trim(), None);
            text.map(Exhibit::Note)
        }),
        Stated::Code(name) => (study.exhibits)(name, summary),
    });
    exhibits.collect()
}

fn each<'a>(
    place: &Place<'a>,
    choices: &Choices,
    exhibit: impl Fn(&Place<'a>) -> Option<Exhibit>,
) -> Vec<Exhibit> {
    place.each(choices).iter().filter_map(exhibit).collect()
}

impl StatedChart {
    fn chart(&self, place: &Place<'_>) -> Chart {
        let mut chart = Chart::new(&place.named(&self.title), &self.x.1, &self.y.1);
        (chart.x_scale, chart.y_scale) = (self.x_scale, self.y_scale);
        chart.lines = self.lines.unwrap_or(chart.lines);
        chart.runs = place.runs(&self.runs);
        if place.has(&self.needs) {
            for own in place.each(&self.curves) {
                chart.push(self.drawn(&own));
            }
        }
        chart
    }

    fn drawn(&self, place: &Place<'_>) -> Curve {
        let (name, y) = (place.named(&self.curve), place.named(&self.y.0));
        if self.x.0 == TIME {
            let cell = place.found(&self.series).first();
            let series = cell.and_then(|cell| cell.series(&y));
            let points = series.map_or(&[][..], |series| &series.points);
            return Curve::of_series(&name, points);
        }
        let mut places = place.numbers(&self.x.0);
        if self.x_scale == Scale::Logarithmic {
            places.retain(|x| *x > 0.0);
        }
        let points = places.iter().filter_map(|x| {
            let found = place.at(&self.x.0, *x).found(&self.series);
            Some(Point::estimate(*x, found.estimate(&y)?))
        });
        let points: Vec<Point> = points.collect();
        match (self.single, &points[..]) {
            (Single::Line, [point]) => {
                Curve::new(name, places.iter().map(|x| Point { x: *x, ..*point }))
            }
            _ => Curve::new(name, points),
        }
    }
}

impl StatedTable {
    fn table(&self, place: &Place<'_>) -> Table {
        let columns = self.columns.iter().flat_map(|column| column.each(place));
        let columns: Vec<(Option<Place<'_>>, &str, &str)> = columns.collect();
        let heads = columns.iter().map(|(own, head, _)| {
            let place = own.as_ref().unwrap_or(place);
            place.named(head)
        });
        let mut table = Table::with_head(place.named(&self.title), heads.collect());
        table.ratios_from = self.ratios_from;
        if let Some(words) = &self.runs {
            table.runs = place.runs(words);
        }
        for row in self.rows(place) {
            let cells = columns.iter().map(|(column, _, content)| match column {
                None => (row.any(), self.content(&row, content)),
                Some(column) => {
                    let found = row.place.and(column).found(&self.series);
                    (found.any(), self.content(&found, content))
                }
            });
            let (any, cells): (Vec<bool>, Vec<String>) = cells.unzip();
            if any.contains(&true) {
                table.push(cells);
            }
        }
        table
    }

    fn rows<'a>(&self, place: &Place<'a>) -> Vec<Found<'a>> {
        let rows = place.each(&self.rows).into_iter();
        let rows = rows.map(|row| {
            let found = row.found(&self.series);
            let key = self.sort.as_deref().and_then(|sort| found.estimate(sort));
            (key.map_or(f64::NAN, |key| key.mean), found)
        });
        let mut rows: Vec<(f64, Found<'_>)> = rows.collect();
        rows.sort_by(|one, other| one.0.total_cmp(&other.0));
        rows.into_iter().map(|(_, found)| found).collect()
    }

    fn content(&self, found: &Found<'_>, content: &str) -> String {
        let missing = self.missing.as_deref().filter(|_| found.any());
        found.content(content, missing).unwrap_or_default()
    }
}

impl Column {
    /// The columns, with head and content, and with a place of their own where they have choices.
    fn each<'a>(&self, place: &Place<'a>) -> Vec<(Option<Place<'a>>, &str, &str)> {
        let (places, columns) = match self {
            Self::One(head, content) => return vec![(None, head, content)],
            Self::Each {
                each: None,
                columns,
            } => (vec![None], columns),
            Self::Each {
                each: Some(each),
                columns,
            } => {
                let places = place.each(each).into_iter();
                (places.map(Some).collect::<Vec<_>>(), columns)
            }
        };
        let all = places.into_iter().flat_map(|place| {
            let columns = columns.iter();
            columns.map(move |(head, content)| (place.clone(), head.as_str(), content.as_str()))
        });
        all.collect()
    }
}

#[cfg(test)]
mod tests;
