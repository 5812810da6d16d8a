//! `docs/deviations.md`: the comments that say where an RFC is not followed, and why.

use std::path::Path;

use crate::generated::{Page, Result};
use crate::sources::{self, Sources};

const HEAD: &str = "\
# Deviations from the RFCs

Sheave follows its RFCs to the letter, except in the places below. Each one is a comment
`DEVIATION RFC n §s: reason` in the code; this page is made from them by `cargo xtask deviations`, and a
test keeps it current. Options can switch many of them off; the profile `rfc9260` is the closest to the
text.

| RFC | Section | Instead, and why | Source |
| --- | --- | --- | --- |
";

/// A place where the code departs from an RFC.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Deviation {
    rfc: u32,
    /// Section as the comment has it, with its sign: `§6.1 D`.
    section: String,
    reason: String,
    file: String,
}

/// The page as it should be.
/// Errors: a source cannot be read, or such a comment has another form.
pub(crate) fn page(root: &Path) -> Result {
    let deviations = all(&sources::read(root)?)?;
    let rows = deviations.iter().map(Deviation::row);
    Ok(Page {
        path: "docs/deviations.md",
        text: HEAD.to_owned() + &rows.collect::<String>(),
    })
}

/// The deviations in all sources, by RFC and section.
fn all(sources: &Sources) -> std::result::Result<Vec<Deviation>, String> {
    let mut deviations = Vec::new();
    for (file, text) in sources {
        if file.starts_with("xtask/") {
            continue;
        }
        for comment in comments(text) {
            let deviation = Deviation::parse(&comment, file);
            deviations.push(deviation.ok_or(format!("{file}: cannot read \"{comment}\""))?);
        }
    }
    deviations.sort_by_cached_key(|deviation| (deviation.rfc, deviation.sort_key()));
    Ok(deviations)
}

/// Each comment of several lines that says `DEVIATION RFC`, as one line from there on.
fn comments(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut lines = text.lines().map(comment_text).peekable();
    while let Some(line) = lines.next() {
        let Some(start) = line.and_then(|line| line.find("DEVIATION RFC").map(|at| &line[at..]))
        else {
            continue;
        };
        let mut comment = start.to_owned();
        while let Some(Some(more)) = lines.next_if(|line| {
            line.is_some_and(|line| !line.is_empty() && !line.contains("DEVIATION RFC"))
        }) {
            comment = comment + " " + more;
        }
        found.push(comment);
    }
    found
}

fn comment_text(line: &str) -> Option<&str> {
    let text = line.trim_start().strip_prefix("//")?;
    Some(text.trim_start_matches(['/', '!']).trim())
}

impl Deviation {
    /// `DEVIATION RFC 9260 §6.1 D: reason`.
    fn parse(comment: &str, file: &str) -> Option<Self> {
        let rest = comment.strip_prefix("DEVIATION RFC ")?;
        let (rfc, rest) = rest.split_once(' ')?;
        let (section, reason) = rest.split_once(": ")?;
        section.starts_with('§').then(|| Self {
            rfc: rfc.parse().unwrap_or(0),
            section: section.to_owned(),
            reason: reason.to_owned(),
            file: file.to_owned(),
        })
    }

    /// The numbers of the section, so that §6.1 stands before §6.10; then the rest.
    fn sort_key(&self) -> (Vec<u32>, String, String) {
        let first = self.section.split([',', ' ']).next().unwrap_or_default();
        let numbers = first.trim_start_matches('§').split('.');
        (
            numbers.filter_map(|number| number.parse().ok()).collect(),
            self.section.clone(),
            self.file.clone(),
        )
    }

    fn row(&self) -> String {
        let Self {
            rfc,
            section,
            reason,
            file,
        } = self;
        let mut letters = reason.chars();
        let first = letters.next().into_iter().flat_map(char::to_uppercase);
        let reason: String = first.chain(letters).collect();
        let name = file.split('/').skip(3).collect::<Vec<_>>().join("/");
        let reason = reason.replace('|', "\\|");
        format!("| {rfc} | {section} | {reason} | [{name}](../{file}) |\n")
    }
}

#[cfg(test)]
mod tests;
