//! The start page: an overview of all claims.

use core::fmt::Write;

use super::{Kind, Place, badges, claims, command, papers, put, standing};
use crate::Finding;
use crate::claim::ClaimsOf;
use crate::escape::escaped;
use crate::report::{Report, StudyReport};
use crate::ruling::STATED;
use crate::today;

pub(super) fn body(out: &mut String, report: &Report) {
    put!(out, "<h1>{}</h1>", report.title());
    if report.findings().next().is_none() {
        head(out, report);
        return contents(out, report);
    }
    if report.has_studies() {
        put!(
            out,
            "<p class=\"headline\">Between the transports of today: {}</p>",
            escaped(&today::headline(report))
        );
    }
    overview(out, report);
    contents(out, report);
    if report.has_studies() {
        standing::section(out, report);
    }
    put!(
        out,
        "<section id=\"method\"><h2>How verdicts are given</h2><p>Each verdict is computed from the \
         runs by the rule that stands beside the claim. Numbers with ± are means and 95 % confidence \
         intervals (Student t). {STATED}</p>"
    );
    head(out, report);
    out.push_str("</section>");
}

/// Renders the origin of the results: the revision, the machine and the runs.
pub(super) fn head(out: &mut String, report: &Report) {
    let manifest = &report.manifest;
    let machine = &manifest.machine;
    let runs: usize = report.chapters.iter().map(|chapter| chapter.runs).sum();
    let processor = match machine.processor.as_str() {
        "" => String::new(),
        processor => format!(", {}", escaped(processor)),
    };
    put!(
        out,
        "<p class=\"meta\">{runs} runs · Sheave {} ({}) · {} {}, {} cores{processor}</p>",
        escaped(&manifest.version),
        escaped(&manifest.revision),
        escaped(&machine.system),
        escaped(&machine.architecture),
        machine.cores,
    );
    command(out, "The same again", &manifest.command);
}

/// Renders the list of pages with the counts of their verdicts.
fn contents(out: &mut String, report: &Report) {
    out.push_str(
        "<section id=\"contents\"><h2>Pages</h2><nav aria-label=\"Pages\"><ol class=\"contents\">",
    );
    for (number, chapter) in report.chosen() {
        entry(out, number, chapter);
    }
    out.push_str("</ol>");
    let others = report.left_out().count();
    if others > 0 {
        let (are, word) = match others {
            1 => ("was", "study"),
            _ => ("were", "studies"),
        };
        put!(
            out,
            "<details><summary>{others} {word} {are} not run</summary><ol class=\"contents\">"
        );
        for (number, chapter) in report.left_out() {
            entry(out, number, chapter);
        }
        out.push_str("</ol></details>");
    }
    if report.has_studies() {
        put!(
            out,
            "<p><a href=\"{}{}\">{}</a>: what answers each of them, or why nothing does</p>",
            Place::Index.pages(),
            papers::FILE,
            crate::papers::TITLE
        );
    }
    out.push_str("</nav></section>");
}

/// Renders an entry in the list of pages.
fn entry(out: &mut String, number: usize, chapter: &StudyReport) {
    put!(
        out,
        "<li value=\"{number}\"><a href=\"{}{}.html\">{}</a> ",
        Place::Index.pages(),
        escaped(&chapter.name),
        escaped(&chapter.title)
    );
    match chapter.runs {
        0 => out.push_str("<span class=\"badge silent\">not run</span>"),
        _ => badges(out, &chapter.findings),
    }
    out.push_str("</li>");
}

/// Renders a row per claim, with a filter implemented in the style sheet.
fn overview(out: &mut String, report: &Report) {
    out.push_str("<section id=\"claims\">");
    filter(out, report);
    claims::head(out);
    for origin in ClaimsOf::ALL {
        if origin == ClaimsOf::Ours && report.findings().any(|finding| origin.has(finding)) {
            put!(out, "<h2 class=\"origin\">{}</h2>", origin.title());
        }
        for (number, chapter) in report.chosen() {
            let own = chapter.findings.iter().filter(|one| origin.has(one));
            if own.clone().next().is_none() {
                continue;
            }
            put!(
                out,
                "<section class=\"group\"><h3><a href=\"{}{}.html\">{}. {}</a></h3>",
                Place::Index.pages(),
                escaped(&chapter.name),
                number,
                escaped(&chapter.title)
            );
            for finding in own {
                claims::row(out, chapter, finding, Place::Index);
            }
            out.push_str("</section>");
        }
    }
    out.push_str("</section>");
}

fn filter(out: &mut String, report: &Report) {
    put!(
        out,
        "<fieldset class=\"filter\"><legend>Show</legend><label><input type=\"radio\" \
         name=\"show\" id=\"show-all\" checked> all {}</label>",
        counted(report, |_| true)
    );
    for kind in Kind::ALL {
        if kind.count(report.findings()) > 0 {
            let (class, word) = (kind.class(), kind.word());
            put!(
                out,
                "<label class=\"{class}\"><input type=\"radio\" name=\"show\" \
                 id=\"show-{class}\"> {word} {}</label>",
                counted(report, |finding| Kind::of(finding) == kind)
            );
        }
    }
    out.push_str("<button type=\"button\" id=\"unfold\" hidden>unfold all</button></fieldset>");
}

/// The number of matching claims of the papers, followed by the number of ours.
fn counted(report: &Report, is_such: impl Fn(&Finding) -> bool) -> String {
    let count = |origin: ClaimsOf| {
        let own = report.findings().filter(|finding| origin.has(finding));
        own.filter(|finding| is_such(finding)).count()
    };
    match ClaimsOf::ALL.map(count) {
        [papers, 0] => format!("<b>{papers}</b>"),
        [papers, ours] => format!("<b>{papers}</b> + {ours} ours"),
    }
}
