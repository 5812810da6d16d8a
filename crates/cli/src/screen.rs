//! What the user sees: lines for people with a progress bar, or JSON lines for programs.

use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};

/// How results are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Output {
    /// For people.
    #[default]
    Human,
    /// One JSON object per line.
    Json,
}

/// Time between two reports of progress to a program.
const JSON_INTERVAL: Duration = Duration::from_millis(200);

/// The place where a command prints.
#[derive(Clone)]
pub struct Screen {
    output: Output,
    bar: ProgressBar,
    last: Arc<Mutex<Option<Instant>>>,
}

impl Screen {
    /// A screen of that kind, without a progress bar.
    pub fn new(output: Output) -> Self {
        Self {
            output,
            bar: ProgressBar::hidden(),
            last: Arc::default(),
        }
    }

    /// The same screen with a progress bar over `bytes`, if a person sits at a terminal.
    pub fn with_bar(mut self, bytes: u64) -> Self {
        if self.output == Output::Human && io::stderr().is_terminal() {
            let look = "{bar:30} {bytes}/{total_bytes} {bytes_per_sec} {eta} {msg}";
            let style = ProgressStyle::with_template(look);
            self.bar = ProgressBar::new(bytes)
                .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        }
        self
    }

    /// How results are printed.
    pub fn output(&self) -> Output {
        self.output
    }

    /// Tells of an event: `text` to people, `event` with the fields to programs.
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

    /// Tells of something that went wrong without ending the command: `text` on standard error,
    /// and `event` with the fields to programs.
    pub fn trouble(&self, event: &str, fields: Value, text: &str) {
        self.warn(text);
        if self.output == Output::Json {
            self.event(event, fields, String::new);
        }
    }

    /// A line on standard output.
    pub fn line(&self, text: &str) {
        // A closed pipe is no reason to stop a transfer.
        self.bar.suspend(|| {
            let mut out = io::stdout().lock();
            let _ = writeln!(out, "{text}").and_then(|()| out.flush());
        });
    }

    /// A warning on standard error.
    pub fn warn(&self, text: &str) {
        self.bar.suspend(|| eprintln!("sheave: {text}"));
    }

    /// Shows progress, and tells a program of it from time to time.
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

    /// Takes the progress bar away.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}
