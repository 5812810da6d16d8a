//! Session descriptions (SDP, RFC 8866), limited to data channels (RFC 8841).

mod parse;

use std::fmt;

use base64ct::{Base64, Encoding};
use sheave::dtls::Fingerprint;

use crate::IceMode;

/// Longest accepted description, bytes.
const LONGEST: usize = 64 << 10;

/// The `max-message-size` of a peer that states none (RFC 8841 §6.1).
const USUAL_MESSAGE_SIZE: usize = 64 << 10;

/// The DTLS role that an end offers or chooses (RFC 8842 §5.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Setup {
    /// Either; the answerer chooses.
    ActPass,
    /// DTLS client.
    Active,
    /// DTLS server.
    Passive,
}

/// A description: what one end must know about the other before they can connect.
///
/// The text form is SDP with one section for data channels; other sections of an offer are rejected
/// in the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// ICE username fragment.
    pub ufrag: String,
    /// ICE password.
    pub password: String,
    /// The ICE role.
    pub ice: IceMode,
    /// Certificate fingerprints; one of these must match.
    pub fingerprints: Vec<Fingerprint>,
    /// The DTLS role.
    pub setup: Setup,
    /// The SCTP port inside DTLS.
    pub sctp_port: u16,
    /// Longest message that the end accepts, bytes; 0 means no limit.
    pub max_message_size: usize,
    /// The INIT chunk of an end that supports association without a handshake
    /// (draft-hancke-tsvwg-snap).
    pub sctp_init: Option<Vec<u8>>,
    /// The candidates: the text after `a=`.
    pub candidates: Vec<String>,
    /// The media sections; one of these is for data channels.
    pub(crate) sections: Vec<Section>,
}

/// A media section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    /// The section for data channels: its `mid`, and its protocol, which an answer repeats (RFC 8829
    /// §5.3.1).
    Data { mid: String, protocol: String },
    /// Another section: its `m=` line, for rejection in an answer.
    Other {
        media: String,
        protocol: String,
        formats: String,
        mid: Option<String>,
    },
}

/// The reason why a text is not a valid description.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DescriptionError {
    /// The text exceeds 64 KiB.
    TooLong,
    /// No section for data channels over DTLS, or a rejected one.
    NoDataChannels,
    /// A required attribute is missing.
    Missing(&'static str),
    /// An attribute has an invalid value.
    Bad(&'static str),
}

impl fmt::Display for DescriptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong => f.write_str("the description is longer than 64 KiB"),
            Self::NoDataChannels => f.write_str(
                "the description has no data channels (m=application … webrtc-datachannel)",
            ),
            Self::Missing(name) => write!(f, "the description has no a={name}"),
            Self::Bad(name) => write!(f, "the description's a={name} makes no sense"),
        }
    }
}

impl std::error::Error for DescriptionError {}

impl fmt::Display for Description {
    /// Formats as SDP with CRLF line endings.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\n")?;
        if let Some(mid) = self.mid() {
            write!(f, "a=group:BUNDLE {mid}\r\n")?;
        }
        if self.ice == IceMode::Lite {
            write!(f, "a=ice-lite\r\n")?;
        }
        for section in &self.sections {
            match section {
                Section::Data { mid, protocol } => self.write_section(f, mid, protocol)?,
                Section::Other {
                    media,
                    protocol,
                    formats,
                    mid,
                } => {
                    write!(
                        f,
                        "m={media} 0 {protocol} {formats}\r\nc=IN IP4 0.0.0.0\r\n"
                    )?;
                    if let Some(mid) = mid {
                        write!(f, "a=mid:{mid}\r\n")?;
                    }
                    write!(f, "a=inactive\r\n")?;
                }
            }
        }
        Ok(())
    }
}

impl Description {
    /// The `mid` of the data channel section.
    fn mid(&self) -> Option<&str> {
        self.sections.iter().find_map(|section| match section {
            Section::Data { mid, .. } => Some(mid.as_str()),
            Section::Other { .. } => None,
        })
    }

    fn write_section(&self, f: &mut fmt::Formatter<'_>, mid: &str, protocol: &str) -> fmt::Result {
        write!(f, "m=application 9 {protocol} webrtc-datachannel\r\n")?;
        write!(f, "c=IN IP4 0.0.0.0\r\na=mid:{mid}\r\n")?;
        write!(f, "a=ice-ufrag:{}\r\n", self.ufrag)?;
        write!(f, "a=ice-pwd:{}\r\n", self.password)?;
        for fingerprint in &self.fingerprints {
            write!(f, "a=fingerprint:sha-256 {fingerprint}\r\n")?;
        }
        let setup = match self.setup {
            Setup::ActPass => "actpass",
            Setup::Active => "active",
            Setup::Passive => "passive",
        };
        write!(f, "a=setup:{setup}\r\na=sctp-port:{}\r\n", self.sctp_port)?;
        write!(f, "a=max-message-size:{}\r\n", self.max_message_size)?;
        if let Some(init) = &self.sctp_init {
            write!(f, "a=sctp-init:{}\r\n", Base64::encode_string(init))?;
        }
        for candidate in &self.candidates {
            write!(f, "a={candidate}\r\n")?;
        }
        write!(f, "a=end-of-candidates\r\n")
    }
}

#[cfg(test)]
mod tests;
