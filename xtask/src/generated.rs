//! Pages that a command writes and a test compares with what is committed.

use std::error::Error;

/// A page that follows from the sources.
pub(crate) struct Page {
    /// File of the page, from the root of the repository.
    pub(crate) path: &'static str,
    /// Markdown.
    pub(crate) text: String,
}

pub(crate) type Result = std::result::Result<Page, Box<dyn Error>>;

#[cfg(test)]
impl Page {
    /// Panics if the committed page is another one.
    pub(crate) fn assert_committed(&self, command: &str) {
        let committed = std::fs::read_to_string(crate::root().join(self.path)).unwrap_or_default();
        assert!(
            committed == self.text,
            "{} is out of date: run `{command}` and commit it",
            self.path
        );
    }
}
