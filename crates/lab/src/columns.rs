use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Float64Array, RecordBatch, StringArray, StructArray};
use arrow_schema::{Field, Metadata};
use parquet::arrow::ArrowWriter;

use crate::estimate::shown;
use crate::{
    Cell, Estimate, Finding, Record, Run, Series, Setting, Settings, Summary, Table, Unit, html,
};

/// The values of a column, one per row.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Quantities, in the unit named by the column.
    Numbers(Vec<Option<f64>>),
    /// Names and notes.
    Texts(Vec<Option<String>>),
}

/// A named column.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// The column's name, ending in the unit of its numbers.
    pub name: String,
    /// The values.
    pub values: Values,
}

impl Column {
    /// The unit of the numbers; `None` for texts.
    pub fn unit(&self) -> Option<Unit> {
        match self.values {
            Values::Numbers(_) => Unit::of(&self.name),
            Values::Texts(_) => None,
        }
    }
}

/// Tidy data: columns of equal length.
#[derive(Clone, Debug, PartialEq)]
pub struct Columns(pub Vec<Column>);

impl Columns {
    /// Creates a table of records, one per row, with the columns for the run, the settings and the
    /// metrics in this order. No metric may share the name of a setting.
    #[must_use]
    pub fn of(records: &[&Record]) -> Self {
        Schema::of(records).columns(records)
    }

    /// Creates a table of estimates, one row per metric of each cell: sample size, mean, standard
    /// deviation, and the ends of the 95 % interval, which are missing for a single value.
    #[must_use]
    pub fn of_cells(summary: &Summary) -> Self {
        let rows = summary.iter().flat_map(|cell| {
            let metrics = cell.metrics();
            metrics.filter_map(move |metric| Some((cell, metric, cell.estimate(metric)?)))
        });
        let rows: Vec<(&Cell, &str, Estimate)> = rows.collect();
        let mut columns = vec![
            texts("study", &rows, |(cell, ..)| Some(cell.study.clone())),
            texts("experiment", &rows, |(cell, ..)| {
                Some(cell.experiment.clone())
            }),
        ];
        columns.extend(settings(&rows, |(cell, ..)| &cell.settings));
        let known = |end: f64| end.is_finite().then_some(end);
        columns.extend([
            texts("metric", &rows, |(_, metric, _)| Some((*metric).to_owned())),
            numbers("n", &rows, |(.., estimate)| Some(estimate.n as f64)),
            numbers("mean", &rows, |(.., estimate)| Some(estimate.mean)),
            numbers("deviation", &rows, |(.., estimate)| {
                (estimate.n > 1).then_some(estimate.deviation)
            }),
            numbers("ci95_low", &rows, |(.., estimate)| known(estimate.low())),
            numbers("ci95_high", &rows, |(.., estimate)| known(estimate.high())),
        ]);
        Self(columns)
    }

    /// Creates a table of time series, one row per point.
    #[must_use]
    pub fn of_series(runs: &[(&Run, &[Series])]) -> Self {
        let rows = runs.iter().flat_map(|(run, series)| {
            series.iter().flat_map(move |series| {
                let points = series.points.iter();
                points.map(move |point| (*run, series.name.as_str(), *point))
            })
        });
        let rows: Vec<(&Run, &str, (f64, f64))> = rows.collect();
        let mut columns = names(&rows, |(run, ..)| run);
        columns.extend(settings(&rows, |(run, ..)| &run.settings));
        columns.extend([
            texts("series", &rows, |(_, series, _)| Some((*series).to_owned())),
            numbers("time_s", &rows, |(.., (time, _))| Some(*time)),
            numbers("value", &rows, |(.., (_, value))| Some(*value)),
        ]);
        Self(columns)
    }

    /// Creates a table of claims and judgements, one row per claim.
    #[must_use]
    pub fn of_findings(findings: &[&Finding]) -> Self {
        let today = |finding: &Finding| Some(finding.conclusion()?.0.text().to_owned());
        Self(vec![
            texts("id", findings, |finding| Some(finding.claim.id.to_owned())),
            texts("statement", findings, |finding| {
                Some(finding.claim.statement.to_owned())
            }),
            texts("paper", findings, |finding| {
                Some(finding.claim.paper.to_owned())
            }),
            texts("ours", findings, |finding| {
                Some(finding.account().0.to_owned())
            }),
            texts("verdict", findings, |finding| Some(finding.verdict())),
            texts("why", findings, |finding| Some(finding.account().1)),
            texts("today", findings, |finding| today(finding)),
            texts("rule", findings, |finding| {
                Some(finding.claim.rule.to_owned())
            }),
        ])
    }
}

impl Columns {
    /// Appends the rows of a table with the same columns.
    pub(crate) fn append(&mut self, rows: Self) {
        for (column, more) in self.0.iter_mut().zip(rows.0) {
            match (&mut column.values, more.values) {
                (Values::Numbers(numbers), Values::Numbers(more)) => numbers.extend(more),
                (Values::Texts(texts), Values::Texts(more)) => texts.extend(more),
                _ => {}
            }
        }
    }

    /// The table for Arrow; the metadata of a field names the unit of its column.
    pub fn batch(self) -> RecordBatch {
        let columns = self.0.into_iter().map(|column| {
            let unit = column.unit().map(|unit| (Unit::KEY, unit.symbol()));
            let array: ArrayRef = match column.values {
                Values::Numbers(numbers) => Arc::new(Float64Array::from(numbers)),
                Values::Texts(texts) => Arc::new(StringArray::from(texts)),
            };
            let field = Field::new(column.name, array.data_type().clone(), true);
            (field.with_metadata(Metadata::from_iter(unit)), array)
        });
        let (fields, arrays): (Vec<_>, Vec<_>) = columns.unzip();
        StructArray::new(fields.into(), arrays, None).into()
    }

    /// Writes the table as a Parquet file.
    pub fn write_parquet(self, file: &Path) -> io::Result<()> {
        let batch = self.batch();
        let mut file = ArrowWriter::try_new(File::create(file)?, batch.schema(), None)?;
        file.write(&batch)?;
        file.close()?;
        Ok(())
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.0.first().map_or(0, |column| match &column.values {
            Values::Numbers(numbers) => numbers.len(),
            Values::Texts(texts) => texts.len(),
        })
    }

    /// The first `most` rows as an HTML fragment for another page, such as a notebook.
    pub fn fragment(&self, most: usize) -> String {
        let rows = self.rows();
        let title = if rows > most {
            format!("{most} of {rows} rows")
        } else {
            format!("{rows} rows")
        };
        let head: Vec<&str> = self.0.iter().map(|column| column.name.as_str()).collect();
        let mut table = Table::new(&title, &head);
        for row in 0..rows.min(most) {
            table.push(self.0.iter().map(|column| match &column.values {
                Values::Numbers(numbers) => numbers[row].map_or_else(String::new, exact_if_whole),
                Values::Texts(texts) => texts[row].clone().unwrap_or_default(),
            }));
        }
        html::fragment::table(&table)
    }
}

fn exact_if_whole(number: f64) -> String {
    if number.fract() == 0.0 && number.abs() < 1e15 {
        number.to_string()
    } else {
        shown(number)
    }
}

/// The columns of a table of records; the records may come in batches.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Schema {
    has_skips: bool,
    notes: BTreeSet<String>,
    settings: BTreeMap<String, Kind>,
    metrics: BTreeSet<String>,
}

/// The type of a setting's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Numbers,
    Texts,
}

impl Schema {
    /// The columns for those records.
    fn of(records: &[&Record]) -> Self {
        let mut schema = Self::default();
        for record in records {
            schema.add(record);
        }
        schema
    }

    /// Adds the columns that a record needs.
    pub(crate) fn add(&mut self, Record { run, measured }: &Record) {
        self.has_skips |= measured.skipped.is_some();
        insert(&mut self.notes, measured.notes.keys());
        insert(&mut self.metrics, measured.metrics.keys());
        for (name, value) in &run.settings {
            let is_text = matches!(value, Setting::Text(_));
            match self.settings.get_mut(name) {
                Some(kind) if is_text => *kind = Kind::Texts,
                Some(_) => {}
                None => {
                    let kind = if is_text { Kind::Texts } else { Kind::Numbers };
                    self.settings.insert(name.clone(), kind);
                }
            }
        }
    }

    /// Adds the columns of another table.
    pub(crate) fn join(&mut self, other: &Self) {
        self.has_skips |= other.has_skips;
        self.notes.extend(other.notes.iter().cloned());
        self.metrics.extend(other.metrics.iter().cloned());
        for (name, kind) in &other.settings {
            let own = self.settings.entry(name.clone()).or_insert(*kind);
            if *kind == Kind::Texts {
                *own = Kind::Texts;
            }
        }
    }

    /// Creates a table with these columns from some of the records.
    pub(crate) fn columns(&self, records: &[&Record]) -> Columns {
        let mut columns = names(records, |record| &record.run);
        let fingerprint = |record: &&Record| record.measured.fingerprint.clone();
        columns.push(texts("fingerprint", records, fingerprint));
        if self.has_skips {
            let skipped = |record: &&Record| record.measured.skipped.clone();
            columns.push(texts("skipped", records, skipped));
        }
        let notes = records.iter().map(|record| &record.measured.notes);
        columns.extend(spread(&self.notes, notes).map(|(name, notes)| Column {
            name: name.clone(),
            values: Values::Texts(notes),
        }));
        columns.extend(
            self.settings
                .iter()
                .map(|(name, kind)| setting(name, *kind, records, |record| &record.run.settings)),
        );
        let metrics = records.iter().map(|record| &record.measured.metrics);
        columns.extend(
            spread(&self.metrics, metrics).map(|(name, metrics)| Column {
                name: name.clone(),
                values: Values::Numbers(metrics),
            }),
        );
        Columns(columns)
    }

    /// Creates an empty table with these columns.
    pub(crate) fn empty(&self) -> Columns {
        self.columns(&[])
    }
}

/// Inserts sorted names; those already present cost neither a look-up nor a copy.
fn insert<'a>(names: &mut BTreeSet<String>, more: impl Iterator<Item = &'a String>) {
    let mut known = names.iter();
    let new = |name: &&String| known.by_ref().find(|known| known >= name) != Some(*name);
    let new: Vec<&String> = more.filter(new).collect();
    names.extend(new.into_iter().cloned());
}

/// Spreads rows of named values into one column per name. Rows and names have the same order, so
/// each row takes a single pass.
fn spread<'a, V: Clone + 'a>(
    names: &BTreeSet<String>,
    rows: impl ExactSizeIterator<Item = &'a BTreeMap<String, V>>,
) -> impl Iterator<Item = (&String, Vec<Option<V>>)> {
    let mut columns = vec![Vec::with_capacity(rows.len()); names.len()];
    for row in rows {
        let mut values = row.iter().peekable();
        for (name, column) in names.iter().zip(&mut columns) {
            while values.next_if(|(own, _)| *own < name).is_some() {}
            let value = values.next_if(|(own, _)| *own == name);
            column.push(value.map(|(_, value)| value.clone()));
        }
    }
    names.iter().zip(columns)
}

/// The columns that identify runs.
fn names<T>(rows: &[T], run: impl Fn(&T) -> &Run) -> Vec<Column> {
    vec![
        texts("study", rows, |row| Some(run(row).study.clone())),
        texts("experiment", rows, |row| Some(run(row).experiment.clone())),
        numbers("seed", rows, |row| Some(run(row).seed as f64)),
    ]
}

/// Makes a column for each setting that occurs in any row.
fn settings<T>(rows: &[T], of: impl Fn(&T) -> &Settings) -> Vec<Column> {
    let mut kinds: BTreeMap<&String, Kind> = BTreeMap::new();
    for (name, value) in rows.iter().flat_map(|row| of(row).iter()) {
        let kind = kinds.entry(name).or_insert(Kind::Numbers);
        if matches!(value, Setting::Text(_)) {
            *kind = Kind::Texts;
        }
    }
    let columns = kinds.into_iter();
    columns
        .map(|(name, kind)| setting(name, kind, rows, &of))
        .collect()
}

fn setting<T>(name: &str, kind: Kind, rows: &[T], of: impl Fn(&T) -> &Settings) -> Column {
    match kind {
        Kind::Texts => texts(name, rows, |row| Some(of(row).value(name)?.to_string())),
        Kind::Numbers => numbers(name, rows, |row| match of(row).value(name) {
            Some(Setting::Number(number)) => Some(*number),
            _ => None,
        }),
    }
}

fn texts<T>(name: &str, rows: &[T], value: impl Fn(&T) -> Option<String>) -> Column {
    Column {
        name: name.to_owned(),
        values: Values::Texts(rows.iter().map(value).collect()),
    }
}

fn numbers<T>(name: &str, rows: &[T], value: impl Fn(&T) -> Option<f64>) -> Column {
    Column {
        name: name.to_owned(),
        values: Values::Numbers(rows.iter().map(value).collect()),
    }
}

#[cfg(test)]
mod tests;
