//! The newest releases, as each registry's own client tells them.

use std::error::Error;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use super::{pinned, read};

/// Releases between two that are listed, at most.
const MOST: usize = 6;

/// Every package of the table whose pinned version is not the newest, with the releases in between where its registry
/// lists them, and those of which nothing is known.
/// Errors: the table, or a file that pins a version, cannot be read.
pub(crate) fn report(root: &Path) -> Result<String, Box<dyn Error>> {
    let (mut changed, mut unknown, mut current) = (String::new(), String::new(), 0);
    let table = read(root)?;
    for stack in &table.stacks {
        for package in &stack.packages {
            let here = match pinned(root, stack, package)? {
                Some(version) => Some(version),
                None => said("dpkg-query", &["-W", "-f", "${Version}", package]),
            };
            let place = stack.pinned.as_deref().unwrap_or("this machine");
            match (here, newest(&stack.registry, package)) {
                (Some(here), Some(newest)) if here == newest => current += 1,
                (here, Some(newest)) => {
                    let here = here.unwrap_or_else(|| "none".to_owned());
                    let all = releases(&stack.registry, package).unwrap_or_default();
                    let between = between(&all, &here, &newest);
                    writeln!(changed, "{package} {here} -> {newest} ({place}){between}")?;
                }
                (_, None) => writeln!(unknown, "{package}: its registry does not tell")?,
            }
        }
    }
    Ok(format!(
        "{changed}{unknown}{current} packages are the newest\n"
    ))
}

/// The newest release in a registry.
fn newest(registry: &str, package: &str) -> Option<String> {
    match registry {
        "crates" => newest_crate(&said("cargo", &["info", "--quiet", package])?),
        "debian" => after(&said("apt-cache", &["policy", package])?, "Candidate: "),
        "go" => {
            let latest = format!("{package}@latest");
            let version = said("go", &["list", "-m", "-f", "{{.Version}}", &latest])?;
            Some(version.strip_prefix('v').unwrap_or(&version).to_owned())
        }
        "npm" => said("npm", &["view", package, "version"]),
        "pypi" => after(&on_pypi(package)?, &format!("{package} (")),
        _ => None,
    }
}

fn on_pypi(package: &str) -> Option<String> {
    let words = "-m pip --disable-pip-version-check index versions";
    let words: Vec<&str> = words.split(' ').chain([package]).collect();
    said("python3", &words)
}

/// Releases, the oldest first, of the registries whose clients list them.
fn releases(registry: &str, package: &str) -> Option<Vec<String>> {
    let text = match registry {
        "go" => said("go", &["list", "-m", "-versions", package])?,
        "npm" => said("npm", &["view", package, "versions", "--json"])?,
        "pypi" => on_pypi(package)?,
        _ => return None,
    };
    Some(listed(registry, &text))
}

/// The releases in a list of that registry's client.
fn listed(registry: &str, text: &str) -> Vec<String> {
    let list = match registry {
        "go" => text.split_once(' '),
        "npm" => text.split_once('['),
        _ => text.split_once("Available versions: "),
    };
    let line_end = if registry == "pypi" { '\n' } else { ']' };
    let (_, list) = list.unwrap_or_default();
    let list = list.split(line_end).next().unwrap_or_default();
    let words = list
        .split([' ', ',', '"', '\n'])
        .filter(|word| !word.is_empty());
    let words = words.map(|word| word.trim_start_matches('v').to_owned());
    match registry {
        "pypi" => words.rev().collect(),
        _ => words.collect(),
    }
}

/// The releases after one and before another, the last few, as the end of a line.
fn between(all: &[String], here: &str, newest: &str) -> String {
    let after = all.iter().skip_while(|version| *version != here).skip(1);
    let found: Vec<&str> = (after.take_while(|version| *version != newest))
        .map(String::as_str)
        .collect();
    let cut = found.len().saturating_sub(MOST);
    match found.len() {
        0 => String::new(),
        _ if cut > 0 => format!(": {cut} more, {}", found[cut..].join(", ")),
        _ => format!(": {}", found.join(", ")),
    }
}

/// The version in the text of `cargo info`, which shows the newest one apart where it wants a newer compiler.
fn newest_crate(text: &str) -> Option<String> {
    after(text, "(latest ").or_else(|| after(text, "version: "))
}

/// The word behind a text.
fn after(text: &str, beginning: &str) -> Option<String> {
    let rest = text.split_once(beginning)?.1;
    let end = rest.find([')', ' ', '\n']).unwrap_or(rest.len());
    Some(rest[..end].to_owned())
}

/// The output of a command outside of every project, if it succeeds.
fn said(program: &str, words: &[&str]) -> Option<String> {
    let mut command = Command::new(program);
    let output = command
        .args(words)
        .current_dir(std::env::temp_dir())
        .output();
    let output = output.ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_read_from_each_clients_list_the_oldest_first() {
        let lists = [
            ("go", "example.org/a v0.9.0 v1.0.0 v1.1.0"),
            ("npm", "[\n  \"0.9.0\",\n  \"1.0.0\",\n  \"1.1.0\"\n]"),
            (
                "pypi",
                "a (1.1.0)\nAvailable versions: 1.1.0, 1.0.0, 0.9.0\n  INSTALLED: 1.0.0",
            ),
        ];
        for (registry, text) in lists {
            assert_eq!(listed(registry, text), ["0.9.0", "1.0.0", "1.1.0"]);
        }
        assert!(listed("go", "example.org/a").is_empty());
    }

    #[test]
    fn releases_in_between_are_listed_but_the_first_of_many() {
        let all: Vec<String> = (0..10).map(|n| n.to_string()).collect();
        assert_eq!(between(&all, "1", "4"), ": 2, 3");
        assert_eq!(between(&all, "3", "4"), "");
        assert_eq!(between(&all, "none", "4"), "");
        assert_eq!(between(&all, "0", "9"), ": 2 more, 3, 4, 5, 6, 7, 8");
    }

    #[test]
    fn the_newest_version_is_read_even_where_another_one_is_chosen() {
        let text = "webrtc-dtls #tls\nversion: 0.7.2 (latest 0.12.0)\nlicense: MIT\n";
        assert_eq!(newest_crate(text).as_deref(), Some("0.12.0"));
        assert_eq!(newest_crate("version: 0.9.0\n").as_deref(), Some("0.9.0"));
        assert_eq!(newest_crate("error: none\n"), None);
    }
}
