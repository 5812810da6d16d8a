use serde::Deserialize;
use toml::Table as Toml;

use super::places::{Cells, Found, Known, Places};
use super::{Name, Wrong, part};
use crate::formula::Formula;
use crate::named::Named;
use crate::{Chart, Curve, Exhibit, Point, Scale, Settings, Summary, Table};

/// A table as stated in TOML: a row for each place, a column for each formula or swept key.
#[derive(Clone, Debug)]
pub(super) struct StatedTable {
    title: String,
    places: Places,
    columns: Vec<Column>,
}

#[derive(Clone, Debug)]
struct Column {
    head: String,
    content: Content,
}

/// The content of a table's column.
#[derive(Clone, Debug)]
enum Content {
    /// A setting of the place, by its column in the records.
    Setting(String),
    Formula(Formula),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TableText {
    title: String,
    #[serde(default)]
    at: Toml,
    #[serde(default)]
    series: Toml,
    columns: Vec<(String, String)>,
}

impl StatedTable {
    pub(super) fn read(table: Toml, known: &Known<'_>) -> Result<Self, Wrong> {
        let text: TableText = part("table", table)?;
        let at = format!("table.\"{}\"", text.title);
        let places = Places::read(&at, &text.series, &text.at, known)?;
        let columns = text.columns.into_iter().map(|(head, content)| {
            let at = format!("{at}.columns.\"{head}\"");
            Ok(Column {
                content: Content::read(&at, content, &places, known)?,
                head,
            })
        });
        Ok(Self {
            title: text.title,
            columns: columns.collect::<Result<_, Wrong>>()?,
            places,
        })
    }

    pub(super) fn table(&self, name: &Name, summary: &Summary) -> Exhibit {
        let head = self.columns.iter().map(|column| column.head.clone());
        let mut table = Table::with_head(&self.title, head.collect());
        let cells = Cells::of_experiment(name, summary);
        for found in self.places.run(&cells) {
            table.push(
                self.columns
                    .iter()
                    .map(|column| column.content.shown(&found)),
            );
        }
        Exhibit::Table(table.with_runs(&name.experiment, &[]))
    }
}

impl Content {
    fn read(at: &str, text: String, places: &Places, known: &Known<'_>) -> Result<Self, Wrong> {
        if let Some(column) = known.column(&text) {
            return Ok(Self::Setting(column.to_owned()));
        }
        let formula = Formula::try_from(text).map_err(|problem| Wrong::new(at, &problem))?;
        places.check(at, &formula, known)?;
        Ok(Self::Formula(formula))
    }

    fn shown(&self, found: &Found<'_>) -> String {
        let shown = match self {
            Self::Setting(column) => {
                let value = found.place.settings.value(column);
                value.map(ToString::to_string)
            }
            Self::Formula(formula) => found.estimate_of(formula).map(|one| one.to_string()),
        };
        shown.unwrap_or_else(|| "–".to_owned())
    }
}

/// A chart as stated in TOML: a curve for each value of a swept key, over another one or over time,
/// and a chart for each combination of the others.
#[derive(Clone, Debug)]
pub(super) struct StatedChart {
    text: ChartText,
    /// The columns of the keys over which and by which curves are drawn.
    x: Option<String>,
    curve: String,
    y: Formula,
    places: Places,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ChartText {
    title: String,
    #[serde(default)]
    at: Toml,
    /// The swept key, or `time`, and the label of the axis.
    x: (String, String),
    /// The formula, or the name of a series over time, and the label of the axis.
    y: (String, String),
    curve: String,
    #[serde(default)]
    x_scale: Scale,
}

/// The word for a chart over time.
const TIME: &str = "time";

impl StatedChart {
    pub(super) fn read(table: Toml, known: &Known<'_>) -> Result<Self, Wrong> {
        let text: ChartText = part("chart", table)?;
        let at = format!("chart.\"{}\"", text.title);
        let places = Places::read(&at, &Toml::new(), &text.at, known)?;
        let column = |key: &str, name: &str| {
            let column = known.column(name).map(str::to_owned);
            let problem = format!("`{name}` is not swept");
            column.ok_or_else(|| Wrong::new(&format!("{at}.{key}"), &problem))
        };
        let x = match text.x.0.as_str() {
            TIME => None,
            name => Some(column("x", name)?),
        };
        let y = Formula::try_from(text.y.0.clone());
        let y = y.map_err(|problem| Wrong::new(&format!("{at}.y"), &problem))?;
        places.check(&format!("{at}.y"), &y, known)?;
        Ok(Self {
            x,
            curve: column("curve", &text.curve)?,
            y,
            places,
            text,
        })
    }

    pub(super) fn charts(&self, name: &Name, summary: &Summary) -> Vec<Exhibit> {
        let cells = Cells::of_experiment(name, summary);
        let mut charts: Vec<(Settings, Chart)> = Vec::new();
        for found in self.places.run(&cells) {
            let settings = &found.place.settings;
            let own = |column: &str| column == self.curve || Some(column) == self.x.as_deref();
            let rest = settings.only(|column| !own(column));
            let curve = settings.value(&self.curve).map(ToString::to_string);
            self.draw(
                &found,
                &curve.unwrap_or_default(),
                self.chart(&mut charts, rest),
            );
        }
        charts
            .into_iter()
            .map(|(_, chart)| Exhibit::Chart(chart))
            .collect()
    }

    /// The chart of these settings, which is new if there is none.
    fn chart<'a>(&self, charts: &'a mut Vec<(Settings, Chart)>, rest: Settings) -> &'a mut Chart {
        let place = charts.iter().position(|(known, _)| *known == rest);
        let place = place.unwrap_or_else(|| {
            let title = match rest.to_string().as_str() {
                "" => self.text.title.clone(),
                rest => format!("{}: {rest}", self.text.title),
            };
            let mut chart = Chart::new(&title, &self.text.x.1, &self.text.y.1);
            chart.x_scale = self.text.x_scale;
            charts.push((rest, chart));
            charts.len() - 1
        });
        &mut charts[place].1
    }

    fn draw(&self, found: &Found<'_>, curve: &str, chart: &mut Chart) {
        let Some(x) = &self.x else {
            if let Some(series) = found.cells[0].series(&self.text.y.0) {
                chart.push(Curve::of_series(curve, &series.points));
            }
            return;
        };
        let Some(estimate) = found.estimate_of(&self.y) else {
            return;
        };
        let point = Point::estimate(found.place.settings.number(x), estimate);
        match chart.curves.iter_mut().find(|known| known.name == curve) {
            Some(known) => known.points.push(point),
            None => chart.push(Curve::new(curve, vec![point])),
        }
    }
}
