mod handover;

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha1::Sha1;
use sha2::Sha256;

use super::Vectors;
use super::authenticator::MAX_HMAC_LEN;
use crate::value::authentication::{
    AuthenticationOptions, HmacAlgorithm, KeyError, KeyId, SharedKey,
};

/// Whether a key may be made active.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KeyUse {
    Usable,
    /// Still accepted from the peer, not used for sending.
    Deactivated,
}

/// A shared key and the key derived from it with the key vectors.
#[derive(Clone)]
struct Entry {
    shared: SharedKey,
    standing: KeyUse,
    /// The HMACs keyed with the association shared key, once the key vectors are known.
    keyed: Option<Box<Keyed>>,
}

/// HMACs keyed with the association shared key.
#[derive(Clone)]
struct Keyed {
    sha1: Hmac<Sha1>,
    sha256: Hmac<Sha256>,
}

impl Keyed {
    fn new(association_key: &[u8]) -> Self {
        // HMAC accepts keys of any length.
        let sha1 = Hmac::new_from_slice(association_key);
        let sha256 = Hmac::new_from_slice(association_key);
        Self {
            sha1: sha1.unwrap_or_else(|_| Hmac::new(&[0; 64].into())),
            sha256: sha256.unwrap_or_else(|_| Hmac::new(&[0; 64].into())),
        }
    }
}

/// The shared keys of one association.
#[derive(Clone)]
pub(crate) struct Keyring {
    entries: Vec<Entry>,
    active: KeyId,
}

impl Keyring {
    /// The keys of the options, or the empty key if there are none (RFC 4895 §6.1).
    pub(crate) fn new(options: &AuthenticationOptions) -> Self {
        let mut ring = Self {
            entries: Vec::with_capacity(options.keys.len().max(1)),
            active: options.active,
        };
        for key in &options.keys {
            ring.entries.push(Entry::new(key.clone()));
        }
        if options.keys.is_empty() {
            ring.entries
                .push(Entry::new(SharedKey::new(KeyId(0), Vec::new())));
        }
        ring
    }

    pub(crate) const fn active(&self) -> KeyId {
        self.active
    }

    /// Derives the association keys.
    pub(crate) fn derive(&mut self, vectors: &Vectors) {
        for entry in &mut self.entries {
            entry.derive(vectors);
        }
    }

    pub(crate) fn insert(
        &mut self,
        key: SharedKey,
        vectors: Option<&Vectors>,
    ) -> Result<(), KeyError> {
        let mut entry = Entry::new(key);
        if let Some(vectors) = vectors {
            entry.derive(vectors);
        }
        let id = entry.shared.id;
        let active = self.active;
        match self.entry_mut(id) {
            Some(old) if old.standing == KeyUse::Deactivated => {
                return Err(KeyError::Deactivated);
            }
            Some(_) if id == active => return Err(KeyError::Active),
            Some(old) => *old = entry,
            None => self.entries.push(entry),
        }
        Ok(())
    }

    pub(crate) fn activate(&mut self, id: KeyId) -> Result<(), KeyError> {
        self.check_use(id)?;
        self.active = id;
        Ok(())
    }

    pub(crate) fn deactivate(&mut self, id: KeyId) -> Result<(), KeyError> {
        if id == self.active {
            return Err(KeyError::Active);
        }
        let entry = self.entry_mut(id).ok_or(KeyError::Unknown)?;
        if entry.standing == KeyUse::Deactivated {
            return Err(KeyError::Deactivated);
        }
        entry.standing = KeyUse::Deactivated;
        Ok(())
    }

    /// Whether messages may be sent with the key.
    pub(crate) fn check_use(&self, id: KeyId) -> Result<(), KeyError> {
        let mut entries = self.entries.iter();
        match entries.find(|entry| entry.shared.id == id) {
            None => Err(KeyError::Unknown),
            Some(entry) if entry.standing == KeyUse::Deactivated => Err(KeyError::Deactivated),
            Some(_) => Ok(()),
        }
    }

    pub(crate) fn delete(&mut self, id: KeyId) -> Result<(), KeyError> {
        if id == self.active {
            return Err(KeyError::Active);
        }
        let before = self.entries.len();
        self.entries.retain(|entry| entry.shared.id != id);
        if self.entries.len() == before {
            return Err(KeyError::Unknown);
        }
        Ok(())
    }

    /// The HMAC of the pieces, padded with zeros; `None` if the key does not exist.
    pub(crate) fn compute(
        &self,
        id: KeyId,
        algorithm: HmacAlgorithm,
        pieces: &[&[u8]],
    ) -> Option<[u8; MAX_HMAC_LEN]> {
        let keyed = self.keyed(id)?;
        let mut hmac = [0; MAX_HMAC_LEN];
        let mut put = |bytes: &[u8]| {
            for (to, from) in hmac.iter_mut().zip(bytes) {
                *to = *from;
            }
        };
        match algorithm {
            HmacAlgorithm::Sha1 => put(&fed(&keyed.sha1, pieces).finalize().into_bytes()),
            HmacAlgorithm::Sha256 => put(&fed(&keyed.sha256, pieces).finalize().into_bytes()),
        }
        Some(hmac)
    }

    /// Verifies the HMAC of the pieces in constant time.
    pub(crate) fn verify(
        &self,
        id: KeyId,
        algorithm: HmacAlgorithm,
        pieces: &[&[u8]],
        hmac: &[u8],
    ) -> bool {
        let Some(keyed) = self.keyed(id) else {
            return false;
        };
        match algorithm {
            HmacAlgorithm::Sha1 => fed(&keyed.sha1, pieces).verify_slice(hmac).is_ok(),
            HmacAlgorithm::Sha256 => fed(&keyed.sha256, pieces).verify_slice(hmac).is_ok(),
        }
    }

    /// Bytes on the heap.
    pub(crate) fn footprint(&self) -> usize {
        let secrets = self.entries.iter().map(|entry| entry.shared.secret.len());
        let keyed = self.entries.iter().filter_map(|entry| entry.keyed.as_ref());
        self.entries.capacity() * size_of::<Entry>()
            + secrets.sum::<usize>()
            + keyed.count() * size_of::<Keyed>()
    }

    fn keyed(&self, id: KeyId) -> Option<&Keyed> {
        let entry = self.entries.iter().find(|entry| entry.shared.id == id)?;
        entry.keyed.as_deref()
    }

    fn entry_mut(&mut self, id: KeyId) -> Option<&mut Entry> {
        self.entries.iter_mut().find(|entry| entry.shared.id == id)
    }
}

/// Omits the secrets.
impl fmt::Debug for Keyring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ids = self.entries.iter().map(|entry| &entry.shared);
        f.debug_list().entries(ids).finish()
    }
}

impl Entry {
    const fn new(shared: SharedKey) -> Self {
        Self {
            shared,
            standing: KeyUse::Usable,
            keyed: None,
        }
    }

    fn derive(&mut self, vectors: &Vectors) {
        let association_key = vectors.association_key(&self.shared.secret);
        self.keyed = Some(Box::new(Keyed::new(&association_key)));
    }
}

fn fed<M: Mac + Clone>(keyed: &M, pieces: &[&[u8]]) -> M {
    let mut mac = keyed.clone();
    for piece in pieces {
        mac.update(piece);
    }
    mac
}
