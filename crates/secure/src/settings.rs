use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rustls::crypto::{CryptoProvider, aws_lc_rs};
use rustls::pki_types::{ServerName, UnixTime};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::time_provider::TimeProvider;
use rustls::{ClientConfig, ClientConnection, Connection, ServerConfig, ServerConnection};

use sheave_engine::KeyRole;

use crate::certificate::Subject;
use crate::trust::Verifier;
use crate::{CipherSuite, Fault, Identity, KeyLog, RestartStore, Trust};

/// Settings of key management by TLS 1.3, shared by the associations of an endpoint.
#[derive(Clone, Debug)]
pub struct TlsSettings {
    identity: Identity,
    trust: Arc<Trust>,
    provider: Arc<CryptoProvider>,
    pub(crate) rekeying: Rekeying,
    pub(crate) patience: Duration,
    pub(crate) key_log: Option<KeyLog>,
    pub(crate) restarts: Option<RestartStore>,
    pub(crate) clock: Arc<Clock>,
}

/// The time of day, on which the validity of certificates depends.
pub(crate) struct Clock(Box<dyn Fn() -> SystemTime + Send + Sync>);

impl Clock {
    pub(crate) fn now(&self) -> UnixTime {
        let since = (self.0)().duration_since(SystemTime::UNIX_EPOCH);
        UnixTime::since_unix_epoch(since.unwrap_or_default())
    }
}

impl TimeProvider for Clock {
    fn current_time(&self) -> Option<UnixTime> {
        Some(self.now())
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}

/// The use of keys after which they are replaced, by a full handshake
/// (draft-porfiri-tsvwg-sctp-dtls-handshake-01 §3.4). Keys are also replaced before the limits of
/// their cipher suite, and before a certificate ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rekeying {
    /// Age; default an hour.
    pub every: Duration,
    /// Bytes sent under the keys; default 100 GB.
    pub bytes: u64,
}

impl Default for Rekeying {
    fn default() -> Self {
        Self {
            every: Duration::from_secs(3600),
            bytes: 100_000_000_000,
        }
    }
}

impl TlsSettings {
    /// Creates settings with all [suites](CipherSuite::ALL), the default [`Rekeying`] and 30 s for
    /// the first handshake.
    #[must_use]
    pub fn new(identity: Identity, trust: Trust) -> Self {
        Self {
            identity,
            trust: Arc::new(trust),
            provider: Arc::new(provider(&CipherSuite::ALL)),
            rekeying: Rekeying::default(),
            patience: Duration::from_secs(30),
            key_log: None,
            restarts: None,
            clock: Arc::new(Clock(Box::new(SystemTime::now))),
        }
    }

    /// Offers and accepts these cipher suites alone, the preferred one first.
    #[must_use]
    pub fn with_suites(mut self, suites: &[CipherSuite]) -> Self {
        self.provider = Arc::new(provider(suites));
        self
    }

    /// Takes the cryptography of TLS handshakes, random numbers included, from `provider`, which must
    /// have some of the [suites](CipherSuite::ALL) and of TLS 1.3's key exchanges.
    #[must_use]
    pub fn with_provider(mut self, provider: CryptoProvider) -> Self {
        self.provider = Arc::new(provider);
        self
    }

    /// Replaces keys after this use.
    #[must_use]
    pub const fn with_rekeying(mut self, rekeying: Rekeying) -> Self {
        self.rekeying = rekeying;
        self
    }

    /// Limits the time of the first handshake.
    #[must_use]
    pub const fn with_patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Writes the keys of every association to a log. Anyone who can read it can read the traffic.
    #[must_use]
    pub fn logging_keys_to(mut self, log: KeyLog) -> Self {
        self.key_log = Some(log);
        self
    }

    /// Keeps restart keys of every association in a store: an end that has lost its state sets its
    /// associations up again where both ends have such a store
    /// ([`ProtectedRestart`](sheave_engine::ProtectedRestart)). Endpoints must not share a store.
    #[must_use]
    pub fn with_restarts(mut self, store: RestartStore) -> Self {
        self.restarts = Some(store);
        self
    }

    /// Takes the time of day, by which certificates are judged, from `clock` instead of the system.
    #[must_use]
    pub fn with_clock(mut self, clock: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        self.clock = Arc::new(Clock(Box::new(clock)));
        self
    }

    /// The own certificate and key.
    #[must_use]
    pub const fn identity(&self) -> &Identity {
        &self.identity
    }

    fn certified(&self) -> Arc<CertifiedKey> {
        Arc::clone(&self.identity.certified)
    }

    fn verifier(&self, names: &Arc<[ServerName<'static>]>, before: Option<Subject>) -> Verifier {
        Verifier {
            trust: Arc::clone(&self.trust),
            names: Arc::clone(names),
            before,
            algorithms: self.provider.signature_verification_algorithms,
        }
    }

    /// A TLS connection like those from which keys are derived, to compare with. Not part of the
    /// stable interface.
    ///
    /// # Errors
    /// TLS refuses the settings.
    #[doc(hidden)]
    pub fn connection(&self, role: KeyRole) -> Result<Connection, Fault> {
        let names = Arc::from([]);
        match role {
            KeyRole::Client => self.client(&names, None),
            KeyRole::Server => self.server(&names, None),
        }
    }

    /// Starts a handshake as TLS client.
    pub(crate) fn client(
        &self,
        names: &Arc<[ServerName<'static>]>,
        before: Option<Subject>,
    ) -> Result<Connection, Fault> {
        let verifier = Arc::new(self.verifier(names, before));
        let (provider, clock) = (Arc::clone(&self.provider), Arc::clone(&self.clock));
        let mut config = ClientConfig::builder_with_details(provider, clock)
            .with_protocol_versions(&[&rustls::version::TLS13])?
            .dangerous()
            .with_custom_certificate_verifier(verifier)
            .with_client_cert_resolver(Arc::new(SingleCertAndKey::from(self.certified())));
        config.resumption = rustls::client::Resumption::disabled();
        config.enable_sni = false;
        let nobody = ServerName::IpAddress(std::net::Ipv4Addr::UNSPECIFIED.into());
        let connection = ClientConnection::new(Arc::new(config), nobody)?;
        Ok(Connection::Client(connection))
    }

    /// Starts a handshake as TLS server, which requires a certificate of the client.
    pub(crate) fn server(
        &self,
        names: &Arc<[ServerName<'static>]>,
        before: Option<Subject>,
    ) -> Result<Connection, Fault> {
        let verifier = Arc::new(self.verifier(names, before));
        let (provider, clock) = (Arc::clone(&self.provider), Arc::clone(&self.clock));
        let mut config = ServerConfig::builder_with_details(provider, clock)
            .with_protocol_versions(&[&rustls::version::TLS13])?
            .with_client_cert_verifier(verifier)
            .with_cert_resolver(Arc::new(SingleCertAndKey::from(self.certified())));
        config.send_tls13_tickets = 0;
        config.session_storage = Arc::new(rustls::server::NoServerSessionStorage {});
        Ok(Connection::Server(ServerConnection::new(Arc::new(config))?))
    }
}

fn provider(suites: &[CipherSuite]) -> CryptoProvider {
    let known = aws_lc_rs::default_provider();
    let of = |suite: &CipherSuite| {
        let id = u16::from_be_bytes(suite.id());
        let mut known = known.cipher_suites.iter();
        known.find(|one| u16::from(one.suite()) == id).copied()
    };
    CryptoProvider {
        cipher_suites: suites.iter().filter_map(of).collect(),
        ..known.clone()
    }
}
