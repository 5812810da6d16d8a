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

/// The chunks that only control suppliers write: what is asked of a packet with one of them is
/// known before the packet is begun.
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

/// The authentication state of an association: chunk types and keys of both ends (RFC 4895).
#[derive(Clone, Debug)]
pub(crate) struct Authenticator {
    ours: KeyVector,
    /// Chunk types that the peer must authenticate, in whatever format.
    asked: ChunkSet,
    keys: Keyring,
    /// Facts known about the peer.
    peer: Option<Peer>,
    /// The key that the peer used last.
    heard: Option<KeyId>,
    /// Chunks that came without the proof that they need.
    pub(crate) unproved: u64,
    /// AUTH chunks that proved nothing.
    pub(crate) failed: u64,
}

/// A peer that authenticates.
#[derive(Clone, Debug)]
struct Peer {
    theirs: KeyVector,
    /// Chunk types that we must authenticate, in whatever format.
    wanted: ChunkSet,
    /// Whether only [`RARE`] chunks are among them.
    seldom: bool,
    /// The algorithm by which we authenticate.
    algorithm: HmacAlgorithm,
}

/// The reason why the chunks behind an AUTH chunk are dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AuthRefusal {
    /// We have not offered that algorithm.
    Unsupported(u16),
    /// Unknown key or wrong HMAC.
    Wrong,
}

/// The parameters of an AUTH chunk of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sealing {
    key: KeyId,
    algorithm: HmacAlgorithm,
}

impl Sealing {
    /// Bytes that the AUTH chunk takes.
    pub(crate) const fn len(self) -> usize {
        Auth::HEADER_LEN + self.algorithm.len()
    }

    /// The same with another key, as long.
    pub(crate) const fn with_key(self, key: KeyId) -> Self {
        Self { key, ..self }
    }
}

impl Authenticator {
    /// Makes the authenticator of an end that has yet to hear of its peer.
    pub(crate) fn new(
        options: &AuthenticationOptions,
        offered: ExtensionSet,
        rng: &mut Rng,
    ) -> Self {
        Self::with(options, KeyVector::fresh(options, offered, rng))
    }

    /// Makes the authenticator of the end that has announced `ours`.
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

    /// Makes the authenticator of the association that a cookie describes.
    pub(crate) fn between(options: &AuthenticationOptions, vectors: &Vectors) -> Self {
        let mut authenticator = Self::with(options, vectors.ours.clone());
        authenticator.meet(vectors.theirs.clone());
        authenticator
    }

    pub(crate) const fn ours(&self) -> &KeyVector {
        &self.ours
    }

    /// The peer has told its vector: from here on there are keys.
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

    /// The association starts over with other vectors; keys that the user gave stay.
    pub(crate) fn restart(&mut self, vectors: Vectors) {
        self.asked = vectors.ours.chunks().with_other_formats();
        self.ours = vectors.ours;
        self.meet(vectors.theirs);
    }

    /// Returns the chunk types that the peer has listed.
    pub(crate) fn wanted(&self) -> ChunkSet {
        let theirs = self.peer.as_ref().map(|peer| &peer.theirs);
        theirs.map_or(ChunkSet::NONE, KeyVector::chunks)
    }

    /// Returns the chunk types that we have listed, to a peer that authenticates.
    pub(crate) fn asked(&self) -> ChunkSet {
        let ours = self.peer.as_ref().map(|_| &self.ours);
        ours.map_or(ChunkSet::NONE, KeyVector::chunks)
    }

    /// The peer does not authenticate.
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

    /// Whether a chunk counts only behind an AUTH chunk.
    #[inline]
    pub(crate) fn asks_for(&self, chunk_type: ChunkType) -> bool {
        self.peer.is_some() && (self.asked.contains(chunk_type) || changes_addresses(chunk_type))
    }

    /// Whether the peer takes such a chunk only behind an AUTH chunk.
    pub(crate) fn owes(&self, chunk_type: ChunkType) -> bool {
        let peer = self.peer.as_ref();
        peer.is_some_and(|peer| peer.wanted.contains(chunk_type) || changes_addresses(chunk_type))
    }

    /// The seal of a packet that may hold chunks that the peer asks to be authenticated; `None` if
    /// none of what it may hold is. `control`: whether other chunks than DATA and SACK wait for it.
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

    /// The seal of a packet with that one chunk.
    pub(crate) fn sealing_for(&self, chunk_type: ChunkType) -> Option<Sealing> {
        self.sealing(true).filter(|_| self.owes(chunk_type))
    }

    /// Puts an AUTH chunk in front of the chunks of a packet, if the peer asks it for one of them
    /// (RFC 4895 §6.2). Bytes by which the packet has grown.
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

    /// Checks an AUTH chunk; `tail` is the packet from that chunk on (RFC 4895 §6.3). The key, if
    /// the peer has not used it before.
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

    /// The key that we send with.
    pub(crate) const fn active_key(&self) -> KeyId {
        self.keys.active()
    }

    /// Whether messages may be sent with a key.
    pub(crate) fn check_key(&self, id: KeyId) -> Result<(), KeyError> {
        self.keys.check_use(id)
    }

    pub(crate) fn delete_key(&mut self, id: KeyId) -> Result<(), KeyError> {
        self.keys.delete(id)
    }

    /// Bytes on the heap, its own block included.
    pub(crate) fn footprint(&self) -> usize {
        let theirs = self
            .peer
            .as_ref()
            .map_or(0, |peer| peer.theirs.bytes().len());
        size_of::<Self>() + self.ours.bytes().len() + theirs + self.keys.footprint()
    }
}

/// RFC 5061 §4.1.1, §4.1.2: these are authenticated, listed or not.
const fn changes_addresses(chunk_type: ChunkType) -> bool {
    matches!(chunk_type, ChunkType::ASCONF | ChunkType::ASCONF_ACK)
}

/// The types of chunks that we have written.
fn types(chunks: &[u8]) -> impl Iterator<Item = ChunkType> {
    let mut rest = chunks;
    core::iter::from_fn(move || {
        let &[chunk_type, _, high, low] = rest.first_chunk()?;
        let len = usize::from(u16::from_be_bytes([high, low])).max(4);
        rest = rest.get(len.next_multiple_of(4)..).unwrap_or_default();
        Some(ChunkType(chunk_type))
    })
}
