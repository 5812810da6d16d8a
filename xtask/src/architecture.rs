//! `ARCHITECTURE.md` lists the crates and what each imports: it must be true.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// Names of our crates, as folders of `crates`.
type Crates = BTreeSet<String>;

/// The second column of the rows that begin with a folder of `crates`.
fn listed(text: &str) -> BTreeMap<String, Crates> {
    let rows = text
        .lines()
        .filter_map(|line| line.strip_prefix("| `crates/"));
    let cells = rows.filter_map(|row| {
        row.split_once("` | ")?
            .1
            .split_once(" | ")
            .map(|(imports, _)| (row, imports))
    });
    cells
        .map(|(row, imports)| {
            let name = row.split('`').next().unwrap_or_default().to_owned();
            let names = imports.split(", ").filter(|name| *name != "–");
            (
                name,
                names
                    .map(|name| name.trim_matches('`').to_owned())
                    .collect(),
            )
        })
        .collect()
}

/// Our crates in the section `[dependencies]` of a manifest.
fn imported(manifest: &str) -> Crates {
    let lines = manifest
        .lines()
        .skip_while(|line| *line != "[dependencies]");
    let section = lines.skip(1).take_while(|line| !line.starts_with('['));
    let names = section.filter_map(|line| line.split(['.', ' ', '=']).next());
    let folder = |name: &str| match name {
        "sheave" => Some("net".to_owned()),
        other => other.strip_prefix("sheave-").map(String::from),
    };
    names.filter_map(folder).collect()
}

#[test]
fn a_manifest_names_our_crates_among_others() {
    let manifest = "[package]\nname = \"sheave-cli\"\n[dependencies]\nbytes.workspace = true\n\
                    sheave.workspace = true\nsheave-lab = { path = \"a\" }\n[dev-dependencies]\n\
                    sheave-sim.workspace = true\n";
    assert_eq!(
        imported(manifest),
        Crates::from(["lab".into(), "net".into()])
    );
}

#[test]
fn the_arrows_of_the_picture_are_those_of_the_manifests() {
    let root = crate::root();
    let listed = listed(&fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap());
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(root.join("crates")).unwrap() {
        let folder = entry.unwrap().path();
        let Ok(manifest) = fs::read_to_string(folder.join("Cargo.toml")) else {
            continue;
        };
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        found.insert(name, imported(&manifest));
    }
    assert_eq!(listed, found, "left: ARCHITECTURE.md, right: the manifests");
}

#[test]
fn the_page_is_read_in_a_sitting() {
    let text = fs::read_to_string(crate::root().join("ARCHITECTURE.md")).unwrap();
    assert!(text.lines().count() <= 150);
}
