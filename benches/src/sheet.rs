use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal, Write};

use serde_json::{Value, json};

use crate::{Args, Table, machine};

/// Destination of the results: tables go to standard output, samples to a file if requested.
pub struct Sheet {
    samples: Option<File>,
}

impl Sheet {
    /// Opens the sample file, if any, and prints the machine's description.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn open(args: &Args) -> io::Result<Self> {
        let samples = match &args.json {
            Some(path) => Some(OpenOptions::new().create(true).append(true).open(path)?),
            None => None,
        };
        let mut sheet = Self { samples };
        let machine = machine();
        println!("{machine}");
        println!(
            "CPU time of both ends; what else runs here counts only as far as it takes caches and half cores"
        );
        sheet.sample(&json!({ "table": "machine", "machine": machine }))?;
        Ok(sheet)
    }

    /// Records one sample.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn sample(&mut self, sample: &Value) -> io::Result<()> {
        match &mut self.samples {
            Some(file) => writeln!(file, "{sample}"),
            None => Ok(()),
        }
    }

    /// Shows the current measurement on a terminal, replacing the previous line.
    pub fn progress(&self, what: &str) {
        if io::stderr().is_terminal() {
            eprint!("\r\x1b[2Kmeasuring {what}");
        }
    }

    /// Prints a table.
    pub fn print(&self, table: &Table) {
        if io::stderr().is_terminal() {
            eprint!("\r\x1b[2K");
        }
        table.print();
    }
}
