//! The tables of all studies and scenarios.

use core::iter::Peekable;
use std::io;
use std::path::Path;

use super::table_file::{RECORDS, Rows, TableFile};
use crate::columns::Schema;
use crate::{Digest, Record, parallel};

/// Writes the records of each study as `<study>.csv` and `<study>.parquet`, one row per run. The
/// records of a study must be adjacent. Several threads convert the records to rows.
pub(super) fn write(
    folder: &Path,
    records: impl Iterator<Item = io::Result<Record>>,
    digest: &Digest,
) -> io::Result<()> {
    let chunks = Chunks(records.peekable());
    let no_columns = Schema::default();
    let schema = |study: &str| {
        let own = digest.of_study(study);
        own.map_or(&no_columns, |own| &own.schema)
    };
    let rows = |chunk: io::Result<Chunk>| {
        let Chunk { study, records } = chunk?;
        let rows = Rows::of(&records, schema(&study));
        Ok((study, rows))
    };
    let mut open: Option<(String, TableFile)> = None;
    parallel::in_order(chunks, rows, |rows: io::Result<(String, Rows)>| {
        let (study, rows) = rows?;
        if let Some((_, table)) = open.take_if(|(name, _)| *name != study) {
            table.finish()?;
        }
        let (_, table) = match &mut open {
            Some(open) => open,
            None => {
                let table = TableFile::begin(folder, &study, schema(&study))?;
                open.insert((study, table))
            }
        };
        table.push(&rows)
    })?;
    open.map_or(Ok(()), |(_, table)| table.finish())
}

/// Records of the same study, converted to rows together.
struct Chunk {
    study: String,
    records: Vec<Record>,
}

struct Chunks<I: Iterator>(Peekable<I>);

impl<I: Iterator<Item = io::Result<Record>>> Chunks<I> {
    fn chunk(&mut self, first: Record) -> io::Result<Chunk> {
        let study = first.run.study.clone();
        let mut records = vec![first];
        let belongs = |record: &io::Result<Record>| {
            let record = record.as_ref();
            record.map_or(true, |record| record.run.study == study)
        };
        while records.len() < RECORDS
            && let Some(record) = self.0.next_if(belongs)
        {
            records.push(record?);
        }
        Ok(Chunk { study, records })
    }
}

impl<I: Iterator<Item = io::Result<Record>>> Iterator for Chunks<I> {
    type Item = io::Result<Chunk>;

    fn next(&mut self) -> Option<Self::Item> {
        let first = self.0.next()?;
        Some(first.and_then(|first| self.chunk(first)))
    }
}
