use std::fs::File;
use std::io;
use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType};
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

use crate::{Column, Columns, Values};

/// Writes a table as one row group without compression: any reader reads it.
pub(super) fn write(file: File, columns: &Columns) -> io::Result<()> {
    write_columns(file, columns).map_err(|error: ParquetError| io::Error::other(error))
}

fn write_columns(file: File, Columns(columns): &Columns) -> Result<()> {
    let fields: Result<Vec<_>> = columns.iter().map(field).collect();
    let schema = Type::group_type_builder("runs")
        .with_fields(fields?)
        .build()?;
    let properties = Arc::new(WriterProperties::builder().build());
    let mut writer = SerializedFileWriter::new(file, Arc::new(schema), properties)?;
    let mut rows = writer.next_row_group()?;
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
    writer.close()?;
    Ok(())
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

/// For each row whether it has a value.
fn levels<T>(values: &[Option<T>]) -> Vec<i16> {
    let level = |value: &Option<T>| i16::from(value.is_some());
    values.iter().map(level).collect()
}
