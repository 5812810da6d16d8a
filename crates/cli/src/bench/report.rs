//! Output of tables, as text or as JSON lines.

use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::time::Duration;

use indicatif::ProgressBar;
use serde_json::{Value, json};
use sheave_measure::{Align, Spread, Table};

use crate::failure::{Failure, While};
use crate::screen::Output;

/// Update interval of the spinner.
const TICK: Duration = Duration::from_millis(200);

/// Destination of results.
#[derive(Debug)]
pub struct Report {
    output: Output,
    /// File to which samples are appended, if requested.
    samples: Option<File>,
    /// Spinner with the current measurement, for a terminal.
    bar: ProgressBar,
}

/// A table under construction.
pub struct Rows {
    output: Output,
    bar: ProgressBar,
    name: String,
    table: Table,
}

/// A column: text columns are left-aligned, number columns right-aligned.
pub fn column(name: &'static str) -> (&'static str, Align) {
    let words = ["what", "messages", "over", "setup", "packets"];
    let align = if words.contains(&name) {
        Align::Left
    } else {
        Align::Right
    };
    (name, align)
}

impl Report {
    /// Creates a report with this output format; appends samples to a file if given.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn new(output: Output, samples: Option<&Path>) -> io::Result<Self> {
        let append = |path| OpenOptions::new().create(true).append(true).open(path);
        let samples = samples.map(append).transpose()?;
        let watched = output == Output::Human && io::stderr().is_terminal();
        let bar = match watched {
            true => ProgressBar::new_spinner(),
            false => ProgressBar::hidden(),
        };
        bar.enable_steady_tick(TICK);
        Ok(Self {
            output,
            samples,
            bar,
        })
    }

    /// Records one sample of a table.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn sample(&self, table: &str, mut fields: Value) -> Result<(), Failure> {
        let Some(mut file) = self.samples.as_ref() else {
            return Ok(());
        };
        if let Some(fields) = fields.as_object_mut() {
            fields.shift_insert(0, "table".into(), table.into());
        }
        writeln!(file, "{fields}").while_doing("cannot note a sample")
    }

    /// Shows the current measurement.
    pub fn progress(&self, what: &str) {
        self.bar.set_message(what.to_owned());
    }

    /// Prints a note outside the tables.
    pub fn note(&self, name: &str, text: &str) {
        match self.output {
            Output::Human => self.bar.suspend(|| println!("{text}")),
            Output::Json => println!("{}", json!({ "table": name, name: text })),
        }
    }

    /// Starts a table; its title begins with the table's name and a colon.
    pub fn table(&self, title: &str, columns: &[(&'static str, Align)]) -> Rows {
        let name = title.split(':').next().unwrap_or(title);
        Rows {
            output: self.output,
            bar: self.bar.clone(),
            name: name.into(),
            table: Table::new(title, columns),
        }
    }
}

impl Rows {
    /// Adds a row: `fields` for JSON output, `cells` for text output.
    pub fn row(&mut self, mut fields: Value, cells: Vec<String>) {
        match self.output {
            Output::Human => self.table.row(cells),
            Output::Json => {
                if let Some(fields) = fields.as_object_mut() {
                    fields.insert("table".into(), self.name.clone().into());
                }
                println!("{fields}");
            }
        }
    }

    /// Prints the table; JSON rows were already printed.
    pub fn print(self) {
        if self.output == Output::Human {
            self.bar.suspend(|| self.table.print());
        }
    }
}

/// Ratios of two series of samples, round by round.
pub fn ratios(of: &[f64], to: &[f64]) -> Spread {
    Spread::of(of.iter().zip(to).map(|(of, to)| of / to))
}

/// Formats median, minimum and maximum.
pub fn show(spread: Spread) -> String {
    format!(
        "{:.2} ({:.2}..{:.2})",
        spread.median, spread.min, spread.max
    )
}

/// Minimum, median and maximum as JSON.
pub fn fields(spread: Spread) -> Value {
    json!({ "min": spread.min, "median": spread.median, "max": spread.max })
}
