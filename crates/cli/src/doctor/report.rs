//! Prints findings as text or JSON and computes the exit code.

use serde_json::json;

use super::check::{Check, State};
use crate::failure::Exit;
use crate::screen::Screen;

/// Line width.
const WIDTH: usize = 96;
/// Column of a finding's text.
const INDENT: usize = 26;

/// The amount of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// A single line for good findings, more for others.
    Short,
    /// Explains every finding.
    Full,
}

/// Prints findings as they arrive.
pub struct Report<'a> {
    screen: &'a Screen,
    detail: Detail,
    checks: Vec<Check>,
}

impl<'a> Report<'a> {
    /// Creates an empty report.
    pub fn new(screen: &'a Screen, detail: Detail) -> Self {
        Self {
            screen,
            detail,
            checks: Vec::new(),
        }
    }

    /// Starts a section: "here" or "there", and a title.
    pub fn begin(&self, part: &str, title: &str) {
        let gap = if self.checks.is_empty() { "" } else { "\n" };
        let fields = json!({ "part": part, "title": title });
        self.screen
            .event("part", fields, || format!("{gap}{title}\n"));
    }

    /// Prints a finding.
    pub fn add(&mut self, check: Check) {
        self.screen
            .event("check", check.fields(), || text(&check, self.detail));
        self.checks.push(check);
    }

    /// Prints the summary and the next step.
    pub fn finish(self) -> Exit {
        let count = |state| {
            self.checks
                .iter()
                .filter(|check| check.state == state)
                .count()
        };
        let [ok, unknown, warn, bad] =
            [State::Ok, State::Unknown, State::Warn, State::Bad].map(count);
        let exit = exit(&self.checks);
        let next = next(&self.checks);
        let fields = json!({
            "ok": ok, "unknown": unknown, "warn": warn, "bad": bad,
            "exit": exit.code(), "next": next,
        });
        self.screen.event("summary", fields, || {
            let sum = format!("\n{ok} ok, {warn} to know, {bad} bad, {unknown} unknown");
            match next {
                Some(next) => format!("{sum}\nNext: {next}"),
                None => sum,
            }
        });
        exit
    }
}

/// The exit code: 0 without problems, 1 with warnings, 2 if something does not work.
fn exit(checks: &[Check]) -> Exit {
    match checks.iter().map(|check| check.state).max() {
        Some(State::Bad) => Exit::Usage,
        Some(State::Warn) => Exit::Failure,
        _ => Exit::Success,
    }
}

/// The first remedy among the worst findings.
fn next(checks: &[Check]) -> Option<&str> {
    [State::Bad, State::Warn].iter().find_map(|state| {
        let of_state = checks.iter().filter(|check| check.state == *state);
        of_state.filter_map(|check| check.fix.as_deref()).next()
    })
}

/// Formats a finding as text.
fn text(check: &Check, detail: Detail) -> String {
    let mut lines = Vec::new();
    let head = format!("{:<8}{:<18}", check.state.word(), check.name);
    let beginning = match head.len() > INDENT {
        true => {
            lines.push(head.trim_end().to_owned());
            String::new()
        }
        false => head,
    };
    fold(&mut lines, &beginning, &check.saw);
    if check.state != State::Ok || detail == Detail::Full {
        fold(&mut lines, "", &check.means);
    }
    let all = detail == Detail::Full;
    for (label, text) in [("fix", &check.fix), ("more", &check.more)] {
        let shown = all || label == "more" || check.state != State::Ok;
        if let Some(text) = text
            && shown
        {
            fold(&mut lines, "", &format!("{label}: {text}"));
        }
    }
    lines.join("\n")
}

/// Appends `text` in lines of at most [`WIDTH`] columns, the first after `beginning`.
fn fold(lines: &mut Vec<String>, beginning: &str, text: &str) {
    let mut line = format!("{beginning:INDENT$}");
    let mut room = true;
    for word in text.split(' ') {
        let columns = line.chars().count() + 1 + word.chars().count();
        if !room && columns > WIDTH {
            lines.push(std::mem::replace(&mut line, " ".repeat(INDENT)));
            room = true;
        }
        if !room {
            line.push(' ');
        }
        line.push_str(word);
        room = false;
    }
    lines.push(line);
}

#[cfg(test)]
mod tests;
