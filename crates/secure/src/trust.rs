//! The decision whether a peer's certificate is trusted.

use std::path::Path;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::WebPkiSupportedAlgorithms;
use rustls::pki_types::{CertificateDer, ServerName, TrustAnchor, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{
    CertificateError, DigitallySignedStruct, DistinguishedName, Error, OtherError,
    PeerIncompatible, SignatureScheme,
};
use webpki::{EndEntityCert, KeyUsage, anchor_from_trusted_cert};

use crate::certificate::{Fingerprint, Subject, fingerprint};
use crate::identity::{IdentityError, certificates, read};
use crate::{Fault, fault};

/// The certificates of peers that are accepted: signed by an authority, or with a fingerprint.
/// Nothing is accepted by default.
#[derive(Clone, Debug, Default)]
pub struct Trust {
    authorities: Vec<TrustAnchor<'static>>,
    fingerprints: Vec<Fingerprint>,
}

impl Trust {
    /// Accepts certificates that chain to one of the authorities in a PEM text.
    ///
    /// # Errors
    /// See [`IdentityError`].
    pub fn authorities(mut self, pem: &[u8]) -> Result<Self, IdentityError> {
        for certificate in certificates(pem, "the authorities")? {
            let anchor = anchor_from_trusted_cert(&certificate);
            let unusable = |error| IdentityError::Unusable(format!("an authority: {error}"));
            self.authorities.push(anchor.map_err(unusable)?.to_owned());
        }
        Ok(self)
    }

    /// Accepts certificates that chain to one of the authorities in a PEM file.
    ///
    /// # Errors
    /// See [`IdentityError`].
    pub fn authorities_in(self, path: impl AsRef<Path>) -> Result<Self, IdentityError> {
        self.authorities(&read(path.as_ref())?)
    }

    /// Accepts these certificates, whoever signed them and whatever names they hold, until they
    /// expire.
    #[must_use]
    pub fn fingerprints(mut self, pinned: impl IntoIterator<Item = Fingerprint>) -> Self {
        self.fingerprints.extend(pinned);
        self
    }

    /// Whether no certificate is accepted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.authorities.is_empty() && self.fingerprints.is_empty()
    }
}

/// Checks the peer's certificate in the handshakes of one association.
#[derive(Debug)]
pub(crate) struct Verifier {
    pub(crate) trust: Arc<Trust>,
    /// Names of which the certificate must hold one; none if any name is accepted.
    pub(crate) names: Arc<[ServerName<'static>]>,
    /// The peer of earlier handshakes.
    pub(crate) before: Option<Subject>,
    pub(crate) algorithms: WebPkiSupportedAlgorithms,
}

impl Verifier {
    fn verify(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<(), Error> {
        let parsed = EndEntityCert::try_from(end_entity).map_err(in_rustls)?;
        let subject = Subject::of(end_entity).map_err(in_rustls)?;
        if self.before.is_some_and(|before| before != subject) {
            let fault = OtherError(Arc::new(Fault::OtherIdentity));
            return Err(Error::InvalidCertificate(CertificateError::Other(fault)));
        }
        let is_pinned = (self.trust.fingerprints).contains(&fingerprint(end_entity));
        // Either end may become the TLS client of a rekeying, so that a certificate for either use
        // is valid for both.
        let verify = |usage| {
            parsed
                .verify_for_usage(
                    self.algorithms.all,
                    &self.trust.authorities,
                    intermediates,
                    now,
                    usage,
                    None,
                    None,
                )
                .map(|_| ())
        };
        let verified = verify(KeyUsage::server_auth()).or_else(|error| match error {
            webpki::Error::RequiredEkuNotFoundContext(_) => verify(KeyUsage::client_auth()),
            error => Err(error),
        });
        match verified {
            Err(error) if is_pinned => match error {
                // The validity period is checked before the issuer.
                webpki::Error::CertExpired { .. } | webpki::Error::CertNotValidYet { .. } => {
                    Err(in_rustls(error))
                }
                _ => Ok(()),
            },
            Err(error) => Err(in_rustls(error)),
            Ok(()) if is_pinned || self.names.is_empty() => Ok(()),
            Ok(()) => {
                let holds = |name| parsed.verify_is_valid_for_subject_name(name).is_ok();
                match self.names.iter().any(holds) {
                    true => Ok(()),
                    false => Err(CertificateError::NotValidForName.into()),
                }
            }
        }
    }

    fn verify_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        rustls::crypto::verify_tls13_signature(message, certificate, signed, &self.algorithms)
    }
}

/// No version before TLS 1.3 is offered.
fn too_old() -> Error {
    PeerIncompatible::ServerDoesNotSupportTls12Or13.into()
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        self.verify(end_entity, intermediates, now)
            .map(|()| ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Err(too_old())
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.verify_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}

impl ClientCertVerifier for Verifier {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        self.verify(end_entity, intermediates, now)
            .map(|()| ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Err(too_old())
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.verify_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}

fn in_rustls(error: webpki::Error) -> Error {
    fault::certificate_error(error).into()
}
