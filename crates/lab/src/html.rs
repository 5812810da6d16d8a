//! A report as self-contained HTML pages: an index with all claims, and a page per study.

mod chapter;
mod claims;
mod dots;
mod figure;
pub(crate) mod fragment;
mod index;
mod papers;
mod standing;

use core::fmt::Write;

pub(crate) use figure::table as table_of;

use crate::claim::ClaimsOf;
use crate::escape::{escaped, put};
use crate::report::Report;
use crate::{Finding, Verdict};

const STYLE: &str = include_str!("html/style.css");
const SCRIPT: &str = include_str!("html/script.js");

/// The start page of the report.
pub(crate) const INDEX: &str = "report.html";
/// The folder of all other pages, beside the start page.
pub(crate) const FOLDER: &str = "report";

/// A file of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Path below the folder of results, separated by `/`.
    pub path: String,
    /// Content of the file.
    pub text: String,
}

/// Renders the files of the report, the index first. A report about a single scenario has one page,
/// plus figures.
pub(crate) fn pages(report: &Report) -> Vec<Page> {
    let mut pages = Vec::new();
    let is_one = report.chapters.len() == 1 && report.findings().next().is_none();
    let index = match &report.chapters[..] {
        [chapter] if is_one => {
            let place = Place::Index;
            page(&chapter.title, place, |out| {
                put!(out, "<h1>{}</h1>", escaped(&chapter.title));
                index::head(out, report);
                chapter::body(out, chapter, 1, place);
            })
        }
        _ => page(report.title(), Place::Index, |out| index::body(out, report)),
    };
    pages.push(Page {
        path: INDEX.to_owned(),
        text: index,
    });
    if !is_one {
        for (at, chapter) in report.chapters.iter().enumerate() {
            let text = page(&chapter.title, Place::Below, |out| {
                chapter::page(out, report, at);
            });
            let path = format!("{FOLDER}/{}.html", chapter.name);
            pages.push(Page { path, text });
        }
    }
    if report.has_studies() {
        let title = crate::papers::TITLE;
        pages.push(Page {
            path: format!("{FOLDER}/{}", papers::FILE),
            text: page(title, Place::Below, |out| papers::body(out, report)),
        });
    }
    for chapter in &report.chapters {
        pages.extend(figure::files(chapter));
    }
    pages
}

/// The location of a page, which determines its relative links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// In the folder of results.
    Index,
    /// In the folder of pages.
    Below,
}

impl Place {
    /// Relative path to the folder of results.
    const fn up(self) -> &'static str {
        match self {
            Self::Index => "",
            Self::Below => "../",
        }
    }

    /// Relative path to the folder of pages.
    fn pages(self) -> String {
        match self {
            Self::Index => format!("{FOLDER}/"),
            Self::Below => String::new(),
        }
    }
}

/// Renders a complete page with the given body.
fn page(title: &str, place: Place, body: impl FnOnce(&mut String)) -> String {
    let class = match place {
        Place::Index => "index",
        Place::Below => "chapter",
    };
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>Sheave: {}</title><link rel=\"icon\" href=\"data:,\">\
         <style>{STYLE}</style></head>\n<body class=\"{class}\"><main>",
        escaped(title)
    );
    body(&mut out);
    put!(
        out,
        "</main><div id=\"tip\" hidden></div><script>{SCRIPT}</script></body></html>\n"
    );
    out
}

/// Renders a command line with a copy button.
fn command(out: &mut String, title: &str, line: &str) {
    put!(
        out,
        "<p class=\"command\"><span>{title}:</span> <code>{}</code></p>",
        escaped(line)
    );
}

/// The presentation of a finding's verdict; `None`: not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Kind(Option<Verdict>);

impl Kind {
    const ALL: [Self; 6] = [
        Self(Some(Verdict::Reproduced)),
        Self(Some(Verdict::Partly)),
        Self(Some(Verdict::NotReproduced)),
        Self(Some(Verdict::Undecided)),
        Self(Some(Verdict::NotTestable)),
        Self(None),
    ];

    fn of(finding: &Finding) -> Self {
        let judgement = finding.judgement.as_ref();
        Self(judgement.map(|judgement| judgement.ruling.verdict))
    }

    fn count<'a>(self, findings: impl Iterator<Item = &'a Finding>) -> usize {
        findings.filter(|finding| Self::of(finding) == self).count()
    }

    const fn class(self) -> &'static str {
        match self.0 {
            Some(Verdict::Reproduced) => "reproduced",
            Some(Verdict::Partly) => "partly",
            Some(Verdict::NotReproduced) => "not",
            Some(Verdict::Undecided) => "undecided",
            Some(Verdict::NotTestable) => "untestable",
            None => "silent",
        }
    }

    fn word(self) -> String {
        let verdict = self.0.as_ref();
        verdict.map_or_else(|| "not run".to_owned(), Verdict::to_string)
    }
}

/// Badges with the number of findings of each kind: first the papers' claims, then ours.
fn badges(out: &mut String, findings: &[Finding]) {
    for origin in ClaimsOf::ALL {
        let own = || findings.iter().filter(|finding| origin.has(finding));
        if origin == ClaimsOf::Ours && own().next().is_some() {
            out.push_str("<span class=\"ours\">ours:</span> ");
        }
        for kind in Kind::ALL {
            let count = kind.count(own());
            if count > 0 {
                let (class, word) = (kind.class(), kind.word());
                put!(out, "<span class=\"badge {class}\">{count} {word}</span> ");
            }
        }
    }
}

/// Percent-encodes text for a URL.
fn percent_encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 5 / 4);
    for byte in text.bytes() {
        let plain = byte.is_ascii_alphanumeric() || b"-_.~,".contains(&byte);
        if plain {
            out.push(char::from(byte));
        } else {
            put!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests;
