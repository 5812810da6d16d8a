//! The table of features beside other stacks: `docs/features.toml` is written into README.md and docs/features.md.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use serde::Deserialize;

use crate::generated::{Page, Result};

#[cfg(test)]
mod tests;

const SOURCE: &str = "docs/features.toml";
/// Lines of README.md between which the table stands.
const BEGIN: &str = "<!-- features: written by `cargo xtask features` -->\n";
const END: &str = "<!-- end of features -->\n";

const HEAD: &str = "\
# Features beside other stacks

Every answer with its source: the file, option or test that shows each answer, in the version that
the second table names. `cargo xtask features` writes this page from `docs/features.toml`, and a test keeps it
current; another test fails where `interop` tests another version than this page was read from.

";

/// Stacks, and the features that each has.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Features {
    stack: Vec<Stack>,
    feature: Vec<Feature>,
}

/// Another stack: a column.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stack {
    key: String,
    version: String,
    /// Dependency of `interop` whose version is this one's: `crate NAME` or `module PATH`.
    #[cfg_attr(not(test), expect(dead_code, reason = "a test compares it"))]
    pinned: Option<String>,
    /// Where the sources of the cells are found.
    files: String,
}

/// A feature that Sheave has: a row.
#[derive(Debug, Deserialize)]
struct Feature {
    name: String,
    /// Page of `docs` that explains it.
    page: String,
    /// Answer and source by stack.
    #[serde(flatten)]
    cells: BTreeMap<String, (String, String)>,
}

impl Feature {
    fn cell(&self, stack: &Stack) -> std::result::Result<&(String, String), String> {
        let missing = || format!("{SOURCE}: {} says nothing of {}", self.name, stack.key);
        self.cells.get(&stack.key).ok_or_else(missing)
    }
}

impl Features {
    /// The features that the file lists.
    /// Errors: the file cannot be read, or has another form.
    fn read(root: &Path) -> std::result::Result<Self, Box<dyn std::error::Error>> {
        Ok(toml::from_str(&std::fs::read_to_string(
            root.join(SOURCE),
        )?)?)
    }

    /// Table of all answers, for a page in `docs`.
    fn table(&self) -> std::result::Result<String, String> {
        let mut text = "| feature | Sheave |".to_owned();
        for stack in &self.stack {
            let _ = write!(text, " {} |", stack.key);
        }
        text = text + "\n| --- | --- |" + &" --- |".repeat(self.stack.len()) + "\n";
        for feature in &self.feature {
            let _ = write!(text, "| {} | [yes]({}) |", feature.name, feature.page);
            for stack in &self.stack {
                let _ = write!(text, " {} |", feature.cell(stack)?.0);
            }
            text.push('\n');
        }
        Ok(text)
    }

    /// Table of the stacks that have each feature whole or in part, for a page beside `docs`.
    fn summary(&self) -> std::result::Result<String, String> {
        let mut text = "| Sheave has | as have | in part |\n| --- | --- | --- |\n".to_owned();
        for feature in &self.feature {
            let (mut whole, mut part) = (Vec::new(), Vec::new());
            for stack in &self.stack {
                match feature.cell(stack)?.0.as_str() {
                    "no" => {}
                    "yes" => whole.push(stack.key.as_str()),
                    _ => part.push(stack.key.as_str()),
                }
            }
            let [whole, part] = [whole, part].map(|names| names.join(", "));
            let (name, page) = (&feature.name, &feature.page);
            let _ = writeln!(text, "| [{name}](docs/{page}) | {whole} | {part} |");
        }
        Ok(text)
    }

    /// A list of sources for each feature.
    fn sources(&self) -> std::result::Result<String, String> {
        let mut text =
            "\n## Versions\n\n| stack | read in | version |\n| --- | --- | --- |\n".to_owned();
        for stack in &self.stack {
            let _ = writeln!(
                text,
                "| {} | {} | {} |",
                stack.key, stack.files, stack.version
            );
        }
        for feature in &self.feature {
            let _ = write!(text, "\n## {}\n\n", feature.name);
            for stack in &self.stack {
                let (answer, source) = feature.cell(stack)?;
                let _ = writeln!(text, "- {}: {answer} ({source})", stack.key);
            }
        }
        Ok(text)
    }
}

/// docs/features.md as it should be.
/// Errors: the data file cannot be read, or a cell is missing.
pub(crate) fn page(root: &Path) -> Result {
    let features = Features::read(root)?;
    Ok(Page {
        path: "docs/features.md",
        text: HEAD.to_owned() + &features.table()? + &features.sources()?,
    })
}

/// README.md with the table as it should be.
/// Errors: a file cannot be read, a cell is missing, or README.md lacks the lines around the table.
pub(crate) fn readme(root: &Path) -> Result {
    let text = std::fs::read_to_string(root.join("README.md"))?;
    let missing = "README.md: the lines around the table of features are missing";
    let (before, rest) = text.split_once(BEGIN).ok_or(missing)?;
    let (_, after) = rest.split_once(END).ok_or(missing)?;
    let table = Features::read(root)?.summary()?;
    Ok(Page {
        path: "README.md",
        text: format!("{before}{BEGIN}\n{table}\n{END}{after}"),
    })
}
