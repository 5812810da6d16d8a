use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use arrow_array::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;

use super::csv;
use crate::Record;
use crate::columns::Schema;

/// Rows per row group of the Parquet file.
const GROUP: usize = 8192;

/// Records converted to rows at a time; a record needs more memory than its row.
pub(super) const RECORDS: usize = GROUP / 8;

/// The table of a study, being written as CSV and Parquet.
pub(super) struct TableFile {
    csv: BufWriter<File>,
    parquet: ArrowWriter<File>,
}

/// Rows of a table, converted for writing.
pub(super) struct Rows {
    batch: RecordBatch,
    csv: String,
}

impl Rows {
    /// Converts records to rows.
    pub(super) fn of(records: &[Record], schema: &Schema) -> Self {
        let columns = schema.columns(&records.iter().collect::<Vec<_>>());
        Self {
            csv: csv::rows(&columns),
            batch: columns.batch(),
        }
    }
}

impl TableFile {
    /// Starts the tables of a study in a folder.
    pub(super) fn begin(folder: &Path, study: &str, schema: &Schema) -> io::Result<Self> {
        let columns = schema.empty();
        let mut csv = BufWriter::new(File::create(folder.join(format!("{study}.csv")))?);
        csv.write_all(csv::head(&columns).as_bytes())?;
        let properties = WriterProperties::builder().set_max_row_group_row_count(Some(GROUP));
        let parquet = ArrowWriter::try_new(
            File::create(folder.join(format!("{study}.parquet")))?,
            columns.batch().schema(),
            Some(properties.build()),
        )?;
        Ok(Self { csv, parquet })
    }

    /// Appends rows: [`RECORDS`] of them, or fewer at the end.
    pub(super) fn push(&mut self, rows: &Rows) -> io::Result<()> {
        self.csv.write_all(rows.csv.as_bytes())?;
        Ok(self.parquet.write(&rows.batch)?)
    }

    /// Finishes the files.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.csv.flush()?;
        self.parquet.close()?;
        Ok(())
    }
}
