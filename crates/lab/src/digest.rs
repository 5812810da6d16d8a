use std::collections::BTreeMap;

use crate::columns::Schema;
use crate::manifest::Contents;
use crate::summary::SummaryBuilder;
use crate::{Record, Run, Summary, find};

/// The essence of records for a report: their size grows with the number of cases, not with that of
/// runs, except for studies, whose claims compare runs one by one.
#[derive(Clone, Debug, Default)]
pub struct Digest {
    summary: SummaryBuilder,
    /// By study or scenario.
    studies: BTreeMap<String, OfStudy>,
}

/// The essence of a study's records.
#[derive(Clone, Debug, Default)]
pub(crate) struct OfStudy {
    pub(crate) contents: Contents,
    pub(crate) schema: Schema,
    /// The first run of each setting and the number of its seeds, in the order of the records.
    pub(crate) cases: Vec<(Run, usize)>,
    /// Runs that could not be measured here, by reason.
    pub(crate) skipped: BTreeMap<String, usize>,
}

impl Digest {
    /// The essence of those records.
    #[must_use]
    pub fn of(records: &[Record]) -> Self {
        let mut digest = Self::default();
        for record in records {
            digest.add(record);
        }
        digest
    }

    /// Adds a record. Those of one setting follow each other.
    pub fn add(&mut self, record: &Record) {
        let Record { run, measured } = record;
        match find(&run.study) {
            Some(_) => self.summary.add(record),
            None => self.summary.add_moments(record),
        }
        if !self.studies.contains_key(&run.study) {
            self.studies.insert(run.study.clone(), OfStudy::default());
        }
        let Some(own) = self.studies.get_mut(&run.study) else {
            return;
        };
        own.contents.add(run);
        own.schema.add(record);
        if let Some(reason) = &measured.skipped {
            *own.skipped.entry(reason.clone()).or_default() += 1;
        }
        match own.cases.last_mut() {
            Some((first, seeds))
                if first.experiment == run.experiment && first.settings == run.settings =>
            {
                *seeds += 1;
            }
            _ => own.cases.push((run.clone(), 1)),
        }
    }

    /// The cells of the records.
    #[must_use]
    pub fn summary(&self) -> Summary {
        self.summary.clone().finish()
    }

    /// The number of runs.
    #[must_use]
    pub fn runs(&self) -> usize {
        self.studies.values().map(|own| own.contents.runs).sum()
    }

    /// The studies and scenarios among them.
    pub fn studies(&self) -> impl Iterator<Item = &str> {
        self.studies.keys().map(String::as_str)
    }

    /// The reasons why runs could not be measured here: the study, the reason and the number of runs.
    pub fn skipped(&self) -> impl Iterator<Item = (&str, &str, usize)> {
        self.studies.iter().flat_map(|(study, own)| {
            let reasons = own.skipped.iter();
            reasons.map(move |(reason, runs)| (study.as_str(), reason.as_str(), *runs))
        })
    }

    /// The contents by study, for a manifest.
    pub(crate) fn contents(&self) -> BTreeMap<String, Contents> {
        let studies = self.studies.iter();
        studies
            .map(|(name, own)| (name.clone(), own.contents.clone()))
            .collect()
    }

    /// The columns of all records in one table.
    pub(crate) fn schema(&self) -> Schema {
        let mut schema = Schema::default();
        for own in self.studies.values() {
            schema.join(&own.schema);
        }
        schema
    }

    /// The part of a study or scenario.
    pub(crate) fn of_study(&self, name: &str) -> Option<&OfStudy> {
        self.studies.get(name)
    }
}
