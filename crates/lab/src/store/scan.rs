//! The records of stores, one after the other.

use core::cmp::Ordering;
use core::ops::Range;
use std::collections::{BinaryHeap, HashSet};
use std::sync::Arc;
use std::{io, vec};

use super::decoder::Decoder;
use super::part::Part;
use super::{CODE, Store, journal};
use crate::execution::MACHINE;
use crate::{Machine, Record, Run, RunKey};

/// Some of the runs of a store.
#[derive(Clone, Debug)]
pub enum Selected {
    /// All of them.
    All,
    /// These.
    Runs(Arc<HashSet<RunKey>>),
    /// These, with whatever seed.
    WithAnySeed(Arc<HashSet<RunKey>>),
}

impl Selected {
    /// These runs.
    #[must_use]
    pub fn runs(runs: &[Run]) -> Self {
        let mut selected = Self::Runs(Arc::default());
        selected.add(runs);
        selected
    }

    /// The runs that differ from these in their seeds alone.
    #[must_use]
    pub fn with_any_seed(runs: &[Run]) -> Self {
        Self::WithAnySeed(Arc::new(runs.iter().map(without_seed).collect()))
    }

    /// Selects these, too.
    pub fn add(&mut self, runs: &[Run]) {
        if let Self::Runs(keys) = self {
            Arc::make_mut(keys).extend(Run::keys(runs, CODE));
        }
    }

    /// Whether a run is one of them.
    #[must_use]
    pub fn has(&self, run: &Run) -> bool {
        match self {
            Self::All => true,
            Self::Runs(keys) => keys.contains(&run.key(CODE)),
            Self::WithAnySeed(keys) => keys.contains(&without_seed(run)),
        }
    }
}

fn without_seed(run: &Run) -> RunKey {
    let run = Run {
        seed: 0,
        ..run.clone()
    };
    run.key(CODE)
}

/// The records of one or more stores, in the order of runs, each run once. Only what is next in each
/// part is in memory, and some row groups ahead.
pub(crate) struct Scan {
    decoder: Arc<Decoder>,
    /// The sources that have more, the one with the first run on top.
    sources: BinaryHeap<Source>,
}

/// Whether the record of a run is wanted, asked by several threads.
pub(crate) trait IsWanted: Fn(&Run) -> bool + Send + Sync + 'static {}

impl<T: Fn(&Run) -> bool + Send + Sync + 'static> IsWanted for T {}

/// A part or a journal.
struct Source {
    first: Run,
    rest: Rest,
}

enum Rest {
    /// A part that was not read yet, by the places of its row groups.
    Part(Range<usize>),
    /// A record that was read, and those after it.
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
    /// The greatest is the one with the first run.
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
    /// The records of the runs that `is_wanted` says.
    pub(super) fn of(stores: &[Store], is_wanted: impl IsWanted) -> io::Result<Self> {
        let mut sources = BinaryHeap::new();
        let mut parts = Vec::new();
        for store in stores {
            let folder = store.runs();
            // First, for what is in a journal now is in a part later.
            let mut records = journal::records(&folder)?;
            records.retain(|record| is_wanted(&record.run));
            records.sort_by(|one, other| one.run.order(&other.run));
            let records: vec::IntoIter<Record> = records.into_iter();
            sources.extend(Source::of(Box::new(records.map(Ok)))?);
            parts.extend(Part::all(&folder)?.into_iter().map(Arc::new));
        }
        parts.sort_by(|one, other| one.order(other));
        let mut groups = 0;
        sources.extend(parts.iter().map(|part| {
            let before = groups;
            groups += part.groups;
            Source {
                first: part.first.clone(),
                rest: Rest::Part(before..groups),
            }
        }));
        let decoder = Arc::new(Decoder::new(parts.into_iter(), is_wanted));
        Ok(Self { decoder, sources })
    }

    /// The records of the row groups at those places, one after the other.
    fn records(&self, groups: Range<usize>) -> Records {
        let decoder = Arc::clone(&self.decoder);
        Box::new(groups.flat_map(move |group| {
            let (records, error) = match decoder.take(group) {
                Ok(records) => (records, None),
                Err(error) => (Vec::new(), Some(Err(error))),
            };
            records.into_iter().map(Ok).chain(error)
        }))
    }

    /// The first record of all sources.
    fn pop(&mut self) -> io::Result<Option<Record>> {
        while let Some(Source { rest, .. }) = self.sources.pop() {
            match rest {
                Rest::Part(groups) => self.sources.extend(Source::of(self.records(groups))?),
                Rest::Opened(record, records) => {
                    self.sources.extend(Source::of(records)?);
                    return Ok(Some(record));
                }
            }
        }
        Ok(None)
    }

    /// The next run, by the best of its records.
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

/// The preference among records of the same run: it was measured, and on this machine.
fn worth(record: &Record) -> (bool, bool) {
    let machine = record.measured.notes.get(MACHINE);
    let here = machine.is_none_or(|machine| *machine == Machine::this().to_string());
    (record.measured.skipped.is_none(), here)
}

#[cfg(test)]
mod tests;
