//! The crate's root stays small: at most 40 names, each with one path.

use std::collections::BTreeSet;

const ROOT: &str = include_str!("../src/lib.rs");

/// Names at the root: modules, types and re-exports.
fn root_names() -> Vec<String> {
    let mut names = Vec::new();
    for item in ROOT.split("\npub ").skip(1) {
        let end = item.find(';').expect("the end of a public item");
        names.extend(names_of(&item[..end]));
    }
    names
}

/// Names that an item defines, `use path::{a, b}` or `mod a` or `type A = ..`.
fn names_of(item: &str) -> Vec<String> {
    let (kind, rest) = item.split_once(' ').expect("a kind of item");
    match kind {
        "use" => {
            let list = rest.rsplit("::").next().unwrap_or(rest);
            let list = list.trim_matches(['{', '}', '\n', ' ']);
            let names = list.split(',').map(str::trim);
            names
                .filter(|name| !name.is_empty())
                .map(str::to_owned)
                .collect()
        }
        _ => {
            let name = rest.split([' ', '<', '=', '{', '(']).next();
            name.map(str::to_owned).into_iter().collect()
        }
    }
}

#[test]
fn the_root_has_at_most_forty_names() {
    let names = root_names();
    assert!(names.iter().any(|name| name == "Association"), "{names:?}");
    assert!(names.iter().any(|name| name == "SendOptions"), "{names:?}");
    assert!(names.iter().any(|name| name == "prelude"), "{names:?}");
    assert!(
        names.len() <= 40,
        "{} names at the root: {names:?}",
        names.len()
    );
}

#[test]
fn a_name_of_a_module_is_not_at_the_root_too() {
    let root: BTreeSet<String> = root_names().into_iter().collect();
    let modules = [
        include_str!("../src/authentication.rs"),
        include_str!("../src/events.rs"),
        include_str!("../src/message.rs"),
        include_str!("../src/options.rs"),
        include_str!("../src/stats.rs"),
        include_str!("../src/streams.rs"),
    ];
    for item in modules.iter().flat_map(|text| text.split("\npub ").skip(1)) {
        let end = item.find(';').expect("the end of a public item");
        for name in names_of(&item[..end]) {
            assert!(!root.contains(&name), "{name} has two paths");
        }
    }
}
