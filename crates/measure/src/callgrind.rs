//! Instruction counts by valgrind: reproducible, whatever else the machine does.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Write};
use std::process::{Command, Stdio};

use crate::Row;

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

/// Instructions for some messages between two ends.
#[derive(Clone, Copy, Debug)]
pub struct Transfer {
    instructions: Instructions,
    /// Packets with data.
    packets: u64,
    /// Packets that the receiver sent.
    answers: u64,
    messages: u64,
}

/// User bytes of the warm-up, in which buffers grow.
const WARM: usize = 1 << 21;
/// User bytes of the measurement.
const COUNTED: usize = 1 << 22;

impl Transfer {
    /// Counts messages of `size` that `run` transfers, which prints the number of packets with data
    /// and that of answers last.
    /// Errors: the run failed, or printed something else.
    pub fn count(size: usize, run: impl Fn(usize) -> io::Result<Counted>) -> io::Result<Self> {
        let [warm, all] = [WARM, WARM + COUNTED].map(|bytes| bytes.div_ceil(size));
        let (short, long) = (run(warm)?, run(all)?);
        let (few, many) = (short.packets()?, long.packets()?);
        // Start-up and warm-up cancel out.
        Ok(Self {
            instructions: long.beyond(&short),
            packets: many[0] - few[0],
            answers: many[1] - few[1],
            messages: (all - warm) as u64,
        })
    }

    /// Instructions for a packet with data.
    pub fn per_packet(&self) -> f64 {
        self.instructions.total as f64 / self.packets as f64
    }

    /// Instructions for a message.
    pub fn per_message(&self) -> f64 {
        self.instructions.total as f64 / self.messages as f64
    }

    /// Adds the figures to a row.
    pub fn add_to(&self, row: Row) -> Row {
        let Instructions { total, checksum } = self.instructions;
        let [bare, checksum, answers] = [total - checksum, checksum, self.answers]
            .map(|count| count as f64 / self.packets as f64);
        let (packet, message) = (self.per_packet(), self.per_message());
        let (whole, two) = ((1.0, 0), (1.0, 2));
        row.figure(
            "instructions_per_packet_without_checksum",
            "without checksum",
            bare,
            whole,
        )
        .figure(
            "checksum_instructions_per_packet",
            "checksum",
            checksum,
            whole,
        )
        .figure("instructions_per_packet", "a packet", packet, whole)
        .figure("answers_per_packet", "answers a packet", answers, two)
        .figure("instructions_per_message", "a message", message, whole)
    }
}

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
    /// Errors: valgrind is missing or produced no counts.
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

    /// Packets with data, and answers, which the run printed last.
    fn packets(&self) -> io::Result<[u64; 2]> {
        let mut words = self.output.split_whitespace().rev().map(str::parse);
        match (words.next(), words.next()) {
            (Some(Ok(answers)), Some(Ok(packets))) => Ok([packets, answers]),
            _ => Err(io::Error::other(format!(
                "{:?} says no packets",
                self.output
            ))),
        }
    }

    /// Instructions of this run minus those of a shorter one.
    const fn beyond(&self, shorter: &Self) -> Instructions {
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
