//! Verification tags and AUTH chunks, computed independently of the engine (RFC 4895 §6.1).

use std::collections::{BTreeMap, BTreeSet};

use hmac::{Hmac, KeyInit, Mac};
use sha1::Sha1;
use sha2::Sha256;
use sheave_engine::wire::{ChunkType, Init, Parameter};

use super::fault::{Verdict, ensure, fault};
use super::features::secret;
use super::plan::End;

/// Size of the common header, bytes.
const HEADER: usize = 12;
/// Size of an AUTH chunk before its HMAC, bytes.
const AUTH_HEAD: usize = 8;

/// Authentication parameters of an INIT or INIT ACK.
struct Told {
    tag: u32,
    /// RANDOM, CHUNKS and HMAC-ALGO, each without padding.
    vector: Vec<u8>,
    chunks: [u64; 4],
    a_rwnd: u32,
}

/// Identifies an HMAC key: sending end, receiver's tag, sender's vector, key id.
type HmacKey = (End, u32, usize, u16);

enum Keyed {
    Sha1(Hmac<Sha1>),
    Sha256(Hmac<Sha256>),
}

#[derive(Default)]
pub(crate) struct Proofs {
    told: [Vec<Told>; 2],
    keyed: BTreeMap<HmacKey, Vec<(u16, Keyed)>>,
    /// Tags to which an end has sent protected packets.
    pub(crate) protected: BTreeSet<(End, u32)>,
}

impl Proofs {
    /// Records an end's tag and key material.
    pub(crate) fn on_init(&mut self, end: End, init: &Init<'_>) {
        let tag = init.initiate_tag.0;
        let all = &mut self.told[end.index()];
        let mut told = Told {
            tag,
            vector: Vec::new(),
            chunks: [0; 4],
            a_rwnd: init.a_rwnd,
        };
        for parameter in init.parameters.iter().flatten() {
            match parameter {
                Parameter::ChunkList(types) => {
                    for chunk in types {
                        told.chunks[usize::from(chunk / 64)] |= 1 << (chunk % 64);
                    }
                }
                Parameter::Random(_) | Parameter::RequestedHmacs(_) => {}
                _ => continue,
            }
            parameter.write(&mut told.vector);
        }
        let again = all
            .iter()
            .any(|old| old.tag == tag && old.vector == told.vector);
        if !again {
            all.push(told);
        }
    }

    pub(crate) fn knows(&self, end: End, tag: u32) -> bool {
        self.told[end.index()].iter().any(|told| told.tag == tag)
    }

    /// The initial window announced with a tag.
    pub(crate) fn first_window(&self, end: End, tag: u32) -> Option<u32> {
        let mut all = self.told[end.index()].iter().rev();
        all.find(|told| told.tag == tag).map(|told| told.a_rwnd)
    }

    /// Whether the receiver with that tag requires authentication of this chunk type.
    pub(crate) fn asks_for(&self, receiver: End, tag: u32, chunk: ChunkType) -> bool {
        let never = matches!(
            chunk,
            ChunkType::INIT | ChunkType::INIT_ACK | ChunkType::SHUTDOWN_COMPLETE | ChunkType::AUTH
        );
        let mut all = self.told[receiver.index()].iter().rev();
        !never
            && (all.find(|told| told.tag == tag)).is_some_and(|told| {
                told.chunks[usize::from(chunk.0 / 64)] >> (chunk.0 % 64) & 1 != 0
            })
    }

    /// Checks the AUTH chunk at the start of a packet.
    pub(crate) fn check(&mut self, sender: End, bytes: &[u8], vtag: u32) -> Verdict {
        let auth = &bytes[HEADER..];
        let number = |at: usize| u16::from_be_bytes([auth[at], auth[at + 1]]);
        let (len, key, algorithm) = (usize::from(number(2)), number(4), number(6));
        let hmac = &auth[AUTH_HEAD..len];
        let rest = &auth[len..];
        let senders = self.told[sender.index()].len();
        for place in (0..senders).rev() {
            let keyed = self.keyed(sender, vtag, place, key, algorithm);
            let keyed = keyed.ok_or_else(|| {
                fault(
                    "auth",
                    format!("key {key}, algorithm {algorithm}, tag {vtag:08x}"),
                )
            })?;
            if keyed.matches(&auth[..AUTH_HEAD], rest, hmac) {
                return Ok(());
            }
        }
        ensure(false, "auth", || {
            format!("a wrong HMAC with key {key}, algorithm {algorithm}")
        })
    }

    fn keyed(
        &mut self,
        sender: End,
        tag: u32,
        place: usize,
        key: u16,
        algorithm: u16,
    ) -> Option<&Keyed> {
        let known = self.keyed.entry((sender, tag, place, key)).or_default();
        if let Some(at) = known.iter().position(|(other, _)| *other == algorithm) {
            return known.get(at).map(|(_, keyed)| keyed);
        }
        let mut receivers = self.told[sender.other().index()].iter().rev();
        let theirs = &receivers.find(|told| told.tag == tag)?.vector;
        let ours = &self.told[sender.index()].get(place)?.vector;
        let rank = |vector: &[u8]| (vector.len(), vector.to_vec());
        let (small, large) = if rank(ours) <= rank(theirs) {
            (ours, theirs)
        } else {
            (theirs, ours)
        };
        let material = [&secret(key.into())[..], small, large].concat();
        known.push((algorithm, Keyed::new(algorithm, &material)?));
        known.last().map(|(_, keyed)| keyed)
    }
}

impl Keyed {
    fn new(algorithm: u16, material: &[u8]) -> Option<Self> {
        Some(match algorithm {
            1 => Self::Sha1(Hmac::new_from_slice(material).ok()?),
            3 => Self::Sha256(Hmac::new_from_slice(material).ok()?),
            _ => return None,
        })
    }

    fn matches(&self, head: &[u8], rest: &[u8], hmac: &[u8]) -> bool {
        let zeros = [0; 32];
        // The chunk is padded to four bytes; both lengths are multiples.
        let zeros = &zeros[..hmac.len().min(32)];
        match self {
            Self::Sha1(keyed) => is_of(keyed.clone(), [head, zeros, rest], hmac),
            Self::Sha256(keyed) => is_of(keyed.clone(), [head, zeros, rest], hmac),
        }
    }
}

/// Whether these pieces have that HMAC.
fn is_of(mut mac: impl Mac, pieces: [&[u8]; 3], hmac: &[u8]) -> bool {
    pieces.into_iter().for_each(|piece| mac.update(piece));
    mac.verify_slice(hmac).is_ok()
}
