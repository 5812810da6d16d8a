//! Instruction counts by valgrind: reproducible, whatever else the machine does.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Write};
use std::process::{Command, Stdio};

/// Instructions of a program, counted by valgrind's callgrind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Instructions {
    /// Instructions of all functions.
    pub total: u64,
    /// Instructions of functions that compute CRCs, which depend on the processor's features. CRC
    /// code inlined into its caller is not included.
    pub checksum: u64,
}

/// A program's run under valgrind.
#[derive(Clone, Debug)]
pub struct Counted {
    /// Instructions of the run.
    pub instructions: Instructions,
    /// Standard output of the run.
    pub output: String,
}

/// Substring in the names of functions that compute checksums.
const CHECKSUM: &str = "crc";

impl Instructions {
    /// Parses a callgrind profile; `None` if it is malformed.
    #[must_use]
    pub fn parse(profile: &str) -> Option<Self> {
        let mut names: HashMap<&str, bool> = HashMap::new();
        let mut found = Self::default();
        let (mut is_checksum, mut is_call) = (false, false);
        for line in profile.lines() {
            if let Some(name) = line.strip_prefix("fn=") {
                is_checksum = takes_checksums(&mut names, name);
            } else if let Some(name) = line.strip_prefix("cfn=") {
                takes_checksums(&mut names, name);
            } else if line.starts_with("calls=") {
                is_call = true;
            } else if line
                .starts_with(|first: char| first.is_ascii_digit() || "+-*".contains(first))
            {
                // The line after a call has the callee's cost, which the callee's own lines also
                // count.
                let cost = line.split(' ').nth(1).and_then(|cost| cost.parse().ok());
                let cost = if is_call { 0 } else { cost.unwrap_or(0) };
                found.total += cost;
                found.checksum += if is_checksum { cost } else { 0 };
                is_call = false;
            }
        }
        (found.total > 0).then_some(found)
    }
}

/// Whether the function computes checksums. The profile names it `(12) its::name` first, and `(12)`
/// later.
fn takes_checksums<'a>(names: &mut HashMap<&'a str, bool>, name: &'a str) -> bool {
    match name.split_once(' ') {
        Some((number, name)) => {
            let takes = name.to_ascii_lowercase().contains(CHECKSUM);
            names.insert(number, takes);
            takes
        }
        None => names.get(name).copied().unwrap_or(false),
    }
}

impl Counted {
    /// Runs a command line under valgrind with `input` as standard input.
    ///
    /// # Errors
    /// valgrind is missing or produced no counts.
    pub fn run(words: &[String], input: &str) -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        let profile = folder.path().join("profile");
        let mut child = Command::new("valgrind")
            .args(["--tool=callgrind", "-q"])
            .arg(format!("--callgrind-out-file={}", profile.display()))
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        if let Some(mut orders) = child.stdin.take() {
            orders.write_all(input.as_bytes())?;
        }
        let output = child.wait_with_output()?;
        let instructions = Instructions::parse(&fs::read_to_string(profile)?);
        Ok(Self {
            instructions: instructions.ok_or_else(|| io::Error::other("valgrind did not count"))?,
            output: String::from_utf8_lossy(&output.stdout).into_owned(),
        })
    }

    /// Instructions of this run minus those of a shorter one.
    #[must_use]
    pub const fn beyond(&self, shorter: &Self) -> Instructions {
        let (all, less) = (self.instructions, shorter.instructions);
        Instructions {
            total: all.total.saturating_sub(less.total),
            checksum: all.checksum.saturating_sub(less.checksum),
        }
    }
}

/// Version of valgrind, if installed.
#[must_use]
pub fn valgrind() -> Option<String> {
    let output = Command::new("valgrind").arg("--version").output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests;
