use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::{
    Machine, Manifest, Page, Record, Report, Store, UserScenario, UserScenarioError,
    capture_first_runs, find,
};

/// A folder of results, and all that a report needs beside the records in it.
#[derive(Clone, Debug)]
pub struct Results {
    /// The folder.
    pub store: Store,
    /// The scenarios among what was run.
    pub scenarios: Vec<UserScenario>,
    /// The command line that makes the same again.
    pub command: String,
    /// The words of it that say how much was run.
    pub effort: String,
}

/// Results that were read from their folders.
#[derive(Clone, Debug)]
pub struct Gathered {
    /// The first folder, with what all of them hold.
    pub results: Results,
    /// The records, each run once.
    pub records: Vec<Record>,
    /// Scenarios that can no longer be read.
    pub wrong: Vec<UserScenarioError>,
}

impl Results {
    /// Begins results in that folder, which is made if it is not there, and keeps the scenarios.
    ///
    /// # Errors
    /// When something cannot be written.
    pub fn begin(folder: &Path, scenarios: Vec<UserScenario>, command: String) -> io::Result<Self> {
        let store = Store::open(folder)?;
        for scenario in &scenarios {
            store.keep_scenario(scenario)?;
        }
        Ok(Self {
            store,
            scenarios,
            command,
            effort: String::new(),
        })
    }

    /// Reads what several folders hold, such as the shards of one plan; the first is that of the
    /// whole. Of a scenario that was changed since, old runs are left out.
    ///
    /// # Errors
    /// When one cannot be read, or holds no results ([`io::ErrorKind::NotFound`]).
    pub fn gather(folders: &[PathBuf]) -> io::Result<Gathered> {
        let mut records: Vec<Record> = Vec::new();
        let mut scenarios: Vec<UserScenario> = Vec::new();
        let (mut manifests, mut wrong) = (Vec::new(), Vec::new());
        let mut stores = Vec::new();
        for folder in folders {
            let store = Store::existing(folder)?;
            let (own, more_wrong) = store.scenarios()?;
            wrong.extend(more_wrong);
            let is_known = |name: &str| scenarios.iter().any(|known| known.name() == name);
            let fresh = own.into_iter().filter(|one| !is_known(one.name()));
            let fresh: Vec<_> = fresh.collect();
            scenarios.extend(fresh);
            records.extend(store.records()?);
            manifests.extend(store.manifest());
            stores.push(store);
        }
        records.retain(|Record { run, .. }| {
            find(&run.study).is_some() || scenarios.iter().any(|one| one.scenario(run).is_some())
        });
        let mut seen = BTreeSet::new();
        records.retain(|record| seen.insert(record.run.to_string()));
        scenarios.retain(|one| records.iter().any(|record| record.run.study == one.name()));
        let store = stores.into_iter().next().ok_or(io::ErrorKind::NotFound)?;
        let (command, effort) = manifests.into_iter().next().map_or_else(
            || ("sheave lab run".to_owned(), String::new()),
            |manifest: Manifest| (manifest.command, manifest.effort),
        );
        let results = Self {
            store,
            scenarios,
            command,
            effort,
        };
        Ok(Gathered {
            results,
            records,
            wrong,
        })
    }

    /// The report on those records.
    #[must_use]
    pub fn report(&self, records: &[Record]) -> Report {
        let manifest = self.manifest(records);
        Report::render(records, &self.scenarios, manifest).with_captures(self.store.folder())
    }

    /// Captures the first run of each study and scenario, for Wireshark.
    ///
    /// # Errors
    /// What cannot be run or written, and why.
    pub fn capture_first_runs(&self, records: &[Record]) -> Result<(), String> {
        let runs: Vec<_> = records.iter().map(|record| record.run.clone()).collect();
        capture_first_runs(&runs, &self.scenarios, self.store.folder())
    }

    /// Writes all that is made of records: tables, the manifest, the pages of the report and
    /// `report.md`.
    ///
    /// # Errors
    /// What cannot be written.
    pub fn write(&self, records: &[Record]) -> io::Result<Report> {
        let folder = self.store.folder();
        self.store.write_tables(records, &self.manifest(records))?;
        let report = self.report(records);
        self.write_pages(&report.pages())?;
        fs::write(folder.join("report.md"), report.markdown())?;
        Ok(report)
    }

    /// Writes the pages, and clears away those of an earlier report that had more of them.
    fn write_pages(&self, pages: &[Page]) -> io::Result<()> {
        let folder = self.store.folder();
        for old in ["report", "report/figures"] {
            for entry in fs::read_dir(folder.join(old)).into_iter().flatten() {
                let path = entry?.path();
                let end = path.extension().and_then(|end| end.to_str());
                if matches!(end, Some("html" | "svg")) {
                    fs::remove_file(path)?;
                }
            }
        }
        for Page { path, text } in pages {
            let place = folder.join(path);
            if let Some(parent) = place.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::write(place, text)?;
        }
        Ok(())
    }

    fn manifest(&self, records: &[Record]) -> Manifest {
        Manifest::new(records, Machine::this(), &self.command).with_effort(&self.effort)
    }
}
