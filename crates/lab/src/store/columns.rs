use std::collections::BTreeSet;

use crate::{Record, Setting};

/// The values of a column, one for each row.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Values {
    Numbers(Vec<Option<f64>>),
    Texts(Vec<Option<String>>),
}

/// A named column.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) values: Values,
}

/// Records as a table: one row each.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Columns(pub(super) Vec<Column>);

impl Columns {
    /// Makes columns of the run's name first, then the settings, then the metrics. A metric of the
    /// name of a setting would be ambiguous; a study has none.
    pub(super) fn of(records: &[&Record]) -> Self {
        let mut columns = vec![
            texts("study", records, |record| Some(record.run.study.clone())),
            texts("experiment", records, |record| {
                Some(record.run.experiment.clone())
            }),
            numbers("seed", records, |record| Some(record.run.seed as f64)),
            texts("fingerprint", records, |record| {
                record.measured.fingerprint.clone()
            }),
        ];
        let skips = records
            .iter()
            .any(|record| record.measured.skipped.is_some());
        if skips {
            columns.push(texts("skipped", records, |record| {
                record.measured.skipped.clone()
            }));
        }
        let notes = records
            .iter()
            .flat_map(|record| record.measured.notes.keys());
        let notes: BTreeSet<&String> = notes.collect();
        columns.extend(notes.into_iter().map(|name| {
            texts(name, records, |record| {
                record.measured.notes.get(name).cloned()
            })
        }));
        let settings = records.iter().flat_map(|record| &record.run.settings);
        let settings: BTreeSet<&String> = settings.map(|(name, _)| name).collect();
        columns.extend(settings.into_iter().map(|name| setting(name, records)));
        let metrics = records
            .iter()
            .flat_map(|record| record.measured.metrics.keys());
        let metrics: BTreeSet<&String> = metrics.collect();
        columns.extend(metrics.into_iter().map(|name| {
            numbers(name, records, |record| {
                record.measured.metrics.get(name).copied()
            })
        }));
        Self(columns)
    }
}

fn setting(name: &str, records: &[&Record]) -> Column {
    let number = |record: &Record| match record.run.settings.value(name) {
        Some(Setting::Number(number)) => Some(*number),
        _ => None,
    };
    let text = |record: &Record| Some(record.run.settings.value(name)?.to_string());
    let is_text =
        |record: &&Record| matches!(record.run.settings.value(name), Some(Setting::Text(_)));
    if records.iter().any(is_text) {
        texts(name, records, text)
    } else {
        numbers(name, records, number)
    }
}

fn texts(name: &str, records: &[&Record], value: impl Fn(&Record) -> Option<String>) -> Column {
    Column {
        name: name.to_owned(),
        values: Values::Texts(records.iter().map(|record| value(record)).collect()),
    }
}

fn numbers(name: &str, records: &[&Record], value: impl Fn(&Record) -> Option<f64>) -> Column {
    Column {
        name: name.to_owned(),
        values: Values::Numbers(records.iter().map(|record| value(record)).collect()),
    }
}
