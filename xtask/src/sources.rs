//! The sources of this repository: all files of Rust, and the tests in them.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

/// Folders with crates, or with a crate.
const FOLDERS: [&str; 4] = ["crates", "interop", "benches", "xtask"];

/// The text of each source file, by its path from the root, with `/` between its parts.
pub(crate) type Sources = BTreeMap<String, String>;

pub(crate) fn read(root: &Path) -> io::Result<Sources> {
    let mut sources = Sources::new();
    for folder in FOLDERS {
        add(&mut sources, root, folder)?;
    }
    Ok(sources)
}

fn add(sources: &mut Sources, root: &Path, folder: &str) -> io::Result<()> {
    for entry in fs::read_dir(root.join(folder))? {
        let entry = entry?;
        let name = format!("{folder}/{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            add(sources, root, &name)?;
        } else if name.ends_with(".rs") {
            sources.insert(name, fs::read_to_string(entry.path())?);
        }
    }
    Ok(())
}

/// The files in which each test stands, by the name of its function or its row of `tests!`.
pub(crate) fn tests(sources: &Sources) -> BTreeMap<&str, Vec<&str>> {
    let mut tests: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (path, text) in sources {
        let after_marks = text.split("#[test]").skip(1);
        let functions =
            after_marks.filter_map(|after| after.split_once("fn ")?.1.split('(').next());
        let tables = text.split("\ntests! {\n").skip(1);
        let rows = tables.flat_map(|table| table.lines().take_while(|line| *line != "}"));
        let rows = rows.filter_map(|row| Some(row.split_once(" => ")?.0.trim()));
        for name in functions.chain(rows) {
            tests.entry(name).or_default().push(path);
        }
    }
    tests
}
