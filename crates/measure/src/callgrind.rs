//! Instructions, counted by valgrind: the same on every run, whatever else the machine does.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Write};
use std::process::{Command, Stdio};

/// Instructions of a program, as valgrind's callgrind counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Instructions {
    /// Instructions of all functions.
    pub total: u64,
    /// Instructions of functions that compute CRCs: their number depends on the processor's
    /// features. A CRC function that the compiler inlined into its caller is not counted.
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

/// The substring by which functions that compute checksums are recognised.
const CHECKSUM: &str = "crc";

impl Instructions {
    /// Reads what callgrind wrote; nothing if it wrote something else.
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
                // What follows a call is what the callee cost, which stands in its own lines, too.
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

/// Whether the function takes checksums: `(12) its::name`, and later `(12)` alone.
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
    /// Runs a program with these words under valgrind, with `input` as its standard input.
    ///
    /// # Errors
    /// There is no valgrind, or it did not count.
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

    /// The instructions of this run less those of a shorter one.
    #[must_use]
    pub const fn beyond(&self, shorter: &Self) -> Instructions {
        let (all, less) = (self.instructions, shorter.instructions);
        Instructions {
            total: all.total.saturating_sub(less.total),
            checksum: all.checksum.saturating_sub(less.checksum),
        }
    }
}

/// The version string of valgrind, if it is installed.
#[must_use]
pub fn valgrind() -> Option<String> {
    let output = Command::new("valgrind").arg("--version").output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests;
