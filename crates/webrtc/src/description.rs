//! Session descriptions (SDP, RFC 8866), as far as data channels need them (RFC 8841).

mod parse;

use std::fmt;

use base64ct::{Base64, Encoding};
use sheave::dtls::Fingerprint;

use crate::IceMode;

/// Bytes of the longest description that is taken.
const LONGEST: usize = 64 << 10;

/// The `max-message-size` of a peer that says nothing (RFC 8841 §6.1).
const USUAL_MESSAGE_SIZE: usize = 64 << 10;

/// The DTLS role that an end offers or takes (RFC 8842 §5.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Setup {
    /// Either, as the answerer likes.
    ActPass,
    /// DTLS client.
    Active,
    /// DTLS server.
    Passive,
}

/// An end's description: its half of what both ends have to know before they can connect.
///
/// The text form is SDP with one section for data channels; other sections of an offer are refused in
/// the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// Name of the ICE credentials.
    pub ufrag: String,
    /// Password of the ICE credentials.
    pub password: String,
    /// The part in ICE.
    pub ice: IceMode,
    /// Hashes of the certificate; one of them must fit.
    pub fingerprints: Vec<Fingerprint>,
    /// The DTLS role.
    pub setup: Setup,
    /// The SCTP port inside DTLS.
    pub sctp_port: u16,
    /// Bytes of the longest message that the end takes; 0: any.
    pub max_message_size: usize,
    /// The INIT chunk of an end that can do without the SCTP handshake
    /// (draft-hancke-tsvwg-snap).
    pub sctp_init: Option<Vec<u8>>,
    /// The candidates, each the text behind `a=`.
    pub candidates: Vec<String>,
    /// The sections, one of which is that of the data channels.
    pub(crate) sections: Vec<Section>,
}

/// A media section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    /// The data channels, with their `mid`.
    Data { mid: String },
    /// Anything else: its `m=` line, for an answer that refuses it.
    Other {
        media: String,
        protocol: String,
        formats: String,
        mid: Option<String>,
    },
}

/// A text is no description of an end with data channels.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DescriptionError {
    /// It is longer than 64 KiB.
    TooLong,
    /// It has no section for data channels over DTLS, or refuses the one it has.
    NoDataChannels,
    /// An attribute is missing.
    Missing(&'static str),
    /// An attribute's value makes no sense.
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
    /// SDP, with CRLF at the end of each line.
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
                Section::Data { mid } => self.write_section(f, mid)?,
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
    /// The `mid` of the section of the data channels.
    fn mid(&self) -> Option<&str> {
        self.sections.iter().find_map(|section| match section {
            Section::Data { mid } => Some(mid.as_str()),
            Section::Other { .. } => None,
        })
    }

    fn write_section(&self, f: &mut fmt::Formatter<'_>, mid: &str) -> fmt::Result {
        write!(f, "m=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\n")?;
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
