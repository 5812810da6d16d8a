//! A part of a store: a Parquet file of records, in the order of the store.

mod leaf;
mod read;
mod write;

use core::cmp::Ordering;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use parquet::file::reader::{FileReader, SerializedFileReader};

use super::CODE;
use crate::{Record, Run, RunKey};

/// The columns. Sub-columns of a list or a map have an entry for each element.
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

/// The places of the columns.
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

/// Records of a row group: as many are in memory while a part is read.
const ROWS: usize = 1024;

/// Words of the file's own description.
const CODE_WORD: &str = "sheave.code";
const FIRST_WORD: &str = "sheave.first";
const STUDIES_WORD: &str = "sheave.studies";

/// A part, as its description has it.
#[derive(Clone, Debug)]
pub(super) struct Part {
    path: PathBuf,
    /// The first of its runs.
    pub(super) first: Run,
    /// The studies and scenarios of its runs.
    pub(super) studies: Vec<String>,
}

/// A run that was finished, without its measurements.
pub(super) struct Finished {
    pub(super) key: RunKey,
    /// Whether it could not be measured.
    pub(super) is_skipped: bool,
    /// The machine that it was measured on, where that matters.
    pub(super) machine: Option<String>,
}

impl Part {
    /// Writes records as a part of the store in that folder: whole or, if this is interrupted, not
    /// at all. Its name follows from its content.
    pub(super) fn write(folder: &Path, records: &mut [Record]) -> io::Result<()> {
        records.sort_by(|one, other| one.run.order(&other.run));
        let mut name = blake3::Hasher::new();
        for record in records.iter() {
            name.update(&serde_json::to_vec(record)?);
        }
        let name = name.finalize().to_hex();
        let place = folder.join(format!("{}.parquet", &name[..32]));
        let draft = folder.join(format!("{}.{}.draft", &name[..32], std::process::id()));
        write::write(File::create(&draft)?, records).map_err(io::Error::other)?;
        fs::rename(draft, place)
    }

    /// The parts of this code in a folder; what cannot be read is as good as not there.
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
        if word(CODE_WORD) != Some(CODE) {
            return None;
        }
        Some(Self {
            first: serde_json::from_str(word(FIRST_WORD)?).ok()?,
            studies: serde_json::from_str(word(STUDIES_WORD)?).ok()?,
            path,
        })
    }

    fn order(&self, other: &Self) -> Ordering {
        let order = self.first.order(&other.first);
        order.then_with(|| self.path.cmp(&other.path))
    }

    /// The records, in order.
    pub(super) fn records(&self) -> io::Result<impl Iterator<Item = io::Result<Record>> + use<>> {
        let reader = reader(&self.path)?;
        let groups = 0..reader.num_row_groups();
        Ok(groups.flat_map(move |group| {
            let records = reader.get_row_group(group);
            let records = records.and_then(|group| read::records(&*group));
            let (records, error) = match records {
                Ok(records) => (records, None),
                Err(error) => (Vec::new(), Some(Err(io::Error::other(error)))),
            };
            records.into_iter().map(Ok).chain(error)
        }))
    }

    /// The runs without their measurements, which is quick.
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
