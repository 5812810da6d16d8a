use std::fmt;
use std::path::Path;
use std::sync::Arc;

use base64ct::{Base64, Encoding};
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;

use crate::certificate::{self, Fingerprint};

/// A certificate chain with the private key of its first certificate.
#[derive(Clone)]
pub struct Identity {
    pub(crate) certified: Arc<CertifiedKey>,
    pem: Option<Arc<[String; 2]>>,
}

/// The reason why certificates or a key cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IdentityError {
    /// A file cannot be read, or is not PEM.
    File(String),
    /// There is no certificate.
    NoCertificate,
    /// There is no private key.
    NoKey,
    /// The private key is not that of the first certificate.
    Mismatch,
    /// The kind of key is not supported, or a certificate is malformed.
    Unusable(String),
}

impl fmt::Display for IdentityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(reason) => f.write_str(reason),
            Self::NoCertificate => f.write_str("there is no certificate in PEM form"),
            Self::NoKey => f.write_str("there is no private key in PEM form"),
            Self::Mismatch => {
                f.write_str("the private key does not belong to the first certificate")
            }
            Self::Unusable(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for IdentityError {}

impl Identity {
    /// Reads a certificate chain, the own certificate first, and a private key from PEM texts.
    ///
    /// # Errors
    /// See [`IdentityError`].
    pub fn from_pem(chain: &[u8], key: &[u8]) -> Result<Self, IdentityError> {
        let chain = certificates(chain, "the certificates")?;
        let key = PrivateKeyDer::from_pem_slice(key).map_err(|error| match error {
            pem::Error::NoItemsFound => IdentityError::NoKey,
            error => IdentityError::File(format!("the private key: {error}")),
        })?;
        Self::new(chain, key)
    }

    /// Reads a certificate chain and a private key from PEM files.
    ///
    /// # Errors
    /// See [`IdentityError`].
    pub fn from_files(
        chain: impl AsRef<Path>,
        key: impl AsRef<Path>,
    ) -> Result<Self, IdentityError> {
        Self::from_pem(&read(chain.as_ref())?, &read(key.as_ref())?)
    }

    /// Generates a key (ECDSA, P-256) and a self-signed certificate for `names`, valid from 1975 to
    /// 4096. Its peers trust it by its [fingerprint](Self::fingerprint).
    ///
    /// # Errors
    /// [`IdentityError::Unusable`]: a name is not ASCII.
    pub fn generate<N: Into<String>>(
        names: impl IntoIterator<Item = N>,
    ) -> Result<Self, IdentityError> {
        let unusable = |error: rcgen::Error| IdentityError::Unusable(error.to_string());
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        let name = names.first().cloned().unwrap_or_else(|| "sheave".into());
        let key = rcgen::KeyPair::generate().map_err(unusable)?;
        let mut parameters = rcgen::CertificateParams::new(names).map_err(unusable)?;
        parameters.distinguished_name = rcgen::DistinguishedName::new();
        parameters
            .distinguished_name
            .push(rcgen::DnType::CommonName, name);
        let certificate = parameters.self_signed(&key).map_err(unusable)?;
        let private = PrivateKeyDer::try_from(key.serialize_der());
        let private = private.map_err(|reason| IdentityError::Unusable(reason.into()))?;
        let mut identity = Self::new(vec![certificate.der().clone()], private)?;
        identity.pem = Some(Arc::new([
            to_pem("CERTIFICATE", certificate.der()),
            to_pem("PRIVATE KEY", &key.serialize_der()),
        ]));
        Ok(identity)
    }

    fn new(
        chain: Vec<CertificateDer<'static>>,
        key: PrivateKeyDer<'static>,
    ) -> Result<Self, IdentityError> {
        if chain.is_empty() {
            return Err(IdentityError::NoCertificate);
        }
        let provider = aws_lc_rs::default_provider();
        let certified = CertifiedKey::from_der(chain, key, &provider);
        let certified = certified.map_err(|error| match error {
            rustls::Error::InconsistentKeys(_) => IdentityError::Mismatch,
            error => IdentityError::Unusable(error.to_string()),
        })?;
        Ok(Self {
            certified: Arc::new(certified),
            pem: None,
        })
    }

    /// Returns certificate and private key in PEM form, if they were
    /// [generated](Self::generate).
    #[must_use]
    pub fn to_pem(&self) -> Option<[&str; 2]> {
        let [certificate, key] = &**self.pem.as_ref()?;
        Some([certificate, key])
    }

    /// SHA-256 of the first certificate.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        let first = self.certified.cert.first();
        certificate::fingerprint(first.map_or(&[], |certificate| certificate.as_ref()))
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Identity")
            .field(&self.fingerprint())
            .finish()
    }
}

pub(crate) fn read(path: &Path) -> Result<Vec<u8>, IdentityError> {
    std::fs::read(path).map_err(|error| IdentityError::File(format!("{}: {error}", path.display())))
}

/// Reads the certificates of a PEM text.
pub(crate) fn certificates(
    pem: &[u8],
    what: &str,
) -> Result<Vec<CertificateDer<'static>>, IdentityError> {
    let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    let read = read.map_err(|error| IdentityError::File(format!("{what}: {error}")))?;
    match read.is_empty() {
        true => Err(IdentityError::NoCertificate),
        false => Ok(read),
    }
}

/// Writes PEM (RFC 7468).
fn to_pem(label: &str, der: &[u8]) -> String {
    let digits = Base64::encode_string(der);
    let lines = digits.as_bytes().chunks(64).map(String::from_utf8_lossy);
    let body: String = lines.flat_map(|line| [line, "\n".into()]).collect();
    format!("-----BEGIN {label}-----\n{body}-----END {label}-----\n")
}
