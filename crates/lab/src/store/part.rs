//! A part of a store: a Parquet file of records, in store order.

mod leaf;
mod read;
mod write;

use core::cmp::Ordering;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use parquet::file::reader::{FileReader, SerializedFileReader};

use super::{CODE, Entry};
use crate::{Record, Run, RunKey};

/// The Parquet schema. Columns within a list or a map have an entry for each element.
const SCHEMA: &str = "
    message records {
        required fixed_len_byte_array(16) key;
        required binary study (STRING);
        required binary experiment (STRING);
        required int64 seed;
        optional binary skipped (STRING);
        optional binary machine (STRING);
        optional binary fingerprint (STRING);
        required group settings (LIST) { repeated group list { required group element {
            required binary name (STRING);
            optional double number;
            optional binary text (STRING);
        } } }
        required group metrics (MAP) { repeated group key_value {
            required binary key (STRING);
            required double value;
        } }
        required group notes (MAP) { repeated group key_value {
            required binary key (STRING);
            required binary value (STRING);
        } }
        required group series (LIST) { repeated group list { required group element {
            required binary name (STRING);
            optional double time_s;
            optional double value;
        } } }
    }";

/// Indices of the columns.
#[derive(Clone, Copy)]
enum At {
    Key,
    Study,
    Experiment,
    Seed,
    Skipped,
    Machine,
    Fingerprint,
    SettingName,
    SettingNumber,
    SettingText,
    MetricName,
    MetricValue,
    NoteName,
    NoteText,
    SeriesName,
    SeriesTime,
    SeriesValue,
}

/// Records per row group, which are in memory together when a part is read.
const ROWS: usize = 1024;

/// Keys of the file's metadata.
const CODE_WORD: &str = "sheave.code";
const FIRST_WORD: &str = "sheave.first";
const STUDIES_WORD: &str = "sheave.studies";

/// A part, as described by its metadata.
#[derive(Clone, Debug)]
pub(super) struct Part {
    path: PathBuf,
    /// The first run in the part.
    pub(super) first: Run,
    /// The names of the studies and scenarios in the part.
    pub(super) studies: Vec<String>,
    /// Number of row groups.
    pub(super) groups: usize,
}

/// A finished run without its measurements.
pub(super) struct Finished {
    pub(super) key: RunKey,
    /// Whether the run could not be measured.
    pub(super) is_skipped: bool,
    /// The machine that measured the run, for live runs.
    pub(super) machine: Option<String>,
}

impl Part {
    /// Writes entries as a part into a store's folder, atomically. The file name is a hash of the
    /// content.
    pub(super) fn write(folder: &Path, mut entries: Vec<Entry>) -> io::Result<()> {
        entries.sort_by(|one, other| one.record.run.order(&other.record.run));
        let mut name = blake3::Hasher::new();
        for entry in &entries {
            name.update(entry.hash.as_bytes());
        }
        let name = name.finalize().to_hex();
        let records: Vec<Record> = entries.into_iter().map(|entry| entry.record).collect();
        let place = folder.join(format!("{}.parquet", &name[..32]));
        let draft = folder.join(format!("{}.{}.draft", &name[..32], std::process::id()));
        write::write(File::create(&draft)?, &records).map_err(io::Error::other)?;
        fs::rename(draft, place)
    }

    /// The parts in a folder made with this code; unreadable ones are ignored.
    pub(super) fn all(folder: &Path) -> io::Result<Vec<Self>> {
        let mut parts = Vec::new();
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.extension().is_some_and(|end| end == "parquet") {
                parts.extend(Self::open(path));
            }
        }
        parts.sort_by(Self::order);
        Ok(parts)
    }

    fn open(path: PathBuf) -> Option<Self> {
        let reader = reader(&path).ok()?;
        let words = reader.metadata().file_metadata().key_value_metadata()?;
        let word = |key: &str| {
            let word = words.iter().find(|word| word.key == key)?;
            word.value.as_deref()
        };
        if word(CODE_WORD) != Some(&CODE) {
            return None;
        }
        Some(Self {
            first: serde_json::from_str(word(FIRST_WORD)?).ok()?,
            studies: serde_json::from_str(word(STUDIES_WORD)?).ok()?,
            groups: reader.num_row_groups(),
            path,
        })
    }

    pub(super) fn order(&self, other: &Self) -> Ordering {
        let order = self.first.order(&other.first);
        order.then_with(|| self.path.cmp(&other.path))
    }

    /// The records of a row group. The records of consecutive groups are in order.
    pub(super) fn group(&self, number: usize) -> io::Result<Vec<Record>> {
        let reader = reader(&self.path)?;
        let group = reader.get_row_group(number);
        let records = group.and_then(|group| read::records(&*group));
        records.map_err(io::Error::other)
    }

    /// The runs without their measurements, which is faster to read.
    pub(super) fn finished(&self) -> io::Result<Vec<Finished>> {
        let reader = reader(&self.path)?;
        let groups = (0..reader.num_row_groups()).map(|group| {
            let group = reader.get_row_group(group)?;
            read::finished(&*group)
        });
        let groups: Result<Vec<_>, _> = groups.collect();
        Ok(groups
            .map_err(io::Error::other)?
            .into_iter()
            .flatten()
            .collect())
    }
}

fn reader(path: &Path) -> io::Result<SerializedFileReader<File>> {
    SerializedFileReader::new(File::open(path)?).map_err(io::Error::other)
}

#[cfg(test)]
mod tests;
