//! A part of a store: a file of records as JSON, a line each, in store order. Two lines come before them: the
//! part's [`Head`], and the [`Finished`] runs.

use core::cmp::Ordering;
use core::ops::Range;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::thread;

use serde::{Deserialize, Serialize};

use super::{CODE, Entry};
use crate::execution::MACHINE;
use crate::{Record, Run, RunKey};

/// File name extension of a part.
pub(super) const ENDING: &str = "jsonl";

/// Records per group, which are in memory together when a part is read.
const ROWS: usize = 1024;
/// Groups of a part that are read in advance.
const AHEAD: usize = 4;

/// Selects records by their run.
pub(super) type Wanted = dyn Fn(&Run) -> bool + Send + Sync;

/// The first line of a part.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Head {
    /// The code that made the records.
    code: String,
    first: Run,
    studies: BTreeSet<String>,
    /// Lengths of the blocks that follow, in bytes: the line of finished runs, then each group.
    blocks: Vec<usize>,
}

/// A part, as described by its first line.
#[derive(Clone, Debug)]
pub(super) struct Part {
    path: PathBuf,
    /// The first run in the part.
    pub(super) first: Run,
    /// The names of the studies and scenarios in the part.
    pub(super) studies: BTreeSet<String>,
    /// Offsets of each block in the file.
    blocks: Vec<Range<usize>>,
}

/// A finished run without its measurements.
#[derive(Serialize, Deserialize)]
pub(super) struct Finished {
    pub(super) key: RunKey,
    /// Whether the run could not be measured.
    pub(super) is_skipped: bool,
    /// The machine that measured the run, for live runs.
    pub(super) machine: Option<String>,
}

impl Finished {
    fn of(Record { run, measured }: &Record) -> Self {
        Self {
            key: run.key(&CODE),
            is_skipped: measured.skipped.is_some(),
            machine: measured.notes.get(MACHINE).cloned(),
        }
    }
}

impl Part {
    /// Writes entries as a part into a store's folder, atomically. The file name is a hash of the
    /// content.
    pub(super) fn write(folder: &Path, mut entries: Vec<Entry>) -> io::Result<()> {
        entries.sort_by(|one, other| one.record.run.order(&other.record.run));
        let runs = || entries.iter().map(|entry| &entry.record.run);
        let Some(first) = runs().next() else {
            return Ok(());
        };
        let finished: Vec<_> = entries
            .iter()
            .map(|one| Finished::of(&one.record))
            .collect();
        let mut blocks = vec![line(&finished)?];
        let lines = |group: &[Entry]| group.iter().flat_map(|one| one.line.clone()).collect();
        blocks.extend(entries.chunks(ROWS).map(lines));
        let head = Head {
            code: CODE.clone(),
            first: first.clone(),
            studies: runs().map(|run| run.study.clone()).collect(),
            blocks: blocks.iter().map(Vec::len).collect(),
        };
        blocks.insert(0, line(&head)?);
        let content = blocks.concat();
        let name = blake3::hash(&content).to_hex();
        let draft = folder.join(format!("{}.{}.draft", &name[..32], std::process::id()));
        fs::write(&draft, content)?;
        fs::rename(draft, folder.join(format!("{}.{ENDING}", &name[..32])))
    }

    /// The parts in a folder made with this code; unreadable ones are ignored.
    pub(super) fn all(folder: &Path) -> io::Result<Vec<Self>> {
        let mut parts = Vec::new();
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.extension().is_some_and(|end| end == ENDING) {
                parts.extend(Self::open(path));
            }
        }
        parts.sort_by(Self::order);
        Ok(parts)
    }

    fn open(path: PathBuf) -> Option<Self> {
        let mut line = String::new();
        let mut end = BufReader::new(File::open(&path).ok()?)
            .read_line(&mut line)
            .ok()?;
        let head: Head = serde_json::from_str(&line).ok()?;
        let blocks = head.blocks.into_iter().map(|length| {
            let begin = end;
            end = end.checked_add(length)?;
            Some(begin..end)
        });
        (head.code == *CODE).then_some(())?;
        Some(Self {
            blocks: blocks.collect::<Option<_>>()?,
            path,
            first: head.first,
            studies: head.studies,
        })
    }

    pub(super) fn order(&self, other: &Self) -> Ordering {
        let order = self.first.order(&other.first);
        order.then_with(|| self.path.cmp(&other.path))
    }

    /// The records of wanted runs, in order; a thread reads some groups in advance.
    pub(super) fn records(
        self,
        is_wanted: Arc<Wanted>,
    ) -> impl Iterator<Item = io::Result<Record>> {
        let (sender, groups) = mpsc::sync_channel(AHEAD);
        thread::spawn(move || {
            for block in 1..self.blocks.len() {
                // The receiver is gone once nobody wants more.
                if sender.send(self.group(block, &*is_wanted)).is_err() {
                    return;
                }
            }
        });
        groups.into_iter().flat_map(|group| {
            let (records, error) = match group {
                Ok(records) => (records, None),
                Err(error) => (Vec::new(), Some(Err(error))),
            };
            records.into_iter().map(Ok).chain(error)
        })
    }

    fn group(&self, block: usize, is_wanted: &Wanted) -> io::Result<Vec<Record>> {
        let block = self.block(block)?;
        let records = serde_json::Deserializer::from_slice(&block).into_iter();
        let mut records = records.collect::<Result<Vec<Record>, _>>()?;
        records.retain(|record| is_wanted(&record.run));
        Ok(records)
    }

    /// The runs without their measurements, which is faster to read.
    pub(super) fn finished(&self) -> io::Result<Vec<Finished>> {
        Ok(serde_json::from_slice(&self.block(0)?)?)
    }

    fn block(&self, number: usize) -> io::Result<Vec<u8>> {
        let Range { start, end } = self.blocks.get(number).ok_or(io::ErrorKind::NotFound)?;
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(*start as u64))?;
        let mut block = Vec::new();
        file.take((end - start) as u64).read_to_end(&mut block)?;
        Ok(block)
    }
}

/// A value as JSON, with the end of its line.
pub(super) fn line(value: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    Ok(line)
}

#[cfg(test)]
mod tests;
