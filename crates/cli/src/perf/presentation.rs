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
    /// Blocks that the user asked for, 0 if not in those words.
    pub blocks: u64,
    /// The buffer that the user asked for, bytes, 0 if none.
    pub window: u64,
    /// The type of service that the user asked for, 0 if none.
    pub tos: u8,
    /// The server's name and port, at the client.
    pub server: Option<(String, u16)>,
}

/// The amount of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// The table and its foot.
    #[default]
    Usual,
    /// Also what runs where, and what is tested.
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

/// A unit of rates, by iperf3's letter: bits with small ones, bytes with capitals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateUnit(char);

impl RateUnit {
    /// Reads a letter.
    ///
    /// # Errors
    /// It is none of iperf3's.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut letters = text.chars();
        match (letters.next(), letters.next()) {
            (Some(letter), None) if "kmgtKMGT".contains(letter) => Ok(Self(letter)),
            _ => Err("expected one of k, m, g, t, K, M, G, T".to_owned()),
        }
    }
}

impl Presentation {
    /// A rate for people.
    pub fn rate(&self, bits_per_second: f64) -> String {
        match self.unit {
            Some(RateUnit(letter)) => iperf_rate_in(bits_per_second, letter),
            None => iperf_rate(bits_per_second),
        }
    }

    /// Prints an event of a stream; nothing where a document is printed at the end.
    pub fn emit(&self, screen: &Screen, event: &str, data: &Value) {
        if self.emission == Emission::Stream && screen.output() == Output::Json {
            screen.line(&json!({ "event": event, "data": data }).to_string());
        }
    }
}
