use crate::store::csv;
use crate::{Exhibit, Finding, Manifest, Parameter, Record, Study, Summary, html, markdown};

/// All findings, ready to be shown.
#[derive(Clone, Debug)]
pub struct Report {
    pub(crate) manifest: Manifest,
    pub(crate) chapters: Vec<Chapter>,
}

/// What is shown of a study.
#[derive(Clone, Debug)]
pub(crate) struct Chapter {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) about: &'static str,
    pub(crate) drawing: String,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) findings: Vec<Finding>,
    pub(crate) exhibits: Vec<Exhibit>,
    pub(crate) command: String,
    /// The records as CSV; empty where there are none.
    pub(crate) data: String,
    pub(crate) runs: usize,
}

impl Report {
    /// Holds every claim of every study against the records.
    #[must_use]
    pub fn render(records: &[Record], manifest: Manifest) -> Self {
        let summary = Summary::of(records);
        let chapters = crate::studies();
        Self {
            manifest,
            chapters: chapters
                .iter()
                .map(|study| Chapter::new(*study, records, &summary))
                .collect(),
        }
    }

    /// What became of the claims, in the order of the studies.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.chapters.iter().flat_map(|chapter| &chapter.findings)
    }

    /// One page that needs nothing else: it opens in any browser, offline, and prints.
    #[must_use]
    pub fn html(&self) -> String {
        html::page(self)
    }

    /// The same for terminals and version control, without the figures.
    #[must_use]
    pub fn markdown(&self) -> String {
        markdown::page(self)
    }
}

impl Chapter {
    fn new(study: &dyn Study, records: &[Record], summary: &Summary) -> Self {
        let name = study.name();
        let own: Vec<&Record> = records
            .iter()
            .filter(|record| record.run.study == name)
            .collect();
        let exhibits = if own.is_empty() {
            Vec::new()
        } else {
            study.exhibits(summary)
        };
        let claims = study.claims().into_iter();
        Self {
            name,
            title: study.title(),
            about: study.about(),
            drawing: study.drawing().svg(),
            parameters: study.parameters(),
            findings: claims.map(|claim| Finding::new(claim, summary)).collect(),
            exhibits,
            command: format!("sheave lab run {name}"),
            data: if own.is_empty() {
                String::new()
            } else {
                csv(&own)
            },
            runs: own.len(),
        }
    }
}
