//! `docs/pictures/throughput.svg`: the throughput of each stack, from the samples of `cargo bench`.

mod drawing;

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::Path;

use serde_json::Value;

use self::drawing::{Bar, Group};

const PICTURE: &str = "docs/pictures/throughput.svg";

/// The message sizes that are drawn, bytes, with their names.
const SIZES: [(u64, &str); 4] = [
    (64, "64 B"),
    (1 << 10, "1 KiB"),
    (8 << 10, "8 KiB"),
    (64 << 10, "64 KiB"),
];

/// The samples of each stack for each message size, MB of user data per CPU-second; stacks in the
/// order in which they were measured.
#[derive(Debug, Default)]
struct Samples {
    stacks: Vec<String>,
    values: BTreeMap<(u64, String), Vec<f64>>,
}

/// Draws the samples that `cargo bench -- throughput --json FILE` left in the file.
/// Errors: the file cannot be read, or holds no sample of the table.
pub(crate) fn draw(root: &Path, samples: &str) -> Result<&'static str, Box<dyn Error>> {
    let chart = chart(&fs::read_to_string(samples)?)?;
    fs::write(root.join(PICTURE), chart)?;
    Ok(PICTURE)
}

fn chart(text: &str) -> Result<String, Box<dyn Error>> {
    let samples = Samples::read(text)?;
    if samples.stacks.is_empty() {
        return Err("no samples of the table throughput: cargo bench -- throughput".into());
    }
    let groups: Vec<Group> = SIZES
        .iter()
        .map(|(bytes, name)| samples.group(*bytes, name))
        .filter(|group| !group.bars.is_empty())
        .collect();
    Ok(drawing::svg(&samples.stacks, &groups))
}

impl Samples {
    /// Lines hold a JSON object each; those of other tables are passed over.
    fn read(text: &str) -> Result<Self, serde_json::Error> {
        let mut samples = Self::default();
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            samples.add(&serde_json::from_str(line)?);
        }
        Ok(samples)
    }

    fn add(&mut self, sample: &Value) {
        let figures = (
            sample["table"].as_str(),
            sample["stack"].as_str(),
            sample["message_bytes"].as_u64(),
            sample["bytes_per_cpu_second"].as_f64(),
        );
        let (Some("throughput"), Some(stack), Some(bytes), Some(speed)) = figures else {
            return;
        };
        if !self.stacks.iter().any(|known| known == stack) {
            self.stacks.push(stack.to_owned());
        }
        let values = self.values.entry((bytes, stack.to_owned())).or_default();
        values.push(speed / 1e6);
    }

    fn group(&self, bytes: u64, name: &'static str) -> Group {
        let bars = self.stacks.iter().enumerate().filter_map(|(stack, name)| {
            let mut values = self.values.get(&(bytes, name.clone()))?.clone();
            values.sort_by(f64::total_cmp);
            Some(Bar {
                stack,
                least: *values.first()?,
                median: *values.get(values.len() / 2)?,
                greatest: *values.last()?,
            })
        });
        Group {
            name,
            bars: bars.collect(),
        }
    }
}

#[cfg(test)]
mod tests;
