use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::csv;
use super::parquet_file::ParquetFile;
use crate::columns::Schema;
use crate::{Columns, Record};

/// Rows per row group of the Parquet file.
const GROUP: usize = 8192;

/// Records converted to rows at a time; a record needs more memory than its row.
pub(super) const RECORDS: usize = GROUP / 8;

/// The table of a study, being written as CSV and Parquet.
pub(super) struct TableFile {
    group: Columns,
    csv: BufWriter<File>,
    parquet: ParquetFile,
}

/// Rows of a table, converted for writing.
pub(super) struct Rows {
    columns: Columns,
    csv: String,
}

impl Rows {
    /// Converts records to rows.
    pub(super) fn of(records: &[Record], schema: &Schema) -> Self {
        let columns = schema.columns(&records.iter().collect::<Vec<_>>());
        let csv = csv::rows(&columns);
        Self { columns, csv }
    }
}

impl TableFile {
    /// Starts the tables of a study in a folder.
    pub(super) fn begin(folder: &Path, study: &str, schema: &Schema) -> io::Result<Self> {
        let columns = schema.empty();
        let mut csv = BufWriter::new(File::create(folder.join(format!("{study}.csv")))?);
        csv.write_all(csv::head(&columns).as_bytes())?;
        let parquet = File::create(folder.join(format!("{study}.parquet")))?;
        Ok(Self {
            parquet: ParquetFile::begin(parquet, &columns).map_err(io::Error::other)?,
            group: columns,
            csv,
        })
    }

    /// Appends rows: [`RECORDS`] of them, or fewer at the end.
    pub(super) fn push(&mut self, rows: Rows) -> io::Result<()> {
        self.csv.write_all(rows.csv.as_bytes())?;
        self.group.append(rows.columns);
        if self.group.rows() < GROUP {
            return Ok(());
        }
        self.write_group()
    }

    /// Finishes the files.
    pub(super) fn finish(mut self) -> io::Result<()> {
        if self.group.rows() > 0 {
            self.write_group()?;
        }
        self.csv.flush()?;
        self.parquet.finish().map_err(io::Error::other)
    }

    fn write_group(&mut self) -> io::Result<()> {
        self.parquet.write(&self.group).map_err(io::Error::other)?;
        self.group.clear();
        Ok(())
    }
}
