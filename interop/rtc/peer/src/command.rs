//! Commands, read from a line.

use std::error::Error;
use std::str::FromStr;

use rtc::data_channel::RTCDataChannelInit;

use crate::channels::Message;
use crate::{Outcome, sdp};

/// What the program is told to do.
pub(crate) enum Command {
    Offer,
    Offered(String),
    Answered(String),
    Open {
        label: String,
        options: RTCDataChannelInit,
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

fn options(words: &[&str]) -> Outcome<RTCDataChannelInit> {
    let mut options = RTCDataChannelInit::default();
    for word in words {
        match word.split_once('=').unwrap_or((word, "")) {
            ("unordered", _) => options.ordered = false,
            ("retransmits", value) => options.max_retransmits = Some(value.parse()?),
            ("lifetime", value) => options.max_packet_life_time = Some(value.parse()?),
            ("protocol", value) => options.protocol = value.to_owned(),
            ("id", value) => options.negotiated = Some(value.parse()?),
            _ => return Err(format!("option {word}").into()),
        }
    }
    Ok(options)
}
