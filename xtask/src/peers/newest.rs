//! The newest releases, as each registry's own client tells them.

use std::error::Error;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use super::{pinned, read};

/// Every package of the table whose pinned version is not the newest, and those of which nothing is known.
///
/// # Errors
/// The table, or a file that pins a version, cannot be read.
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
                    writeln!(changed, "{package} {here} -> {newest} ({place})")?;
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
        "pypi" => {
            let words = [
                "-m",
                "pip",
                "--disable-pip-version-check",
                "index",
                "versions",
            ];
            let versions = said("python3", &[&words[..], &[package]].concat())?;
            after(&versions, &format!("{package} ("))
        }
        _ => None,
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
    fn the_newest_version_is_read_even_where_another_one_is_chosen() {
        let text = "webrtc-dtls #tls\nversion: 0.7.2 (latest 0.12.0)\nlicense: MIT\n";
        assert_eq!(newest_crate(text).as_deref(), Some("0.12.0"));
        assert_eq!(newest_crate("version: 0.9.0\n").as_deref(), Some("0.9.0"));
        assert_eq!(newest_crate("error: none\n"), None);
    }
}
