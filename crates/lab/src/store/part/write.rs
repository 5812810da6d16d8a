use std::collections::BTreeSet;
use std::fs::File;
use std::sync::Arc;

use parquet::data_type::{
    ByteArray, ByteArrayType, DoubleType, FixedLenByteArray, FixedLenByteArrayType, Int64Type,
};
use parquet::errors::Result;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use super::leaf::{self, Kind};
use super::{CODE, CODE_WORD, FIRST_WORD, ROWS, SCHEMA, STUDIES_WORD};
use crate::execution::MACHINE;
use crate::{Record, Setting};

/// Writes sorted records.
pub(super) fn write(file: File, records: &[Record]) -> Result<()> {
    let properties = WriterProperties::builder()
        .set_statistics_enabled(EnabledStatistics::None)
        .set_key_value_metadata(Some(words(records)))
        .build();
    let schema = Arc::new(parse_message_type(SCHEMA)?);
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties))?;
    for records in records.chunks(ROWS) {
        let mut group = writer.next_row_group()?;
        names(&mut group, records)?;
        remarks(&mut group, records)?;
        settings(&mut group, records)?;
        measurements(&mut group, records)?;
        series(&mut group, records)?;
        group.close()?;
    }
    writer.close()?;
    Ok(())
}

/// The metadata of the file.
fn words(records: &[Record]) -> Vec<KeyValue> {
    let first = records.first().map(|record| &record.run);
    let studies: BTreeSet<&str> = records.iter().map(|one| one.run.study.as_str()).collect();
    let text = |json: serde_json::Result<String>| json.unwrap_or_default();
    vec![
        KeyValue::new(CODE_WORD.to_owned(), CODE.clone()),
        KeyValue::new(FIRST_WORD.to_owned(), text(serde_json::to_string(&first))),
        KeyValue::new(
            STUDIES_WORD.to_owned(),
            text(serde_json::to_string(&studies)),
        ),
    ]
}

type Group<'a> = SerializedRowGroupWriter<'a, File>;

fn names(group: &mut Group<'_>, records: &[Record]) -> Result<()> {
    let keys = records.iter().map(|record| {
        let key = record.run.key(&CODE).0;
        [Some(FixedLenByteArray::from(key.to_vec()))]
    });
    leaf::write::<FixedLenByteArrayType>(group, Kind::Required, keys)?;
    let runs = || records.iter().map(|record| &record.run);
    texts(group, Kind::Required, runs().map(|run| [Some(&*run.study)]))?;
    texts(
        group,
        Kind::Required,
        runs().map(|run| [Some(&*run.experiment)]),
    )?;
    let seeds = runs().map(|run| [Some(run.seed.cast_signed())]);
    leaf::write::<Int64Type>(group, Kind::Required, seeds)
}

fn remarks(group: &mut Group<'_>, records: &[Record]) -> Result<()> {
    let measured = || records.iter().map(|record| &record.measured);
    let skipped = measured().map(|measured| [measured.skipped.as_deref()]);
    texts(group, Kind::Optional, skipped)?;
    let machine = measured().map(|measured| [measured.notes.get(MACHINE).map(|note| &**note)]);
    texts(group, Kind::Optional, machine)?;
    let fingerprint = measured().map(|measured| [measured.fingerprint.as_deref()]);
    texts(group, Kind::Optional, fingerprint)
}

fn settings(group: &mut Group<'_>, records: &[Record]) -> Result<()> {
    let settings = || records.iter().map(|record| record.run.settings.iter());
    let names = settings().map(|row| row.map(|(name, _)| Some(&**name)));
    texts(group, Kind::Listed, names)?;
    let number = |value: &Setting| match value {
        Setting::Number(number) => Some(*number),
        Setting::Text(_) => None,
    };
    let numbers = settings().map(|row| row.map(|(_, value)| number(value)));
    leaf::write::<DoubleType>(group, Kind::ListedOptional, numbers)?;
    let choices = settings().map(|row| {
        row.map(|(_, value)| match value {
            Setting::Number(_) => None,
            Setting::Text(text) => Some(&**text),
        })
    });
    texts(group, Kind::ListedOptional, choices)
}

fn measurements(group: &mut Group<'_>, records: &[Record]) -> Result<()> {
    let metrics = || records.iter().map(|record| record.measured.metrics.iter());
    let names = metrics().map(|row| row.map(|(name, _)| Some(&**name)));
    texts(group, Kind::Listed, names)?;
    let values = metrics().map(|row| row.map(|(_, value)| Some(*value)));
    leaf::write::<DoubleType>(group, Kind::Listed, values)?;
    let notes = || records.iter().map(|record| record.measured.notes.iter());
    let names = notes().map(|row| row.map(|(name, _)| Some(&**name)));
    texts(group, Kind::Listed, names)?;
    let notes = notes().map(|row| row.map(|(_, note)| Some(&**note)));
    texts(group, Kind::Listed, notes)
}

/// Writes all series as one list of points; a series without points has one entry without a value.
fn series(group: &mut Group<'_>, records: &[Record]) -> Result<()> {
    let entries = || {
        records.iter().map(|record| {
            record.measured.series.iter().flat_map(|series| {
                let points = series.points.iter().map(|point| Some(*point));
                let none = series.points.is_empty().then_some(None);
                points.chain(none).map(|point| (&*series.name, point))
            })
        })
    };
    let names = entries().map(|row| row.map(|(name, _)| Some(name)));
    texts(group, Kind::Listed, names)?;
    let times = entries().map(|row| row.map(|(_, point)| point.map(|(time, _)| time)));
    leaf::write::<DoubleType>(group, Kind::ListedOptional, times)?;
    let values = entries().map(|row| row.map(|(_, point)| point.map(|(_, value)| value)));
    leaf::write::<DoubleType>(group, Kind::ListedOptional, values)
}

fn texts<'a>(
    group: &mut Group<'_>,
    kind: Kind,
    rows: impl Iterator<Item = impl IntoIterator<Item = Option<&'a str>>>,
) -> Result<()> {
    let rows = rows.map(|row| row.into_iter().map(|text| text.map(ByteArray::from)));
    leaf::write::<ByteArrayType>(group, kind, rows)
}
