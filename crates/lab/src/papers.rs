//! The figures and tables of the five papers, and what answers them.

use serde::Deserialize;

use crate::report::{Report, StudyReport};

const TEXT: &str = include_str!("studies/papers.toml");
/// The title of the page.
pub(crate) const TITLE: &str = "The papers' figures";

/// A paper.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Paper {
    pub(crate) name: String,
    pub(crate) title: String,
    /// The studies of its claims, which no other paper has.
    pub(crate) studies: Vec<String>,
    pub(crate) figure: Vec<PaperFigure>,
}

/// A figure or a table of a paper.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PaperFigure {
    pub(crate) label: String,
    /// The subject of the figure.
    pub(crate) shows: String,
    /// The exhibits that answer it.
    #[serde(default)]
    pub(crate) ours: Vec<Counterpart>,
    /// The reason why there is none.
    pub(crate) why: Option<String>,
    /// A remark on its values.
    pub(crate) note: Option<String>,
}

/// An exhibit of a study.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Counterpart {
    pub(crate) study: String,
    /// The beginning of its title.
    pub(crate) title: String,
}

impl Counterpart {
    /// The chapter that it is in, and its number from 1 on.
    pub(crate) fn chapter<'a>(&self, report: &'a Report) -> Option<(usize, &'a StudyReport)> {
        let chapters = report.chapters.iter().zip(1..);
        let mut own = chapters.filter(|(chapter, _)| chapter.name == self.study);
        own.next().map(|(chapter, number)| (number, chapter))
    }
}

/// Reads the list.
///
/// # Errors
/// Why it cannot be read.
pub(crate) fn papers() -> Result<Vec<Paper>, String> {
    #[derive(Deserialize)]
    struct List {
        paper: Vec<Paper>,
    }
    let list: List = toml::from_str(TEXT).map_err(|error| error.to_string())?;
    Ok(list.paper)
}

#[cfg(test)]
mod tests;
