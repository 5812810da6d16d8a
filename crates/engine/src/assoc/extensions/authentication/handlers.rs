//! Authentication of chunks in both directions: which received chunks are accepted and which sent
//! chunks get an AUTH (RFC 4895 §6).

use alloc::boxed::Box;

use sheave_wire::{Cause, Chunk, ChunkType, Packet};

use crate::assoc::extensions::authentication::{AuthRefusal, Authenticator, Sealing, Vectors};
use crate::assoc::input::{Proof, Reading};
use crate::assoc::tcb::{Context, Tcb};
use crate::{AuthenticationChange, ChunkSet, Event, KeyError};

/// Action on a received chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::assoc) enum Admission {
    /// Handle the chunk.
    Granted,
    /// Skip the chunk.
    Refused,
    /// Skip the chunk and the rest of the packet.
    Over,
}

impl Tcb {
    /// Whether a chunk of this type is accepted, as far as authentication is required.
    #[inline]
    pub(in crate::assoc) fn admits(&mut self, chunk_type: ChunkType, reading: &Reading) -> bool {
        let Some(authenticator) = self.extensions.authenticator() else {
            return true;
        };
        if reading.proof == Proof::Given || !authenticator.asks_for(chunk_type) {
            return true;
        }
        authenticator.unproved += 1;
        false
    }

    /// Checks the authentication of a chunk at `offset` of its packet before it is handled.
    pub(in crate::assoc) fn authenticate(
        &mut self,
        cx: &mut Context<'_>,
        packet: &Packet<'_>,
        offset: usize,
        chunk: &Chunk<'_>,
        reading: &mut Reading,
    ) -> Admission {
        let chunk_type = chunk.chunk_type();
        if chunk_type != ChunkType::AUTH {
            return if self.admits(chunk_type, reading) {
                Admission::Granted
            } else {
                Admission::Refused
            };
        }
        let (Some(authenticator), Chunk::Auth(auth)) = (self.extensions.authenticator(), chunk)
        else {
            return Admission::Granted;
        };
        // RFC 4895 §5.1: at most one per packet.
        if reading.proof != Proof::None {
            return Admission::Over;
        }
        let tail = packet.bytes().get(offset..).unwrap_or_default();
        match authenticator.check(auth, tail) {
            Ok(news) => {
                reading.proof = Proof::Given;
                if let Some(key) = news {
                    let event = Event::Authentication(AuthenticationChange::NewKey(key));
                    cx.events.push_if_room(self.id, event);
                }
                Admission::Refused
            }
            Err(refusal) => {
                self.on_refused_auth(refusal, reading);
                Admission::Over
            }
        }
    }

    // RFC 4895 §6.3
    fn on_refused_auth(&mut self, refusal: AuthRefusal, reading: &mut Reading) {
        if let AuthRefusal::Unsupported(id) = refusal
            && self.may_reply(reading, 12)
        {
            let path = self.paths.reply_path(reading.from());
            self.answer_error(reading, path, &Cause::UnsupportedHmac(id));
        }
    }

    /// Applies both ends' key vectors; `None` if one of them does not authenticate.
    pub(in crate::assoc) fn adopt_vectors(&mut self, vectors: Option<&Vectors>) {
        let Some(options) = self.options.authentication.options() else {
            return;
        };
        match (self.extensions.authenticator(), vectors) {
            (Some(authenticator), Some(vectors)) => authenticator.restart(vectors.clone()),
            (Some(authenticator), None) => authenticator.forget_peer(),
            (None, Some(vectors)) => {
                let fresh = Authenticator::between(options, vectors);
                let fresh = Some(Box::new(fresh));
                self.extensions
                    .put(|extensions| &mut extensions.authenticator, fresh);
            }
            (None, None) => {}
        }
    }

    /// Notifies a user that wanted authentication if there is none.
    pub(in crate::assoc) fn announce_authentication(&self, cx: &mut Context<'_>) {
        let wanted = self.options.authentication.options().is_some();
        let given = self.extensions.authenticator.as_ref();
        if wanted && !given.is_some_and(|authenticator| authenticator.knows_peer()) {
            let event = Event::Authentication(AuthenticationChange::Unavailable);
            cx.events.push(self.id, event);
        }
    }

    /// Whether both ends authenticate.
    pub(in crate::assoc) fn peer_authenticates(&self) -> bool {
        let authenticator = self.extensions.authenticator.as_ref();
        authenticator.is_some_and(|authenticator| authenticator.knows_peer())
    }

    /// The seal for the next packet, if any.
    pub(in crate::assoc) fn sealing_of_packet(&self, control: bool) -> Option<Sealing> {
        let authenticator = self
            .extensions
            .get(|extensions| &extensions.authenticator)?;
        authenticator.sealing(control)
    }

    /// Returns the seal for an MTU probe, whose length must be exactly the probed size.
    pub(in crate::assoc) fn sealing_of_probe(&self) -> Option<Sealing> {
        let authenticator = self
            .extensions
            .get(|extensions| &extensions.authenticator)?;
        let of = |chunk_type| authenticator.sealing_for(chunk_type);
        of(ChunkType::HEARTBEAT).or_else(|| of(ChunkType::PAD))
    }

    pub(crate) fn authenticator(&mut self) -> Result<&mut Authenticator, KeyError> {
        self.extensions.authenticator().ok_or(KeyError::Unavailable)
    }

    pub(crate) fn peer_chunks(&self) -> ChunkSet {
        let authenticator = self.extensions.authenticator.as_ref();
        authenticator.map_or(ChunkSet::NONE, |authenticator| authenticator.wanted())
    }

    pub(crate) fn local_chunks(&self) -> ChunkSet {
        let authenticator = self.extensions.authenticator.as_ref();
        authenticator.map_or(ChunkSet::NONE, |authenticator| authenticator.asked())
    }
}
