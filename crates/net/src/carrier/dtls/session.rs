//! The state machine of a DTLS connection: the only file that knows the crate `dimpl`, but for
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

/// Time until a flight of the handshake is first sent again (RFC 9147 §5.8.2).
const FIRST_TIMEOUT: Duration = Duration::from_millis(400);

/// Time for a handshake that is limited by time: a flight is sent again for as long.
pub(super) const HANDSHAKE: Duration = Duration::from_secs(20);

/// Times that a flight is sent again: more than there is time for.
const RETRIES: usize = 16;

/// Times that a flight is sent again in a handshake that is limited by them. `dimpl` numbers no more than
/// 32 transmissions of a record, and a session has time for 29 waits, each twice as long as the one before.
const MOST_RETRIES: usize = 28;

/// The longest time that a handshake may have in `dimpl`.
const ALWAYS: Duration = Duration::from_secs(3650 * 24 * 60 * 60);

/// The alert of an end that finds no parameters to go on with (RFC 8446 §6.2).
const HANDSHAKE_FAILURE: u8 = 40;
/// The alert of an end that does not know this kind of certificate (RFC 8446 §6.2).
const UNSUPPORTED_CERTIFICATE: u8 = 43;

/// A deadline farther away than this is none: more than the longest wait for an answer.
const FAR: Duration = Duration::from_secs(2000 * 24 * 60 * 60);

/// Datagrams that may wait to be put into order.
const WAITING: usize = 30;

/// Bytes of the longest datagram that a handshake may have: one on any path is shorter.
pub(super) const LONGEST: usize = 4096;

/// Bytes of a buffer that any output of a handshake fits in, a certificate that fills all datagrams included.
pub const ROOM: usize = WAITING * LONGEST + 1024;

/// A certificate with its private key, made by [`generate`](Self::generate) for as long as the
/// process lives.
#[derive(Clone)]
pub struct Identity(DtlsCertificate);

/// No certificate could be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdentityError;

impl Identity {
    /// Makes a key pair (P-256) and a certificate for it, signed by itself.
    ///
    /// # Errors
    /// The system has no randomness.
    pub fn generate() -> Result<Self, IdentityError> {
        match certificate::generate_self_signed_certificate() {
            Ok(made) => Ok(Self(made)),
            Err(_) => Err(IdentityError),
        }
    }

    /// The hash by which a peer recognises the certificate.
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

/// The settings of [`Session`]s, made once for many of them.
#[derive(Clone)]
pub struct Settings {
    client: Arc<dimpl::Config>,
    server: Arc<dimpl::Config>,
    authentication: Authentication,
    version: DtlsVersion,
    key_log: Option<Arc<KeyLog>>,
}

/// The end of a handshake that the peer does not take part in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// A time: 20 s.
    Time,
    /// A number of attempts: a flight is sent 29 times at most. The session doubles the wait before each of them
    /// without bound: this is for users that wait for less, and then tell it a later time than it is.
    Attempts,
}

impl Settings {
    /// The settings that `dtls` asks for, of handshakes that end so.
    ///
    /// # Errors
    /// The file for secrets cannot be opened, or the cryptography refuses the settings.
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
    /// The fingerprint of our certificate; `None` with a pre-shared key.
    #[must_use]
    pub fn fingerprint(&self) -> Option<Fingerprint> {
        match &self.authentication {
            Authentication::Certificate { identity, .. } => Some(identity.fingerprint()),
            Authentication::PreSharedKey { .. } => None,
        }
    }
}

/// The end of a connection that a session is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The one that begins the handshake.
    Client,
    /// The other one.
    Server,
}

/// An answer of [`Session::poll`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// The buffer begins with a datagram of that many bytes, to be sent.
    Datagram(usize),
    /// The buffer begins with a packet of that many bytes from the peer.
    Packet(usize),
    /// The buffer has to have that many bytes.
    Larger(usize),
    /// The handshake is done.
    Connected,
    /// The peer closed the connection.
    Closed,
    /// Nothing that concerns the user; the session is to be asked again.
    More,
    /// Nothing, until then; with `None` until a call changes that.
    Rest(Option<Instant>),
}

/// An end of a DTLS connection, sans-I/O.
///
/// Datagrams and time go in; then [`poll`](Self::poll) is called until it says
/// [`Rest`](Output::Rest). A client begins with [`handle_timeout`](Self::handle_timeout). An error of
/// any call is the end of the session.
pub struct Session {
    dtls: dimpl::Dtls,
    trusted: Option<Trusted>,
    key_log: Option<Arc<KeyLog>>,
    /// The random of its ClientHello, where keys are logged.
    random: Option<ClientRandom>,
    awaits: Awaits,
}

/// The datagrams that a session takes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Awaits {
    /// The first answer of a server.
    Answer,
    Anything,
}

impl Session {
    /// A session at its beginning.
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

    /// Whether the peer has said anything, as far as can be told.
    #[must_use]
    pub fn is_answered(&self) -> bool {
        self.awaits == Awaits::Anything
    }

    /// Takes in a datagram, which came at the time that [`handle_timeout`](Self::handle_timeout) was
    /// told last. Nothing on the way can end a connection that is established: what is damaged, forged
    /// or a replay is dropped within.
    ///
    /// # Errors
    /// The handshake failed.
    pub fn handle(&mut self, datagram: &[u8]) -> Result<(), DtlsError> {
        // The answer's rest may have overtaken it, and records of a connection that is forgotten may
        // be under way: neither is a fault of the peer's.
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

    /// Does what is due, and tells the time, which counts for what follows.
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

    /// The next output; bytes of it stand at the beginning of `buffer`.
    ///
    /// # Errors
    /// The peer's certificate is not one of those that are trusted.
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

    /// Puts the packet into a record, which [`poll`](Self::poll) hands out.
    ///
    /// # Errors
    /// The handshake is not done, or the connection is closed.
    pub fn seal(&mut self, packet: &[u8]) -> Result<(), DtlsError> {
        self.dtls.send_application_data(packet).map_err(reason)?;
        Ok(())
    }

    /// Begins to close the connection.
    pub fn close(&mut self) {
        // There is nobody to hear of a failure.
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
        // The answer of a client to a request of certificates that it does not have (RFC 5246 §7.4.6).
        Error::CertificateError(CertificateError::NoClientCertificateReceived)
        | Error::SecurityError(
            SecurityError::NoMutuallyAcceptableCipherSuite | SecurityError::NoCommonCipherSuite,
        ) => DtlsError::NothingInCommon,
        Error::SecurityError(SecurityError::FatalAlert { description }) => alerted(description),
        other => DtlsError::Refused(other.to_string()),
    }
}

/// The reason that a fatal alert of the peer's gives (RFC 8446 §6.2).
fn alerted(alert: u8) -> DtlsError {
    match alert {
        HANDSHAKE_FAILURE | UNSUPPORTED_CERTIFICATE => DtlsError::NothingInCommon,
        other => DtlsError::Refused(format!("the peer ended it with alert {other}")),
    }
}

/// The one pre-shared key of an endpoint.
struct OneKey {
    identity: Vec<u8>,
    key: Vec<u8>,
}

impl PskResolver for OneKey {
    fn resolve(&self, identity: &[u8]) -> Option<Vec<u8>> {
        (identity == self.identity).then(|| self.key.clone())
    }
}

/// The HMAC of the provider, with a look at the secrets that it derives.
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
