//! Record-number masks (RFC 9147 §4.2.3) with a cached key schedule. `dimpl` computes the schedule
//! for each record, which took a quarter of the time per 1200-byte record in addition to sockets
//! and SCTP.

use std::cell::RefCell;
use std::fmt;
use std::sync::LazyLock;

use aws_lc_rs::cipher::{AES_128, AES_256, Algorithm, EncryptingKey, UnboundCipherKey};
use dimpl::CryptoError;
use dimpl::crypto::{
    Cipher, Dtls13CipherSuite, HashAlgorithm, SupportedDtls13CipherSuite, aws_lc_rs as provider,
};

/// Cache slots per thread. A connection has two keys; keys that share a slot evict each other.
const PLACES: usize = 1024;

/// The provider's cipher suites with cached masks.
pub(super) fn suites() -> &'static [&'static dyn SupportedDtls13CipherSuite] {
    static OWN: LazyLock<Vec<Suite>> = LazyLock::new(|| {
        let all = provider::default_provider().dtls13_cipher_suites;
        all.iter().map(|inner| Suite::new(*inner)).collect()
    });
    static ALL: LazyLock<Vec<&'static dyn SupportedDtls13CipherSuite>> = LazyLock::new(|| {
        let all = OWN.iter();
        all.map(|suite| suite as &dyn SupportedDtls13CipherSuite)
            .collect()
    });
    &ALL
}

/// A cipher suite of the provider.
struct Suite {
    inner: &'static dyn SupportedDtls13CipherSuite,
    /// Mask cipher; `None` if its keys need no set-up.
    masks: Option<&'static Algorithm>,
}

/// A key with its schedule.
struct Known {
    key: Vec<u8>,
    cipher: EncryptingKey,
}

thread_local! {
    /// Recently used keys, each in the slot given by its first bytes.
    static KNOWN: RefCell<Vec<Option<Box<Known>>>> = const { RefCell::new(Vec::new()) };
}

impl Suite {
    fn new(inner: &'static dyn SupportedDtls13CipherSuite) -> Self {
        let masks = match inner.suite() {
            Dtls13CipherSuite::AES_128_GCM_SHA256 => Some(&AES_128),
            Dtls13CipherSuite::AES_256_GCM_SHA384 => Some(&AES_256),
            _ => None,
        };
        Self { inner, masks }
    }

    fn mask(&self, key: &[u8], sample: &[u8; 16]) -> Option<[u8; 16]> {
        let algorithm = self.masks?;
        let mask = KNOWN.try_with(|known| {
            let mut known = known.try_borrow_mut().ok()?;
            known.resize_with(PLACES, || None);
            let place = known.get_mut(place(key)?)?;
            if let Some(found) = place.as_ref().filter(|it| it.key == key) {
                return encrypt(&found.cipher, sample);
            }
            let cipher = EncryptingKey::ecb(UnboundCipherKey::new(algorithm, key).ok()?).ok()?;
            let mask = encrypt(&cipher, sample);
            let key = key.to_vec();
            *place = Some(Box::new(Known { key, cipher }));
            mask
        });
        mask.ok().flatten()
    }
}

impl fmt::Debug for Suite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

impl SupportedDtls13CipherSuite for Suite {
    fn suite(&self) -> Dtls13CipherSuite {
        self.inner.suite()
    }

    fn hash_algorithm(&self) -> HashAlgorithm {
        self.inner.hash_algorithm()
    }

    fn key_len(&self) -> usize {
        self.inner.key_len()
    }

    fn iv_len(&self) -> usize {
        self.inner.iv_len()
    }

    fn tag_len(&self) -> usize {
        self.inner.tag_len()
    }

    fn min_protected_fragment_len(&self) -> usize {
        self.inner.min_protected_fragment_len()
    }

    fn create_cipher(&self, key: &[u8]) -> Result<Box<dyn Cipher>, CryptoError> {
        self.inner.create_cipher(key)
    }

    fn encrypt_sn(&self, sn_key: &[u8], sample: &[u8; 16]) -> [u8; 16] {
        let mask = self.mask(sn_key, sample);
        mask.unwrap_or_else(|| self.inner.encrypt_sn(sn_key, sample))
    }
}

/// Slot of a key, from its first bytes, which are effectively random.
fn place(key: &[u8]) -> Option<usize> {
    let first = u16::from_le_bytes(*key.first_chunk()?);
    Some(usize::from(first) % PLACES)
}

fn encrypt(cipher: &EncryptingKey, sample: &[u8; 16]) -> Option<[u8; 16]> {
    let mut block = *sample;
    cipher.encrypt(&mut block).ok()?;
    Some(block)
}

#[cfg(test)]
mod tests;
