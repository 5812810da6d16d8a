mod csv;
mod journal;
mod part;
mod scan;
mod table_file;
mod tables;

use core::slice;
use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

pub(crate) use journal::{Entry, Journal};
pub use scan::Selected;
pub(crate) use scan::{IsWanted, Scan};

use crate::execution::MACHINE;
use crate::{Digest, Machine, Manifest, Record, Run, RunKey, UserScenario, UserScenarioError};
use part::Part;

/// Hashes of the code that affects results: the sources of the crates below this one and of the studies.
static CODE: LazyLock<String> = LazyLock::new(|| SOURCES.concat());

const SOURCES: [&str; 6] = [
    sheave_wire::SOURCE_HASH,
    sheave_engine::SOURCE_HASH,
    sheave_sim::SOURCE_HASH,
    sheave_emulate::SOURCE_HASH,
    sheave::SOURCE_HASH,
    env!("SHEAVE_SOURCE_HASH"),
];

/// A folder of results: `runs/` with the records of finished runs, and the files derived from them.
///
/// Records are stored in parts of some thousand runs each; a journal holds the records that are not
/// in a part yet.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
}

impl Store {
    /// Opens the store in a folder, which is created if missing.
    pub fn open(folder: &Path) -> io::Result<Self> {
        fs::create_dir_all(folder.join("runs"))?;
        Ok(Self {
            folder: folder.to_owned(),
        })
    }

    /// Opens the store in an existing folder.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`] if the folder holds no results.
    pub fn existing(folder: &Path) -> io::Result<Self> {
        if !folder.join("runs").is_dir() {
            let what = format!("{} holds no results", folder.display());
            return Err(io::Error::new(io::ErrorKind::NotFound, what));
        }
        Self::open(folder)
    }

    /// The folder of the store.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The folder with the records.
    fn runs(&self) -> PathBuf {
        self.folder.join("runs")
    }

    /// The runs that need not be repeated: those finished with the same code. A run is repeated if
    /// it could not be measured, or was measured live on another machine.
    pub(crate) fn finished(&self) -> io::Result<HashSet<RunKey>> {
        let here = Machine::this().to_string();
        let mut keys = HashSet::new();
        for record in journal::records(&self.runs())? {
            let machine = record.measured.notes.get(MACHINE);
            if record.measured.skipped.is_none() && machine.is_none_or(|one| *one == here) {
                keys.insert(record.run.key(&CODE));
            }
        }
        for part in Part::all(&self.runs())? {
            // An unreadable part counts as missing.
            for run in part.finished().unwrap_or_default() {
                if !run.is_skipped && run.machine.is_none_or(|one| one == here) {
                    keys.insert(run.key);
                }
            }
        }
        Ok(keys)
    }

    /// The indices of the runs that [`execute`](crate::execute) would carry out: those without a
    /// record.
    pub fn missing(&self, runs: &[Run]) -> io::Result<Vec<usize>> {
        let finished = self.finished()?;
        let places = runs.iter().enumerate();
        let missing = places.filter(|(_, run)| !finished.contains(&run.key(&CODE)));
        Ok(missing.map(|(place, _)| place).collect())
    }

    /// Adds the records of another store, such as one from another machine.
    pub fn absorb(&self, other: &Self) -> io::Result<()> {
        self.keep(Scan::of(slice::from_ref(other), |_: &Run| true)?)
    }

    /// Adds records.
    ///
    /// # Errors
    /// When the records cannot be written, or the first error among `records`.
    pub fn keep(&self, records: impl IntoIterator<Item = io::Result<Record>>) -> io::Result<()> {
        let mut journal = self.journal()?;
        for record in records {
            journal.keep(Entry::of(record?)?)?;
        }
        journal.finish()
    }

    /// Starts a journal for the records of runs about to be carried out.
    pub(crate) fn journal(&self) -> io::Result<Journal> {
        Journal::begin(&self.runs())
    }

    /// Reads all records made with this code, whatever their plan, in order.
    pub fn records(&self) -> io::Result<Vec<Record>> {
        self.records_of(&Selected::All)
    }

    /// Reads the records of selected runs, in order.
    pub fn records_of(&self, selected: &Selected) -> io::Result<Vec<Record>> {
        let selected = selected.clone();
        Scan::of(slice::from_ref(self), move |run: &Run| selected.has(run))?.collect()
    }

    /// Reads the records of selected runs in several stores, in order.
    pub(crate) fn scan(stores: &[Self], is_wanted: impl IsWanted) -> io::Result<Scan> {
        Scan::of(stores, is_wanted)
    }

    /// Writes the records of each study as `<study>.csv` and `<study>.parquet`, one row per run.
    /// The records of a study must be adjacent.
    pub(crate) fn write_tables(
        &self,
        records: impl Iterator<Item = io::Result<Record>>,
        digest: &Digest,
    ) -> io::Result<()> {
        tables::write(&self.folder, records, digest)
    }

    /// Writes `manifest.json`.
    pub(crate) fn write_manifest(&self, manifest: &Manifest) -> io::Result<()> {
        let manifest = serde_json::to_string_pretty(manifest)?;
        fs::write(self.folder.join("manifest.json"), manifest + "\n")
    }

    /// The last written manifest; `None` if it is missing or unreadable.
    pub fn manifest(&self) -> Option<Manifest> {
        let bytes = fs::read(self.folder.join("manifest.json")).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Stores the text of a scenario, for later reports.
    pub fn keep_scenario(&self, scenario: &UserScenario) -> io::Result<()> {
        let folder = self.folder.join("scenarios");
        fs::create_dir_all(&folder)?;
        let file = folder.join(format!("{}.toml", scenario.name()));
        fs::write(file, scenario.text())
    }

    /// The stored scenarios by name, and the errors of those that can no longer be read.
    pub fn scenarios(&self) -> io::Result<(Vec<UserScenario>, Vec<UserScenarioError>)> {
        let folder = self.folder.join("scenarios");
        let (mut scenarios, mut wrong) = (Vec::new(), Vec::new());
        if !folder.is_dir() {
            return Ok((scenarios, wrong));
        }
        let files: io::Result<Vec<PathBuf>> = fs::read_dir(folder)?
            .map(|entry| Ok(entry?.path()))
            .collect();
        let mut files = files?;
        files.sort();
        for file in files {
            let Some(name) = file.file_stem().and_then(|stem| stem.to_str()) else {
                continue;
            };
            match UserScenario::read(name, &fs::read_to_string(&file)?) {
                Ok(scenario) => scenarios.push(scenario),
                Err(error) => wrong.push(error),
            }
        }
        Ok((scenarios, wrong))
    }

    /// The names of the studies and scenarios with stored runs.
    pub fn studies(&self) -> io::Result<BTreeSet<String>> {
        let records = journal::records(&self.runs())?.into_iter();
        let parts = Part::all(&self.runs())?.into_iter();
        let studies = records.map(|record| record.run.study);
        Ok(studies.chain(parts.flat_map(|part| part.studies)).collect())
    }
}

/// Hashes of the code that affects results; records are reused only if they are equal.
#[must_use]
pub fn code() -> &'static str {
    &CODE
}

#[cfg(test)]
pub(crate) mod tests;
