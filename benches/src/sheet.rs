use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal, Write};

use serde_json::{Value, json};

use crate::{Args, Table, machine};

/// The destination of the results: tables to standard output, samples to a file if one was asked
/// for.
pub struct Sheet {
    samples: Option<File>,
}

impl Sheet {
    /// Opens the file of samples, if any, and says what machine this is.
    ///
    /// # Errors
    /// When the file cannot be written.
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

    /// Notes one sample.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn sample(&mut self, sample: &Value) -> io::Result<()> {
        match &mut self.samples {
            Some(file) => writeln!(file, "{sample}"),
            None => Ok(()),
        }
    }

    /// Says to a person at a terminal what is being measured, on a line that the next one replaces.
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
