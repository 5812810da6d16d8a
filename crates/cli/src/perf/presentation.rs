//! The presentation of results.

use serde_json::{Value, json};

use crate::screen::{Output, Screen};
use crate::units::{iperf_rate, iperf_rate_in};

/// The presentation of results.
#[derive(Clone, Debug, Default)]
pub struct Presentation {
    /// The unit of rates; `None` picks one for each.
    pub unit: Option<RateUnit>,
    /// The amount of text.
    pub detail: Detail,
    /// The form of JSON.
    pub emission: Emission,
    /// The user's title of the test.
    pub title: Option<String>,
    /// The user's text for the document.
    pub extra_data: Option<String>,
    /// Number of blocks requested with -k, 0 otherwise.
    pub blocks: u64,
    /// Requested buffer, bytes, 0 if none.
    pub window: u64,
    /// Requested type of service, 0 if none.
    pub tos: u8,
    /// The server's name and port, on the client.
    pub server: Option<(String, u16)>,
}

/// The amount of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// The table and its summary.
    #[default]
    Usual,
    /// Also the environment and the plan.
    Verbose,
}

/// The form of JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Emission {
    /// A single document at the end.
    #[default]
    Document,
    /// A line for each event.
    Stream,
}

/// iperf3's letter for a unit of rates: lower case for bits, upper case for bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateUnit(char);

impl RateUnit {
    /// Parses a letter.
    /// Errors: the letter is not one of iperf3's.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut letters = text.chars();
        match (letters.next(), letters.next()) {
            (Some(letter), None) if "kmgtKMGT".contains(letter) => Ok(Self(letter)),
            _ => Err("expected one of k, m, g, t, K, M, G, T".to_owned()),
        }
    }
}

impl Presentation {
    /// Formats a rate.
    pub fn rate(&self, bits_per_second: f64) -> String {
        match self.unit {
            Some(RateUnit(letter)) => iperf_rate_in(bits_per_second, letter),
            None => iperf_rate(bits_per_second),
        }
    }

    /// Prints an event in stream mode; does nothing otherwise.
    pub fn emit(&self, screen: &Screen, event: &str, data: &Value) {
        if self.emission == Emission::Stream && screen.output() == Output::Json {
            screen.line(&json!({ "event": event, "data": data }).to_string());
        }
    }
}
