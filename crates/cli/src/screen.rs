//! Output: text with a progress bar, or JSON lines.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};

use crate::sys::local_time;

/// The format of printed results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Output {
    /// Text.
    #[default]
    Human,
    /// A JSON object per line.
    Json,
}

/// Interval of progress events in JSON.
const JSON_INTERVAL: Duration = Duration::from_millis(200);

/// The destination and prefix of lines.
#[derive(Default)]
pub struct Lines {
    /// A file instead of standard output.
    pub file: Option<File>,
    /// A format of strftime(3).
    pub timestamps: Option<String>,
    /// A text before each line.
    pub title: Option<String>,
}

/// The output of a command.
#[derive(Clone)]
pub struct Screen {
    output: Output,
    lines: Arc<Lines>,
    /// Also receives the printed text.
    copy: Option<Arc<Mutex<String>>>,
    bar: ProgressBar,
    last: Arc<Mutex<Option<Instant>>>,
}

impl Screen {
    /// Creates an output without a progress bar.
    pub fn new(output: Output) -> Self {
        Self {
            output,
            lines: Arc::default(),
            copy: None,
            bar: ProgressBar::hidden(),
            last: Arc::default(),
        }
    }

    /// Sets the destination and prefix of lines.
    pub fn with_lines(mut self, lines: Lines) -> Self {
        self.lines = Arc::new(lines);
        self
    }

    /// Also stores the printed text in `copy`.
    pub fn with_copy(mut self, copy: Arc<Mutex<String>>) -> Self {
        self.copy = Some(copy);
        self
    }

    /// Adds a progress bar over `bytes` if the output is a terminal.
    pub fn with_bar(mut self, bytes: u64) -> Self {
        if self.output == Output::Human && io::stderr().is_terminal() {
            let look = "{bar:30} {bytes}/{total_bytes} {bytes_per_sec} {eta} {msg}";
            let style = ProgressStyle::with_template(look);
            self.bar = ProgressBar::new(bytes)
                .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        }
        self
    }

    /// The format of printed results.
    pub fn output(&self) -> Output {
        self.output
    }

    /// Prints an event: `text` as text, `event` with the fields as JSON.
    pub fn event(&self, event: &str, fields: Value, text: impl FnOnce() -> String) {
        match self.output {
            Output::Human => self.line(&text()),
            Output::Json => {
                let mut object = json!({ "event": event });
                if let (Some(object), Value::Object(fields)) = (object.as_object_mut(), fields) {
                    object.extend(fields);
                }
                self.line(&object.to_string());
            }
        }
    }

    /// Prints a non-fatal problem: `text` to standard error, and `event` with the fields as JSON.
    pub fn trouble(&self, event: &str, fields: Value, text: &str) {
        self.warn(text);
        if self.output == Output::Json {
            self.event(event, fields, String::new);
        }
    }

    /// Prints a line to standard output.
    pub fn line(&self, text: &str) {
        // A closed pipe does not stop a transfer.
        if let Some(copy) = &self.copy {
            let mut copy = copy.lock().unwrap_or_else(PoisonError::into_inner);
            copy.push_str(text);
            copy.push('\n');
        }
        let text = self.dressed(text);
        self.bar.suspend(|| match self.lines.file.as_ref() {
            Some(mut file) => drop(writeln!(file, "{text}")),
            None => {
                let mut out = io::stdout().lock();
                drop(writeln!(out, "{text}").and_then(|()| out.flush()));
            }
        });
    }

    /// The text with the prefix of each line.
    fn dressed<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let Lines {
            timestamps, title, ..
        } = &*self.lines;
        if self.output == Output::Json || (timestamps.is_none() && title.is_none()) {
            return text.into();
        }
        let format = timestamps.as_deref();
        let mut before = format.map_or(String::new(), |format| {
            local_time(format, SystemTime::now())
        });
        if let Some(title) = title {
            before.push_str(&format!("{title}:  "));
        }
        let lines = text.split('\n').map(|line| format!("{before}{line}"));
        lines.collect::<Vec<_>>().join("\n").into()
    }

    /// Prints a warning to standard error.
    pub fn warn(&self, text: &str) {
        self.bar.suspend(|| eprintln!("sheave: {text}"));
    }

    /// Updates the progress bar, or prints a JSON event from time to time.
    pub fn progress(&self, bytes: u64, total: u64, entries: u64) {
        self.bar.set_length(total);
        self.bar.set_position(bytes);
        if self.output != Output::Json {
            return;
        }
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.is_some_and(|at| at.elapsed() < JSON_INTERVAL) {
            return;
        }
        *last = Some(Instant::now());
        drop(last);
        let fields = json!({ "bytes": bytes, "total_bytes": total, "entries": entries });
        self.event("progress", fields, String::new);
    }

    /// Removes the progress bar.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}
