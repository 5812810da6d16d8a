//! A single TLS 1.3 handshake, in user messages (draft-porfiri-tsvwg-sctp-dtls-handshake-01 §4).

use std::time::Duration;

use rustls::Connection;
use rustls::pki_types::UnixTime;
use sheave_engine::wire::{DtlsContext, dtls};
use sheave_engine::{KeyAgreement, KeyRole, Time};
use zeroize::Zeroizing;

use crate::certificate::{self, Subject};
use crate::{CipherSuite, Fault, TrafficKeys};

/// Type of a TLS record with a handshake message (RFC 8446 §5.1).
const HANDSHAKE_RECORD: u8 = 22;

/// Bytes of a TLS record before its fragment.
const RECORD_HEADER: usize = 5;

/// A handshake in progress.
#[derive(Debug)]
pub(crate) struct Handshake {
    pub(crate) epoch: u64,
    connection: Connection,
    /// When the handshake is given up.
    pub(crate) deadline: Time,
    /// Keys of the association, once the handshake is complete.
    pub(crate) keys: Option<DirectionKeys>,
    /// Keys for its restart, if both ends can.
    pub(crate) restart_keys: Option<DirectionKeys>,
}

/// Keys that a handshake has produced.
#[derive(Clone, Debug)]
pub(crate) struct DirectionKeys {
    pub(crate) client: TrafficKeys,
    pub(crate) server: TrafficKeys,
}

impl DirectionKeys {
    /// Keys of the packets that the TLS client or server sends.
    pub(crate) const fn of(&self, role: KeyRole) -> &TrafficKeys {
        match role {
            KeyRole::Client => &self.client,
            KeyRole::Server => &self.server,
        }
    }
}

impl Handshake {
    pub(crate) const fn new(epoch: u64, connection: Connection, deadline: Time) -> Self {
        Self {
            epoch,
            connection,
            deadline,
            keys: None,
            restart_keys: None,
        }
    }

    /// The local role in TLS.
    pub(crate) const fn role(&self) -> KeyRole {
        match self.connection {
            Connection::Client(_) => KeyRole::Client,
            Connection::Server(_) => KeyRole::Server,
        }
    }

    /// Handles the records of a message.
    pub(crate) fn handle(&mut self, mut records: &[u8]) -> Result<(), Fault> {
        while !records.is_empty() {
            match self.connection.read_tls(&mut records) {
                // After close_notify, nothing is read.
                Ok(0) => break,
                Ok(_) => {}
                Err(error) => return Err(Fault::Tls(error.to_string())),
            }
            self.connection.process_new_packets()?;
        }
        Ok(())
    }

    /// The records to send, if any.
    pub(crate) fn output(&mut self) -> Option<Vec<u8>> {
        let mut records = Vec::new();
        while self.connection.wants_write() {
            // Writing to memory does not fail.
            if self.connection.write_tls(&mut records).is_err() {
                break;
            }
        }
        (!records.is_empty()).then_some(records)
    }

    /// Whether both ends are authenticated and the exporter can be used.
    pub(crate) fn is_complete(&self) -> bool {
        !self.connection.is_handshaking()
    }

    /// The peer's certificate: its subject, and the time until it ends.
    pub(crate) fn peer(&self, now: UnixTime) -> Result<(Subject, Option<Duration>), Fault> {
        let certificates = self.connection.peer_certificates();
        let certificate = certificates.and_then(|all| all.first());
        let certificate = certificate.ok_or(Fault::NoCertificate)?;
        let subject = Subject::of(certificate);
        let subject = subject.map_err(|error| Fault::BadCertificate(error.to_string()))?;
        let left = certificate::time_left(certificate, now);
        Ok((subject, left))
    }

    /// Derives keys of both directions, for an association or for its restart, whose context is the
    /// parameters of both ends (§5.2).
    pub(crate) fn export(
        &self,
        kind: DtlsContext,
        agreement: &KeyAgreement,
        bytes: u64,
    ) -> Result<DirectionKeys, Fault> {
        let role = match kind {
            DtlsContext::Primary => 0,
            DtlsContext::Restart => 1,
        };
        let suite = self.connection.negotiated_cipher_suite();
        let suite = suite.map(|suite| u16::from(suite.suite()).to_be_bytes());
        let suite = suite.and_then(CipherSuite::from_id);
        let suite = suite.ok_or_else(|| Fault::Tls("a cipher suite of its own".into()))?;
        let keys = |direction| -> Result<TrafficKeys, Fault> {
            let export = |kind, length| {
                let context = context([direction, role, kind], agreement);
                let secret = vec![0; length];
                let label = dtls::EXPORTER_LABEL;
                let connection = &self.connection;
                let exported = connection.export_keying_material(secret, label, Some(&context));
                exported.map(Zeroizing::new)
            };
            let key = export(0, suite.key_len())?;
            let sn_key = export(1, suite.key_len())?;
            let iv = export(2, 12)?;
            let keys = TrafficKeys::new(suite, &key, &iv, &sn_key)?;
            Ok(keys.with_bytes(bytes))
        };
        Ok(DirectionKeys {
            client: keys(0)?,
            server: keys(1)?,
        })
    }
}

/// The context of an export: direction, role and type of the key, and both ends' parameters (§5.2).
fn context(of: [u8; 3], agreement: &KeyAgreement) -> Vec<u8> {
    let [client, server] = [&agreement.client_parameter, &agreement.server_parameter];
    [&of[..], client, server].concat()
}

/// Whether a message begins with a ClientHello, and so with a handshake of its own.
pub(crate) fn is_client_hello(records: &[u8]) -> bool {
    records.first() == Some(&HANDSHAKE_RECORD) && records.get(RECORD_HEADER) == Some(&1)
}

#[cfg(test)]
mod tests;
