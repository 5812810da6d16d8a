//! The papers' conclusions, judged again with today's transports.

use crate::papers;
use crate::report::{Report, StudyReport};
use crate::{Conclusion, Finding};

/// The title of the comparison.
pub(crate) const TITLE: &str = "What still stands today";

/// The rules of the comparison, for the readers of a report.
pub(crate) const STATED: &str = "Each claim of the papers is judged once more, by the same rule on the \
     same network, with both sides as they are today: Sheave's default profile (modern: RACK-TLP, \
     CUBIC, least timeout 200 ms, quick failover) and a TCP as Linux has it (CUBIC, RACK-TLP, ten \
     segments to begin with, HyStart, timestamps, least timeout 200 ms). The simulated TCP has no DSACK \
     or F-RTO, which Linux has: where packets are reordered it is weaker than the real one, and what is \
     said against TCP there is said against a weaker one.";

/// Number of conclusions of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts([usize; Conclusion::ALL.len()]);

impl Counts {
    pub(crate) fn of<'a>(findings: impl Iterator<Item = &'a Finding>) -> Self {
        let mut counts = Self::default();
        for (conclusion, ..) in findings.filter_map(Finding::conclusion) {
            counts.0[conclusion as usize] += 1;
        }
        counts
    }

    /// The number of each kind, in the order of [`Conclusion::ALL`].
    pub(crate) fn each(self) -> impl Iterator<Item = (Conclusion, usize)> {
        Conclusion::ALL.into_iter().zip(self.0)
    }

    pub(crate) fn sum(self) -> usize {
        self.0.iter().sum()
    }

    /// A sentence that counts the conclusions of each kind.
    pub(crate) fn told(self) -> String {
        let counted = self.each().filter(|(_, count)| *count > 0);
        let counted = counted.map(|(conclusion, count)| conclusion.counted(count));
        let counted: Vec<String> = counted.collect();
        format!(
            "Of the papers' {} conclusions {}.",
            self.sum(),
            counted.join(", ")
        )
    }
}

/// A sentence that counts the conclusions of each kind, over all papers that were run.
pub(crate) fn headline(report: &Report) -> String {
    Counts::of(report.findings()).told()
}

/// The conclusions of one paper, or of claims that belong to several papers.
#[derive(Clone, Debug)]
pub(crate) struct PaperStanding<'a> {
    /// The name of the paper.
    pub(crate) name: String,
    pub(crate) counts: Counts,
    /// The chapters of the conclusions.
    pub(crate) chapters: Vec<&'a StudyReport>,
}

impl<'a> PaperStanding<'a> {
    fn new(name: String, chapters: Vec<&'a StudyReport>) -> Self {
        Self {
            name,
            counts: Counts::of(chapters.iter().flat_map(|chapter| &chapter.findings)),
            chapters,
        }
    }
}

/// The conclusions by paper; those that belong to several papers are last.
pub(crate) fn by_paper(report: &Report) -> Vec<PaperStanding<'_>> {
    // A test ensures that the list can be parsed.
    let papers = papers::papers().unwrap_or_default();
    let judged = |chapter: &&StudyReport| Counts::of(chapter.findings.iter()).sum() > 0;
    let chosen = report.chosen().map(|(_, chapter)| chapter);
    let mut rest: Vec<&StudyReport> = chosen.filter(judged).collect();
    let mut standings = Vec::new();
    for paper in papers {
        let (own, others) = rest
            .into_iter()
            .partition(|chapter| paper.studies.contains(&chapter.name));
        standings.push(PaperStanding::new(paper.name, own));
        rest = others;
    }
    standings.push(PaperStanding::new("several papers".to_owned(), rest));
    standings.retain(|standing| standing.counts.sum() > 0);
    standings
}

/// Our numbers and the reason, as one text.
pub(crate) fn account(ours: &str, why: &str) -> String {
    match ours {
        "" => why.to_owned(),
        _ => format!("{ours}. {why}"),
    }
}

#[cfg(test)]
mod tests;
