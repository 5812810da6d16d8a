//! Keys of method 0 that are derived for each association from a secret that both ends were given.

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use aws_lc_rs::hkdf::{HKDF_SHA256, KeyType, Salt};
use aws_lc_rs::{constant_time, rand};
use sheave_engine::wire::dtls;
use sheave_engine::{Assoc, Event, KeyAgreement, KeyRole, ProtectionChange, Time};
use zeroize::Zeroizing;

use crate::certificate::Fingerprint;
use crate::pre_shared::agreement;
use crate::{Begun, CipherSuite, Fault, KeyLog, PreShared, PreSharedKeys, TrafficKeys};

/// Shortest secret, bytes: it must not be found by trial.
const LEAST: usize = 16;

/// Bytes of a nonce, of a proof, and of each derived key.
const LEN: usize = 32;

/// The suite of all associations: its keys need no rekeying, for which method 0 has no messages.
const SUITE: CipherSuite = CipherSuite::ChaCha20Poly1305;

/// First bytes of the messages: the epoch, and what follows: the client's nonce; the server's nonce
/// and proof; nothing, where that proof is wrong.
const HELLO: [u8; 2] = [EPOCH, 2];
const ANSWER: [u8; 2] = [EPOCH, 3];
const REFUSAL: [u8; 2] = [EPOCH, 4];
const EPOCH: u8 = dtls::FIRST_EPOCH.to_be_bytes()[7];

/// Time for the refusal to reach the peer before the association is aborted.
const GRACE: Duration = Duration::from_millis(500);

type Nonce = [u8; LEN];

/// A secret that both ends were given, from which keys are derived for each association. Who learns
/// it reads all associations, those of before, too.
#[derive(Clone)]
pub struct SharedSecret {
    secret: Arc<Zeroizing<Vec<u8>>>,
    key_log: Option<KeyLog>,
    patience: Duration,
}

impl fmt::Debug for SharedSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SharedSecret")
    }
}

impl SharedSecret {
    /// Takes 16 bytes at least, which nobody can guess.
    ///
    /// # Errors
    /// It is shorter.
    pub fn new(secret: &[u8]) -> io::Result<Self> {
        if secret.len() < LEAST {
            let reason = format!("a secret has {LEAST} bytes at least");
            return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
        }
        Ok(Self {
            secret: Arc::new(Zeroizing::new(secret.to_vec())),
            key_log: None,
            patience: Duration::from_secs(30),
        })
    }

    /// Reads a secret: the bytes of a file, but for a line's end after them.
    ///
    /// # Errors
    /// The file cannot be read, or holds less than 16 bytes.
    pub fn from_file(path: impl AsRef<Path>) -> io::Result<Self> {
        let bytes = Zeroizing::new(std::fs::read(path)?);
        Self::new(bytes.trim_ascii_end())
    }

    /// Writes the keys of every association to a log. Anyone who can read it can read the traffic.
    #[must_use]
    pub fn logging_keys_to(mut self, log: KeyLog) -> Self {
        self.key_log = Some(log);
        self
    }

    /// Limits the time until packets are protected; default 30 s.
    #[must_use]
    pub const fn with_patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// A name of the secret, which does not tell it.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint(*self.expand(&[], &[b"fingerprint"]))
    }

    fn expand(&self, salt: &[u8], info: &[&[u8]]) -> Zeroizing<[u8; LEN]> {
        let prk = Salt::new(HKDF_SHA256, salt).extract(&self.secret);
        let mut key = Zeroizing::new([0; LEN]);
        let expanded = prk
            .expand(info, Length)
            .and_then(|okm| okm.fill(&mut key[..]));
        expanded.expect("a length that HKDF can expand to");
        key
    }

    /// Derives keys, and what the server proves by that it has them, from both ends' nonces and
    /// parameters.
    fn derive(
        &self,
        agreement: &KeyAgreement,
        [client, server]: [&Nonce; 2],
    ) -> (PreSharedKeys, Zeroizing<[u8; LEN]>) {
        let salt = [&client[..], server].concat();
        let of = |role: KeyRole, what: &[u8]| {
            let end: &[u8] = match role {
                KeyRole::Client => b"client",
                KeyRole::Server => b"server",
            };
            let [client, server] = [&agreement.client_parameter, &agreement.server_parameter];
            let length = (client.len() as u64).to_be_bytes();
            self.expand(&salt, &[LABEL, what, end, &length, client, server])
        };
        let keys = |role| {
            let [key, iv, sn_key] = [b"key", b"iv ", b"sn "].map(|what| of(role, what));
            TrafficKeys::new(SUITE, &key[..], &iv[..12], &sn_key[..])
                .expect("keys of the suite's length")
        };
        let both = PreSharedKeys {
            client: keys(KeyRole::Client),
            server: keys(KeyRole::Server),
        };
        (both, of(KeyRole::Server, b"proof"))
    }
}

const LABEL: &[u8] = b"sheave: SCTP DTLS chunk, method 0";

struct Length;

impl KeyType for Length {
    fn len(&self) -> usize {
        LEN
    }
}

/// Key manager of one association with keys from a shared secret.
#[derive(Debug)]
pub(crate) struct SecretManager {
    secret: SharedSecret,
    nonce: Nonce,
    keys: Option<PreShared>,
    fault: Option<Box<Fault>>,
}

impl SecretManager {
    pub(crate) fn new(secret: &SharedSecret) -> Self {
        let mut nonce = [0; LEN];
        rand::fill(&mut nonce).expect("the system has random numbers");
        Self {
            secret: secret.clone(),
            nonce,
            keys: None,
            fault: None,
        }
    }

    pub(crate) fn fault(&self) -> Option<&Fault> {
        self.fault.as_deref()
    }

    pub(crate) fn handle_event(
        &mut self,
        now: Time,
        assoc: &mut Assoc<'_>,
        event: &Event,
    ) -> Result<(), Fault> {
        match (event, &mut self.keys) {
            (Event::Established { .. } | Event::Restarted, _) => self.begin(now, assoc),
            (Event::Protection(ProtectionChange::TimerExpired), _) => {
                let fault = self.fault().cloned().unwrap_or(Fault::TimedOut);
                let mut shield = assoc.protection().ok_or(Fault::NotAgreed)?;
                shield.is_enforced().then_some(()).ok_or(fault)
            }
            (Event::Protection(ProtectionChange::Message), _) => {
                while let Some(message) = assoc.protection().and_then(|mut it| it.receive(now)) {
                    self.handle_message(now, assoc, &message)?;
                }
                Ok(())
            }
            (event, Some(keys)) => keys.handle_event(now, assoc, event),
            _ => Ok(()),
        }
    }

    fn begin(&mut self, now: Time, assoc: &mut Assoc<'_>) -> Result<(), Fault> {
        *self = Self::new(&self.secret);
        let role = agreement(assoc)?.role;
        let mut shield = assoc.protection().ok_or(Fault::NotAgreed)?;
        shield.set_timer(now, Some(now + self.secret.patience));
        if role == KeyRole::Client {
            shield.send(now, [&HELLO[..], &self.nonce].concat())?;
        }
        Ok(())
    }

    fn handle_message(
        &mut self,
        now: Time,
        assoc: &mut Assoc<'_>,
        message: &[u8],
    ) -> Result<(), Fault> {
        if self.fault.is_some() {
            return Ok(());
        }
        let (&kind, rest) = message.split_first_chunk().ok_or(Fault::Message)?;
        let role = agreement(assoc)?.role;
        match (kind, role, &self.keys) {
            (HELLO, KeyRole::Server, None) => {
                let nonce = rest.try_into().map_err(|_| Fault::Message)?;
                let (keys, proof) = self
                    .secret
                    .derive(&agreement(assoc)?, [&nonce, &self.nonce]);
                self.take(now, assoc, keys, Begun::There)?;
                let answer = [&ANSWER[..], &self.nonce, &proof[..]].concat();
                let mut shield = assoc.protection().ok_or(Fault::NotAgreed)?;
                Ok(shield.send(now, answer)?)
            }
            (ANSWER, KeyRole::Client, None) => self.on_answer(now, assoc, rest),
            // Ours is wrong for the peer: one of two secrets, or what was told on the way.
            (REFUSAL, KeyRole::Server, Some(_)) => Err(Fault::OtherSecret),
            (_, _, Some(_)) => PreShared::handle_message(assoc, message),
            _ => Err(Fault::Message),
        }
    }

    fn on_answer(&mut self, now: Time, assoc: &mut Assoc<'_>, answer: &[u8]) -> Result<(), Fault> {
        let (nonce, proof) = answer.split_first_chunk().ok_or(Fault::Message)?;
        let (keys, expected) = self.secret.derive(&agreement(assoc)?, [&self.nonce, nonce]);
        if constant_time::verify_slices_are_equal(&expected[..], proof).is_err() {
            self.fault = Some(Fault::OtherSecret.into());
            let mut shield = assoc.protection().ok_or(Fault::NotAgreed)?;
            shield.set_timer(now, Some(now + GRACE));
            return Ok(shield.send(now, REFUSAL.to_vec())?);
        }
        self.take(now, assoc, keys, Begun::Here)
    }

    /// Gives keys to the engine.
    fn take(
        &mut self,
        now: Time,
        assoc: &mut Assoc<'_>,
        keys: PreSharedKeys,
        begun: Begun,
    ) -> Result<(), Fault> {
        if let Some(log) = &self.secret.key_log {
            log.write(dtls::FIRST_EPOCH, [&keys.client, &keys.server]);
        }
        let mut keys = PreShared::new(keys, begun);
        keys.install(now, assoc)?;
        self.keys = Some(keys);
        Ok(())
    }
}
