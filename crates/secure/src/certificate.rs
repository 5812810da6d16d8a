//! Facts about a certificate.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use aws_lc_rs::digest;
use rustls::pki_types::{CertificateDer, UnixTime};
use webpki::{EndEntityCert, Error, KeyUsage};

use crate::suite::from_hex;

/// SHA-256 of a certificate in DER.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint(pub [u8; 32]);

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, byte) in self.0.iter().enumerate() {
            let colon = if place == 0 { "" } else { ":" };
            write!(f, "{colon}{byte:02X}")?;
        }
        Ok(())
    }
}

/// A text that is no fingerprint of 32 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadFingerprint;

impl fmt::Display for BadFingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("must be a SHA-256 fingerprint: 64 hexadecimal digits, with or without colons")
    }
}

impl std::error::Error for BadFingerprint {}

impl FromStr for Fingerprint {
    type Err = BadFingerprint;

    fn from_str(text: &str) -> Result<Self, BadFingerprint> {
        let bytes = from_hex(&text.replace(':', "")).and_then(|bytes| bytes.try_into().ok());
        bytes.map(Self).ok_or(BadFingerprint)
    }
}

/// Fingerprint of a certificate in DER.
pub(crate) fn fingerprint(der: &[u8]) -> Fingerprint {
    let mut bytes = [0; 32];
    bytes.copy_from_slice(digest::digest(&digest::SHA256, der).as_ref());
    Fingerprint(bytes)
}

/// Fingerprint of a certificate's subject and DNS names, which must not change while an association
/// lives (draft-porfiri-tsvwg-sctp-dtls-handshake-01 §3.3); without any, of the certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Subject(pub(crate) Fingerprint);

impl Subject {
    /// Reads a certificate in DER.
    pub(crate) fn of(certificate: &CertificateDer<'_>) -> Result<Self, Error> {
        let parsed = EndEntityCert::try_from(certificate)?;
        let mut names = parsed.subject().to_vec();
        for name in parsed.valid_dns_names() {
            names.push(0);
            names.extend_from_slice(name.as_bytes());
        }
        let is_nameless = names.is_empty();
        Ok(Self(fingerprint(match is_nameless {
            true => certificate,
            false => &names,
        })))
    }
}

/// Time until a certificate ends, zero if it has; `None` if it is malformed.
pub(crate) fn time_left(certificate: &CertificateDer<'_>, now: UnixTime) -> Option<Duration> {
    let parsed = EndEntityCert::try_from(certificate).ok()?;
    // The validity period is checked first, and the error states its end.
    let far = UnixTime::since_unix_epoch(Duration::from_secs(u64::MAX));
    let verified = parsed.verify_for_usage(&[], &[], &[], far, KeyUsage::server_auth(), None, None);
    match verified.err()? {
        Error::CertExpired { not_after, .. } => {
            let left = not_after.as_secs().saturating_sub(now.as_secs());
            Some(Duration::from_secs(left))
        }
        _ => None,
    }
}
