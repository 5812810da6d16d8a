//! Man pages and completions, read by the programs that read them for users.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use support::{run, text};

/// The pages in a folder, by their names.
fn pages(folder: &Path) -> Vec<PathBuf> {
    let out = run(&["man", folder.to_str().unwrap()]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let mut pages: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    pages.sort();
    pages
}

/// Whether there is such a program; says so if not.
fn has(program: &str) -> bool {
    let mut look = Command::new(program);
    let look = look.arg("--version").stdin(Stdio::null());
    let there = look.stdout(Stdio::null()).stderr(Stdio::null()).status();
    if there.is_err() {
        eprintln!("skipped: no {program}");
    }
    there.is_ok()
}

/// The page as a terminal shows it, and what the formatter complains of.
fn format(page: &Path) -> (String, String) {
    let mut groff = Command::new("groff");
    let groff = groff.args(["-man", "-Tutf8", "-P-cbou", "-ww", "-rLL=100n"]);
    let out = groff.arg(page).output().unwrap();
    (text(&out.stdout), text(&out.stderr))
}

#[test]
fn every_command_of_the_help_has_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let pages = pages(folder.path());
    let help = text(&run(&["--help"]).stdout);
    let commands: Vec<&str> = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|command| *command != "help")
        .collect();
    assert!(commands.len() > 10, "{commands:?}");
    for command in commands {
        let page = folder.path().join(format!("sheave-{command}.1"));
        assert!(pages.contains(&page), "{}", page.display());
    }
    assert!(pages.contains(&folder.path().join("sheave-lab-run.1")));
    let hidden = |page: &&PathBuf| page.to_string_lossy().contains("bench-");
    assert_eq!(pages.iter().find(hidden), None);
}

#[test]
fn pages_are_formatted_without_a_warning() {
    if !has("groff") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for page in pages(folder.path()) {
        let (shown, warnings) = format(&page);
        assert_eq!(warnings, "", "{}", page.display());
        assert!(shown.contains("SYNOPSIS"), "{}", page.display());
    }
}

/// A page as it is shown; `None` without groff.
fn shown(page: &str) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    has("groff").then(|| pages(folder.path()))?;
    Some(format(&folder.path().join(page)).0)
}

#[test]
fn a_page_shows_examples_line_by_line() {
    let Some(shown) = shown("sheave-doctor.1") else {
        return;
    };
    let line = |wanted: &str| shown.lines().any(|line| line.trim() == wanted);
    assert!(line("EXAMPLES"), "{shown}");
    assert!(
        line("sheave doctor server:38412           one that listens on another port"),
        "{shown}"
    );
    assert!(line("EXIT STATUS"), "{shown}");
}

#[test]
fn a_page_explains_options_that_the_short_help_leaves_out() {
    assert!(!text(&run(&["run", "-h"]).stdout).contains("--linger"));
    let Some(shown) = shown("sheave-run.1") else {
        return;
    };
    let mut lines = shown.lines().map(str::trim);
    assert!(lines.any(|line| line.starts_with("--linger")), "{shown}");
    assert_ne!(lines.next(), Some(""), "{shown}");
}

/// Candidates that bash offers for the last of these words.
fn completed_by_bash(script: &Path, words: &[&str]) -> Vec<String> {
    let last = words.len() - 1;
    let before = if last > 0 { words[last - 1] } else { "" };
    let mut bash = Command::new("bash");
    bash.args(["--norc", "-c"]).arg(format!(
        "source '{}'; COMP_WORDS=({}); COMP_CWORD={last}; \
         _sheave sheave '{}' '{before}'; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        script.display(),
        words.join(" "),
        words[last],
    ));
    let out = bash.output().unwrap();
    assert_eq!(text(&out.stderr), "");
    text(&out.stdout).lines().map(str::to_owned).collect()
}

/// The completion script of a shell, in a file.
fn script(shell: &str, folder: &Path) -> PathBuf {
    let out = run(&["completions", shell]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let path = folder.join(shell);
    fs::write(&path, out.stdout).unwrap();
    path
}

#[test]
fn bash_completes_commands_flags_and_values() {
    if !has("bash") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let script = script("bash", folder.path());
    assert_eq!(completed_by_bash(&script, &["sheave", "doc"]), ["doctor"]);
    let flags = completed_by_bash(&script, &["sheave", "run", "--pc"]);
    assert_eq!(flags, ["--pcap"]);
    let shells = completed_by_bash(&script, &["sheave", "completions", "f"]);
    assert_eq!(shells, ["fish"]);
}

#[test]
fn shells_read_their_scripts() {
    let folder = tempfile::tempdir().unwrap();
    for (shell, flag) in [("bash", "-n"), ("zsh", "-n"), ("fish", "--no-execute")] {
        if !has(shell) {
            continue;
        }
        let script = script(shell, folder.path());
        let out = Command::new(shell).arg(flag).arg(&script).output().unwrap();
        assert!(out.status.success(), "{shell}: {}", text(&out.stderr));
    }
}

/// Commands of the help with what it says of each, a line each.
fn described() -> Vec<(String, String)> {
    let help = text(&run(&["--help"]).stdout);
    let lines = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty());
    let mut commands: Vec<(String, String)> = Vec::new();
    for line in lines {
        match line.trim_start().split_once("  ") {
            Some((name, about)) if !line.starts_with("   ") => {
                commands.push((name.to_owned(), about.trim().to_owned()));
            }
            _ => {
                let (_, about) = commands.last_mut().unwrap();
                *about = format!("{about} {}", line.trim());
            }
        }
    }
    commands.retain(|(name, _)| name != "help");
    commands
}

#[test]
fn the_readme_lists_the_commands_of_the_help() {
    let readme = include_str!("../../../README.md");
    let listed: Vec<_> = readme
        .lines()
        .skip_while(|line| *line != "| command | |")
        .skip(2)
        .map_while(|line| {
            line.strip_prefix("| `")?
                .strip_suffix(" |")?
                .split_once("` | ")
        })
        .map(|(name, about)| (name.to_owned(), about.to_owned()))
        .collect();
    assert_eq!(listed, described());
}
