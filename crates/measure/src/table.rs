/// Alignment of a column's cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Left-aligned, for words.
    Left,
    /// Right-aligned, for numbers.
    Right,
}

/// A table of text.
pub struct Table {
    title: String,
    columns: Vec<(&'static str, Align)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Creates an empty table with these columns.
    #[must_use]
    pub fn new(title: impl Into<String>, columns: &[(&'static str, Align)]) -> Self {
        Self {
            title: title.into(),
            columns: columns.to_vec(),
            rows: Vec::new(),
        }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// Prints the table to standard output.
    pub fn print(&self) {
        println!("\n{}", self.title);
        let names: Vec<String> = self
            .columns
            .iter()
            .map(|(name, _)| (*name).into())
            .collect();
        let widths: Vec<usize> = (0..names.len())
            .map(|column| {
                let cells = self.rows.iter().chain([&names]);
                cells
                    .filter_map(|row| row.get(column))
                    .map(|cell| cell.chars().count())
                    .max()
                    .unwrap_or(0)
            })
            .collect();
        for row in [&names].into_iter().chain(&self.rows) {
            let cells = row.iter().zip(&widths).zip(&self.columns);
            let cells = cells.map(|((cell, width), (_, align))| match align {
                Align::Left => format!("{cell:<width$}"),
                Align::Right => format!("{cell:>width$}"),
            });
            let line: Vec<String> = cells.collect();
            println!("  {}", line.join("  ").trim_end());
        }
    }
}
