mod handover;

use alloc::vec::Vec;
use core::ops::Range;

use sheave_wire::{Auth, ChunkType, CommonHeader};

use super::{KeyVector, Keyring, Vectors};
use crate::rng::Rng;
use crate::value::extension::ExtensionSet;
use crate::{AuthenticationOptions, ChunkSet, HmacAlgorithm, KeyError, KeyId, SharedKey};

/// Bytes of the longest HMAC.
pub(super) const MAX_HMAC_LEN: usize = 32;

/// Chunks written only by control suppliers, so that before a packet is begun it is known whether
/// it may contain one.
const RARE: [ChunkType; 12] = [
    ChunkType::HEARTBEAT,
    ChunkType::HEARTBEAT_ACK,
    ChunkType::ABORT,
    ChunkType::SHUTDOWN,
    ChunkType::SHUTDOWN_ACK,
    ChunkType::ERROR,
    ChunkType::COOKIE_ECHO,
    ChunkType::COOKIE_ACK,
    ChunkType::CWR,
    ChunkType::RE_CONFIG,
    ChunkType::ASCONF,
    ChunkType::ASCONF_ACK,
];

/// Authentication state of an association: chunk types and keys of both ends (RFC 4895).
#[derive(Clone, Debug)]
pub(crate) struct Authenticator {
    ours: KeyVector,
    /// Chunk types that the peer must authenticate, in all formats.
    asked: ChunkSet,
    keys: Keyring,
    /// State of the peer, if it authenticates.
    peer: Option<Peer>,
    /// The key of the peer's last authenticated packet.
    heard: Option<KeyId>,
    /// Number of chunks received without the required authentication.
    pub(crate) unproved: u64,
    /// Number of AUTH chunks that failed verification.
    pub(crate) failed: u64,
}

/// A peer that supports authentication.
#[derive(Clone, Debug)]
struct Peer {
    theirs: KeyVector,
    /// Chunk types that we must authenticate, in all formats.
    wanted: ChunkSet,
    /// Whether these are all [`RARE`] chunks.
    seldom: bool,
    /// The algorithm that we use.
    algorithm: HmacAlgorithm,
}

/// The reason the chunks after an AUTH chunk are dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AuthRefusal {
    /// We did not offer the algorithm.
    Unsupported(u16),
    /// Unknown key or wrong HMAC.
    Wrong,
}

/// Key and algorithm of an AUTH chunk to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sealing {
    key: KeyId,
    algorithm: HmacAlgorithm,
}

impl Sealing {
    /// Length of the AUTH chunk, bytes.
    pub(crate) const fn len(self) -> usize {
        Auth::HEADER_LEN + self.algorithm.len()
    }

    /// The same algorithm with another key; the length is unchanged.
    pub(crate) const fn with_key(self, key: KeyId) -> Self {
        Self { key, ..self }
    }
}

impl Authenticator {
    /// Creates the authenticator of an end that does not know its peer yet.
    pub(crate) fn new(
        options: &AuthenticationOptions,
        offered: ExtensionSet,
        rng: &mut Rng,
    ) -> Self {
        Self::with(options, KeyVector::fresh(options, offered, rng))
    }

    /// Creates the authenticator of an end that announced `ours`.
    pub(crate) fn with(options: &AuthenticationOptions, ours: KeyVector) -> Self {
        Self {
            asked: ours.chunks().with_other_formats(),
            ours,
            keys: Keyring::new(options),
            peer: None,
            heard: None,
            unproved: 0,
            failed: 0,
        }
    }

    /// Creates the authenticator of an association created from a cookie.
    pub(crate) fn between(options: &AuthenticationOptions, vectors: &Vectors) -> Self {
        let mut authenticator = Self::with(options, vectors.ours.clone());
        authenticator.meet(vectors.theirs.clone());
        authenticator
    }

    pub(crate) const fn ours(&self) -> &KeyVector {
        &self.ours
    }

    /// Sets the peer's key vector and derives keys.
    pub(crate) fn meet(&mut self, theirs: KeyVector) {
        let Some(algorithm) = theirs.preferred() else {
            self.peer = None;
            return;
        };
        let wanted = theirs.chunks().with_other_formats();
        let mut rest = wanted.numbers();
        rest.retain(|number| !RARE.contains(&ChunkType(*number)));
        self.heard = None;
        self.peer = Some(Peer {
            wanted,
            seldom: rest.is_empty(),
            algorithm,
            theirs,
        });
        if let Some(vectors) = self.vectors() {
            self.keys.derive(&vectors);
        }
    }

    /// Restarts with other key vectors; keys given by the user stay.
    pub(crate) fn restart(&mut self, vectors: Vectors) {
        self.asked = vectors.ours.chunks().with_other_formats();
        self.ours = vectors.ours;
        self.meet(vectors.theirs);
    }

    /// Returns the chunk types listed by the peer.
    pub(crate) fn wanted(&self) -> ChunkSet {
        let theirs = self.peer.as_ref().map(|peer| &peer.theirs);
        theirs.map_or(ChunkSet::NONE, KeyVector::chunks)
    }

    /// Returns the chunk types we listed, if the peer authenticates.
    pub(crate) fn asked(&self) -> ChunkSet {
        let ours = self.peer.as_ref().map(|_| &self.ours);
        ours.map_or(ChunkSet::NONE, KeyVector::chunks)
    }

    /// Notes that the peer does not authenticate.
    pub(crate) fn forget_peer(&mut self) {
        self.peer = None;
    }

    pub(crate) const fn knows_peer(&self) -> bool {
        self.peer.is_some()
    }

    fn vectors(&self) -> Option<Vectors> {
        let peer = self.peer.as_ref()?;
        Some(Vectors {
            ours: self.ours.clone(),
            theirs: peer.theirs.clone(),
        })
    }

    /// Whether a chunk of this type is accepted only after AUTH.
    #[inline]
    pub(crate) fn asks_for(&self, chunk_type: ChunkType) -> bool {
        self.peer.is_some() && (self.asked.contains(chunk_type) || changes_addresses(chunk_type))
    }

    /// Whether the peer accepts a chunk of this type only after AUTH.
    pub(crate) fn owes(&self, chunk_type: ChunkType) -> bool {
        let peer = self.peer.as_ref();
        peer.is_some_and(|peer| peer.wanted.contains(chunk_type) || changes_addresses(chunk_type))
    }

    /// The seal for a packet that may contain chunks to be authenticated; `None` if it cannot.
    /// `control` says whether it may contain chunks other than DATA and SACK.
    pub(crate) fn sealing(&self, control: bool) -> Option<Sealing> {
        let peer = self.peer.as_ref()?;
        if peer.seldom && !control {
            return None;
        }
        Some(Sealing {
            key: self.keys.active(),
            algorithm: peer.algorithm,
        })
    }

    /// The seal for a packet containing only this chunk.
    pub(crate) fn sealing_for(&self, chunk_type: ChunkType) -> Option<Sealing> {
        self.sealing(true).filter(|_| self.owes(chunk_type))
    }

    /// Inserts an AUTH chunk before the chunks of a packet if the peer requires it for one of them
    /// (RFC 4895 §6.2). Returns the number of bytes added.
    pub(crate) fn seal(&self, buf: &mut Vec<u8>, packet: Range<usize>, sealing: Sealing) -> usize {
        let from = packet.start + CommonHeader::LEN;
        let chunks = buf.get(from..packet.end).unwrap_or_default();
        if !types(chunks).any(|chunk_type| self.owes(chunk_type)) {
            return 0;
        }
        let len = sealing.algorithm.len();
        let mut hmac = [0; MAX_HMAC_LEN];
        let hmac_field = hmac.get(..len).unwrap_or_default();
        let head = Auth {
            key: sealing.key.0,
            algorithm: sealing.algorithm.id(),
            hmac: hmac_field,
        }
        .head();
        let pieces = [&head[..], hmac_field, chunks];
        let computed = self.keys.compute(sealing.key, sealing.algorithm, &pieces);
        let Some(computed) = computed else { return 0 };
        hmac = computed;
        let chunk = head.into_iter().chain(hmac.into_iter().take(len));
        buf.splice(from..from, chunk);
        sealing.len()
    }

    /// Verifies an AUTH chunk; `tail` is the packet from this chunk on (RFC 4895 §6.3). Returns the
    /// key if it differs from the peer's last one.
    pub(crate) fn check(
        &mut self,
        auth: &Auth<'_>,
        tail: &[u8],
    ) -> Result<Option<KeyId>, AuthRefusal> {
        if let Err(refusal) = self.prove(auth, tail) {
            self.failed += 1;
            return Err(refusal);
        }
        let key = KeyId(auth.key);
        let news = self.heard.is_some_and(|before| before != key);
        self.heard = Some(key);
        Ok(news.then_some(key))
    }

    fn prove(&self, auth: &Auth<'_>, tail: &[u8]) -> Result<(), AuthRefusal> {
        let algorithm = HmacAlgorithm::from_id(auth.algorithm)
            .filter(|_| self.ours.takes(auth.algorithm))
            .ok_or(AuthRefusal::Unsupported(auth.algorithm))?;
        if self.peer.is_none() || auth.hmac.len() != algorithm.len() {
            return Err(AuthRefusal::Wrong);
        }
        let zeros = [0; MAX_HMAC_LEN];
        let (head, rest) = tail
            .split_at_checked(Auth::HEADER_LEN)
            .ok_or(AuthRefusal::Wrong)?;
        let zeros = zeros.get(..algorithm.len()).unwrap_or_default();
        let rest = rest.get(algorithm.len()..).unwrap_or_default();
        let pieces = [head, zeros, rest];
        if self
            .keys
            .verify(KeyId(auth.key), algorithm, &pieces, auth.hmac)
        {
            Ok(())
        } else {
            Err(AuthRefusal::Wrong)
        }
    }

    pub(crate) fn insert_key(&mut self, key: SharedKey) -> Result<(), KeyError> {
        let vectors = self.vectors();
        self.keys.insert(key, vectors.as_ref())
    }

    pub(crate) fn activate_key(&mut self, id: KeyId) -> Result<(), KeyError> {
        self.keys.activate(id)
    }

    pub(crate) fn deactivate_key(&mut self, id: KeyId) -> Result<(), KeyError> {
        self.keys.deactivate(id)
    }

    /// The key used for sending.
    pub(crate) const fn active_key(&self) -> KeyId {
        self.keys.active()
    }

    /// Whether messages may be sent with the key.
    pub(crate) fn check_key(&self, id: KeyId) -> Result<(), KeyError> {
        self.keys.check_use(id)
    }

    pub(crate) fn delete_key(&mut self, id: KeyId) -> Result<(), KeyError> {
        self.keys.delete(id)
    }

    /// Bytes on the heap, including this structure.
    pub(crate) fn footprint(&self) -> usize {
        let theirs = self
            .peer
            .as_ref()
            .map_or(0, |peer| peer.theirs.bytes().len());
        size_of::<Self>() + self.ours.bytes().len() + theirs + self.keys.footprint()
    }
}

/// RFC 5061 §4.1.1, §4.1.2: always authenticated, even if not listed.
const fn changes_addresses(chunk_type: ChunkType) -> bool {
    matches!(chunk_type, ChunkType::ASCONF | ChunkType::ASCONF_ACK)
}

/// The types of chunks written by us.
fn types(chunks: &[u8]) -> impl Iterator<Item = ChunkType> {
    let mut rest = chunks;
    core::iter::from_fn(move || {
        let &[chunk_type, _, high, low] = rest.first_chunk()?;
        let len = usize::from(u16::from_be_bytes([high, low])).max(4);
        rest = rest.get(len.next_multiple_of(4)..).unwrap_or_default();
        Some(ChunkType(chunk_type))
    })
}
