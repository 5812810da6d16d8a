//! The other stacks that are tested with: `docs/peers.md`, and their newest releases.

mod newest;
#[path = "../../interop/peers/src/webrtc/table.rs"]
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
use table::{Channels, Stack, Table};

const HEAD: &str = "\
# Other stacks

<!-- Written by `cargo xtask peers`; change interop/peers.toml instead. -->

The stacks that every change is tested with, from the one table that the tests are made of. How they are run, and
what was found in them: [`interop/README.md`](../interop/README.md).

## Data channels

Whole WebRTC stacks, each a program of its own over UDP. Every \"yes\" is two tests, with our offer and with the
offer of the other stack; \"no\" is explained below, and \"–\" is what the stack does not have.

";

/// The page as it should be.
///
/// # Errors
/// The table, or a file that pins a version, cannot be read.
pub(crate) fn page(root: &Path) -> generated::Result {
    let table = read(root)?;
    let mut text = HEAD.to_owned();
    matrix(&table, &mut text)?;
    reasons(&table, &mut text)?;
    versions(root, &table, &mut text)?;
    Ok(Page {
        path: "docs/peers.md",
        text,
    })
}

fn read(root: &Path) -> Result<Table, Box<dyn Error>> {
    let text = std::fs::read_to_string(root.join("interop/peers.toml"))?;
    Ok(toml::from_str(&text)?)
}

/// The stacks that have data channels.
fn with_channels(table: &Table) -> impl Iterator<Item = (&Stack, &Channels)> {
    let stacks = table.stacks.iter();
    stacks.filter_map(|stack| Some((stack, stack.channels.as_ref()?)))
}

fn matrix(table: &Table, text: &mut String) -> std::fmt::Result {
    let names: Vec<&str> = with_channels(table)
        .map(|(stack, _)| stack.name.as_str())
        .collect();
    writeln!(text, "| | {} |", names.join(" | "))?;
    writeln!(text, "| --- |{}", " --- |".repeat(names.len()))?;
    for feature in &table.features {
        write!(text, "| {} |", feature.about)?;
        for (_, channels) in with_channels(table) {
            let cell = match (channels.tries(feature), feature.optional) {
                (true, _) => "yes",
                (false, true) => "–",
                (false, false) => "no",
            };
            write!(text, " {cell} |")?;
        }
        writeln!(text)?;
    }
    Ok(())
}

fn reasons(table: &Table, text: &mut String) -> std::fmt::Result {
    writeln!(text)?;
    for (stack, channels) in with_channels(table) {
        for (name, reason) in &channels.without {
            let feature = table.features.iter().find(|feature| feature.name == *name);
            let about = feature.map_or(name.as_str(), |feature| &feature.about);
            writeln!(text, "- {}, {about}: {reason}.", stack.name)?;
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
    fn every_reason_and_wish_names_a_feature() {
        let table = read(crate::root()).unwrap();
        let is_one = |name: &String, optional| {
            let mut features = table.features.iter();
            features.any(|feature| feature.name == *name && feature.optional == optional)
        };
        for (stack, channels) in with_channels(&table) {
            let wrong: Vec<&String> = (channels.without.keys().filter(|name| !is_one(name, false)))
                .chain(channels.with.iter().filter(|name| !is_one(name, true)))
                .collect();
            assert!(wrong.is_empty(), "{}: {wrong:?}", stack.name);
        }
    }
}
