//! The other stacks that are tested with: `docs/peers.md`, and their newest releases.

mod newest;
#[path = "../../interop/peers/src/table.rs"]
#[expect(
    dead_code,
    unreachable_pub,
    reason = "the tests beside the stacks read the rest"
)]
mod table;

use std::error::Error;
use std::fmt::Write;
use std::path::Path;

use crate::generated::{self, Page};
pub(crate) use newest::report;
use table::{Column, Feature, Matrix, Stack, Table};

const TABLE: &str = "interop/peers.toml";
/// Folder of the tests that are written by hand.
const FOLDER: &str = "interop/peers/tests";

const HEAD: &str = "\
# Other stacks

<!-- Written by `cargo xtask peers`; change interop/peers.toml instead. -->

The stacks that every change is tested with, from the one table that the tests are made of. How they are run, and
what was found in them: [`interop/README.md`](../interop/README.md).
";

const CHANNELS: &str = "
## Data channels

Whole WebRTC stacks, each a program of its own over UDP. Every \"yes\" is two tests, with our offer and with the
offer of the other stack; \"no\" is explained below, and \"–\" is what the stack does not have.

";

const PLAIN: &str = "
## SCTP alone

Stacks without data channels around them: crates in the test's process in virtual time, programs over UDP or DTLS,
a kernel. Every \"yes\" is two tests, in which we call and in which the other stack calls; a role in its place is one
test. \"by hand\" leads to tests that are not made of the table. \"no\" is explained below, and \"–\" is what the stack
does not have, or what is not tried with it.

";

/// The page as it should be.
/// Errors: the table, or a file that pins a version, cannot be read.
pub(crate) fn page(root: &Path) -> generated::Result {
    let table = read(root)?;
    let mut text = HEAD.to_owned();
    for (head, matrix) in [(CHANNELS, table.channels()), (PLAIN, table.plain())] {
        text += head;
        answers(&matrix, &mut text)?;
        reasons(&matrix, &mut text)?;
    }
    versions(root, &table, &mut text)?;
    Ok(Page {
        path: "docs/peers.md",
        text,
    })
}

fn read(root: &Path) -> Result<Table, Box<dyn Error>> {
    let text = std::fs::read_to_string(root.join(TABLE))?;
    Ok(toml::from_str(&text)?)
}

/// The stacks that a feature of SCTP alone is tried with; "messages over dtls": those that are reached so.
/// Errors: the table cannot be read, or has no such feature.
pub(crate) fn tried_with(root: &Path, name: &str) -> Result<Vec<String>, Box<dyn Error>> {
    let table = read(root)?;
    let matrix = table.plain();
    let (name, way) = name.split_once(" over ").unwrap_or((name, ""));
    let is_reached = |stack: &Stack| {
        let plain = stack.plain.as_ref();
        plain.is_some_and(|plain| format!("{:?}", plain.reached).to_lowercase() == way)
    };
    let feature = matrix.features.iter().find(|feature| feature.name == name);
    let feature = feature.ok_or(format!("{TABLE}: no feature {name}"))?;
    let columns = matrix.columns.iter().filter(|column| {
        let mut roles = matrix.roles.iter();
        (way.is_empty() || is_reached(column.stack))
            && (column.file(feature).is_some()
                || roles.any(|(role, _)| column.tries(feature, role)))
    });
    Ok(columns.map(|column| column.stack.name.clone()).collect())
}

fn answers(matrix: &Matrix<'_>, text: &mut String) -> std::fmt::Result {
    let columns = &matrix.columns;
    let names: Vec<&str> = columns.iter().map(|it| it.stack.name.as_str()).collect();
    writeln!(text, "| | {} |", names.join(" | "))?;
    writeln!(text, "| --- |{}", " --- |".repeat(names.len()))?;
    for feature in matrix.features {
        write!(text, "| {} |", feature.about)?;
        for column in columns {
            write!(text, " {} |", answer(matrix, column, feature))?;
        }
        writeln!(text)?;
    }
    Ok(())
}

fn answer(matrix: &Matrix<'_>, column: &Column<'_>, feature: &Feature) -> String {
    if let Some(file) = column.file(feature) {
        return format!("[by hand](../{FOLDER}/{file})");
    }
    let [first, second] = matrix.roles.map(|(role, _)| role);
    match [first, second].map(|role| column.tries(feature, role)) {
        [true, true] => "yes".to_owned(),
        [true, false] => first.replace('_', " "),
        [false, true] => second.replace('_', " "),
        [false, false] if feature.optional => "–".to_owned(),
        [false, false] => "no".to_owned(),
    }
}

fn reasons(matrix: &Matrix<'_>, text: &mut String) -> std::fmt::Result {
    writeln!(text)?;
    for column in &matrix.columns {
        for (key, reason) in column.without {
            let (name, role) = key.split_once("_where_").unwrap_or((key, ""));
            let mut features = matrix.features.iter();
            let feature = features.find(|feature| feature.name == name);
            let about = feature.map_or(name, |feature| &feature.about);
            let role = match role {
                "" => String::new(),
                role => format!(", {}", role.replace('_', " ")),
            };
            writeln!(text, "- {}, {about}{role}: {reason}.", column.stack.name)?;
        }
    }
    Ok(())
}

fn versions(root: &Path, table: &Table, text: &mut String) -> Result<(), Box<dyn Error>> {
    text.push_str(
        "\n## Versions\n\n`just peers` compares them with the newest releases.\n\n\
         | stack | package | version |\n| --- | --- | --- |\n",
    );
    for stack in &table.stacks {
        for package in &stack.packages {
            let version = match pinned(root, stack, package)? {
                Some(version) => version,
                None => "Debian's".to_owned(),
            };
            writeln!(text, "| {} | `{package}` | {version} |", stack.about)?;
        }
    }
    Ok(())
}

/// The version of a package that a stack's file pins; `None` for those of the system.
fn pinned(root: &Path, stack: &Stack, package: &str) -> Result<Option<String>, Box<dyn Error>> {
    let Some(file) = &stack.pinned else {
        return Ok(None);
    };
    let text = std::fs::read_to_string(root.join(file))?;
    let before = match stack.registry.as_str() {
        "crates" => format!("name = \"{package}\"\nversion = \""),
        "go" => format!("{package} v"),
        "npm" => format!("\"{package}\": \""),
        "pypi" => format!("{package}=="),
        other => return Err(format!("{}: no registry {other}", stack.name).into()),
    };
    let found = text
        .split_once(&before)
        .ok_or(format!("{file} has no {package}"))?
        .1;
    let end = found.find(['"', ' ', '\n']).unwrap_or(found.len());
    Ok(Some(found[..end].to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_of_the_other_stacks_is_current() {
        let page = page(crate::root()).unwrap();
        page.assert_committed("cargo xtask peers");
    }

    #[test]
    fn every_reason_wish_and_file_is_of_a_feature() {
        let table = read(crate::root()).unwrap();
        for matrix in [table.channels(), table.plain()] {
            for column in &matrix.columns {
                assert_is_right(&matrix, column);
            }
        }
    }

    fn assert_is_right(matrix: &Matrix<'_>, column: &Column<'_>) {
        let feature = |name: &str| matrix.features.iter().find(|feature| feature.name == name);
        let mut wrong: Vec<&String> = Vec::new();
        wrong.extend(column.with.iter().filter(|name| {
            let found = feature(name);
            found.is_none_or(|found| !found.optional || column.file(found).is_some())
        }));
        wrong.extend(column.without.keys().filter(|key| {
            let (name, role) = key.split_once("_where_").unwrap_or((key, ""));
            let is_role = role.is_empty() || matrix.roles.iter().any(|(found, _)| *found == role);
            let is_tried = |found: &Feature| !found.optional || column.with.contains(&found.name);
            !is_role || !feature(name).is_some_and(is_tried)
        }));
        let files = column.own.into_iter().flatten();
        let missing = |(name, file): &(&String, &String)| {
            feature(name).is_none() || !crate::root().join(FOLDER).join(file).exists()
        };
        wrong.extend(files.filter(missing).map(|(name, _)| name));
        assert!(wrong.is_empty(), "{}: {wrong:?}", column.stack.name);
    }

    #[test]
    fn the_stacks_of_a_feature_are_those_with_tests_made_or_written_by_hand() {
        let stacks = tried_with(crate::root(), "resets").unwrap();
        assert_eq!(stacks, ["dcsctp", "pion/sctp", "usrsctp", "Linux"]);
        let stacks = tried_with(crate::root(), "crossing").unwrap();
        assert_eq!(stacks, ["dcsctp", "sctp-proto"]);
        let stacks = tried_with(crate::root(), "messages over dtls").unwrap();
        assert_eq!(stacks, ["pion/dtls"]);
        assert!(tried_with(crate::root(), "wings").is_err());
    }
}
