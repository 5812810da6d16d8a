//! Faults of key management.

use std::fmt;

use rustls::{AlertDescription, CertificateError, Error};
use sheave_engine::ProtectionError;

use crate::WrongLength;

/// The reason why an association cannot be protected, or no longer, and must be aborted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// The peer does not protect packets.
    Unprotected,
    /// The ends have no way of key management in common: certificates, or a shared secret.
    NotAgreed,
    /// The peer has sent no certificate.
    NoCertificate,
    /// None of our authorities has signed the peer's certificate.
    UnknownAuthority,
    /// The validity of the peer's certificate has ended.
    Expired,
    /// The validity of the peer's certificate has not begun.
    NotYetValid,
    /// The peer's certificate holds none of the expected names.
    WrongName,
    /// The peer's certificate is malformed, or not for this use.
    BadCertificate(String),
    /// The peer of a rekeying is another than the peer at the start.
    OtherIdentity,
    /// The peer has refused our certificate; the reason is its alert.
    Refused(&'static str),
    /// The TLS handshake failed for another reason.
    Tls(String),
    /// The first handshake, or a rekeying that was due, was not completed in time.
    TimedOut,
    /// A certificate has ended, and no handshake with a newer one has taken place.
    CertificateEnded,
    /// A message of the peer's key manager is malformed or out of turn.
    Message,
    /// The peer has another secret, or was told something else than was sent.
    OtherSecret,
    /// The engine refused keys.
    Keys(ProtectionError),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unprotected => "the peer does not protect packets",
            Self::NotAgreed => {
                "the two ends have not agreed on how they get keys: by certificates, or by a secret"
            }
            Self::OtherSecret => "the two ends have different secrets",
            Self::NoCertificate => "the peer has sent no certificate",
            Self::UnknownAuthority => {
                "none of the authorities that are trusted has signed the peer's certificate"
            }
            Self::Expired => "the peer's certificate has expired",
            Self::NotYetValid => "the peer's certificate is not valid yet",
            Self::WrongName => "the peer's certificate is for another name",
            Self::OtherIdentity => "the peer has changed its identity",
            Self::TimedOut => "the handshake was not completed in time",
            Self::CertificateEnded => "a certificate has expired during the association",
            Self::Message => "the peer's key manager has sent a message out of turn",
            Self::BadCertificate(reason) => {
                return write!(f, "the peer's certificate is not usable: {reason}");
            }
            Self::Refused(reason) => {
                return write!(f, "the peer has refused our certificate: {reason}");
            }
            Self::Tls(reason) => return write!(f, "the TLS handshake failed: {reason}"),
            Self::Keys(error) => return write!(f, "the keys were not taken: {error:?}"),
        })
    }
}

impl std::error::Error for Fault {}

impl From<ProtectionError> for Fault {
    fn from(error: ProtectionError) -> Self {
        Self::Keys(error)
    }
}

impl From<WrongLength> for Fault {
    fn from(error: WrongLength) -> Self {
        Self::Tls(error.to_string())
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        match error {
            Error::NoCertificatesPresented => Self::NoCertificate,
            Error::AlertReceived(alert) => match refusal(alert) {
                Some(reason) => Self::Refused(reason),
                None => Self::Tls(format!("the peer reports {alert:?}")),
            },
            Error::InvalidCertificate(error) => Self::of_certificate(&error),
            error => Self::Tls(error.to_string()),
        }
    }
}

impl Fault {
    fn of_certificate(error: &CertificateError) -> Self {
        match error {
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => Self::Expired,
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                Self::NotYetValid
            }
            CertificateError::UnknownIssuer => Self::UnknownAuthority,
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                Self::WrongName
            }
            CertificateError::Other(other) => match other.0.downcast_ref::<Self>() {
                Some(fault) => fault.clone(),
                None => Self::BadCertificate(other.to_string()),
            },
            error => Self::BadCertificate(error.to_string()),
        }
    }
}

/// The reason in an alert by which a peer refuses a certificate (RFC 8446 §6.2).
fn refusal(alert: AlertDescription) -> Option<&'static str> {
    Some(match alert {
        AlertDescription::UnknownCA => "it does not trust the authority",
        AlertDescription::CertificateExpired => "it has expired or is not valid yet",
        AlertDescription::CertificateRevoked => "it is revoked",
        AlertDescription::CertificateRequired => "it got none",
        AlertDescription::BadCertificate => "it expects another name, or cannot read it",
        AlertDescription::CertificateUnknown | AlertDescription::AccessDenied => {
            "it accepts other certificates"
        }
        AlertDescription::UnsupportedCertificate => "it does not support the kind of certificate",
        AlertDescription::DecryptError => "its signature is wrong",
        _ => return None,
    })
}

/// The verdict about a certificate in TLS's words, from which the alert follows.
pub(crate) fn certificate_error(error: webpki::Error) -> CertificateError {
    use webpki::Error as Webpki;
    match error {
        Webpki::BadDer | Webpki::BadDerTime | Webpki::TrailingData(_) => {
            CertificateError::BadEncoding
        }
        Webpki::CertExpired { time, not_after } => {
            CertificateError::ExpiredContext { time, not_after }
        }
        Webpki::CertNotValidYet { time, not_before } => {
            CertificateError::NotValidYetContext { time, not_before }
        }
        // An authority may bear the name of another.
        Webpki::UnknownIssuer | Webpki::InvalidSignatureForPublicKey => {
            CertificateError::UnknownIssuer
        }
        error => {
            let reason = Fault::BadCertificate(error.to_string());
            CertificateError::Other(rustls::OtherError(std::sync::Arc::new(reason)))
        }
    }
}
