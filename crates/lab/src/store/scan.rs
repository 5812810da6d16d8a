//! Iterates over the records of several stores in order.

use core::cmp::Ordering;
use std::collections::{BinaryHeap, HashSet};
use std::sync::Arc;
use std::{io, vec};

use super::part::{Part, Wanted};
use super::{CODE, Store, journal};
use crate::execution::MACHINE;
use crate::{Machine, Record, Run, RunKey};

/// A selection of runs.
#[derive(Clone, Debug)]
pub enum Selected {
    /// Every run.
    All,
    /// The runs with these keys.
    Runs(Arc<HashSet<RunKey>>),
    /// The runs with these keys, computed without the seed.
    WithAnySeed(Arc<HashSet<RunKey>>),
}

impl Selected {
    /// Selects exactly these runs.
    #[must_use]
    pub fn runs(runs: &[Run]) -> Self {
        let mut selected = Self::Runs(Arc::default());
        selected.add(runs);
        selected
    }

    /// Selects all runs that differ from these only in their seeds.
    #[must_use]
    pub fn with_any_seed(runs: &[Run]) -> Self {
        Self::WithAnySeed(Arc::new(runs.iter().map(without_seed).collect()))
    }

    /// Adds runs to the selection.
    pub fn add(&mut self, runs: &[Run]) {
        if let Self::Runs(keys) = self {
            Arc::make_mut(keys).extend(Run::keys(runs, &CODE));
        }
    }

    /// Whether a run is selected.
    pub fn has(&self, run: &Run) -> bool {
        match self {
            Self::All => true,
            Self::Runs(keys) => keys.contains(&run.key(&CODE)),
            Self::WithAnySeed(keys) => keys.contains(&without_seed(run)),
        }
    }
}

fn without_seed(run: &Run) -> RunKey {
    let run = Run {
        seed: 0,
        ..run.clone()
    };
    run.key(&CODE)
}

/// Iterates over the records of stores in run order, each run once. Only the next records of each
/// part are in memory, plus some groups read in advance.
pub(crate) struct Scan {
    is_wanted: Arc<Wanted>,
    /// The sources with remaining records; the one with the first run is on top.
    sources: BinaryHeap<Source>,
}

/// A thread-safe predicate that selects records by their run.
pub(crate) trait IsWanted: Fn(&Run) -> bool + Send + Sync + 'static {}

impl<T: Fn(&Run) -> bool + Send + Sync + 'static> IsWanted for T {}

/// A part or a journal, positioned at its first remaining record.
struct Source {
    first: Run,
    rest: Rest,
}

enum Rest {
    Unread(Part),
    /// The next record, and those after it.
    Opened(Record, Records),
}

type Records = Box<dyn Iterator<Item = io::Result<Record>>>;

impl Source {
    fn of(mut records: Records) -> io::Result<Option<Self>> {
        let Some(record) = records.next().transpose()? else {
            return Ok(None);
        };
        Ok(Some(Self {
            first: record.run.clone(),
            rest: Rest::Opened(record, records),
        }))
    }
}

impl Ord for Source {
    /// Reversed, since the heap is a max-heap.
    fn cmp(&self, other: &Self) -> Ordering {
        other.first.order(&self.first)
    }
}

impl PartialOrd for Source {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Source {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Source {}

impl Scan {
    /// Scans the records of runs that `is_wanted` selects.
    pub(super) fn of(stores: &[Store], is_wanted: impl IsWanted) -> io::Result<Self> {
        let mut sources = BinaryHeap::new();
        for store in stores {
            let folder = store.runs();
            // Journals before parts, since records may move from a journal to a part meanwhile.
            let mut records = journal::records(&folder)?;
            records.retain(|record| is_wanted(&record.run));
            records.sort_by(|one, other| one.run.order(&other.run));
            let records: vec::IntoIter<Record> = records.into_iter();
            sources.extend(Source::of(Box::new(records.map(Ok)))?);
            sources.extend(Part::all(&folder)?.into_iter().map(|part| Source {
                first: part.first.clone(),
                rest: Rest::Unread(part),
            }));
        }
        let is_wanted = Arc::new(is_wanted);
        Ok(Self { is_wanted, sources })
    }

    /// Removes the first remaining record of all sources.
    fn pop(&mut self) -> io::Result<Option<Record>> {
        while let Some(Source { rest, .. }) = self.sources.pop() {
            match rest {
                Rest::Unread(part) => {
                    let records = Box::new(part.records(Arc::clone(&self.is_wanted)));
                    self.sources.extend(Source::of(records)?);
                }
                Rest::Opened(record, records) => {
                    self.sources.extend(Source::of(records)?);
                    return Ok(Some(record));
                }
            }
        }
        Ok(None)
    }

    /// Removes all records of the next run; returns the best of them.
    fn next_run(&mut self) -> io::Result<Option<Record>> {
        let Some(mut best) = self.pop()? else {
            return Ok(None);
        };
        while self
            .sources
            .peek()
            .is_some_and(|source| source.first == best.run)
        {
            if let Some(record) = self.pop()?
                && worth(&record) > worth(&best)
            {
                best = record;
            }
        }
        Ok(Some(best))
    }
}

impl Iterator for Scan {
    type Item = io::Result<Record>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_run().transpose()
    }
}

/// Rank among records of the same run: measured before skipped, then this machine before others.
fn worth(record: &Record) -> (bool, bool) {
    let machine = record.measured.notes.get(MACHINE);
    let here = machine.is_none_or(|machine| *machine == Machine::this().to_string());
    (record.measured.skipped.is_none(), here)
}

#[cfg(test)]
mod tests;
