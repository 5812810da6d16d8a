mod csv;
mod parquet_file;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

pub(crate) use csv::csv;

use crate::execution::MACHINE;
use crate::{Columns, Machine, Manifest, Record, Run, UserScenario, UserScenarioError};

/// A hash of the code that decides the result of a run: the sources of the engine, the library, the
/// simulator and the studies.
const CODE: &str = env!("SHEAVE_LAB_CODE");

/// A folder of results: `runs/` with one file for each finished run, and what is made of them.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
}

/// Whether a run is there already.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kept {
    Yes(Box<Record>),
    No,
}

impl Store {
    /// The store in that folder, which is made if it is not there.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn open(folder: &Path) -> io::Result<Self> {
        fs::create_dir_all(folder.join("runs"))?;
        Ok(Self {
            folder: folder.to_owned(),
        })
    }

    /// The store in that folder, which is there.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`] where the folder holds no results.
    pub fn existing(folder: &Path) -> io::Result<Self> {
        if !folder.join("runs").is_dir() {
            let what = format!("{} holds no results", folder.display());
            return Err(io::Error::new(io::ErrorKind::NotFound, what));
        }
        Self::open(folder)
    }

    /// The folder of the store.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The run's record, if it was finished with the same code. One that could not be measured
    /// then is tried again, and one that was measured on another machine is measured on this one.
    pub(crate) fn find(&self, run: &Run) -> Kept {
        let record = fs::read(self.place(run)).ok();
        let record = record.and_then(|bytes| serde_json::from_slice::<Record>(&bytes).ok());
        let holds = |record: &Record| {
            let machine = record.measured.notes.get(MACHINE);
            record.run == *run
                && record.measured.skipped.is_none()
                && machine.is_none_or(|machine| *machine == Machine::this().to_string())
        };
        match record.filter(holds) {
            Some(record) => Kept::Yes(Box::new(record)),
            // What cannot be read is as good as not there.
            None => Kept::No,
        }
    }

    /// The places of the runs that [`execute`](crate::execute) would carry out: those without a
    /// record.
    #[must_use]
    pub fn missing(&self, runs: &[Run]) -> Vec<usize> {
        let places = runs.iter().enumerate();
        let missing = places.filter(|(_, run)| self.find(run) == Kept::No);
        missing.map(|(place, _)| place).collect()
    }

    /// Keeps the records of another store, such as that of another machine.
    ///
    /// # Errors
    /// When they cannot be read or written.
    pub fn absorb(&self, other: &Self) -> io::Result<()> {
        for record in other.records()? {
            self.keep(&record)?;
        }
        Ok(())
    }

    /// Keeps a record: whole or, if this is interrupted, not at all.
    pub(crate) fn keep(&self, record: &Record) -> io::Result<()> {
        let place = self.place(&record.run);
        let draft = place.with_extension("draft");
        let mut file = BufWriter::new(File::create(&draft)?);
        serde_json::to_writer(&mut file, record)?;
        file.flush()?;
        fs::rename(draft, place)
    }

    /// Reads all records that were made with this code, whatever plan they belong to.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn records(&self) -> io::Result<Vec<Record>> {
        let mut records = Vec::new();
        for entry in fs::read_dir(self.folder.join("runs"))? {
            let path = entry?.path();
            let record = fs::read(&path).ok();
            let record = record.and_then(|bytes| serde_json::from_slice::<Record>(&bytes).ok());
            // Those of other code have other names.
            if let Some(record) = record.filter(|record| self.place(&record.run) == path) {
                records.push(record);
            }
        }
        let order = |record: &Record| {
            let Run {
                study,
                experiment,
                settings,
                seed,
            } = &record.run;
            (
                study.clone(),
                experiment.clone(),
                settings.to_string(),
                *seed,
            )
        };
        records.sort_by_cached_key(order);
        Ok(records)
    }

    /// Writes the records of each study as `<study>.csv` and `<study>.parquet`, one row a run, and
    /// `manifest.json`.
    ///
    /// # Errors
    /// When something cannot be written.
    pub fn write_tables(&self, records: &[Record], manifest: &Manifest) -> io::Result<()> {
        let mut studies: BTreeMap<&str, Vec<&Record>> = BTreeMap::new();
        for record in records {
            let own = studies.entry(&record.run.study).or_default();
            own.push(record);
        }
        for (name, own) in studies {
            let columns = Columns::of(&own);
            fs::write(self.folder.join(format!("{name}.csv")), csv(&own))?;
            let file = File::create(self.folder.join(format!("{name}.parquet")))?;
            parquet_file::write(file, &columns)?;
        }
        let manifest = serde_json::to_string_pretty(manifest)?;
        fs::write(self.folder.join("manifest.json"), manifest + "\n")
    }

    /// The manifest that was written last, if there is one that can be read.
    #[must_use]
    pub fn manifest(&self) -> Option<Manifest> {
        let bytes = fs::read(self.folder.join("manifest.json")).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Keeps the text of a scenario, for later reports.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn keep_scenario(&self, scenario: &UserScenario) -> io::Result<()> {
        let folder = self.folder.join("scenarios");
        fs::create_dir_all(&folder)?;
        let file = folder.join(format!("{}.toml", scenario.name()));
        fs::write(file, scenario.text())
    }

    /// The scenarios of which runs were kept, by name; and what is wrong with those that can no
    /// longer be read.
    ///
    /// # Errors
    /// When the folder cannot be read.
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

    fn place(&self, run: &Run) -> PathBuf {
        let key = run.key(CODE);
        self.folder.join("runs").join(format!("{key}.json"))
    }
}

/// The name of the code that decides what a run gives: records are used again only under the same.
#[must_use]
pub const fn code() -> &'static str {
    CODE
}

#[cfg(test)]
mod tests;
