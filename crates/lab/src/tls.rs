//! TLS whose keys and random bytes are constants: nothing is secret in a simulation.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use aws_lc_rs::agreement::{self, PrivateKey, UnparsedPublicKey, X25519};
use quinn_proto::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use quinn_proto::crypto::{CryptoError, HmacKey};
use rustls::crypto::{
    ActiveKeyExchange, CryptoProvider, GetRandomFailed, SecureRandom, SharedSecret,
    SupportedKxGroup, aws_lc_rs as aws,
};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, UnixTime};
use rustls::time_provider::TimeProvider;
use rustls::version::TLS13;
use rustls::{ClientConfig, Error, NamedGroup, RootCertStore, ServerConfig};

/// The name in the certificate.
pub(crate) const NAME: &str = "localhost";
/// A self-signed certificate for Ed25519, whose signatures have no randomness, valid until 2126.
pub(crate) const CERTIFICATE: &[u8] = include_bytes!("certificate.pem");
/// The key of the certificate (RFC 8410 §7): 32 bytes of 7.
pub(crate) const KEY: &[u8] = include_bytes!("key.pem");
/// A time at which the certificate is valid, seconds after 1970.
pub(crate) const TODAY: Duration = Duration::from_secs(1_798_761_600);

/// Cryptography without randomness.
pub(crate) static PROVIDER: LazyLock<Arc<CryptoProvider>> = LazyLock::new(|| {
    Arc::new(CryptoProvider {
        kx_groups: vec![&Constant],
        secure_random: &Constant,
        ..aws::default_provider()
    })
});

/// TLS of the connecting end. Each connection has its own, so that none resumes another.
pub(crate) fn client() -> Result<QuicClientConfig, Error> {
    let mut roots = RootCertStore::empty();
    roots.add(certificate()?)?;
    let config = ClientConfig::builder_with_details(PROVIDER.clone(), Arc::new(Constant))
        .with_protocol_versions(&[&TLS13])?
        .with_root_certificates(roots)
        .with_no_client_auth();
    QuicClientConfig::try_from(config).map_err(|error| general(&error))
}

/// TLS of the listening end.
pub(crate) fn server() -> Result<QuicServerConfig, Error> {
    let key = PrivateKeyDer::from_pem_slice(KEY).map_err(|error| general(&error))?;
    let config = ServerConfig::builder_with_details(PROVIDER.clone(), Arc::new(Constant))
        .with_protocol_versions(&[&TLS13])?
        .with_no_client_auth()
        .with_single_cert(vec![certificate()?], key)?;
    QuicServerConfig::try_from(config).map_err(|error| general(&error))
}

fn certificate() -> Result<CertificateDer<'static>, Error> {
    CertificateDer::from_pem_slice(CERTIFICATE).map_err(|error| general(&error))
}

fn general(error: &dyn ToString) -> Error {
    Error::General(error.to_string())
}

/// Sources of TLS that give the same in each run.
#[derive(Debug)]
struct Constant;

impl SecureRandom for Constant {
    fn fill(&self, buf: &mut [u8]) -> Result<(), GetRandomFailed> {
        buf.fill(7);
        Ok(())
    }
}

impl TimeProvider for Constant {
    fn current_time(&self) -> Option<UnixTime> {
        Some(UnixTime::since_unix_epoch(TODAY))
    }
}

impl SupportedKxGroup for Constant {
    fn start(&self) -> Result<Box<dyn ActiveKeyExchange>, Error> {
        let key = PrivateKey::from_private_key(&X25519, &[7; 32]);
        let key = key.map_err(|error| general(&error))?;
        let public = key.compute_public_key();
        let public = public.map_err(|error| general(&error))?;
        let public = public.as_ref().to_vec();
        Ok(Box::new(Exchange { key, public }))
    }

    fn name(&self) -> NamedGroup {
        NamedGroup::X25519
    }
}

/// A key exchange in progress.
struct Exchange {
    key: PrivateKey,
    public: Vec<u8>,
}

impl ActiveKeyExchange for Exchange {
    fn complete(self: Box<Self>, peer: &[u8]) -> Result<SharedSecret, Error> {
        let peer = UnparsedPublicKey::new(&X25519, peer);
        let failed = Error::General("no shared secret".to_owned());
        agreement::agree(&self.key, peer, failed, |secret| {
            Ok(SharedSecret::from(secret))
        })
    }

    fn pub_key(&self) -> &[u8] {
        &self.public
    }

    fn group(&self) -> NamedGroup {
        NamedGroup::X25519
    }
}

/// The key of stateless resets (RFC 9000 §10.3.2).
pub(crate) struct ResetKey(pub(crate) [u8; 32]);

impl HmacKey for ResetKey {
    fn sign(&self, data: &[u8], signature: &mut [u8]) {
        signature.copy_from_slice(blake3::keyed_hash(&self.0, data).as_bytes());
    }

    fn signature_len(&self) -> usize {
        blake3::OUT_LEN
    }

    fn verify(&self, data: &[u8], signature: &[u8]) -> Result<(), CryptoError> {
        let same = blake3::keyed_hash(&self.0, data) == *signature;
        same.then_some(()).ok_or(CryptoError)
    }
}
