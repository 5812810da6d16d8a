//! Progress display of the runs.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressStyle};
use serde_json::json;
use sheave_lab::{LOOKS, Progress};

use crate::screen::{Output, Screen};

/// Interval between progress lines without a terminal.
const INTERVAL: Duration = Duration::from_secs(5);

/// Progress display: a bar on a terminal, periodic lines otherwise.
pub struct Display<'a> {
    screen: &'a Screen,
    style: Style,
    /// Number of the current interim analysis (each uses more seeds), from 1.
    look: u32,
    last: Option<Instant>,
}

enum Style {
    Bar(ProgressBar),
    /// Text lines on standard error.
    Lines,
    /// JSON on standard output.
    Json,
}

impl<'a> Display<'a> {
    pub fn new(screen: &'a Screen) -> Self {
        let style = if screen.output() == Output::Json {
            Style::Json
        } else if io::stderr().is_terminal() {
            let style = ProgressStyle::with_template("{bar:30} {pos}/{len} runs{msg}");
            let bar = ProgressBar::new(0);
            bar.enable_steady_tick(Duration::from_secs(1));
            Style::Bar(bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())))
        } else {
            Style::Lines
        };
        Self {
            screen,
            style,
            look: 1,
            last: None,
        }
    }

    pub fn show(&mut self, look: u32, progress: Progress) {
        if look != self.look {
            self.look = look;
            self.last = None;
        }
        let over = progress.done + progress.failed;
        if let Style::Bar(bar) = &self.style {
            bar.set_length(progress.total as u64);
            bar.set_position(over as u64);
            bar.set_message(self.rest(progress));
            return;
        }
        let is_due = self.last.is_none_or(|last| last.elapsed() >= INTERVAL);
        if !is_due && over < progress.total {
            return;
        }
        self.last = Some(Instant::now());
        if matches!(self.style, Style::Lines) {
            eprintln!("{over}/{} runs{}", progress.total, self.rest(progress));
            return;
        }
        let fields = json!({
            "look": self.look,
            "done": progress.done,
            "reused": progress.reused,
            "failed": progress.failed,
            "total": progress.total,
            "seconds_left": progress.left.map(|left| left.as_secs()),
        });
        self.screen.event("progress", fields, String::new);
    }

    pub fn clear(&self) {
        if let Style::Bar(bar) = &self.style {
            bar.finish_and_clear();
        }
    }

    /// Text after the number of runs.
    fn rest(&self, progress: Progress) -> String {
        let mut rest = match self.look {
            1 => String::new(),
            look => format!(" for what is undecided (look {look} of {LOOKS})"),
        };
        if progress.reused > 0 {
            rest += &format!(", {} from earlier", progress.reused);
        }
        if progress.failed > 0 {
            rest += &format!(", {} failed", progress.failed);
        }
        if progress.done + progress.failed < progress.total {
            rest += &match progress.left {
                Some(left) => format!(", about {} left", HumanDuration(left)),
                None => ", estimating the time left".to_owned(),
            };
        }
        rest
    }
}
