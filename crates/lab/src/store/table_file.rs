use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::csv;
use super::parquet_file::ParquetFile;
use crate::Record;
use crate::columns::Schema;

/// Records that are written at a time: a row group of the Parquet file.
const BATCH: usize = 8192;

/// The table of a study, as CSV and as Parquet, that is being written.
pub(super) struct TableFile {
    schema: Schema,
    batch: Vec<Record>,
    csv: BufWriter<File>,
    parquet: ParquetFile,
}

impl TableFile {
    /// Begins the tables of a study in that folder.
    pub(super) fn begin(folder: &Path, study: &str, schema: Schema) -> io::Result<Self> {
        let columns = schema.empty();
        let mut csv = BufWriter::new(File::create(folder.join(format!("{study}.csv")))?);
        csv.write_all(csv::head(&columns).as_bytes())?;
        let parquet = File::create(folder.join(format!("{study}.parquet")))?;
        Ok(Self {
            parquet: ParquetFile::begin(parquet, &columns).map_err(io::Error::other)?,
            schema,
            batch: Vec::new(),
            csv,
        })
    }

    /// Adds a row.
    pub(super) fn push(&mut self, record: Record) -> io::Result<()> {
        self.batch.push(record);
        if self.batch.len() < BATCH {
            return Ok(());
        }
        self.write_batch()
    }

    /// Ends the tables.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.write_batch()?;
        self.csv.flush()?;
        self.parquet.finish().map_err(io::Error::other)
    }

    fn write_batch(&mut self) -> io::Result<()> {
        if self.batch.is_empty() {
            return Ok(());
        }
        let rows: Vec<&Record> = self.batch.iter().collect();
        let columns = self.schema.columns(&rows);
        self.csv.write_all(csv::rows(&columns).as_bytes())?;
        self.parquet.write(&columns).map_err(io::Error::other)?;
        self.batch.clear();
        Ok(())
    }
}
