use std::fs::File;
use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType};
use parquet::errors::Result;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

use super::arrow_schema;
use crate::{Column, Columns, Values};

/// A Parquet file being written, with a row group per batch, uncompressed so that any reader can
/// read it. Readers with Arrow support also get the columns' units.
pub(crate) struct ParquetFile(SerializedFileWriter<File>);

impl ParquetFile {
    /// Starts a table with these columns.
    pub(crate) fn begin(file: File, Columns(columns): &Columns) -> Result<Self> {
        let fields: Result<Vec<_>> = columns.iter().map(field).collect();
        let schema = Type::group_type_builder("runs")
            .with_fields(fields?)
            .build()?;
        let properties = WriterProperties::builder()
            .set_key_value_metadata(Some(vec![arrow_schema::key_value(columns)]))
            .build();
        SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties)).map(Self)
    }

    /// Writes a batch of rows.
    pub(crate) fn write(&mut self, Columns(columns): &Columns) -> Result<()> {
        let mut rows = self.0.next_row_group()?;
        for column in columns {
            let Some(mut out) = rows.next_column()? else {
                break;
            };
            match &column.values {
                Values::Numbers(numbers) => {
                    let present: Vec<f64> = numbers.iter().flatten().copied().collect();
                    let out = out.typed::<DoubleType>();
                    out.write_batch(&present, Some(&levels(numbers)), None)?;
                }
                Values::Texts(texts) => {
                    let present = texts.iter().flatten();
                    let present: Vec<ByteArray> =
                        present.map(|text| ByteArray::from(text.as_str())).collect();
                    let out = out.typed::<ByteArrayType>();
                    out.write_batch(&present, Some(&levels(texts)), None)?;
                }
            }
            out.close()?;
        }
        rows.close()?;
        Ok(())
    }

    /// Finishes the file.
    pub(crate) fn finish(self) -> Result<()> {
        self.0.close().map(drop)
    }
}

fn field(column: &Column) -> Result<Arc<Type>> {
    let builder = match column.values {
        Values::Numbers(_) => Type::primitive_type_builder(&column.name, Physical::DOUBLE),
        Values::Texts(_) => Type::primitive_type_builder(&column.name, Physical::BYTE_ARRAY)
            .with_logical_type(Some(LogicalType::String)),
    };
    let field = builder.with_repetition(Repetition::OPTIONAL).build()?;
    Ok(Arc::new(field))
}

/// The definition level of each row: 1 if the row has a value.
fn levels<T>(values: &[Option<T>]) -> Vec<i16> {
    let level = |value: &Option<T>| i16::from(value.is_some());
    values.iter().map(level).collect()
}
