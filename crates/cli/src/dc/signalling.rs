//! Offers and answers as text: the JSON of a browser's `RTCSessionDescription`.

use std::io::{self, BufRead, Read};

use serde_json::{Value, json};
use sheave_webrtc::Description;

use crate::failure::{Failure, While};

/// Longest description on standard input, bytes.
const LONGEST: u64 = 128 << 10;

/// The kind of a description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    Offer,
    Answer,
}

impl Signal {
    const fn name(self) -> &'static str {
        match self {
            Self::Offer => "offer",
            Self::Answer => "answer",
        }
    }
}

/// The description as a line of JSON.
pub fn to_json(kind: Signal, description: &Description) -> String {
    json!({ "type": kind.name(), "sdp": description.to_string() }).to_string()
}

/// Parses a description from JSON or plain SDP.
/// Errors: the text is neither, or has another type.
pub fn parse(kind: Signal, text: &str) -> Result<Description, Failure> {
    let name = kind.name();
    let fix = format!(
        "give the line that the other end printed: {{\"type\":\"{name}\",\"sdp\":\"...\"}}"
    );
    let sdp = match serde_json::from_str::<Value>(text.trim()) {
        Ok(value) if value["type"] != name => {
            let found = value["type"].as_str().unwrap_or("something else");
            return Err(Failure::new(format!("an {name} is needed, and this is {found}")).fix(fix));
        }
        Ok(value) => value["sdp"].as_str().unwrap_or_default().to_owned(),
        Err(_) => text.to_owned(),
    };
    sdp.parse()
        .map_err(|error| Failure::new(format!("{name}: {error}")).fix(fix))
}

/// Reads a description from standard input: one line of JSON, or SDP up to an empty line.
pub fn read(kind: Signal) -> Result<Description, Failure> {
    let mut text = String::new();
    for line in io::stdin().lock().take(LONGEST).lines() {
        let line = line.while_doing("standard input")?;
        let is_json = line.trim_start().starts_with('{');
        if line.trim().is_empty() && !text.is_empty() {
            break;
        }
        text.push_str(&line);
        text.push('\n');
        if is_json {
            break;
        }
    }
    parse(kind, &text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_where_an_offer_is_needed_is_named() {
        let failure = parse(Signal::Offer, r#"{"type":"answer","sdp":""}"#).unwrap_err();
        assert!(failure.what.contains("this is answer"), "{failure}");
    }

    #[test]
    fn nonsense_is_no_description() {
        for text in ["", "hello", "{}", "[1]", r#"{"type":"offer"}"#] {
            assert!(parse(Signal::Offer, text).is_err(), "{text}");
        }
    }
}
