use std::fmt::Write;

use clap::Args;
use serde_json::Value;
use sheave_sim::scenario::ScenarioError;

use crate::failure::Failure;

/// A link in words: each value is for both directions, or there and back by comma.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Link, instead of a file (VALUE or THERE,BACK)")]
pub struct LinkArgs {
    /// Delay of each packet, such as "20 ms"
    #[arg(long, value_name = "TIME")]
    delay: Option<String>,

    /// Uniform variation of the delay each way; the order is kept
    #[arg(long, value_name = "TIME")]
    variation: Option<String>,

    /// Share of packets that are lost, such as "1 %"
    #[arg(long, value_name = "SHARE")]
    loss: Option<String>,

    /// Share of packets that arrive with 1 to 16 wrong bits
    #[arg(long, value_name = "SHARE")]
    corruption: Option<String>,

    /// Share of packets that arrive twice
    #[arg(long, value_name = "SHARE")]
    duplication: Option<String>,

    /// Share of packets that are held back, and the time, such as "1 %:10 ms"
    #[arg(long, value_name = "SHARE:TIME")]
    reordering: Option<String>,

    /// Rate of the link, such as "10 Mbit/s"
    #[arg(long, value_name = "RATE")]
    rate: Option<String>,

    /// Queue length in packets; 100 by default
    #[arg(long, value_name = "PACKETS")]
    queue: Option<String>,

    /// Longest IP packet, bytes
    #[arg(long, value_name = "BYTES")]
    mtu: Option<String>,
}

/// Default queue length; without a limit, an overloaded link would only add delay.
const QUEUE: &str = "100";

impl LinkArgs {
    /// Whether no option is set.
    pub fn is_empty(&self) -> bool {
        self.values().iter().all(|(_, value)| value.is_none())
    }

    /// The link as TOML for the simulator.
    /// Errors: a value has more than two parts, or a share has no unit.
    pub fn toml(&self) -> Result<String, Failure> {
        let (mut there, mut back) = (String::new(), String::new());
        for (key, value) in self.values() {
            let usual = (key == "queue").then_some(QUEUE);
            let Some(value) = value.as_deref().or(usual) else {
                continue;
            };
            let mut parts = value.split(',').map(str::trim);
            let (one, other) = (parts.next().unwrap_or_default(), parts.next());
            if parts.next().is_some() {
                let what = format!("--{key}: one value, or two: there and back");
                return Err(Failure::usage(what));
            }
            for value in [one, other.unwrap_or(one)] {
                if SHARES.contains(&key) {
                    has_unit(key, value)?;
                }
                if key == "reordering" && !value.contains(':') {
                    let what = format!("--reordering {value}: the time is missing");
                    return Err(Failure::usage(what).fix(format!("write '{value}:10 ms'")));
                }
            }
            let put = |text: &mut String, value| {
                // Writing to a string cannot fail.
                let _ = writeln!(text, "{key} = {}", written(key, value));
            };
            put(&mut there, one);
            put(&mut back, other.unwrap_or(one));
        }
        Ok(format!("{there}[back]\n{back}"))
    }

    fn values(&self) -> [(&'static str, &Option<String>); 9] {
        [
            ("delay", &self.delay),
            ("variation", &self.variation),
            ("loss", &self.loss),
            ("corruption", &self.corruption),
            ("duplication", &self.duplication),
            ("reordering", &self.reordering),
            ("rate", &self.rate),
            ("queue", &self.queue),
            ("mtu", &self.mtu),
        ]
    }
}

/// The error text of the simulator for the command line.
pub fn complaint(mut error: ScenarioError) -> String {
    let flag = error.at.split('.').find(|key| *key != "back");
    error.at = flag.unwrap_or_default().to_owned();
    format!("--{error}")
}

/// Keys whose value begins with a share of packets.
const SHARES: [&str; 4] = ["loss", "corruption", "duplication", "reordering"];

/// Rejects a bare number: 1 could mean every packet, or 1 % as for tc.
fn has_unit(key: &str, value: &str) -> Result<(), Failure> {
    let share = value.split(':').next().unwrap_or(value);
    match share.trim().parse::<f64>() {
        Ok(number) if number != 0.0 => {
            let all = match number {
                ..=1.0 => format!(", or '{} %' for that part of one", number * 100.0),
                _ => String::new(),
            };
            let what = format!("--{key} {value}: a share of packets needs its unit");
            Err(Failure::usage(what).fix(format!("write '{number} %'{all}")))
        }
        _ => Ok(()),
    }
}

/// Formats a value as TOML.
fn written(key: &str, value: &str) -> String {
    match key {
        "variation" => format!("{{ kind = \"uniform\", spread = {} }}", text(value)),
        "corruption" => format!("{{ errors = {} }}", text(value)),
        "queue" => format!("{{ kind = \"drop-tail\", packets = {} }}", number(value)),
        "mtu" => number(value),
        "reordering" => {
            let (share, extra) = value.split_once(':').unwrap_or((value, ""));
            format!(
                "{{ probability = {}, extra = {} }}",
                text(share),
                text(extra)
            )
        }
        _ => text(value),
    }
}

/// A whole number; other values become text, so that the simulator reports the error.
fn number(value: &str) -> String {
    match value.parse::<u32>() {
        Ok(number) => number.to_string(),
        Err(_) => text(value),
    }
}

/// A TOML string; TOML accepts JSON escapes.
fn text(value: &str) -> String {
    Value::from(value.trim()).to_string()
}

#[cfg(test)]
mod tests;
