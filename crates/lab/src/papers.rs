//! The figures and tables of the five papers, each with our corresponding exhibits.

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
    /// The studies of the paper's claims; a study belongs to one paper only.
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
    /// Our corresponding exhibits.
    #[serde(default)]
    pub(crate) ours: Vec<Counterpart>,
    /// The reason why no exhibit of ours corresponds.
    pub(crate) why: Option<String>,
    /// A remark on the figure's values.
    pub(crate) note: Option<String>,
}

/// An exhibit of a study, identified by its title.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Counterpart {
    pub(crate) study: String,
    /// Prefix of the exhibit's title.
    pub(crate) title: String,
}

impl Counterpart {
    /// The chapter that contains the exhibit, and its number, counted from 1.
    pub(crate) fn chapter<'a>(&self, report: &'a Report) -> Option<(usize, &'a StudyReport)> {
        let chapters = report.chapters.iter().zip(1..);
        let mut own = chapters.filter(|(chapter, _)| chapter.name == self.study);
        own.next().map(|(chapter, number)| (number, chapter))
    }
}

/// Parses the list of papers.
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
