/// A table of a report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// The title.
    pub title: String,
    /// The header of each column.
    pub head: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
    /// Words that select the runs shown, as for `--only`.
    pub runs: Vec<String>,
    /// Index of the first column of ratios, which are coloured by their distance from 1; `None`
    /// without ratios.
    pub ratios_from: Option<usize>,
}

impl Table {
    /// Creates a table without rows.
    #[must_use]
    pub fn new(title: &str, head: &[&str]) -> Self {
        Self {
            title: title.to_owned(),
            head: head.iter().map(|head| (*head).to_owned()).collect(),
            ..Self::default()
        }
    }

    /// Creates a table without rows, with a header that may vary between reports.
    #[must_use]
    pub fn with_head(title: impl Into<String>, head: Vec<String>) -> Self {
        Self {
            title: title.into(),
            head,
            ..Self::default()
        }
    }

    /// Sets the experiment and the words that select exactly the runs shown.
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
