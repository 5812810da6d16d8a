/// A table to be shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// The title.
    pub title: String,
    /// The head of each column.
    pub head: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
    /// Words of the runs that it is made from, as `--only` takes them.
    pub runs: Vec<String>,
    /// The first column of ratios, which are coloured by how far they are from 1; `None` if there
    /// are none.
    pub ratios_from: Option<usize>,
}

impl Table {
    /// A table without rows.
    #[must_use]
    pub fn new(title: &str, head: &[&str]) -> Self {
        Self {
            title: title.to_owned(),
            head: head.iter().map(|head| (*head).to_owned()).collect(),
            rows: Vec::new(),
            runs: Vec::new(),
            ratios_from: None,
        }
    }

    /// A table without rows, whose columns are not the same in every report.
    #[must_use]
    pub fn with_head(title: impl Into<String>, head: Vec<String>) -> Self {
        Self {
            title: title.into(),
            head,
            ..Self::default()
        }
    }

    /// The same with cells that are coloured: from that column on they are ratios.
    #[must_use]
    pub const fn with_ratios_from(mut self, column: usize) -> Self {
        self.ratios_from = Some(column);
        self
    }

    /// The same with the experiment, and the words, that all of its runs say, and no others.
    #[must_use]
    pub fn with_runs(mut self, experiment: &str, words: &[&str]) -> Self {
        self.runs = vec![format!("{experiment} (")];
        self.runs
            .extend(words.iter().map(|word| (*word).to_owned()));
        self
    }

    /// Adds a row.
    pub fn push<T: Into<String>>(&mut self, row: impl IntoIterator<Item = T>) {
        self.rows.push(row.into_iter().map(Into::into).collect());
    }
}
