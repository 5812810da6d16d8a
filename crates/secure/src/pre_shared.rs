//! Method 0: the user gives the keys (draft-ietf-tsvwg-sctp-dtls-chunk-04 §9.1).

use std::fmt;

use sheave_engine::wire::{Ppid, StreamId, dtls};
use sheave_engine::{
    Assoc, Event, KeyAgreement, KeyContext, KeyRole, Message, ProtectionChange, ProtectionError,
    SendError, SendOptions, Time,
};

use crate::{TrafficKeys, WrongLength};

/// The beginning of "Protection Established" for the first epoch, as the method for TLS writes it
/// (draft-porfiri-tsvwg-sctp-dtls-handshake-01 §4.1): T bit and epoch, type of the control message. The draft says
/// nothing of messages of method 0; without one, an end that has nothing to send would never show that it has the keys.
const ESTABLISHED: [u8; 2] = [0x80 | dtls::FIRST_EPOCH.to_be_bytes()[7], 0x01];

/// The message by which an end shows that it has the keys: with both parameters as they came to it. Given keys are
/// derived from nothing, so that a parameter that somebody changed would else go unnoticed (§6).
fn established(agreement: &KeyAgreement) -> Vec<u8> {
    let KeyAgreement {
        client_parameter,
        server_parameter,
        ..
    } = agreement;
    [&ESTABLISHED, &client_parameter[..], server_parameter].concat()
}

/// The keys of both directions. They must be fresh for each association.
#[derive(Clone, Debug)]
pub struct PreSharedKeys {
    /// Keys for what the client of the key management sends.
    pub client: TrafficKeys,
    /// Keys for what the server sends.
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

/// The end that began an association.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begun {
    /// Our end, with a COOKIE ECHO that was answered: the peer is up, and has its keys.
    Here,
    /// The other one. That it is up shows when its first protected packet comes.
    There,
}

/// The reason why an association cannot be protected; it is to be aborted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The two ends have not agreed on keys that their users give.
    NotAgreed,
    /// The engine does not take the keys.
    Keys(ProtectionError),
    /// The keys are not as long as their suite wants them.
    Length,
    /// A message for key managers is none of this method, or shows that somebody on the way has changed what the two
    /// ends told each other.
    Message,
    /// The message to the other end was not taken.
    Unsent,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAgreed => f.write_str("the two ends have not agreed on given keys"),
            Self::Keys(error) => write!(f, "the keys were not taken: {error:?}"),
            Self::Length => WrongLength.fmt(f),
            Self::Message => f.write_str("the peer's key manager sent something unknown, or was told something else than was sent"),
            Self::Unsent => f.write_str("a message to the peer's key manager was not taken"),
        }
    }
}

impl std::error::Error for Failure {}

impl From<ProtectionError> for Failure {
    fn from(error: ProtectionError) -> Self {
        Self::Keys(error)
    }
}

impl From<WrongLength> for Failure {
    fn from(_: WrongLength) -> Self {
        Self::Length
    }
}

/// Key manager of one association with given keys: shown all of its events and messages, it puts the keys in at
/// moments that lose nothing, and enforces protection at both ends.
///
/// The end that began seals from the start and enforces once it is answered in kind. The other one seals and enforces
/// once it has heard a sealed packet, since before it cannot know that its COOKIE ACK has arrived.
#[derive(Clone, Debug)]
pub struct PreShared {
    keys: PreSharedKeys,
    begun: Begun,
}

impl PreShared {
    /// The manager of an association that is about to begin.
    #[must_use]
    pub const fn new(keys: PreSharedKeys, begun: Begun) -> Self {
        Self { keys, begun }
    }

    /// Does what an event of the association asks for.
    ///
    /// # Errors
    /// [`Failure`]: abort the association.
    pub fn handle_event(
        &mut self,
        now: Time,
        assoc: &mut Assoc<'_>,
        event: &Event,
    ) -> Result<(), Failure> {
        let heard = ProtectionChange::FirstReceived(KeyContext::FIRST);
        match (event, self.begun) {
            (Event::Established { .. }, begun) => {
                let agreement = agreement(assoc)?;
                let receiving = self.keys.of(agreement.role.other()).cipher()?;
                let mut shield = assoc.protection().ok_or(Failure::NotAgreed)?;
                shield.add_receive_keys(KeyContext::FIRST, receiving)?;
                match begun {
                    Begun::Here => self.seal(now, assoc, &agreement),
                    Begun::There => Ok(()),
                }
            }
            (Event::Protection(change), begun) if *change == heard => {
                if begun == Begun::There {
                    let agreement = agreement(assoc)?;
                    self.seal(now, assoc, &agreement)?;
                }
                let mut shield = assoc.protection().ok_or(Failure::NotAgreed)?;
                Ok(shield.enforce(now)?)
            }
            _ => Ok(()),
        }
    }

    /// Takes a message if it is for key managers; any other is the user's, and comes back.
    ///
    /// # Errors
    /// [`Failure::Message`]: abort the association.
    pub fn handle_message(
        &mut self,
        assoc: &mut Assoc<'_>,
        message: Message,
    ) -> Result<Option<Message>, Failure> {
        if message.ppid != Ppid(dtls::PPID) {
            return Ok(Some(message));
        }
        match message.payload == established(&agreement(assoc)?) {
            true => Ok(None),
            false => Err(Failure::Message),
        }
    }

    /// Seals from here on, and shows it.
    fn seal(
        &self,
        now: Time,
        assoc: &mut Assoc<'_>,
        agreement: &KeyAgreement,
    ) -> Result<(), Failure> {
        let sending = self.keys.of(agreement.role).cipher()?;
        let mut shield = assoc.protection().ok_or(Failure::NotAgreed)?;
        shield.set_send_keys(now, KeyContext::FIRST, sending)?;
        let mut shown = Message::new(StreamId(0), established(agreement));
        shown.ppid = Ppid(dtls::PPID);
        let sent = assoc.send(now, shown, SendOptions::default());
        sent.map_err(|_: SendError| Failure::Unsent)
    }
}

/// The agreement of both ends, where its method is this one.
fn agreement(assoc: &mut Assoc<'_>) -> Result<KeyAgreement, Failure> {
    let mut shield = assoc.protection().ok_or(Failure::NotAgreed)?;
    let agreement = shield.agreement();
    let ours = agreement.filter(|found| found.method == dtls::METHOD_PRE_SHARED);
    ours.cloned().ok_or(Failure::NotAgreed)
}
