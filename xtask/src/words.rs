//! First lines of doc comments: each names its subject before anything else.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io;
use std::path::Path;

/// Words that put off the subject of a first line.
const SUBJECTLESS: [&str; 10] = [
    "what", "it", "its", "those", "where", "how", "who", "whose", "one", "as",
];

/// Share of first lines that may begin with such a word, in percent.
const BOUND: usize = 5;

/// First lines of the doc comments of a crate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Count {
    lines: usize,
    subjectless: usize,
}

impl Count {
    /// Counts the first lines in a source text.
    fn add(&mut self, source: &str) {
        let mut inside = false;
        for line in source.lines() {
            let text = doc_text(line);
            if let Some(text) = text.filter(|_| !inside) {
                self.lines += 1;
                self.subjectless += usize::from(is_subjectless(text));
            }
            inside = text.is_some();
        }
    }

    /// True if more than 5 % of the lines begin with such a word.
    pub(crate) const fn exceeds_bound(self) -> bool {
        self.subjectless * 100 > self.lines * BOUND
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = 100.0 * self.subjectless as f64 / self.lines.max(1) as f64;
        write!(
            f,
            "{:5} of {:5}, {percent:.1} %",
            self.subjectless, self.lines
        )
    }
}

/// Text of a line of a doc comment.
fn doc_text(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let text = line.strip_prefix("///").or(line.strip_prefix("//!"))?;
    (!text.starts_with('/')).then_some(text)
}

fn is_subjectless(text: &str) -> bool {
    let first = text
        .split(|c: char| !c.is_alphanumeric())
        .find(|word| !word.is_empty());
    first.is_some_and(|word| SUBJECTLESS.contains(&word.to_lowercase().as_str()))
}

/// Counts of each crate below `root`, by its folder.
pub(crate) fn count(root: &Path) -> io::Result<BTreeMap<String, Count>> {
    let mut counts = BTreeMap::new();
    for parent in ["crates", "interop"] {
        for entry in fs::read_dir(root.join(parent))? {
            let path = entry?.path();
            if path.join("Cargo.toml").is_file() {
                let name = path
                    .strip_prefix(root)
                    .unwrap_or(&path)
                    .display()
                    .to_string();
                add_folder(counts.entry(name).or_default(), &path)?;
            }
        }
    }
    for name in ["benches", "xtask"] {
        add_folder(counts.entry(name.to_owned()).or_default(), &root.join(name))?;
    }
    Ok(counts)
}

fn add_folder(count: &mut Count, folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            add_folder(count, &path)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            count.add(&fs::read_to_string(&path)?);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
