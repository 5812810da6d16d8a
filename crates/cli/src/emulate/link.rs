use std::fmt::Write;

use clap::Args;
use serde_json::Value;

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

    /// Packets that may wait to be sent; 100 if not given
    #[arg(long, value_name = "PACKETS")]
    queue: Option<String>,

    /// Longest IP packet, bytes
    #[arg(long, value_name = "BYTES")]
    mtu: Option<String>,
}

/// Packets that may wait where nothing is said: without a limit a full link would only get slower.
const QUEUE: &str = "100";

impl LinkArgs {
    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        self.values().iter().all(|(_, value)| value.is_none())
    }

    /// The link as the simulator reads it.
    ///
    /// # Errors
    /// A value has more than two parts, or a share has no unit.
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
            if SHARES.contains(&key) {
                has_unit(key, one)?;
                has_unit(key, other.unwrap_or(one))?;
            }
            let put = |text: &mut String, value| {
                // Writing to a string does not fail.
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

/// Keys that begin with a share of packets.
const SHARES: [&str; 4] = ["loss", "corruption", "duplication", "reordering"];

/// A bare number is refused: 1 is all packets to a program that counts shares, and 1 % to tc.
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

/// A value as TOML has it.
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

/// A whole number; anything else as text, for the simulator to say what is wrong.
fn number(value: &str) -> String {
    match value.parse::<u32>() {
        Ok(number) => number.to_string(),
        Err(_) => text(value),
    }
}

/// A TOML string: TOML reads JSON's escapes, too.
fn text(value: &str) -> String {
    Value::from(value.trim()).to_string()
}

#[cfg(test)]
mod tests;
