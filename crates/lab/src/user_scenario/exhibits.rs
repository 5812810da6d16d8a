use std::collections::BTreeSet;

use sheave_sim::scenario::{Axis, LinkPair, Scenario};
use sheave_sim::{Corruption, Errors, LinkSpec, Pace};

use crate::estimate::shown;
use crate::experiment::{Experiment, Swept};
use crate::{Cell, Chart, Curve, Drawing, Exhibit, Point, Settings, Summary, Table};

/// Most rows of a table; the data has all of them.
const ROWS: usize = 60;
/// Most distinguishable curves in a chart; more curves are spread over several charts.
const CURVES: usize = 8;
/// Most charts of one quantity.
const CHARTS: usize = 8;
/// Most paths in a drawing.
const PATHS: usize = 6;

/// Tables of flows and links, charts over the swept keys, and time series of the first runs.
pub(super) fn exhibits(
    experiment: &Experiment,
    scenario: &Scenario,
    summary: &Summary,
) -> Vec<Exhibit> {
    let (name, swept) = (experiment.name(), experiment.swept());
    let cells = summary.cells(&name.study, &name.experiment, &Settings::new());
    let shown = Shown {
        scenario,
        swept: swept.iter().filter(|swept| swept.varies()).collect(),
        cells: in_order(cells, swept),
    };
    let mut exhibits = shown.charts_over_the_sweep();
    exhibits.extend(shown.course());
    exhibits.push(Exhibit::Table(shown.flows()));
    exhibits.push(Exhibit::Table(shown.links()));
    exhibits
}

/// Sorts cells in the order of the sweep.
fn in_order<'a>(mut cells: Vec<&'a Cell>, swept: &[Swept]) -> Vec<&'a Cell> {
    let place = |cell: &&Cell| -> Vec<usize> {
        let places = swept.iter().map(|swept| {
            let value = cell.settings.value(&swept.column);
            let mut values = swept.values.iter();
            values
                .position(|known| Some(known) == value)
                .unwrap_or(usize::MAX)
        });
        places.collect()
    };
    cells.sort_by_key(place);
    cells
}

struct Shown<'a> {
    scenario: &'a Scenario,
    /// The keys with more than one value.
    swept: Vec<&'a Swept>,
    cells: Vec<&'a Cell>,
}

impl Shown<'_> {
    fn charts_over_the_sweep(&self) -> Vec<Exhibit> {
        let numeric = self.swept.iter().find(|swept| swept.is_numeric());
        let Some(x) = numeric else {
            return Vec::new();
        };
        let metrics = [
            ("mbit_per_s", "Goodput", "goodput (Mbit/s)"),
            (
                "delay_mean_ms",
                "Mean delay of messages",
                "delay of a message (ms)",
            ),
            (
                "delay_p99_ms",
                "Delay that 99 % of messages keep",
                "delay of a message (ms)",
            ),
            (
                "retransmissions",
                "Retransmissions",
                "chunks or segments sent again",
            ),
            (
                "lost_percent",
                "Losses of packets without a transport",
                "lost packets (%)",
            ),
        ];
        let charts = metrics.iter().flat_map(|(metric, title, y)| {
            let curves = self.curves(x, metric);
            let mut seen = curves.iter().flat_map(|curve| &curve.points);
            let curves = match seen.any(|point| point.y > 0.0) {
                true => curves,
                false => Vec::new(),
            };
            let title = format!("{title} over {}", x.label);
            multiples(&title, curves, |title| {
                let chart = Chart::new(title, &x.label, y);
                match x.axis {
                    Axis::Sampled => chart.without_lines(),
                    _ => chart,
                }
            })
        });
        charts.collect()
    }

    fn curves(&self, x: &Swept, metric: &str) -> Vec<Curve> {
        let mut curves: Vec<Curve> = Vec::new();
        for flow in &self.scenario.flows {
            for cell in &self.cells {
                let metric = format!("{}.{metric}", flow.name);
                let Some(estimate) = cell.estimate(&metric) else {
                    continue;
                };
                let point = Point::estimate(cell.settings.number(&x.column), estimate);
                let name = self.curve_name(&flow.name, cell, Some(x));
                match curves.iter_mut().find(|curve| curve.name == name) {
                    Some(curve) => curve.points.push(point),
                    None => curves.push(Curve::new(name, vec![point])),
                }
            }
        }
        for curve in &mut curves {
            curve.points.sort_by(|one, other| one.x.total_cmp(&other.x));
        }
        curves
    }

    /// The flow, if there are several, and the swept keys other than `x`.
    fn curve_name(&self, flow: &str, cell: &Cell, x: Option<&Swept>) -> String {
        let mut words = Vec::new();
        let others = |swept: &&&Swept| x.is_none_or(|x| x.axis != swept.axis);
        if self.scenario.flows.len() > 1 || !self.swept.iter().any(|swept| others(&swept)) {
            words.push(flow.to_owned());
        }
        for swept in self.swept.iter().filter(others) {
            words.push(swept.words(&cell.settings));
        }
        words.join(", ")
    }

    /// Goodput and congestion windows over time: of all cases if they are few, else of the first
    /// one.
    fn course(&self) -> Vec<Exhibit> {
        let several = self.scenario.flows.len() * self.cells.len() <= CURVES
            && !self.swept.iter().any(|swept| swept.is_numeric());
        let cells = if several {
            &self.cells[..]
        } else {
            &self.cells[..self.cells.len().min(1)]
        };
        let which = match cells {
            [cell] if !self.swept.is_empty() => format!(", first case ({})", self.case(cell)),
            _ => String::new(),
        };
        let quantities = [
            ("mbit_per_s", "Goodput", "goodput (Mbit/s)"),
            (
                "cwnd_kib",
                "Congestion window of the primary path",
                "congestion window (KiB)",
            ),
        ];
        let charts = quantities.iter().flat_map(|(quantity, title, y)| {
            let title = format!("{title} over time, seed 1{which}");
            let mut curves = Vec::new();
            for cell in cells {
                for flow in &self.scenario.flows {
                    let series = cell.series(&format!("{}.{quantity}", flow.name));
                    let Some(series) = series else { continue };
                    let name = match cells {
                        [_] => flow.name.clone(),
                        _ => self.curve_name(&flow.name, cell, None),
                    };
                    curves.push(Curve::of_series(&name, &series.points));
                }
            }
            multiples(&title, curves, |title| Chart::new(title, "time (s)", y))
        });
        charts.collect()
    }

    fn case(&self, cell: &Cell) -> String {
        let values = self.swept.iter().filter_map(|swept| {
            let value = cell.settings.value(&swept.column)?;
            Some(format!("{} = {value}", swept.label))
        });
        values.collect::<Vec<_>>().join(", ")
    }

    fn flows(&self) -> Table {
        let columns = [
            ("mbit_per_s", "Mbit/s"),
            ("seconds", "seconds"),
            ("delay_mean_ms", "mean delay (ms)"),
            ("delay_p99_ms", "99 % delay (ms)"),
            ("retransmissions", "sent again"),
            ("timeouts", "timeouts"),
            ("lost_percent", "lost (%)"),
        ];
        let flows = self.scenario.flows.iter().map(|flow| flow.name.as_str());
        self.table(
            "What each flow achieved",
            "flow",
            &flows.collect::<Vec<_>>(),
            "",
            &columns,
        )
    }

    fn links(&self) -> Table {
        let columns = [
            ("offered", "packets offered"),
            ("delivered", "delivered"),
            ("lost", "lost"),
            ("dropped", "dropped by the queue"),
            ("marked", "marked"),
            ("corrupted", "corrupted"),
            ("cut", "cut off"),
            ("longest_queue", "longest queue"),
        ];
        let pairs = self.scenario.links.iter();
        let names: Vec<String> = pairs
            .flat_map(|pair| [pair.name.clone(), format!("{}-back", pair.name)])
            .collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        self.table(
            "What became of the packets on each link",
            "link",
            &names,
            "link.",
            &columns,
        )
    }

    /// A table with a row per case and item, without columns that are empty everywhere.
    fn table(
        &self,
        title: &str,
        what: &str,
        names: &[&str],
        prefix: &str,
        columns: &[(&str, &str)],
    ) -> Table {
        let rows = self
            .cells
            .iter()
            .flat_map(|cell| names.iter().map(move |name| (*cell, *name)));
        let rows: Vec<(&Cell, &str)> = rows.collect();
        let value = |cell: &Cell, name: &str, metric: &str| {
            cell.estimate(&format!("{prefix}{name}.{metric}"))
        };
        let says = |(metric, _): &&(&str, &str)| {
            rows.iter().any(|(cell, name)| {
                value(cell, name, metric).is_some_and(|estimate| estimate.mean != 0.0)
            })
        };
        let columns: Vec<&(&str, &str)> = columns.iter().filter(says).collect();
        let mut head: Vec<&str> = self
            .swept
            .iter()
            .map(|swept| swept.label.as_str())
            .collect();
        head.push(what);
        head.extend(columns.iter().map(|(_, head)| head));
        let title = if rows.len() > ROWS {
            format!(
                "{title} (the first {ROWS} of {} rows; the data has all)",
                rows.len()
            )
        } else {
            title.to_owned()
        };
        let mut table = Table::new(&title, &head);
        for (cell, name) in rows.iter().take(ROWS) {
            let settings = self.swept.iter().map(|swept| {
                let value = cell.settings.value(&swept.column);
                value.map_or_else(String::new, ToString::to_string)
            });
            let metrics = columns.iter().map(|(metric, _)| {
                value(cell, name, metric).map_or_else(|| "–".to_owned(), |one| one.to_string())
            });
            let name = core::iter::once((*name).to_owned());
            table.push(settings.chain(name).chain(metrics));
        }
        table
    }
}

/// Spreads curves over several charts. If there are too many, only the first curves are shown,
/// which the titles mention.
fn multiples(title: &str, curves: Vec<Curve>, chart: impl Fn(&str) -> Chart) -> Vec<Exhibit> {
    let count = curves.len();
    let needed = count.div_ceil(CURVES);
    let (parts, shown) = (needed.min(CHARTS), count.min(CHARTS * CURVES));
    let mut rest = curves.into_iter();
    let exhibits = (0..parts).map(|part| {
        let title = match (needed, parts) {
            (1, _) => title.to_owned(),
            (needed, parts) if needed > parts => format!(
                "{title} ({} of {parts}; the first {shown} of {count} series, the data has all)",
                part + 1
            ),
            _ => format!("{title} ({} of {parts})", part + 1),
        };
        let mut chart = chart(&title);
        // Distributes the curves evenly.
        let own = shown * (part + 1) / parts - shown * part / parts;
        for curve in rest.by_ref().take(own) {
            chart.push(curve);
        }
        Exhibit::Chart(chart)
    });
    exhibits.collect()
}

/// Draws the paths between the ends of the first flow, and below them all links on no path.
pub(super) fn drawing(scenario: &Scenario) -> Drawing {
    let mut drawing = Drawing::default();
    let mut drawn: BTreeSet<&str> = BTreeSet::new();
    for flow in &scenario.flows {
        for way in ways(scenario, &flow.from, &flow.to) {
            if way.iter().all(|pair| drawn.contains(pair.name.as_str())) {
                continue;
            }
            drawn.extend(way.iter().map(|pair| pair.name.as_str()));
            drawing = drawing.and_path(&row(&flow.from, &way));
        }
    }
    for pair in &scenario.links {
        if !drawn.contains(pair.name.as_str()) {
            drawing = drawing.and_path(&row(&pair.ends[0], &[pair]));
        }
    }
    drawing
}

/// The loop-free paths, the shortest first.
fn ways<'a>(scenario: &'a Scenario, from: &str, to: &str) -> Vec<Vec<&'a LinkPair>> {
    let mut found = Vec::new();
    let mut open: Vec<(String, Vec<&LinkPair>)> = vec![(from.to_owned(), Vec::new())];
    while !open.is_empty() && found.len() < PATHS {
        let mut longer = Vec::new();
        for (at, way) in open {
            if at == to {
                found.push(way);
                continue;
            }
            // Hosts do not forward packets.
            if at != from && scenario.hosts.contains(&at) {
                continue;
            }
            for pair in &scenario.links {
                let Some(next) = other_end(pair, &at) else {
                    continue;
                };
                let seen = |pair: &&LinkPair| pair.ends.iter().any(|end| end == next);
                if next != from && !way.iter().any(seen) {
                    let mut way = way.clone();
                    way.push(pair);
                    longer.push((next.to_owned(), way));
                }
            }
        }
        longer.truncate(1000);
        open = longer;
    }
    found
}

fn other_end<'a>(pair: &'a LinkPair, end: &str) -> Option<&'a str> {
    let [one, other] = &pair.ends;
    if one == end {
        Some(other)
    } else if other == end {
        Some(one)
    } else {
        None
    }
}

fn row(from: &str, way: &[&LinkPair]) -> Vec<(String, String)> {
    let mut row = Vec::new();
    let mut at = from.to_owned();
    for pair in way {
        row.push((at.clone(), format!("{}: {}", pair.name, link(&pair.there))));
        other_end(pair, &at).unwrap_or_default().clone_into(&mut at);
    }
    row.push((at, String::new()));
    row
}

/// A short description of a link.
fn link(spec: &LinkSpec) -> String {
    let mut words = Vec::new();
    match &spec.pace {
        Pace::Instant => {}
        Pace::Constant(rate) => words.push(format!("{} Mbit/s", trimmed(rate.0 as f64 / 1e6))),
        Pace::Trace(_) => words.push("trace".to_owned()),
    }
    let delay = spec.delay.base.as_secs_f64() * 1e3;
    if delay > 0.0 {
        words.push(format!("{} ms", trimmed(delay)));
    }
    if let Errors::Uniform(probability) = &spec.loss {
        words.push(format!("{} % loss", trimmed(probability.value() * 100.0)));
    } else if spec.loss != Errors::None {
        words.push("losses".to_owned());
    }
    if spec.corruption != Corruption::None {
        words.push("bit errors".to_owned());
    }
    words.join(", ")
}

/// A number without trailing zeros.
fn trimmed(value: f64) -> String {
    let text = shown(value);
    if text.contains('.') && !text.contains('e') {
        let text = text.trim_end_matches('0').trim_end_matches('.');
        return text.to_owned();
    }
    text
}
