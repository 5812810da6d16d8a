use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::{
    Columns, Digest, Machine, Manifest, Page, Record, Report, Run, Selected, Store, UserScenario,
    UserScenarioError, capture_first_runs, find,
};

/// A folder of results, with everything a report needs in addition to the records.
#[derive(Clone, Debug)]
pub struct Results {
    /// The folder.
    pub store: Store,
    /// Further folders whose records are included.
    pub others: Vec<Store>,
    /// The scenarios that were run.
    pub scenarios: Vec<UserScenario>,
    /// The command line that reproduces the results.
    pub command: String,
    /// The words of the command line that set the effort.
    pub effort: String,
}

/// Results read from their folders.
#[derive(Clone, Debug)]
pub struct Gathered {
    /// The results, stored in the first folder, with the contents of all folders.
    pub results: Results,
    /// Errors of scenarios that can no longer be read.
    pub wrong: Vec<UserScenarioError>,
}

impl Results {
    /// Starts results in a folder, which is created if missing, and stores the scenarios.
    pub fn begin(folder: &Path, scenarios: Vec<UserScenario>, command: String) -> io::Result<Self> {
        let store = Store::open(folder)?;
        for scenario in &scenarios {
            store.keep_scenario(scenario)?;
        }
        Ok(Self {
            store,
            others: Vec::new(),
            scenarios,
            command,
            effort: String::new(),
        })
    }

    /// Reads the contents of several folders, such as the shards of one plan; the first one becomes
    /// the folder of the combined results. Runs of scenarios that changed since are left out.
    ///
    /// # Errors
    /// When a folder cannot be read, or holds no results ([`io::ErrorKind::NotFound`]).
    pub fn gather(folders: &[PathBuf]) -> io::Result<Gathered> {
        let mut scenarios: Vec<UserScenario> = Vec::new();
        let (mut manifests, mut wrong) = (Vec::new(), Vec::new());
        let mut stores = Vec::new();
        for folder in folders {
            let store = Store::existing(folder)?;
            let (own, more_wrong) = store.scenarios()?;
            wrong.extend(more_wrong);
            let studies = store.studies()?;
            for one in own {
                let is_known = scenarios.iter().any(|known| known.name() == one.name());
                if studies.contains(one.name()) && !is_known {
                    scenarios.push(one);
                }
            }
            manifests.extend(store.manifest());
            stores.push(store);
        }
        let mut stores = stores.into_iter();
        let store = stores.next().ok_or(io::ErrorKind::NotFound)?;
        let (command, effort) = manifests.into_iter().next().map_or_else(
            || ("sheave lab run".to_owned(), String::new()),
            |manifest: Manifest| (manifest.command, manifest.effort),
        );
        let results = Self {
            store,
            others: stores.collect(),
            scenarios,
            command,
            effort,
        };
        Ok(Gathered { results, wrong })
    }

    /// Reads the records of selected runs in all folders, in order. Records of scenarios that
    /// changed since are left out.
    pub fn records(
        &self,
        selected: &Selected,
    ) -> io::Result<impl Iterator<Item = io::Result<Record>> + use<>> {
        let stores: Vec<Store> = core::iter::once(&self.store)
            .chain(&self.others)
            .cloned()
            .collect();
        let (selected, scenarios) = (selected.clone(), self.scenarios.clone());
        let is_known = move |run: &Run| {
            let mut scenarios = scenarios.iter();
            find(&run.study).is_some() || scenarios.any(|one| one.scenario(run).is_some())
        };
        Store::scan(&stores, move |run: &Run| selected.has(run) && is_known(run))
    }

    /// Creates the table of selected runs, one row each.
    pub fn table(&self, selected: &Selected) -> io::Result<Columns> {
        let digest = self.digest(selected)?;
        let schema = digest.schema();
        let mut table = schema.empty();
        for record in self.records(selected)? {
            table.append(schema.columns(&[&record?]));
        }
        Ok(table)
    }

    fn digest(&self, selected: &Selected) -> io::Result<Digest> {
        let mut digest = Digest::for_scenarios(&self.scenarios);
        for record in self.records(selected)? {
            digest.add(&record?);
        }
        Ok(digest)
    }

    /// Captures the first run of each study and scenario, for Wireshark.
    ///
    /// # Errors
    /// The runs that failed or files that could not be written, with reasons.
    pub fn capture_first_runs(&self, runs: &[Run]) -> Result<(), String> {
        capture_first_runs(runs, &self.scenarios, self.store.folder())
    }

    /// Writes all files derived from the records of selected runs: tables, the manifest, the pages
    /// of the report, and `report.md`.
    pub fn write(&self, selected: &Selected) -> io::Result<(Report, Digest)> {
        let folder = self.store.folder();
        let digest = self.digest(selected)?;
        self.store.write_tables(self.records(selected)?, &digest)?;
        let manifest = Manifest::of(&digest, Machine::this(), &self.command);
        let manifest = manifest.with_effort(&self.effort);
        self.store.write_manifest(&manifest)?;
        let report = Report::of(&digest, &self.scenarios, manifest).with_captures(folder);
        self.write_pages(&report.pages())?;
        fs::write(folder.join("report.md"), report.markdown())?;
        Ok((report, digest))
    }

    /// Writes the pages, and deletes leftover pages of an earlier report.
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
}
