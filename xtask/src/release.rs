//! `cargo xtask release`: checks that a release is ready, and prints what publishing it would do.

mod packages;
mod stranger;

use std::error::Error;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::capi::run;
use crate::cargo::{cargo, target_folder};
use crate::pages;
use packages::Package;

const USAGE: &str = "publishing is left to the owner: cargo xtask release --dry-run [--no-verify]";

/// Whether cargo builds each crate from its package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verification {
    On,
    Off,
}

fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Verification, Box<dyn Error>> {
    let words: Vec<OsString> = arguments.collect();
    match words
        .iter()
        .map(|word| word.to_str())
        .collect::<Option<Vec<_>>>()
        .as_deref()
    {
        Some(["--dry-run"]) => Ok(Verification::On),
        Some(["--dry-run", "--no-verify"] | ["--no-verify", "--dry-run"]) => Ok(Verification::Off),
        _ => Err(USAGE.into()),
    }
}

/// Checks the release, packages every crate, and builds a stranger's program from the packages. Returns what
/// publishing would do.
/// Errors: the arguments are wrong, a check finds a fault, or cargo fails.
pub(crate) fn rehearse(
    root: &Path,
    arguments: impl Iterator<Item = OsString>,
) -> Result<String, Box<dyn Error>> {
    let verification = parse(arguments)?;
    let packages = packages::published(root)?;
    let version = packages
        .first()
        .ok_or("no crate is published")?
        .version
        .clone();
    let tag = format!("v{version}");
    say(&format!(
        "{} crates, version {version}: tree, changelog, licences, metadata",
        packages.len()
    ));
    let mut faults = faults_of_tree(root, &version, &tag)?;
    for package in &packages {
        faults.extend(package.faults(root)?);
    }
    if !faults.is_empty() {
        return Err(faults.join("\n").into());
    }
    outside_checks(root)?;
    say("cargo package");
    package(root, &packages, verification)?;
    say("a program outside of the repository, from the packages");
    let made = target_folder(root).join("package");
    let program = first_program(&fs::read_to_string(root.join("README.md"))?)?;
    stranger::build(root, &made, &packages, &program)?;
    let names: Vec<&str> = packages
        .iter()
        .map(|package| package.name.as_str())
        .collect();
    let flags: Vec<String> = names.iter().map(|name| format!("-p {name}")).collect();
    Ok(format!(
        "ready; the owner would run:\n  git tag -s {tag} && git push origin {tag}\n  cargo publish --locked {}\n\
         in this order: {}",
        flags.join(" "),
        names.join(", ")
    ))
}

fn say(step: &str) {
    eprintln!("release: {step}");
}

/// Faults of the repository: changes that are not committed, a changelog without the version, ...
fn faults_of_tree(root: &Path, version: &str, tag: &str) -> Result<Vec<String>, Box<dyn Error>> {
    let mut faults = Vec::new();
    let changed = git(root, &["status", "--porcelain"])?;
    if !changed.is_empty() {
        faults.push(format!(
            "the tree has changes that are not committed:\n{changed}"
        ));
    }
    let logs = git(root, &["ls-files", "*.log"])?;
    if !logs.is_empty() {
        faults.push(format!(
            "logs are tracked: {}",
            logs.trim().replace('\n', ", ")
        ));
    }
    if !git(root, &["tag", "--list", tag])?.is_empty() {
        faults.push(format!("there is a tag {tag} already"));
    }
    if !has_version(&fs::read_to_string(root.join("CHANGELOG.md"))?, version) {
        faults.push(format!("CHANGELOG.md has no heading \"## {version}\""));
    }
    Ok(faults)
}

/// Whether a heading of the changelog begins with the version.
fn has_version(changelog: &str, version: &str) -> bool {
    let mut headings = changelog
        .lines()
        .filter_map(|line| line.strip_prefix("## "));
    headings.any(|heading| heading.split([' ', ',', ':']).next() == Some(version))
}

fn git(root: &Path, words: &[&str]) -> Result<String, Box<dyn Error>> {
    let output = Command::new("git").args(words).current_dir(root).output()?;
    match output.status.success() {
        true => Ok(String::from_utf8(output.stdout)?),
        false => Err(format!(
            "git {}: {}",
            words.join(" "),
            String::from_utf8_lossy(&output.stderr)
        )
        .into()),
    }
}

/// Runs the checks of programs that cargo may lack, and says which are missing.
fn outside_checks(root: &Path) -> Result<(), Box<dyn Error>> {
    let last = git(root, &["describe", "--tags", "--abbrev=0", "--match", "v*"]);
    let since = last.as_deref().map(str::trim);
    let compatibility =
        since.map(|tag| vec!["semver-checks", "--workspace", "--baseline-rev", tag]);
    if compatibility.is_err() {
        say("no cargo semver-checks: there is no earlier tag");
    }
    for words in [vec!["deny", "check"]].into_iter().chain(compatibility) {
        let mut look = cargo(root);
        look.args([words[0], "--version"])
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        if run(&mut look).is_err() {
            say(&format!("not checked: cargo-{} is not installed", words[0]));
            continue;
        }
        say(&format!("cargo {}", words.join(" ")));
        run(cargo(root).args(words))?;
    }
    Ok(())
}

fn package(
    root: &Path,
    packages: &[Package],
    verification: Verification,
) -> Result<(), Box<dyn Error>> {
    let mut cargo = cargo(root);
    cargo.args(["package", "--locked"]);
    for package in packages {
        cargo.args(["--package", &package.name]);
    }
    if verification == Verification::Off {
        cargo.arg("--no-verify");
    }
    run(&mut cargo)
}

/// The first Rust program of a page.
fn first_program(page: &str) -> Result<String, &'static str> {
    let (_, rest) = page
        .split_once("\n```rust\n")
        .ok_or("README.md shows no Rust program")?;
    let (program, _) = rest
        .split_once("\n```")
        .ok_or("README.md's program has no end")?;
    Ok(program.to_owned())
}

/// Links of a page that a registry cannot follow, since they are relative.
fn relative_links(page: &str) -> Vec<String> {
    let links = pages::links(page).into_iter();
    links.filter(|link| !link.starts_with('#')).collect()
}

#[cfg(test)]
mod tests;
