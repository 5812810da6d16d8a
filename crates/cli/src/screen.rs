//! Output of the tool: lines for people with a progress bar, or JSON lines for programs.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};

use crate::sys::local_time;

/// The form in which results are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Output {
    /// For people.
    #[default]
    Human,
    /// A JSON object on each line.
    Json,
}

/// Time between two reports of progress to a program.
const JSON_INTERVAL: Duration = Duration::from_millis(200);

/// The destination of lines, and the text before each.
#[derive(Default)]
pub struct Lines {
    /// A file instead of standard output.
    pub file: Option<File>,
    /// A format of strftime(3).
    pub timestamps: Option<String>,
    /// A text for people.
    pub title: Option<String>,
}

/// The place where a command prints.
#[derive(Clone)]
pub struct Screen {
    output: Output,
    lines: Arc<Lines>,
    /// Keeps what is printed, too.
    copy: Option<Arc<Mutex<String>>>,
    bar: ProgressBar,
    last: Arc<Mutex<Option<Instant>>>,
}

impl Screen {
    /// A screen of that kind, without a progress bar.
    pub fn new(output: Output) -> Self {
        Self {
            output,
            lines: Arc::default(),
            copy: None,
            bar: ProgressBar::hidden(),
            last: Arc::default(),
        }
    }

    /// The same screen with lines of that kind.
    pub fn with_lines(mut self, lines: Lines) -> Self {
        self.lines = Arc::new(lines);
        self
    }

    /// The same screen, which also keeps what it prints for people.
    pub fn with_copy(mut self, copy: Arc<Mutex<String>>) -> Self {
        self.copy = Some(copy);
        self
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

    /// The form in which results are printed.
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

    /// The text with what stands before each line.
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
