//! Packets encrypted in DTLS chunks (draft-ietf-tsvwg-sctp-dtls-chunk-04).

mod contexts;
pub(crate) mod messages;
mod plain;
mod window;

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::mem;

use bytes::Bytes;
use sheave_wire::{CommonHeader, Dtls, DtlsContext, Packet, dtls};

use self::contexts::{Receiving, Sending};
use crate::inbound::Inbound;
use crate::rng::Rng;
use crate::value::protection::{
    Disagreement, KeyAgreement, KeyContext, KeyParameter, KeyParameters, KeyStats, Protection,
    ProtectionError, ProtectionStats, RecordCipher, TAG_LEN, is_of_key_managers,
};
use crate::{Message, Options, ProtectionChange};

/// Most bytes that a DTLS chunk adds to the chunks inside, which end at a multiple of four: chunk
/// header, a byte of padding, record header, content type, tag, and three bytes of alignment.
pub const OVERHEAD: usize = Dtls::HEADER_LEN + Dtls::RECORD_HEADER_LEN + 1 + TAG_LEN + 3;

/// Longest packet whose chunks fit a record, bytes (§3.1).
pub(crate) const MAX_PACKET: usize = CommonHeader::LEN + dtls::MAX_PLAINTEXT + OVERHEAD;

/// Protection state of an association whose options enable it.
#[derive(Clone, Debug)]
pub(crate) struct Shield {
    ours: KeyParameter,
    /// The agreed method, once both ends' parameters are known.
    agreement: Option<Box<KeyAgreement>>,
    /// Primary and restart keys for sending.
    sending: [Option<Sending>; 2],
    receiving: Vec<Receiving>,
    /// The epochs of the next primary keys for sending and receiving.
    next_epochs: [u64; 2],
    stage: Stage,
    replay_window: u16,
    /// Whether ciphers were used since they were last told to rest.
    warm: bool,
    pub(crate) stats: ProtectionStats,
    /// Created by the first entry, and freed when idle.
    mail: Option<Box<Mail>>,
}

/// Mail for the key manager.
#[derive(Clone, Debug, Default)]
struct Mail {
    /// Changes not yet reported.
    news: Vec<ProtectionChange>,
    messages: VecDeque<Bytes>,
}

/// The packets that an association accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Plain packets of the handshake and of key managers, and protected ones.
    Opening,
    /// Only protected packets.
    Enforced,
    /// Only protected packets, including those under restart keys, under which the association was
    /// established.
    Restarted,
}

/// Protection of an outgoing packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cover {
    /// Most bytes of the packet.
    pub(crate) most: usize,
    /// Bytes to reserve.
    pub(crate) reserve: usize,
    /// Whether the packet is encrypted.
    pub(crate) seals: bool,
}

impl Cover {
    pub(crate) const NONE: Self = Self {
        most: usize::MAX,
        reserve: 0,
        seals: false,
    };

    /// The largest MTU to search for: no packet can exceed a record and its headers.
    pub(crate) fn limit_mtu(self, max: u16) -> u16 {
        const AROUND: usize = 40 + 8;
        u16::try_from(self.most.saturating_add(AROUND)).map_or(max, |most| most.min(max))
    }
}

/// The origin of a decrypted packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Opened {
    /// Index of the association whose keys decrypted it.
    pub(crate) index: usize,
    pub(crate) kind: DtlsContext,
}

impl Shield {
    /// Protection state of an end that announced `ours`.
    pub(crate) fn new(ours: KeyParameter, options: &Options) -> Self {
        Self {
            ours,
            agreement: None,
            sending: [None, None],
            receiving: Vec::new(),
            next_epochs: [dtls::FIRST_EPOCH; 2],
            stage: Stage::Opening,
            replay_window: options.replay_window,
            warm: false,
            stats: ProtectionStats::default(),
            mail: None,
        }
    }

    /// Protection state of an end about to announce its parameters.
    pub(crate) fn offering(options: &Options, rng: &mut Rng) -> Option<Self> {
        let ours = offer(options, Opener::Us, rng)?;
        Some(Self::new(ours, options))
    }

    pub(crate) const fn ours(&self) -> &KeyParameter {
        &self.ours
    }

    /// Applies both ends' parameters. Keys are kept only if a protected association is
    /// re-established under them (§5.4); all primary keys are dropped.
    pub(crate) fn adopt(&mut self, parameters: &KeyParameters) {
        self.ours = parameters.ours.clone();
        self.agreement = parameters.agree().ok().map(Box::new);
        if self.stage == Stage::Opening {
            self.sending = [None, None];
            self.receiving.clear();
        } else {
            self.stage = Stage::Restarted;
            self.sending[place(DtlsContext::Primary)] = None;
            self.receiving
                .retain(|keys| keys.id.kind == DtlsContext::Restart);
        }
        self.next_epochs = [dtls::FIRST_EPOCH; 2];
        if let Some(mail) = &mut self.mail {
            mail.messages.clear();
        }
    }

    /// Takes messages for the key manager out of those readable from position `from` on. Returns
    /// whether there are any.
    pub(crate) fn collect_messages(&mut self, inbound: &mut Inbound, from: usize) -> bool {
        let found = inbound.divert(from, is_for_key_managers);
        let any = !found.is_empty();
        if any {
            self.mail.get_or_insert_default().messages.extend(found);
        }
        any
    }

    pub(crate) const fn is_warm(&self) -> bool {
        self.warm
    }

    /// Frees memory that an idle association does not need.
    pub(crate) fn rest(&mut self) {
        self.warm = false;
        self.sending.iter().flatten().for_each(Sending::rest);
        self.receiving.iter_mut().for_each(Receiving::rest);
        (self.mail).take_if(|mail| mail.news.is_empty() && mail.messages.is_empty());
    }

    /// Changes for the user.
    pub(crate) fn take_news(&mut self) -> Vec<ProtectionChange> {
        let mail = self.mail.as_mut();
        mail.map_or_else(Vec::new, |mail| mem::take(&mut mail.news))
    }

    fn announce(&mut self, change: ProtectionChange) {
        self.mail.get_or_insert_default().news.push(change);
    }

    /// The next message for the key manager.
    pub(crate) fn next_message(&mut self) -> Option<Bytes> {
        self.mail.as_mut()?.messages.pop_front()
    }

    pub(crate) fn agreement(&self) -> Option<&KeyAgreement> {
        self.agreement.as_deref()
    }

    /// Whether only protected packets are accepted.
    pub(crate) fn is_enforced(&self) -> bool {
        self.stage != Stage::Opening
    }

    /// Whether messages of key managers are accepted in plain text. None is stored beyond a gap: an
    /// attacker on the path could use up a TSN of data that is sent under protection.
    pub(crate) fn takes_plain_messages(&self) -> bool {
        self.agreement.is_some() && self.stage == Stage::Opening
    }

    /// Adds keys for receiving.
    pub(crate) fn add_receiving(
        &mut self,
        id: KeyContext,
        cipher: Arc<dyn RecordCipher>,
    ) -> Result<(), ProtectionError> {
        let alike = |keys: &Receiving| keys.id.kind == id.kind && keys.id.epoch & 3 == id.epoch & 3;
        if self.receiving.iter().any(alike) {
            return Err(ProtectionError::Taken);
        }
        self.advance_epoch(1, id)?;
        self.receiving.reserve_exact(1);
        self.receiving
            .push(Receiving::new(id, cipher, self.replay_window));
        Ok(())
    }

    /// Sets keys for sending. Restart keys are used only without primary ones: by the end that
    /// re-establishes the association, before its COOKIE ECHO (§5.2, §6.4).
    pub(crate) fn set_sending(
        &mut self,
        id: KeyContext,
        cipher: Arc<dyn RecordCipher>,
    ) -> Result<(), ProtectionError> {
        self.advance_epoch(0, id)?;
        self.sending[place(id.kind)] = Some(Sending::new(id, cipher));
        Ok(())
    }

    /// The association is being re-established under restart keys.
    pub(crate) fn restart(&mut self) {
        self.stage = Stage::Restarted;
    }

    fn advance_epoch(&mut self, side: usize, id: KeyContext) -> Result<(), ProtectionError> {
        match id.kind {
            DtlsContext::Restart if id.epoch >= dtls::FIRST_EPOCH => Ok(()),
            DtlsContext::Primary if self.agreement.is_none() => Err(ProtectionError::NotAgreed),
            DtlsContext::Primary if id.epoch == self.next_epochs[side] => {
                self.next_epochs[side] += 1;
                Ok(())
            }
            _ => Err(ProtectionError::Epoch),
        }
    }

    /// Removes keys for receiving. Without the restart keys under which it was established, the
    /// association is one like any other.
    pub(crate) fn remove_receiving(&mut self, id: KeyContext) -> Result<(), ProtectionError> {
        let at = self.receiving.iter().position(|keys| keys.id == id);
        self.receiving.remove(at.ok_or(ProtectionError::Unknown)?);
        if id.kind == DtlsContext::Restart && self.stage == Stage::Restarted {
            self.stage = Stage::Enforced;
        }
        Ok(())
    }

    /// Removes the restart keys for sending, to be replaced or not.
    pub(crate) fn remove_restart_sending(&mut self) {
        self.sending[place(DtlsContext::Restart)] = None;
    }

    /// The association is set up like a new one after all: the peer has not heard restart keys.
    pub(crate) fn give_up_restart(&mut self) {
        self.remove_restart_sending();
        self.receiving.clear();
        self.stage = Stage::Opening;
    }

    /// From now on accepts only protected packets (§6.8). Returns whether that is a change.
    pub(crate) fn enforce(&mut self) -> Result<bool, ProtectionError> {
        if self.sender().is_none() || self.receiving.is_empty() {
            return Err(ProtectionError::NoKeys);
        }
        if self.stage != Stage::Opening {
            return Ok(false);
        }
        self.stage = Stage::Enforced;
        Ok(true)
    }

    pub(crate) fn key_stats(&self, id: KeyContext) -> Option<KeyStats> {
        let sent = self.sending.iter().flatten().find(|keys| keys.id == id);
        let received = self.receiving.iter().find(|keys| keys.id == id);
        (sent.is_some() || received.is_some()).then(|| KeyStats {
            sealed: sent.map_or(0, Sending::sealed),
            opened: received.map_or(0, |keys| keys.opened),
            forged: received.map_or(0, |keys| keys.forged),
        })
    }

    /// The keys for sending (§5.2).
    fn sender(&self) -> Option<&Sending> {
        self.sending.iter().flatten().next()
    }

    /// Whether nothing may be sent: the keys are used up or gone.
    pub(crate) fn is_blocked(&self) -> bool {
        match self.sender() {
            Some(keys) => keys.is_spent(),
            None => self.is_enforced(),
        }
    }

    /// The protection of packets. Space is reserved from the agreement on, so that chunks cut
    /// before the keys are set still fit.
    pub(crate) fn cover(&self) -> Cover {
        match self.agreement {
            Some(_) => Cover {
                most: MAX_PACKET,
                reserve: OVERHEAD,
                seals: self.sender().is_some(),
            },
            None => Cover::NONE,
        }
    }

    /// The protection of a packet that begins with COOKIE ACK. A peer that sends COOKIE ECHO in
    /// plain text has no keys yet, so it gets COOKIE ACK, and nothing else, in plain text.
    // DEVIATION draft-ietf-tsvwg-sctp-dtls-chunk-04 §5.2: else a lost COOKIE ACK would end an association whose keys
    // were there before it, as those of method 0 are.
    pub(crate) fn cover_of_cookie_ack(&self) -> Cover {
        let cover = self.cover();
        match self.stage {
            Stage::Opening if cover.seals => Cover {
                most: CommonHeader::LEN + 4,
                ..Cover::NONE
            },
            _ => cover,
        }
    }

    /// Encrypts the packet in `out` from `start` on into a single DTLS chunk, with the keys for
    /// regular use. Returns its length.
    pub(crate) fn seal(&mut self, out: &mut Vec<u8>, start: usize) -> usize {
        self.warm = true;
        let keys = self.sending.iter_mut().flatten().next();
        self.stats.sent += u64::from(keys.is_some());
        let due = keys.and_then(|keys| keys.seal(out, start).then_some(keys.id));
        if let Some(id) = due {
            self.announce(ProtectionChange::NearLimit(id));
        }
        out.len() - start
    }

    /// Encrypts an answer to a peer that re-establishes the association, with keys of this kind.
    pub(crate) fn seal_for(&mut self, kind: DtlsContext, out: &mut Vec<u8>) {
        self.warm = true;
        if let Some(keys) = &mut self.sending[place(kind)] {
            self.stats.sent += 1;
            keys.seal(out, 0);
        }
    }

    /// Decrypts the DTLS chunk of a packet into `out`, which is empty. Returns the kind of keys
    /// used.
    pub(crate) fn open(&mut self, packet: &Packet<'_>, out: &mut Vec<u8>) -> Option<DtlsContext> {
        let Some((keys, chunk)) =
            contexts::chunk_alone(packet).and_then(|chunk| Some((self.keys_for(&chunk)?, chunk)))
        else {
            self.stats.unreadable += 1;
            return None;
        };
        self.warm = true;
        let keys = &mut self.receiving[keys];
        let id = keys.id;
        match keys.open(packet, &chunk, out) {
            Ok(()) => {
                self.stats.received += 1;
                if keys.opened == 1 {
                    self.announce(ProtectionChange::FirstReceived(id));
                }
                return Some(id.kind);
            }
            Err(contexts::Refusal::Replayed) => self.stats.replayed += 1,
            Err(contexts::Refusal::Malformed) => self.stats.unreadable += 1,
            Err(contexts::Refusal::Forged) => {
                self.stats.forged += 1;
                if keys.is_spent() {
                    self.receiving.retain(|keys| keys.id != id);
                    self.announce(ProtectionChange::Spent(id));
                }
            }
        }
        None
    }

    /// The index of a record's keys.
    fn keys_for(&self, chunk: &Dtls<'_>) -> Option<usize> {
        let flags = *chunk.record.first()?;
        let named = flags & !3 == Dtls::RECORD_FLAGS;
        let is_meant = |keys: &Receiving| {
            named && keys.id.kind == chunk.context && keys.id.epoch & 3 == u64::from(flags & 3)
        };
        self.receiving.iter().position(is_meant)
    }

    /// Whether a packet is handled; `opened` is set if our keys decrypted it. Before a restart,
    /// only a COOKIE ECHO is accepted under restart keys, and the endpoint handles it (§5.4).
    pub(crate) fn admits(&mut self, packet: &Packet<'_>, opened: Option<Opened>) -> bool {
        let admitted = match (opened, self.stage) {
            (Some(_), Stage::Restarted) => return true,
            (Some(opened), _) => return opened.kind == DtlsContext::Primary,
            (None, Stage::Opening) => self.agreement.is_none() || plain::is_taken(packet),
            // DEVIATION draft-ietf-tsvwg-sctp-dtls-chunk-04 §6.8: SACKs (and ECNE) alone in plain text are taken until
            // the peer seals. Without them the message that tells it of the keys may never be sent again.
            (None, Stage::Enforced) => !self.peer_seals() && plain::acknowledges(packet),
            (None, Stage::Restarted) => false,
        };
        self.stats.unprotected += u64::from(!admitted);
        admitted
    }

    /// Whether the peer has sent a protected packet.
    pub(crate) fn peer_seals(&self) -> bool {
        self.stats.received > 0
    }

    /// Whether a COOKIE ECHO may re-establish or confirm the association.
    pub(crate) fn admits_cookie(&mut self, opened: Option<Opened>, agrees: bool) -> bool {
        if self.stage == Stage::Opening {
            return true;
        }
        let restarts = opened.is_some_and(|opened| opened.kind == DtlsContext::Restart);
        self.stats.unprotected += u64::from(opened.is_none());
        restarts && agrees
    }

    /// Bytes of this structure and its heap memory.
    pub(crate) fn footprint(&self) -> usize {
        let windows: usize = self.receiving.iter().map(Receiving::footprint).sum();
        let agreement = self.agreement.as_ref().map_or(0, |agreement| {
            size_of::<KeyAgreement>()
                + agreement.client_parameter.capacity()
                + agreement.server_parameter.capacity()
        });
        size_of::<Self>() + self.receiving.capacity() * size_of::<Receiving>() + windows + agreement
    }
}

/// Whether a message belongs to key managers.
pub(crate) fn is_for_key_managers(message: &Message) -> bool {
    is_of_key_managers(message.stream, message.ppid)
}

/// The index of a kind of keys; primary keys come first and take precedence.
const fn place(kind: DtlsContext) -> usize {
    match kind {
        DtlsContext::Primary => 0,
        DtlsContext::Restart => 1,
    }
}

/// The end that sends INIT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opener {
    Us,
    Peer,
}

/// Our parameter, if the options enable protection.
// DEVIATION draft-ietf-tsvwg-sctp-dtls-chunk-04 §4.1: the first bit of the tie breaker is not random. The end that
// opens the association becomes the key managers' server: the client's first message comes with COOKIE ACK, and
// the opener's first user message leaves a round trip earlier than if it were the client.
pub(crate) fn offer(options: &Options, opener: Opener, rng: &mut Rng) -> Option<KeyParameter> {
    const FIRST_BIT: u32 = 1 << 31;
    (options.protection != Protection::Off).then(|| {
        let random = rng.u32();
        KeyParameter::new(
            match opener {
                Opener::Us => random | FIRST_BIT,
                Opener::Peer => random & !FIRST_BIT,
            },
            options.key_roles,
            options.protected_restart,
            &options.key_methods.0,
        )
    })
}

/// The parameters of both ends, if both support protection; an error if the peer must be refused.
/// Equal tie breakers end the attempt in either mode (§5.1).
pub(crate) fn judge(
    options: &Options,
    ours: Option<&KeyParameter>,
    theirs: Option<&KeyParameter>,
) -> Result<Option<KeyParameters>, Disagreement> {
    let Some(ours) = ours else {
        return Ok(None);
    };
    let found = match theirs {
        None => Err(Disagreement::Missing),
        Some(theirs) => {
            let both = KeyParameters {
                ours: ours.clone(),
                theirs: theirs.clone(),
            };
            both.agree().map(|_| both)
        }
    };
    match (found, options.protection) {
        (Ok(both), _) => Ok(Some(both)),
        (Err(Disagreement::TieBreaker), _) => Err(Disagreement::TieBreaker),
        (Err(disagreement), Protection::Strict) => Err(disagreement),
        (Err(_), Protection::Off | Protection::Loose) => Ok(None),
    }
}
