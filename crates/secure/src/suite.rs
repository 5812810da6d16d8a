use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use aws_lc_rs::aead::quic::{self, HeaderProtectionKey};
use aws_lc_rs::aead::{self, Aad, LessSafeKey, Nonce, UnboundKey};
use sheave_engine::{CipherLimits, Forged, RecordCipher, TAG_LEN};
use zeroize::Zeroizing;

/// Length of an initialization vector, bytes.
const IV_LEN: usize = 12;

/// A TLS 1.3 cipher suite for DTLS chunks (draft-ietf-tsvwg-sctp-dtls-chunk-04 §3.1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CipherSuite {
    /// TLS_AES_128_GCM_SHA256, mandatory to implement.
    Aes128Gcm,
    /// TLS_AES_256_GCM_SHA384.
    Aes256Gcm,
    /// TLS_CHACHA20_POLY1305_SHA256.
    ChaCha20Poly1305,
}

impl CipherSuite {
    /// The suites, the mandatory one first.
    pub const ALL: [Self; 3] = [Self::Aes128Gcm, Self::Aes256Gcm, Self::ChaCha20Poly1305];

    /// Number in IANA's registry.
    #[must_use]
    pub const fn id(self) -> [u8; 2] {
        match self {
            Self::Aes128Gcm => [0x13, 0x01],
            Self::Aes256Gcm => [0x13, 0x02],
            Self::ChaCha20Poly1305 => [0x13, 0x03],
        }
    }

    /// Finds a suite by its number in IANA's registry.
    #[must_use]
    pub fn from_id(id: [u8; 2]) -> Option<Self> {
        Self::ALL.into_iter().find(|suite| suite.id() == id)
    }

    /// Length of the record key and of the sequence-number key, bytes.
    #[must_use]
    pub const fn key_len(self) -> usize {
        match self {
            Self::Aes128Gcm => 16,
            Self::Aes256Gcm | Self::ChaCha20Poly1305 => 32,
        }
    }

    const fn aead(self) -> &'static aead::Algorithm {
        match self {
            Self::Aes128Gcm => &aead::AES_128_GCM,
            Self::Aes256Gcm => &aead::AES_256_GCM,
            Self::ChaCha20Poly1305 => &aead::CHACHA20_POLY1305,
        }
    }

    /// Sequence-number masks (RFC 9147 §4.2.3) equal QUIC's header-protection masks (RFC 9001
    /// §5.4.3, §5.4.4).
    const fn mask(self) -> &'static quic::Algorithm {
        match self {
            Self::Aes128Gcm => &quic::AES_128,
            Self::Aes256Gcm => &quic::AES_256,
            Self::ChaCha20Poly1305 => &quic::CHACHA20,
        }
    }

    /// RFC 9147 §4.5.3: with AES-GCM, at most 2^24.5 full-size records sealed and 2^36 failed to
    /// authenticate. Sequence numbers have 48 bits (§4.2.1).
    #[must_use]
    pub const fn limits(self) -> CipherLimits {
        CipherLimits {
            sealed: match self {
                Self::Aes128Gcm | Self::Aes256Gcm => 23_726_566,
                Self::ChaCha20Poly1305 => (1 << 48) - 1,
            },
            forged: 1 << 36,
            bytes: u64::MAX,
        }
    }
}

/// Keys of one direction: record key, initialization vector and sequence-number key
/// (draft-ietf-tsvwg-sctp-dtls-chunk-04 §6). Use them for one association and one epoch only: reuse
/// would repeat nonces, which breaks the encryption. Dropping them wipes their memory.
#[derive(Clone)]
pub struct TrafficKeys {
    suite: CipherSuite,
    /// Record key, sequence-number key and initialization vector.
    material: Zeroizing<Box<[u8]>>,
    /// See [`CipherLimits::bytes`].
    bytes: u64,
}

/// A key or initialization vector has the wrong length for its suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrongLength;

impl fmt::Display for WrongLength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key or an initialization vector has not the length of its cipher suite")
    }
}

impl std::error::Error for WrongLength {}

impl TrafficKeys {
    /// Creates keys for a suite.
    ///
    /// # Errors
    /// [`WrongLength`].
    pub fn new(
        suite: CipherSuite,
        key: &[u8],
        iv: &[u8],
        sn_key: &[u8],
    ) -> Result<Self, WrongLength> {
        let lengths = [key.len(), sn_key.len(), iv.len()];
        if lengths != [suite.key_len(), suite.key_len(), IV_LEN] {
            return Err(WrongLength);
        }
        Ok(Self {
            suite,
            material: Zeroizing::new([key, sn_key, iv].concat().into()),
            bytes: suite.limits().bytes,
        })
    }

    /// Requests new keys after so many sealed bytes.
    #[must_use]
    pub const fn with_bytes(mut self, bytes: u64) -> Self {
        self.bytes = bytes;
        self
    }

    /// Record key, sequence-number key and initialization vector.
    fn parts(&self) -> [&[u8]; 3] {
        let (key, rest) = self.material.split_at(self.suite.key_len());
        let (sn_key, iv) = rest.split_at(self.suite.key_len());
        [key, sn_key, iv]
    }

    /// The keys as text: suite, epoch, key, initialization vector and sequence-number key.
    pub(crate) fn to_text(&self, epoch: u64) -> String {
        let [key, sn_key, iv] = self.parts().map(to_hex);
        let suite = to_hex(&self.suite.id());
        format!("{suite} {epoch} {key} {iv} {sn_key}")
    }

    /// Reads the keys and the epoch that [`to_text`](Self::to_text) wrote.
    pub(crate) fn from_text(text: &str) -> Option<(Self, u64)> {
        let mut words = text.split_whitespace();
        let suite = <[u8; 2]>::try_from(from_hex(words.next()?)?).ok()?;
        let epoch = words.next()?.parse().ok()?;
        let [key, iv, sn_key] = [words.next()?, words.next()?, words.next()?].map(from_hex);
        let suite = CipherSuite::from_id(suite)?;
        let keys = Self::new(suite, &key?, &iv?, &sn_key?).ok()?;
        Some((keys, epoch))
    }

    /// Creates the cipher that the engine calls for each packet.
    ///
    /// # Errors
    /// [`WrongLength`].
    pub fn cipher(&self) -> Result<Arc<dyn RecordCipher>, WrongLength> {
        Ok(Arc::new(Cipher {
            keys: self.clone(),
            expanded: Mutex::default(),
        }))
    }

    fn expand(&self) -> Result<Box<Expanded>, WrongLength> {
        let [key, sn_key, _] = self.parts();
        let key = UnboundKey::new(self.suite.aead(), key).map_err(|_| WrongLength)?;
        let mask = HeaderProtectionKey::new(self.suite.mask(), sn_key);
        Ok(Box::new(Expanded {
            key: LessSafeKey::new(key),
            mask: mask.map_err(|_| WrongLength)?,
        }))
    }
}

impl fmt::Debug for TrafficKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TrafficKeys({:?})", self.suite)
    }
}

/// The keys as they are, and expanded while they are in use: five times as much.
struct Cipher {
    keys: TrafficKeys,
    expanded: Mutex<Option<Box<Expanded>>>,
}

struct Expanded {
    key: LessSafeKey,
    mask: HeaderProtectionKey,
}

impl Cipher {
    /// Nonce of a record: the initialization vector, its end XORed with the sequence number (RFC
    /// 8446 §5.3), without the epoch (RFC 9147 §4.2.1).
    fn nonce(&self, sequence: u64) -> Nonce {
        let mut nonce = [0; IV_LEN];
        nonce.copy_from_slice(self.keys.parts()[2]);
        let tail = nonce.iter_mut().rev();
        tail.zip(sequence.to_be_bytes().iter().rev())
            .for_each(|(byte, number)| *byte ^= number);
        Nonce::assume_unique_for_key(nonce)
    }

    /// Calls with the expanded keys, which the first call expands.
    fn with<R>(&self, call: impl FnOnce(&Expanded) -> R) -> R {
        let mut expanded = self.expanded.lock().unwrap_or_else(PoisonError::into_inner);
        let expanded = expanded.get_or_insert_with(|| {
            let fresh = self.keys.expand();
            fresh.expect("keys have the length of their suite")
        });
        call(expanded)
    }
}

impl RecordCipher for Cipher {
    fn seal(&self, sequence: u64, header: [u8; 3], record: &mut [u8]) -> [u8; TAG_LEN] {
        let (nonce, header) = (self.nonce(sequence), Aad::from(header));
        let sealed = self.with(|keys| keys.key.seal_in_place_separate_tag(nonce, header, record));
        let tag = sealed.expect("records are shorter than what a cipher may seal");
        let mut bytes = [0; TAG_LEN];
        bytes.copy_from_slice(tag.as_ref());
        bytes
    }

    fn open(&self, sequence: u64, header: [u8; 3], record: &mut [u8]) -> Result<(), Forged> {
        let (nonce, header) = (self.nonce(sequence), Aad::from(header));
        self.with(|keys| {
            let opened = keys.key.open_in_place(nonce, header, record);
            opened.map(|_| ()).map_err(|_| Forged)
        })
    }

    fn mask(&self, sample: [u8; 16]) -> [u8; 2] {
        let mask = self.with(|keys| keys.mask.new_mask(&sample));
        let [first, second, ..] = mask.expect("a sample of the right length");
        [first, second]
    }

    fn rest(&self) {
        *self.expanded.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn limits(&self) -> CipherLimits {
        CipherLimits {
            bytes: self.keys.bytes,
            ..self.keys.suite.limits()
        }
    }
}

impl fmt::Debug for Cipher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cipher({:?})", self.keys.suite)
    }
}

pub(crate) fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn from_hex(digits: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = digits
        .bytes()
        .map(|digit| Some(u8::try_from(char::from(digit).to_digit(16)?).unwrap_or(0)))
        .collect();
    let digits = digits.filter(|digits| digits.len() % 2 == 0)?;
    Some(
        digits
            .chunks(2)
            .map(|pair| pair[0] << 4 | pair[1])
            .collect(),
    )
}
