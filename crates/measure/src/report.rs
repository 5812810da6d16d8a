//! Tables of figures, as text or as JSON lines, and the samples behind them.

use std::fmt::Display;
use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal, Write};
use std::path::Path;

use serde_json::{Map, Value, json};

use crate::{Goal, Spread};

/// Form of the printed tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Aligned text.
    Text,
    /// A JSON object per row.
    Json,
}

/// Destination of results: tables on standard output, samples in a file if requested.
#[derive(Debug)]
pub struct Report {
    form: Form,
    samples: Option<File>,
}

/// A table of rows with the same columns.
#[derive(Debug)]
pub struct Table {
    title: String,
    rows: Vec<Row>,
}

/// A row: cells of text, and the same figures as a JSON object in base units.
#[derive(Clone, Debug, Default)]
pub struct Row {
    object: Map<String, Value>,
    cells: Vec<Cell>,
}

#[derive(Clone, Debug)]
struct Cell {
    head: String,
    align: Align,
    text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Align {
    Left,
    Right,
}

impl Report {
    /// Creates a report; appends samples to a file if given.
    pub fn new(form: Form, samples: Option<&Path>) -> io::Result<Self> {
        let append = |path| OpenOptions::new().create(true).append(true).open(path);
        let samples = samples.map(append).transpose()?;
        Ok(Self { form, samples })
    }

    /// Records one sample of a table.
    pub fn sample(&self, table: &str, mut fields: Value) -> io::Result<()> {
        let Some(mut file) = self.samples.as_ref() else {
            return Ok(());
        };
        if let Some(fields) = fields.as_object_mut() {
            fields.shift_insert(0, "table".into(), table.into());
        }
        writeln!(file, "{fields}")
    }

    /// Takes a sample of each case in each round, in turns, and records them with the fields of the
    /// case; returns the figures of each case, in the order of `keys`, round by round.
    /// Errors: a sample failed, or the file cannot be written.
    pub fn in_turns<C, E: From<io::Error>, const N: usize>(
        &self,
        (table, rounds): (&str, u32),
        cases: &mut [C],
        keys: [&str; N],
        describe: impl Fn(&C) -> (String, Value),
        mut sample: impl FnMut(&mut C) -> Result<[f64; N], E>,
    ) -> Result<Vec<[Vec<f64>; N]>, E> {
        let mut series: Vec<_> = cases.iter().map(|_| [const { Vec::new() }; N]).collect();
        for round in 1..=rounds {
            for (case, series) in cases.iter_mut().zip(&mut series) {
                let (name, mut fields) = describe(case);
                self.progress(&format!("{name}, round {round}"));
                fields["round"] = round.into();
                for ((key, figure), series) in keys.iter().zip(sample(case)?).zip(series) {
                    fields[*key] = figure.into();
                    series.push(figure);
                }
                self.sample(table, fields)?;
            }
        }
        Ok(series)
    }

    /// Shows the current measurement on a terminal, replacing the previous line.
    pub fn progress(&self, what: &str) {
        if self.form == Form::Text && io::stderr().is_terminal() {
            eprint!("\r\x1b[2Kmeasuring {what}");
        }
    }

    /// Prints a note outside the tables.
    pub fn note(&self, name: &str, text: &str) {
        self.clear();
        match self.form {
            Form::Text => println!("{text}"),
            Form::Json => println!("{}", json!({ "table": name, name: text })),
        }
    }

    /// Prints a table. The name of a table in JSON is its title up to the colon.
    pub fn print(&self, table: &Table) {
        self.clear();
        match self.form {
            Form::Text => table.print(),
            Form::Json => {
                let name = table.title.split(':').next().unwrap_or_default();
                for row in &table.rows {
                    let mut object = row.object.clone();
                    object.insert("table".into(), name.into());
                    println!("{}", Value::Object(object));
                }
            }
        }
    }

    fn clear(&self) {
        if self.form == Form::Text && io::stderr().is_terminal() {
            eprint!("\r\x1b[2K");
        }
    }
}

impl Table {
    /// Creates an empty table; its title begins with its name and a colon.
    #[must_use]
    pub fn new(title: impl Into<String>) -> Self {
        let title = title.into();
        let rows = Vec::new();
        Self { title, rows }
    }

    /// Adds a row.
    pub fn push(&mut self, row: Row) {
        self.rows.push(row);
    }

    fn print(&self) {
        println!("\n{}", self.title);
        let Some(first) = self.rows.first() else {
            return;
        };
        let heads: Vec<&str> = first.cells.iter().map(|cell| &*cell.head).collect();
        let texts = |row: &'_ Row| row.cells.iter().map(|cell| cell.text.clone()).collect();
        let rows: Vec<Vec<String>> = self.rows.iter().map(texts).collect();
        let width = |column: usize, head: &str| {
            let cells = rows.iter().filter_map(|row| row.get(column));
            let widths = cells.map(|cell| cell.chars().count());
            widths.max().unwrap_or(0).max(head.chars().count())
        };
        let widths = heads.iter().enumerate();
        let widths: Vec<usize> = widths.map(|(column, head)| width(column, head)).collect();
        let line = |cells: Vec<&str>| {
            let cells = cells.into_iter().zip(&widths).zip(&first.cells);
            let cells = cells.map(|((text, width), cell)| match cell.align {
                Align::Left => format!("{text:<width$}"),
                Align::Right => format!("{text:>width$}"),
            });
            println!("  {}", cells.collect::<Vec<_>>().join("  ").trim_end());
        };
        line(heads);
        for row in &rows {
            line(row.iter().map(String::as_str).collect());
        }
    }
}

impl Row {
    /// Creates an empty row.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Figures as JSON.
    pub fn fields(&self) -> Value {
        self.object.clone().into()
    }

    /// Adds a field that only JSON has.
    #[must_use]
    pub fn field(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.object.insert(key.into(), value.into());
        self
    }

    /// Adds a right-aligned cell that only the text has.
    #[must_use]
    pub fn cell(self, head: impl Into<String>, text: impl Display) -> Self {
        self.aligned(Align::Right, head, text)
    }

    /// Adds words.
    #[must_use]
    pub fn text(self, key: &str, head: &str, text: impl Display) -> Self {
        let text = text.to_string();
        let row = self.field(key, text.as_str());
        row.aligned(Align::Left, head, text)
    }

    /// Adds a whole number.
    #[must_use]
    pub fn count(self, key: &str, head: &str, count: impl Into<Value>) -> Self {
        let count = count.into();
        self.field(key, count.clone()).cell(head, count)
    }

    /// Adds a figure, shown `scale` times with so many digits.
    #[must_use]
    pub fn figure(self, key: &str, head: &str, figure: f64, (scale, digits): (f64, usize)) -> Self {
        let text = format!("{:.digits$}", figure * scale);
        self.field(key, figure).cell(head, text)
    }

    /// Adds a share, shown in per cent.
    #[must_use]
    pub fn share(self, key: &str, head: &str, share: f64) -> Self {
        let text = format!("{:.0} %", 100.0 * share);
        self.field(key, share).cell(head, text)
    }

    /// Adds a spread of which only the median is shown.
    #[must_use]
    pub fn median(self, key: &str, head: &str, all: Spread, (scale, digits): (f64, usize)) -> Self {
        let text = format!("{:.digits$}", all.median * scale);
        self.field(key, all).cell(head, text)
    }

    /// Adds a spread in three columns, the first of which is called `head` and min.
    #[must_use]
    pub fn spread(self, key: &str, head: &str, all: Spread, (scale, digits): (f64, usize)) -> Self {
        let text = |figure: f64| format!("{:.digits$}", figure * scale);
        self.field(key, all)
            .cell(format!("{head} min").trim(), text(all.min))
            .cell("median", text(all.median))
            .cell("max", text(all.max))
    }

    /// Adds a spread in one column, empty if nothing was measured.
    #[must_use]
    pub fn within(self, key: &str, head: &str, all: Spread, (scale, digits): (f64, usize)) -> Self {
        let text = |figure: f64| format!("{:.digits$}", figure * scale);
        let (min, median, max) = (text(all.min), text(all.median), text(all.max));
        let text = match all.median.is_nan() {
            true => String::new(),
            false => format!("{median} ({min}..{max})"),
        };
        self.field(key, all).cell(head, text)
    }

    /// Adds a ratio.
    #[must_use]
    pub fn ratio(self, key: &str, head: &str, ratio: Spread) -> Self {
        self.within(key, head, ratio, (1.0, 2))
    }

    /// Adds the goal of a figure, if any; under `key`, or beside the other fields if that is empty.
    #[must_use]
    pub fn goal(mut self, key: &str, goal: Option<Goal>, figure: f64) -> Self {
        let Some(goal) = goal else {
            return self.cell("goal", "");
        };
        match (key, goal.fields(figure)) {
            ("", Value::Object(fields)) => self.object.extend(fields),
            (key, fields) => self = self.field(key, fields),
        }
        self.cell("goal", goal.cell(figure))
    }

    fn aligned(mut self, align: Align, head: impl Into<String>, text: impl Display) -> Self {
        let (head, text) = (head.into(), text.to_string());
        self.cells.push(Cell { head, align, text });
        self
    }
}

impl From<Spread> for Value {
    fn from(spread: Spread) -> Self {
        json!({ "min": spread.min, "median": spread.median, "max": spread.max })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_its_figures_as_text_and_in_base_units() {
        let rate = Spread::of([1e9, 3e9, 2e9]);
        let row = Row::new()
            .text("over", "over", "TCP")
            .spread("bits_per_second", "Gb/s", rate, (1e-9, 1))
            .ratio("ratio", "to TCP", Spread::NONE)
            .goal("", Some(Goal::AtLeast(1.0)), 0.5);
        let texts: Vec<&str> = row.cells.iter().map(|cell| &*cell.text).collect();
        assert_eq!(texts, ["TCP", "1.0", "2.0", "3.0", "", ">= 1, missed"]);
        let fields = row.fields();
        assert_eq!(fields["bits_per_second"]["median"], 2e9);
        assert_eq!(
            (&fields["met"], &fields["over"]),
            (&false.into(), &"TCP".into())
        );
    }
}
