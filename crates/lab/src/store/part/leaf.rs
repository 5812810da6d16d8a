//! Columns with repetition and definition levels, which determine the row of a value and whether
//! the value is present (Dremel encoding, as in Parquet).

use std::io::Write;
use std::vec;

use parquet::column::reader::get_typed_column_reader;
use parquet::data_type::DataType;
use parquet::errors::Result;
use parquet::file::reader::RowGroupReader;
use parquet::file::writer::SerializedRowGroupWriter;

use super::At;

/// The values of a column.
pub(super) struct Leaf<T> {
    values: vec::IntoIter<T>,
    levels: vec::IntoIter<Level>,
    next: Option<Level>,
}

#[derive(Clone, Copy)]
struct Level {
    /// 0 for the first entry of a row.
    repetition: i16,
    /// Number of optional or repeated ancestors, including the value itself, that are present.
    definition: i16,
}

/// Whether a value is required, optional, or in a list.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    /// Every row has a value.
    Required,
    /// A row may lack the value.
    Optional,
    /// Every element of the row's list has a value.
    Listed,
    /// An element of the row's list may lack the value.
    ListedOptional,
}

impl Kind {
    const fn most(self) -> i16 {
        match self {
            Self::Required => 0,
            Self::Optional | Self::Listed => 1,
            Self::ListedOptional => 2,
        }
    }

    const fn is_listed(self) -> bool {
        matches!(self, Self::Listed | Self::ListedOptional)
    }
}

/// Writes the next column; `rows` has the values of each row, `None` for an element without a
/// value.
pub(super) fn write<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, impl Write + Send>,
    kind: Kind,
    rows: impl Iterator<Item = impl IntoIterator<Item = Option<T::T>>>,
) -> Result<()> {
    let (mut values, mut definitions, mut repetitions) = (Vec::new(), Vec::new(), Vec::new());
    for row in rows {
        let before = definitions.len();
        for value in row {
            repetitions.push(i16::from(definitions.len() > before));
            definitions.push(kind.most() - i16::from(value.is_none()));
            values.extend(value);
        }
        if definitions.len() == before {
            repetitions.push(0);
            definitions.push(0);
        }
    }
    let Some(mut column) = group.next_column()? else {
        return Ok(());
    };
    let definitions = (kind.most() > 0).then_some(&definitions[..]);
    let repetitions = kind.is_listed().then_some(&repetitions[..]);
    let out = column.typed::<T>();
    out.write_batch(&values, definitions, repetitions)?;
    column.close()
}

impl<V> Leaf<V> {
    /// Reads a column.
    pub(super) fn read<T: DataType<T = V>>(group: &dyn RowGroupReader, at: At) -> Result<Self> {
        let rows = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
        let mut column = get_typed_column_reader::<T>(group.get_column_reader(at as usize)?);
        let (mut values, mut definitions, mut repetitions) = (Vec::new(), Vec::new(), Vec::new());
        let mut read = 0;
        while read < rows {
            let (more, ..) = column.read_records(
                rows - read,
                Some(&mut definitions),
                Some(&mut repetitions),
                &mut values,
            )?;
            if more == 0 {
                break;
            }
            read += more;
        }
        // A column without levels has no definitions; its rows and values count instead.
        let count = definitions.len().max(rows.min(values.len()));
        let levels: Vec<Level> = (0..count)
            .map(|place| Level {
                repetition: repetitions.get(place).copied().unwrap_or(0),
                definition: definitions.get(place).copied().unwrap_or(i16::MAX),
            })
            .collect();
        Ok(Self {
            values: values.into_iter(),
            levels: levels.into_iter(),
            next: None,
        })
    }

    /// The values of the next row, `None` for an element without a value.
    pub(super) fn row(&mut self, kind: Kind) -> Vec<Option<V>> {
        let mut row = Vec::new();
        let mut level = self.next.take().or_else(|| self.levels.next());
        while let Some(here) = level {
            let is_there = here.definition >= kind.most();
            if is_there {
                row.push(self.values.next());
            } else if here.definition > 0 || matches!(kind, Kind::Optional) {
                row.push(None);
            }
            level = self.levels.next();
            if level.is_none_or(|next| next.repetition == 0) {
                break;
            }
        }
        self.next = level;
        row
    }

    /// The value of the next row, if it has one; for rows with at most one value.
    pub(super) fn value(&mut self, kind: Kind) -> Option<V> {
        self.row(kind).into_iter().next().flatten()
    }
}
