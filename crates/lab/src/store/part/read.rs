use parquet::data_type::{
    ByteArray, ByteArrayType, DoubleType, FixedLenByteArray, FixedLenByteArrayType, Int64Type,
};
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::RowGroupReader;

use super::leaf::{Kind, Leaf};
use super::{At, Finished};
use crate::{Measured, Record, Run, RunKey, Series, Setting, Settings};

/// Reads the records of a row group.
pub(super) fn records(group: &dyn RowGroupReader) -> Result<Vec<Record>> {
    let mut columns = Columns::read(group)?;
    let rows = group.metadata().num_rows();
    (0..rows).map(|_| columns.record()).collect()
}

/// Reads the runs of a row group without their measurements.
pub(super) fn finished(group: &dyn RowGroupReader) -> Result<Vec<Finished>> {
    let mut keys = Leaf::<FixedLenByteArray>::read::<FixedLenByteArrayType>(group, At::Key)?;
    let mut skipped = texts(group, At::Skipped)?;
    let mut machines = texts(group, At::Machine)?;
    let rows = (0..group.metadata().num_rows()).map(|_| {
        let key = keys.value(Kind::Required);
        let key = key.and_then(|key| key.data().try_into().ok());
        Ok(Finished {
            key: RunKey(key.ok_or_else(|| broken("key"))?),
            is_skipped: skipped.value(Kind::Optional).is_some(),
            machine: machines
                .value(Kind::Optional)
                .as_ref()
                .map(text)
                .transpose()?,
        })
    });
    rows.collect()
}

struct Columns {
    studies: Leaf<ByteArray>,
    experiments: Leaf<ByteArray>,
    seeds: Leaf<i64>,
    skipped: Leaf<ByteArray>,
    fingerprints: Leaf<ByteArray>,
    setting_names: Leaf<ByteArray>,
    setting_numbers: Leaf<f64>,
    setting_texts: Leaf<ByteArray>,
    metric_names: Leaf<ByteArray>,
    metric_values: Leaf<f64>,
    note_names: Leaf<ByteArray>,
    note_texts: Leaf<ByteArray>,
    series_names: Leaf<ByteArray>,
    series_times: Leaf<f64>,
    series_values: Leaf<f64>,
}

impl Columns {
    fn read(group: &dyn RowGroupReader) -> Result<Self> {
        Ok(Self {
            studies: texts(group, At::Study)?,
            experiments: texts(group, At::Experiment)?,
            seeds: Leaf::read::<Int64Type>(group, At::Seed)?,
            skipped: texts(group, At::Skipped)?,
            fingerprints: texts(group, At::Fingerprint)?,
            setting_names: texts(group, At::SettingName)?,
            setting_numbers: numbers(group, At::SettingNumber)?,
            setting_texts: texts(group, At::SettingText)?,
            metric_names: texts(group, At::MetricName)?,
            metric_values: numbers(group, At::MetricValue)?,
            note_names: texts(group, At::NoteName)?,
            note_texts: texts(group, At::NoteText)?,
            series_names: texts(group, At::SeriesName)?,
            series_times: numbers(group, At::SeriesTime)?,
            series_values: numbers(group, At::SeriesValue)?,
        })
    }

    fn record(&mut self) -> Result<Record> {
        let study = self.studies.value(Kind::Required);
        let experiment = self.experiments.value(Kind::Required);
        let seed = self.seeds.value(Kind::Required);
        let run = Run {
            study: text(&study.ok_or_else(|| broken("study"))?)?,
            experiment: text(&experiment.ok_or_else(|| broken("experiment"))?)?,
            settings: self.settings()?,
            seed: seed.ok_or_else(|| broken("seed"))?.cast_unsigned(),
        };
        let mut measured = Measured::new();
        measured.skipped = self
            .skipped
            .value(Kind::Optional)
            .as_ref()
            .map(text)
            .transpose()?;
        let fingerprint = self.fingerprints.value(Kind::Optional);
        measured.fingerprint = fingerprint.as_ref().map(text).transpose()?;
        let values = self.metric_values.row(Kind::Listed).into_iter().flatten();
        for (name, value) in self
            .metric_names
            .row(Kind::Listed)
            .into_iter()
            .flatten()
            .zip(values)
        {
            measured.metrics.insert(text(&name)?, value);
        }
        let texts = self.note_texts.row(Kind::Listed).into_iter().flatten();
        for (name, note) in self
            .note_names
            .row(Kind::Listed)
            .into_iter()
            .flatten()
            .zip(texts)
        {
            measured.notes.insert(text(&name)?, text(&note)?);
        }
        measured.series = self.series()?;
        Ok(Record { run, measured })
    }

    fn settings(&mut self) -> Result<Settings> {
        let names = self.setting_names.row(Kind::Listed).into_iter().flatten();
        let numbers = self.setting_numbers.row(Kind::ListedOptional);
        let texts = self.setting_texts.row(Kind::ListedOptional);
        let mut settings = Settings::new();
        for (name, (number, choice)) in names.zip(numbers.into_iter().zip(texts)) {
            let value = match (number, choice) {
                (Some(number), _) => Setting::Number(number),
                (None, Some(choice)) => Setting::Text(text(&choice)?),
                (None, None) => return Err(broken("settings")),
            };
            settings = settings.with(&text(&name)?, value);
        }
        Ok(settings)
    }

    fn series(&mut self) -> Result<Vec<Series>> {
        let names = self.series_names.row(Kind::Listed).into_iter().flatten();
        let times = self.series_times.row(Kind::ListedOptional).into_iter();
        let values = self.series_values.row(Kind::ListedOptional);
        let mut all: Vec<Series> = Vec::new();
        for (name, (time, value)) in names.zip(times.zip(values)) {
            let point = time.zip(value);
            match all.last_mut() {
                Some(series) if series.name.as_bytes() == name.data() => {
                    series.points.extend(point);
                }
                _ => all.push(Series {
                    name: text(&name)?,
                    points: point.into_iter().collect(),
                }),
            }
        }
        Ok(all)
    }
}

fn texts(group: &dyn RowGroupReader, at: At) -> Result<Leaf<ByteArray>> {
    Leaf::read::<ByteArrayType>(group, at)
}

fn numbers(group: &dyn RowGroupReader, at: At) -> Result<Leaf<f64>> {
    Leaf::read::<DoubleType>(group, at)
}

fn text(bytes: &ByteArray) -> Result<String> {
    Ok(bytes.as_utf8()?.to_owned())
}

fn broken(column: &str) -> ParquetError {
    ParquetError::General(format!("a record has no {column}"))
}
