//! Commands, read from a line.

use std::error::Error;
use std::str::FromStr;

use str0m::channel::{ChannelConfig, Reliability};

use crate::channels::Message;
use crate::{Outcome, sdp};

/// What the program is told to do.
pub(crate) enum Command {
    Offer,
    Offered(String),
    Answered(String),
    Open(ChannelConfig),
    Send {
        label: String,
        message: Message,
        count: usize,
    },
    Close(String),
    Low {
        label: String,
        bytes: usize,
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
            ("open", [label, options @ ..]) => Ok(Self::Open(config(label, options)?)),
            ("send", [label, kind, size, count]) => Ok(Self::Send {
                label: (*label).to_owned(),
                message: Message::letters(*kind != "text", size.parse()?),
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

fn config(label: &str, options: &[&str]) -> Outcome<ChannelConfig> {
    let mut chosen = ChannelConfig {
        label: label.to_owned(),
        ..ChannelConfig::default()
    };
    for option in options {
        match option.split_once('=').unwrap_or((option, "")) {
            ("unordered", _) => chosen.ordered = false,
            ("retransmits", value) => {
                let retransmits = value.parse()?;
                chosen.reliability = Reliability::MaxRetransmits { retransmits };
            }
            ("lifetime", value) => {
                let lifetime = value.parse()?;
                chosen.reliability = Reliability::MaxPacketLifetime { lifetime };
            }
            ("protocol", value) => chosen.protocol = value.to_owned(),
            ("id", value) => chosen.negotiated = Some(value.parse()?),
            _ => return Err(format!("option {option}").into()),
        }
    }
    Ok(chosen)
}
