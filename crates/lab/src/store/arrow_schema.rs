//! The Arrow schema of a table as stored in a Parquet file: an Arrow IPC message, which is a
//! flatbuffer of the tables in Arrow's `Schema.fbs` and `Message.fbs`.

use base64ct::{Base64, Encoding};
use flatbuffers::{FlatBufferBuilder, TableFinishedWIPOffset, VOffsetT, WIPOffset};
use parquet::file::metadata::KeyValue;

use crate::{Column, Unit, Values};

/// Key of the schema in a Parquet file's metadata.
const KEY: &str = "ARROW:schema";

type Builder = FlatBufferBuilder<'static>;

/// Offset of a written flatbuffer table.
type Written = WIPOffset<TableFinishedWIPOffset>;

/// The schema of these columns, as metadata of a Parquet file.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a flatbuffer is shorter than 2 GiB"
)]
pub(super) fn key_value(columns: &[Column]) -> KeyValue {
    let message = message(columns);
    // A message starts with a marker and its length.
    let mut bytes = vec![0xff; 4];
    bytes.extend((message.len() as u32).to_le_bytes());
    bytes.extend(message);
    KeyValue::new(KEY.to_owned(), Base64::encode_string(&bytes))
}

fn message(columns: &[Column]) -> Vec<u8> {
    const V5: i16 = 4;
    const SCHEMA: u8 = 1;
    let mut out = Builder::new();
    let schema = schema(&mut out, columns);
    let message = out.start_table();
    out.push_slot_always(slot(0), V5);
    out.push_slot_always(slot(1), SCHEMA);
    out.push_slot_always(slot(2), schema);
    let message = out.end_table(message);
    out.finish(message, None);
    out.finished_data().to_vec()
}

fn schema(out: &mut Builder, columns: &[Column]) -> Written {
    let fields: Vec<_> = columns.iter().map(|column| field(out, column)).collect();
    let fields = out.create_vector(&fields);
    let schema = out.start_table();
    out.push_slot_always(slot(1), fields);
    out.end_table(schema)
}

fn field(out: &mut Builder, column: &Column) -> Written {
    let name = out.create_string(&column.name);
    let (kind, type_) = type_(out, &column.values);
    let children = out.create_vector::<Written>(&[]);
    let unit = column.unit().map(|unit| {
        let unit = unit_entry(out, unit);
        out.create_vector(&[unit])
    });
    let field = out.start_table();
    out.push_slot_always(slot(0), name);
    out.push_slot_always(slot(1), true);
    out.push_slot_always(slot(2), kind);
    out.push_slot_always(slot(3), type_);
    out.push_slot_always(slot(5), children);
    if let Some(unit) = unit {
        out.push_slot_always(slot(6), unit);
    }
    out.end_table(field)
}

/// Writes an Arrow type; returns its type number and offset.
fn type_(out: &mut Builder, values: &Values) -> (u8, Written) {
    const FLOATING_POINT: u8 = 3;
    const UTF8: u8 = 5;
    const DOUBLE: i16 = 2;
    let type_ = out.start_table();
    let kind = match values {
        Values::Numbers(_) => {
            out.push_slot_always(slot(0), DOUBLE);
            FLOATING_POINT
        }
        Values::Texts(_) => UTF8,
    };
    (kind, out.end_table(type_))
}

fn unit_entry(out: &mut Builder, unit: Unit) -> Written {
    let key = out.create_string(Unit::KEY);
    let value = out.create_string(unit.symbol());
    let entry = out.start_table();
    out.push_slot_always(slot(0), key);
    out.push_slot_always(slot(1), value);
    out.end_table(entry)
}

/// Offset of a member in a table's vtable, which starts with two lengths.
const fn slot(number: VOffsetT) -> VOffsetT {
    4 + 2 * number
}

#[cfg(test)]
mod tests;
