//! Method 0: keys supplied by the user (draft-ietf-tsvwg-sctp-dtls-chunk-04 §9.1).

use sheave_engine::wire::dtls;
use sheave_engine::{Assoc, Event, KeyAgreement, KeyContext, KeyRole, ProtectionChange, Time};

use crate::{Fault, TrafficKeys};

/// Start of the "Protection Established" message for the first epoch, in the format of the TLS
/// method (draft-porfiri-tsvwg-sctp-dtls-handshake-01 §4.1): T bit and epoch, message type. The
/// draft defines no messages for method 0; without one, an end with nothing to send would never
/// show that it has the keys.
const ESTABLISHED: [u8; 2] = [0x80 | dtls::FIRST_EPOCH.to_be_bytes()[7], 0x01];

/// Message that proves possession of the keys and repeats both parameters as received.
/// User-supplied keys do not depend on the handshake, so without this a modified parameter would go
/// unnoticed (§6).
fn established(agreement: &KeyAgreement) -> Vec<u8> {
    let KeyAgreement {
        client_parameter,
        server_parameter,
        ..
    } = agreement;
    [&ESTABLISHED, &client_parameter[..], server_parameter].concat()
}

/// Keys of both directions; must be unique to each association.
#[derive(Clone, Debug)]
pub struct PreSharedKeys {
    /// Keys for packets from the key-management client.
    pub client: TrafficKeys,
    /// Keys for packets from the server.
    pub server: TrafficKeys,
}

impl PreSharedKeys {
    const fn of(&self, role: KeyRole) -> &TrafficKeys {
        match role {
            KeyRole::Client => &self.client,
            KeyRole::Server => &self.server,
        }
    }
}

/// The end that initiated the association.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begun {
    /// The local end: its COOKIE ECHO was answered, so the peer is up and has its keys.
    Here,
    /// The peer; its first protected packet shows that it is up.
    There,
}

/// Key manager of one association with user-supplied keys. It must see all events of the
/// association; it installs the keys at moments that lose no packets, and enforces protection
/// at both ends.
///
/// The initiating end seals from the start and enforces protection after the first sealed answer.
/// The other end seals and enforces after the first sealed packet, since only that proves that its
/// COOKIE ACK arrived.
#[derive(Clone, Debug)]
pub struct PreShared {
    /// Until the engine has all of them.
    keys: Option<Box<PreSharedKeys>>,
    begun: Begun,
}

impl PreShared {
    /// Creates the manager for an association that is about to be set up.
    #[must_use]
    pub fn new(keys: PreSharedKeys, begun: Begun) -> Self {
        let keys = Some(Box::new(keys));
        Self { keys, begun }
    }

    /// Handles an event of the association.
    ///
    /// # Errors
    /// A [`Fault`]: abort the association.
    pub fn handle_event(
        &mut self,
        now: Time,
        assoc: &mut Assoc<'_>,
        event: &Event,
    ) -> Result<(), Fault> {
        let heard = ProtectionChange::FirstReceived(KeyContext::FIRST);
        match (event, self.begun) {
            (Event::Established { .. }, _) => self.install(now, assoc),
            (Event::Protection(change), begun) if *change == heard => {
                if begun == Begun::There {
                    let agreement = agreement(assoc)?;
                    self.seal(now, assoc, &agreement)?;
                }
                let mut shield = assoc.protection().ok_or(Fault::NotAgreed)?;
                Ok(shield.enforce(now)?)
            }
            (Event::Protection(ProtectionChange::Message), _) => {
                while let Some(message) = assoc.protection().and_then(|mut it| it.receive(now)) {
                    Self::handle_message(assoc, &message)?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Takes the keys for what the peer sends, and begins to seal if the peer has its own.
    pub(crate) fn install(&mut self, now: Time, assoc: &mut Assoc<'_>) -> Result<(), Fault> {
        let agreement = agreement(assoc)?;
        let keys = self.keys.as_ref().ok_or(Fault::Message)?;
        let receiving = keys.of(agreement.role.other()).cipher()?;
        let mut shield = assoc.protection().ok_or(Fault::NotAgreed)?;
        shield.add_receive_keys(KeyContext::FIRST, receiving)?;
        match self.begun {
            Begun::Here => self.seal(now, assoc, &agreement),
            Begun::There => Ok(()),
        }
    }

    pub(crate) fn handle_message(assoc: &mut Assoc<'_>, message: &[u8]) -> Result<(), Fault> {
        let expected = established(&agreement(assoc)?);
        (message == expected).then_some(()).ok_or(Fault::Message)
    }

    /// Starts sealing and sends the message that proves it.
    fn seal(
        &mut self,
        now: Time,
        assoc: &mut Assoc<'_>,
        agreement: &KeyAgreement,
    ) -> Result<(), Fault> {
        let keys = self.keys.take().ok_or(Fault::Message)?;
        let sending = keys.of(agreement.role).cipher()?;
        let mut shield = assoc.protection().ok_or(Fault::NotAgreed)?;
        shield.set_send_keys(now, KeyContext::FIRST, sending)?;
        Ok(shield.send(now, established(agreement))?)
    }
}

/// Returns the ends' agreement if it is on method 0.
pub(crate) fn agreement(assoc: &mut Assoc<'_>) -> Result<KeyAgreement, Fault> {
    let mut shield = assoc.protection().ok_or(Fault::NotAgreed)?;
    let agreement = shield.agreement();
    let ours = agreement.filter(|found| found.method == dtls::METHOD_PRE_SHARED);
    ours.cloned().ok_or(Fault::NotAgreed)
}
