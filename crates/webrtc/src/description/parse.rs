use std::num::IntErrorKind;
use std::str::FromStr;

use base64ct::{Base64, Encoding};
use sheave::dtls::Fingerprint;

use super::{Description, DescriptionError, LONGEST, Section, Setup, USUAL_MESSAGE_SIZE};
use crate::IceMode;

/// Most candidates kept.
const MOST_CANDIDATES: usize = 64;

/// Most sections kept.
const MOST_SECTIONS: usize = 64;

/// Attributes of the session or of a section: the text after `a=`.
#[derive(Default)]
struct Attributes<'a>(Vec<&'a str>);

impl<'a> Attributes<'a> {
    /// The values of an attribute.
    fn all(&self, name: &str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter_map(move |attribute| {
            let rest = attribute.strip_prefix(name)?;
            Some(rest.strip_prefix(':')?.trim())
        })
    }

    fn first(&self, name: &str) -> Option<&'a str> {
        self.all(name).next()
    }

    fn has(&self, flag: &str) -> bool {
        self.0.iter().any(|attribute| attribute.trim() == flag)
    }
}

/// A parsed section: its `m=` line and its attributes.
struct Read<'a> {
    line: &'a str,
    attributes: Attributes<'a>,
}

impl Read<'_> {
    /// Whether the section is for data channels and not rejected.
    fn is_data(&self) -> bool {
        let mut words = self.line.split_ascii_whitespace();
        let media = words.next() == Some("application");
        let port = words.next().is_some_and(|port| port != "0");
        // RFC 8841 §4; some stacks write TCP/DTLS/SCTP with the same meaning.
        let protocol = words.next().is_some_and(|it| it.ends_with("/DTLS/SCTP"));
        media && port && protocol && words.next() == Some("webrtc-datachannel")
    }

    fn section(&self, position: usize) -> Section {
        let mid = self.attributes.first("mid").map(str::to_owned);
        let mut words = self.line.split_ascii_whitespace();
        let media = words.next().unwrap_or("audio").to_owned();
        let protocol = words.nth(1).unwrap_or("UDP/TLS/RTP/SAVPF").to_owned();
        if self.is_data() {
            let mid = mid.unwrap_or_else(|| position.to_string());
            return Section::Data { mid, protocol };
        }
        let formats: Vec<&str> = words.collect();
        Section::Other {
            media,
            protocol,
            formats: if formats.is_empty() {
                "0".to_owned()
            } else {
                formats.join(" ")
            },
            mid,
        }
    }
}

impl FromStr for Description {
    type Err = DescriptionError;

    fn from_str(text: &str) -> Result<Self, DescriptionError> {
        if text.len() > LONGEST {
            return Err(DescriptionError::TooLong);
        }
        let (session, mut sections) = split(text);
        sections.truncate(MOST_SECTIONS);
        let data = sections.iter().position(Read::is_data);
        let data = data.ok_or(DescriptionError::NoDataChannels)?;
        let own = &sections[data].attributes;
        let find = |name| own.first(name).or_else(|| session.first(name));
        let must = |name| find(name).ok_or(DescriptionError::Missing(name));
        let lite = session.has("ice-lite") || own.has("ice-lite");
        let sections = sections.iter().enumerate().map(|(position, read)| {
            match read.section(position) {
                // A second data channel section is rejected.
                Section::Data { mid, protocol } if position != data => Section::Other {
                    media: "application".to_owned(),
                    protocol,
                    formats: "webrtc-datachannel".to_owned(),
                    mid: Some(mid),
                },
                section => section,
            }
        });
        Ok(Self {
            ufrag: must("ice-ufrag")?.to_owned(),
            password: must("ice-pwd")?.to_owned(),
            ice: if lite { IceMode::Lite } else { IceMode::Full },
            fingerprints: fingerprints(own, &session)?,
            setup: setup(find("setup"))?,
            sctp_port: number(find("sctp-port"), "sctp-port")?.unwrap_or(5000),
            max_message_size: message_size(find("max-message-size"))?,
            sctp_init: find("sctp-init")
                .map(Base64::decode_vec)
                .transpose()
                .map_err(|_| DescriptionError::Bad("sctp-init"))?,
            candidates: own
                .all("candidate")
                .take(MOST_CANDIDATES)
                .map(|candidate| format!("candidate:{candidate}"))
                .collect(),
            sections: sections.collect(),
        })
    }
}

fn split(text: &str) -> (Attributes<'_>, Vec<Read<'_>>) {
    let mut session = Attributes::default();
    let mut sections: Vec<Read<'_>> = Vec::new();
    for line in text.lines() {
        if let Some(line) = line.strip_prefix("m=") {
            let attributes = Attributes::default();
            sections.push(Read { line, attributes });
        } else if let Some(attribute) = line.strip_prefix("a=") {
            let place = sections.last_mut().map(|section| &mut section.attributes);
            place.unwrap_or(&mut session).0.push(attribute);
        }
    }
    (session, sections)
}

/// The SHA-256 fingerprints; other hash functions are not supported.
fn fingerprints(
    own: &Attributes<'_>,
    session: &Attributes<'_>,
) -> Result<Vec<Fingerprint>, DescriptionError> {
    let both = own.all("fingerprint").chain(session.all("fingerprint"));
    let known = both.filter_map(|value| {
        let (function, hash) = value.split_once(' ')?;
        function.eq_ignore_ascii_case("sha-256").then_some(hash)
    });
    let parsed: Result<Vec<Fingerprint>, _> = known.map(str::parse).collect();
    match parsed {
        Ok(found) if found.is_empty() => Err(DescriptionError::Missing("fingerprint:sha-256")),
        Ok(found) => Ok(found),
        Err(_) => Err(DescriptionError::Bad("fingerprint")),
    }
}

fn setup(value: Option<&str>) -> Result<Setup, DescriptionError> {
    match value {
        Some("actpass") => Ok(Setup::ActPass),
        Some("active") => Ok(Setup::Active),
        Some("passive") => Ok(Setup::Passive),
        Some(_) => Err(DescriptionError::Bad("setup")),
        None => Err(DescriptionError::Missing("setup")),
    }
}

/// The largest message that the peer takes; RFC 8841 §6.1 bounds the number by nothing.
fn message_size(value: Option<&str>) -> Result<usize, DescriptionError> {
    match value.map(str::parse) {
        None => Ok(USUAL_MESSAGE_SIZE),
        Some(Ok(bytes)) => Ok(bytes),
        Some(Err(error)) if *error.kind() == IntErrorKind::PosOverflow => Ok(usize::MAX),
        Some(Err(_)) => Err(DescriptionError::Bad("max-message-size")),
    }
}

fn number<N: FromStr>(
    value: Option<&str>,
    name: &'static str,
) -> Result<Option<N>, DescriptionError> {
    let parsed = value.map(str::parse).transpose();
    parsed.map_err(|_| DescriptionError::Bad(name))
}
