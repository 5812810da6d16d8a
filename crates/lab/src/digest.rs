use std::collections::{BTreeMap, BTreeSet};

use crate::columns::Schema;
use crate::manifest::Contents;
use crate::summary::SummaryBuilder;
use crate::{Record, Run, Summary, UserScenario, find};

/// A condensed form of records for a report. Its size grows with the number of cases, not runs,
/// except for studies and scenarios with claims or exhibits, which compare individual runs.
#[derive(Clone, Debug, Default)]
pub struct Digest {
    summary: SummaryBuilder,
    /// By study or scenario.
    studies: BTreeMap<String, OfStudy>,
    /// Scenarios that compare individual runs.
    compared: BTreeSet<String>,
}

/// The condensed records of a study.
#[derive(Clone, Debug, Default)]
pub(crate) struct OfStudy {
    pub(crate) contents: Contents,
    pub(crate) schema: Schema,
    /// The first run of each setting and its number of seeds, in record order.
    pub(crate) cases: Vec<(Run, usize)>,
    /// Number of runs that could not be measured here, by reason.
    pub(crate) skipped: BTreeMap<String, usize>,
}

impl Digest {
    /// Creates a digest without records, for records of studies and of these scenarios.
    #[must_use]
    pub fn for_scenarios(scenarios: &[UserScenario]) -> Self {
        let compared = scenarios.iter().filter(|one| one.has_statements());
        Self {
            compared: compared.map(|one| one.name().to_owned()).collect(),
            ..Self::default()
        }
    }

    /// Condenses records of studies and of these scenarios.
    #[must_use]
    pub fn of(records: &[Record], scenarios: &[UserScenario]) -> Self {
        let mut digest = Self::for_scenarios(scenarios);
        for record in records {
            digest.add(record);
        }
        digest
    }

    /// Adds a record. Records of one setting must be adjacent.
    pub fn add(&mut self, record: &Record) {
        let Record { run, measured } = record;
        match find(&run.study).is_some() || self.compared.contains(&run.study) {
            true => self.summary.add(record),
            false => self.summary.add_moments(record),
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

    /// The summary of the records' cells.
    pub fn summary(&self) -> Summary {
        self.summary.clone().finish()
    }

    /// The number of runs.
    pub fn runs(&self) -> usize {
        self.studies.values().map(|own| own.contents.runs).sum()
    }

    /// The names of the studies and scenarios included.
    pub fn studies(&self) -> impl Iterator<Item = &str> {
        self.studies.keys().map(String::as_str)
    }

    /// Runs that could not be measured here: study, reason, and number of runs.
    pub fn skipped(&self) -> impl Iterator<Item = (&str, &str, usize)> {
        self.studies.iter().flat_map(|(study, own)| {
            let reasons = own.skipped.iter();
            reasons.map(move |(reason, runs)| (study.as_str(), reason.as_str(), *runs))
        })
    }

    /// The contents by study, for the manifest.
    pub(crate) fn contents(&self) -> BTreeMap<String, Contents> {
        let studies = self.studies.iter();
        studies
            .map(|(name, own)| (name.clone(), own.contents.clone()))
            .collect()
    }

    /// The columns for a single table of all records.
    pub(crate) fn schema(&self) -> Schema {
        let mut schema = Schema::default();
        for own in self.studies.values() {
            schema.join(&own.schema);
        }
        schema
    }

    /// The condensed records of a study or scenario.
    pub(crate) fn of_study(&self, name: &str) -> Option<&OfStudy> {
        self.studies.get(name)
    }
}
