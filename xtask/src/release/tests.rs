use std::ffi::OsString;
use std::fs;

use serde_json::{Value, json};

use super::packages::{Package, ordered, published};
use super::{Verification, first_program, has_version, parse, relative_links, stranger};

fn described(name: &str, needs: &[&str], more: &Value) -> Package {
    let dependencies: Vec<Value> = needs.iter().map(|name| json!({ "name": name })).collect();
    let mut described = json!({
        "name": name, "version": "1.2.3", "manifest_path": "/nowhere/Cargo.toml",
        "license": "MIT", "description": "words", "repository": "url", "homepage": "url",
        "readme": "README.md", "dependencies": dependencies, "targets": [{ "kind": ["lib"] }],
        "metadata": { "docs": { "rs": { "all-features": true } } },
    });
    for (field, value) in more.as_object().unwrap() {
        described[field] = value.clone();
    }
    serde_json::from_value(described).unwrap()
}

#[test]
fn nothing_is_published_without_the_owner() {
    let parse = |words: &[&str]| parse(words.iter().map(OsString::from)).ok();
    assert_eq!(parse(&["--dry-run"]), Some(Verification::On));
    assert_eq!(
        parse(&["--dry-run", "--no-verify"]),
        Some(Verification::Off)
    );
    assert_eq!(parse(&[]), None);
    assert_eq!(parse(&["--no-verify"]), None);
}

#[test]
fn a_changelog_needs_the_whole_version_in_a_heading() {
    assert!(has_version("# Changelog\n\n## 0.2.0, the first\n", "0.2.0"));
    assert!(!has_version("## 0.2.01\n0.2.0\n", "0.2.0"));
}

#[test]
fn a_crate_is_published_after_those_that_it_needs() {
    let crates = [("a", vec!["b", "serde"]), ("b", vec!["c"]), ("c", vec![])];
    let crates = crates.map(|(name, needs)| described(name, &needs, &json!({})));
    let names = ordered(crates.to_vec()).unwrap();
    let names: Vec<String> = names.into_iter().map(|one| one.name).collect();
    assert_eq!(names, ["c", "b", "a"]);
    let circle = [
        described("a", &["b"], &json!({})),
        described("b", &["a"], &json!({})),
    ];
    assert_eq!(
        ordered(circle.to_vec()).unwrap_err(),
        "depend on each other: a, b"
    );
}

#[test]
fn missing_metadata_is_named() {
    let faults = |more: Value| described("a", &[], &more).faults_of_metadata();
    assert_eq!(faults(json!({})), [""; 0]);
    assert_eq!(
        faults(json!({ "license": null })),
        ["a: Cargo.toml has no license"]
    );
    assert_eq!(
        faults(json!({ "metadata": null })),
        ["a: docs.rs would not show all features"]
    );
    assert_eq!(
        faults(json!({ "metadata": null, "targets": [{ "kind": ["bin"] }] })),
        [""; 0]
    );
}

#[test]
fn a_registry_follows_no_relative_link() {
    let page = "[a](../a.md) [b](https://b.example/c) [d](#d)";
    assert_eq!(relative_links(page), ["../a.md"]);
}

#[test]
fn the_program_of_the_readme_is_what_a_stranger_compiles() {
    let readme = fs::read_to_string(crate::root().join("README.md")).unwrap();
    let program = first_program(&readme).unwrap();
    assert!(
        program.contains("fn main()") && !program.contains("```"),
        "{program}"
    );
}

#[test]
fn a_stranger_takes_every_crate_from_its_package() {
    let crates = ["sheave-wire", "sheave"].map(|name| described(name, &[], &json!({})));
    let manifest: toml::Table = stranger::manifest(&crates).parse().unwrap();
    assert_eq!(manifest["dependencies"]["sheave"].as_str(), Some("1.2.3"));
    let path = manifest["patch"]["crates-io"]["sheave-wire"]["path"].as_str();
    assert_eq!(path, Some("sheave-wire-1.2.3"));
}

#[test]
fn every_published_crate_has_its_metadata_licences_and_links() {
    for package in published(crate::root()).unwrap() {
        assert_eq!(package.faults(crate::root()).unwrap(), [""; 0]);
    }
}
