//! State machine of a DTLS connection: the only file that uses the crate `dimpl`, apart from
//! [`record_numbers`].

use std::fmt;
use std::io;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use dimpl::crypto::{CryptoProvider, Dtls12CipherSuite, HashAlgorithm, HmacProvider, aws_lc_rs};
use dimpl::{CryptoError, DtlsCertificate, PskResolver, certificate};

use super::hello;
use super::key_log::{self, ClientRandom, KeyLog};
use super::record_numbers;
use crate::carrier::stranger::NO_DTLS;
use crate::dtls::{Authentication, Dtls, DtlsError, DtlsVersion, Fingerprint, Trusted};

/// Initial retransmission timeout of handshake flights (RFC 9147 §5.8.2).
const FIRST_TIMEOUT: Duration = Duration::from_millis(400);

/// Duration limit of a handshake under [`Limit::Time`].
pub(super) const HANDSHAKE: Duration = Duration::from_secs(20);

/// Maximum retransmissions of a flight under [`Limit::Time`]: more than fit into its time.
const RETRIES: usize = 16;

/// Maximum retransmissions of a flight under [`Limit::Attempts`]. `dimpl` numbers at most 32
/// transmissions of a record, and a session has time for 29 waits, each twice as long as the one
/// before.
const MOST_RETRIES: usize = 28;

/// Duration limit passed to `dimpl` for a handshake without one.
const ALWAYS: Duration = Duration::from_secs(3650 * 24 * 60 * 60);

/// Alert `handshake_failure`: no acceptable parameters (RFC 8446 §6.2).
const HANDSHAKE_FAILURE: u8 = 40;
/// Alert `unsupported_certificate` (RFC 8446 §6.2).
const UNSUPPORTED_CERTIFICATE: u8 = 43;

/// Deadlines farther away than this count as none; longer than the longest wait for an answer.
const FAR: Duration = Duration::from_secs(2000 * 24 * 60 * 60);

/// Maximum datagrams queued for reordering.
const WAITING: usize = 30;

/// Maximum size of a handshake datagram, bytes; larger than on any real path.
pub(super) const LONGEST: usize = 4096;

/// Buffer size that fits any handshake output, bytes, including a certificate that fills all
/// datagrams.
pub const ROOM: usize = WAITING * LONGEST + 1024;

/// A certificate with its private key, created by [`generate`](Self::generate) and kept in memory
/// only.
#[derive(Clone)]
pub struct Identity(DtlsCertificate);

/// Creating a certificate failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdentityError;

impl Identity {
    /// Generates a P-256 key pair and a self-signed certificate.
    ///
    /// # Errors
    /// The system's random source failed.
    pub fn generate() -> Result<Self, IdentityError> {
        match certificate::generate_self_signed_certificate() {
            Ok(made) => Ok(Self(made)),
            Err(_) => Err(IdentityError),
        }
    }

    /// Fingerprint by which a peer authenticates the certificate.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        fingerprint(&self.0.certificate)
    }
}

fn fingerprint(certificate: &[u8]) -> Fingerprint {
    let hash = certificate::calculate_fingerprint(certificate);
    Fingerprint::new(hash.try_into().unwrap_or_default())
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Identity({})", self.fingerprint())
    }
}

impl fmt::Display for IdentityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no certificate could be made")
    }
}

impl std::error::Error for IdentityError {}

/// Settings shared by many [`Session`]s.
#[derive(Clone)]
pub struct Settings {
    client: Arc<dimpl::Config>,
    server: Arc<dimpl::Config>,
    authentication: Authentication,
    version: DtlsVersion,
    key_log: Option<Arc<KeyLog>>,
}

/// When a handshake with an unresponsive peer is abandoned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// After 20 s.
    Time,
    /// After 29 transmissions of a flight. The session doubles the wait before each without bound;
    /// a caller that waits less must pass it a time ahead of the real one.
    Attempts,
}

impl Settings {
    /// Creates settings from `dtls`, with this limit on handshakes.
    ///
    /// # Errors
    /// The key log file cannot be opened, or the cryptography provider rejects the settings.
    pub fn new(dtls: &Dtls, limit: Limit) -> io::Result<Self> {
        let (time, retries) = match limit {
            Limit::Time => (HANDSHAKE, RETRIES),
            Limit::Attempts => (ALWAYS, MOST_RETRIES),
        };
        let key_log = dtls.key_log.as_deref().map(KeyLog::open).transpose()?;
        let key_log = key_log.map(Arc::new);
        let config = || {
            let config = dimpl::Config::builder()
                .flight_start_rto(FIRST_TIMEOUT)
                .flight_retries(retries)
                .handshake_timeout(time)
                .max_queue_rx(WAITING)
                .use_server_cookie(true);
            let provider = CryptoProvider {
                dtls13_cipher_suites: record_numbers::suites(),
                ..aws_lc_rs::default_provider()
            };
            config.with_crypto_provider(match key_log {
                Some(_) => CryptoProvider {
                    hmac_provider: &Observed,
                    ..provider
                },
                None => provider,
            })
        };
        let (client, server) = match &dtls.authentication {
            Authentication::Certificate { .. } => (config().build(), config().build()),
            Authentication::PreSharedKey { identity, key } => {
                let key = || {
                    Arc::new(OneKey {
                        identity: identity.clone(),
                        key: key.clone(),
                    })
                };
                let config = || {
                    config()
                        .dtls12_cipher_suites(&[Dtls12CipherSuite::PSK_AES128_CCM_8])
                        .dtls13_cipher_suites(&[])
                };
                let client = config().with_psk_client(identity.clone(), key());
                (
                    client.build(),
                    config().with_psk_server(None, key()).build(),
                )
            }
        };
        Ok(Self {
            client: Arc::new(client.map_err(io::Error::other)?),
            server: Arc::new(server.map_err(io::Error::other)?),
            authentication: dtls.authentication.clone(),
            version: dtls.version,
            key_log,
        })
    }
}

impl Settings {
    /// Fingerprint of the local certificate; `None` with a pre-shared key.
    #[must_use]
    pub fn fingerprint(&self) -> Option<Fingerprint> {
        match &self.authentication {
            Authentication::Certificate { identity, .. } => Some(identity.fingerprint()),
            Authentication::PreSharedKey { .. } => None,
        }
    }
}

/// Role of a session in the handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Starts the handshake.
    Client,
    /// Answers the handshake.
    Server,
}

/// Output of [`Session::poll`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// The buffer starts with a datagram of this many bytes to send.
    Datagram(usize),
    /// The buffer starts with a packet of this many bytes from the peer.
    Packet(usize),
    /// The buffer must have at least this many bytes.
    Larger(usize),
    /// The handshake is done.
    Connected,
    /// The peer closed the connection.
    Closed,
    /// Nothing for the caller; poll again.
    More,
    /// Nothing until this time; `None`: nothing until another call.
    Rest(Option<Instant>),
}

/// An end of a DTLS connection, sans-I/O.
///
/// The caller passes in datagrams and time, then calls [`poll`](Self::poll) until it returns
/// [`Rest`](Output::Rest). A client starts with [`handle_timeout`](Self::handle_timeout). An error
/// of any call ends the session.
pub struct Session {
    dtls: dimpl::Dtls,
    trusted: Option<Trusted>,
    key_log: Option<Arc<KeyLog>>,
    /// Random of the ClientHello, if keys are logged.
    random: Option<ClientRandom>,
    awaits: Awaits,
}

/// The datagrams that a session accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Awaits {
    /// Only a server's first answer.
    Answer,
    Anything,
}

impl Session {
    /// Creates a session before its handshake.
    #[must_use]
    pub fn new(settings: &Settings, role: Role, now: Instant) -> Self {
        let config = Arc::clone(match role {
            Role::Client => &settings.client,
            Role::Server => &settings.server,
        });
        let (mut dtls, trusted) = match &settings.authentication {
            Authentication::Certificate { identity, trusted } => {
                let certificate = identity.0.clone();
                let dtls = match settings.version {
                    DtlsVersion::Newest => dimpl::Dtls::new_auto(config, certificate, now),
                    DtlsVersion::V1_2 => dimpl::Dtls::new_12(config, certificate, now),
                    DtlsVersion::V1_3 => dimpl::Dtls::new_13(config, certificate, now),
                };
                (dtls, Some(trusted.clone()))
            }
            Authentication::PreSharedKey { .. } => (dimpl::Dtls::new_12_psk(config, now), None),
        };
        dtls.set_active(role == Role::Client);
        Self {
            dtls,
            trusted,
            key_log: settings.key_log.clone(),
            random: None,
            awaits: match role {
                Role::Client => Awaits::Answer,
                Role::Server => Awaits::Anything,
            },
        }
    }

    /// Whether the peer has answered, as far as can be told.
    #[must_use]
    pub fn is_answered(&self) -> bool {
        self.awaits == Awaits::Anything
    }

    /// Handles a datagram received at the time last passed to
    /// [`handle_timeout`](Self::handle_timeout). Only a datagram authenticated by the peer can end
    /// an established connection: damaged, forged and replayed ones are dropped.
    ///
    /// # Errors
    /// The handshake failed.
    pub fn handle(&mut self, datagram: &[u8]) -> Result<(), DtlsError> {
        // The rest of the answer may arrive before its start, and records of a forgotten connection
        // may be in flight; neither is the peer's fault.
        if self.awaits == Awaits::Answer && !hello::is_answer(datagram) {
            return Ok(());
        }
        if self.awaits == Awaits::Answer && datagram == NO_DTLS {
            return Err(DtlsError::NoDtls);
        }
        self.awaits = Awaits::Anything;
        self.note_random(datagram);
        let outcome = self.step(|dtls| dtls.handle_packet(datagram));
        match (outcome, hello::fatal_alert(datagram)) {
            (Err(DtlsError::Refused(_)), Some(alert)) => Err(alerted(alert)),
            (outcome, _) => outcome,
        }
    }

    /// Sets the current time and runs due timers.
    ///
    /// # Errors
    /// The handshake took too long.
    pub fn handle_timeout(&mut self, now: Instant) -> Result<(), DtlsError> {
        self.step(|dtls| dtls.handle_timeout(now))
    }

    fn step(
        &mut self,
        step: impl FnOnce(&mut dimpl::Dtls) -> Result<(), dimpl::Error>,
    ) -> Result<(), DtlsError> {
        let dtls = &mut self.dtls;
        let outcome = match (&self.key_log, self.random) {
            (Some(log), Some(random)) => key_log::during(log, random, || step(dtls)),
            _ => step(dtls),
        };
        outcome.map_err(reason)
    }

    /// Returns the next output; its bytes are at the start of `buffer`.
    ///
    /// # Errors
    /// The peer's certificate is not trusted.
    pub fn poll(&mut self, now: Instant, buffer: &mut [u8]) -> Result<Output, DtlsError> {
        let output = match self.dtls.poll_output(buffer) {
            dimpl::Output::Packet(datagram) => Output::Datagram(datagram.len()),
            dimpl::Output::ApplicationData(packet) => Output::Packet(packet.len()),
            dimpl::Output::BufferTooSmall { needed } => Output::Larger(needed),
            dimpl::Output::PeerCert(der) => {
                let found = fingerprint(der);
                if let Some(trusted) = &self.trusted
                    && !trusted.accepts(&found)
                {
                    return Err(DtlsError::WrongCertificate { found });
                }
                Output::More
            }
            dimpl::Output::Connected => Output::Connected,
            dimpl::Output::CloseNotify => Output::Closed,
            dimpl::Output::Timeout(at) => Output::Rest((at < now + FAR).then_some(at)),
            _ => Output::More,
        };
        if let Output::Datagram(length) = output {
            self.note_random(buffer.get(..length).unwrap_or_default());
        }
        Ok(output)
    }

    /// Seals the packet into a record, which [`poll`](Self::poll) returns.
    ///
    /// # Errors
    /// The handshake is not done, or the connection is closed.
    pub fn seal(&mut self, packet: &[u8]) -> Result<(), DtlsError> {
        self.dtls.send_application_data(packet).map_err(reason)?;
        Ok(())
    }

    /// Starts to close the connection.
    pub fn close(&mut self) {
        // A failure does not matter: the session ends anyway.
        let _ = self.dtls.close();
    }

    fn note_random(&mut self, datagram: &[u8]) {
        if self.key_log.is_some() && self.random.is_none() {
            self.random = hello::random(datagram);
        }
    }
}

fn reason(error: dimpl::Error) -> DtlsError {
    use dimpl::{CertificateError, Error, SecurityError};
    match error {
        Error::Timeout(_) => DtlsError::NoHandshake,
        Error::ConnectionClosed => DtlsError::ClosedByPeer,
        // A client without a certificate sends an empty list (RFC 5246 §7.4.6).
        Error::CertificateError(CertificateError::NoClientCertificateReceived)
        | Error::SecurityError(
            SecurityError::NoMutuallyAcceptableCipherSuite | SecurityError::NoCommonCipherSuite,
        ) => DtlsError::NothingInCommon,
        Error::SecurityError(SecurityError::FatalAlert { description }) => alerted(description),
        other => DtlsError::Refused(other.to_string()),
    }
}

/// Maps the peer's fatal alert to an error (RFC 8446 §6.2).
fn alerted(alert: u8) -> DtlsError {
    match alert {
        HANDSHAKE_FAILURE | UNSUPPORTED_CERTIFICATE => DtlsError::NothingInCommon,
        other => DtlsError::Refused(format!("the peer ended it with alert {other}")),
    }
}

/// An endpoint's only pre-shared key.
struct OneKey {
    identity: Vec<u8>,
    key: Vec<u8>,
}

impl PskResolver for OneKey {
    fn resolve(&self, identity: &[u8]) -> Option<Vec<u8>> {
        (identity == self.identity).then(|| self.key.clone())
    }
}

/// The provider's HMAC, observed for the key log.
#[derive(Debug)]
struct Observed;

impl HmacProvider for Observed {
    fn hmac(
        &self,
        hash: HashAlgorithm,
        key: &[u8],
        data: &[u8],
        out: &mut [u8],
    ) -> Result<usize, CryptoError> {
        static PROVIDER: OnceLock<CryptoProvider> = OnceLock::new();
        let provider = PROVIDER.get_or_init(aws_lc_rs::default_provider);
        let length = provider.hmac_provider.hmac(hash, key, data, out)?;
        key_log::observe(data, out.get(..length).unwrap_or_default());
        Ok(length)
    }
}

#[cfg(test)]
mod tests;
