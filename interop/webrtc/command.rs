//! Commands, read from a line.

use std::error::Error;
use std::str::FromStr;

use serde_json::Value;

use crate::channels::Message;
use crate::program::Outcome;

/// What the program is told to do.
pub(crate) enum Command {
    Offer,
    Offered(String),
    Answered(String),
    Open {
        label: String,
        options: Options,
    },
    Send {
        label: String,
        message: Message,
        count: usize,
    },
    Close(String),
    Low {
        label: String,
        bytes: u32,
    },
}

/// The properties of a channel to be opened.
pub(crate) struct Options {
    pub(crate) ordered: bool,
    pub(crate) retransmits: Option<u16>,
    /// Milliseconds.
    pub(crate) lifetime: Option<u16>,
    pub(crate) protocol: String,
    /// The id that both ends agreed on.
    pub(crate) id: Option<u16>,
}

impl FromStr for Command {
    type Err = Box<dyn Error>;

    fn from_str(line: &str) -> Outcome<Self> {
        let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
        let words: Vec<&str> = rest.split_whitespace().collect();
        match (verb, &words[..]) {
            ("offer", _) => Ok(Self::Offer),
            ("offered", _) => Ok(Self::Offered(sdp(rest)?)),
            ("answered", _) => Ok(Self::Answered(sdp(rest)?)),
            ("open", [label, words @ ..]) => Ok(Self::Open {
                label: (*label).to_owned(),
                options: options(words)?,
            }),
            ("send", [label, kind, size, count]) => Ok(Self::Send {
                label: (*label).to_owned(),
                message: Message::letters(*kind == "text", size.parse()?),
                count: count.parse()?,
            }),
            ("close", [label]) => Ok(Self::Close((*label).to_owned())),
            ("low", [label, bytes]) => Ok(Self::Low {
                label: (*label).to_owned(),
                bytes: bytes.parse()?,
            }),
            _ => Err(format!("command {verb}").into()),
        }
    }
}

/// The description in a line of JSON.
fn sdp(text: &str) -> Outcome<String> {
    let json: Value = serde_json::from_str(text)?;
    let sdp = json["sdp"].as_str().ok_or("a description without `sdp`")?;
    Ok(sdp.to_owned())
}

fn options(words: &[&str]) -> Outcome<Options> {
    let mut options = Options {
        ordered: true,
        retransmits: None,
        lifetime: None,
        protocol: String::new(),
        id: None,
    };
    for word in words {
        match word.split_once('=').unwrap_or((word, "")) {
            ("unordered", _) => options.ordered = false,
            ("retransmits", value) => options.retransmits = Some(value.parse()?),
            ("lifetime", value) => options.lifetime = Some(value.parse()?),
            ("protocol", value) => options.protocol = value.to_owned(),
            ("id", value) => options.id = Some(value.parse()?),
            _ => return Err(format!("option {word}").into()),
        }
    }
    Ok(options)
}
