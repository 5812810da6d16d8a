use std::fmt;
use std::sync::Arc;

use aws_lc_rs::aead::quic::{self, HeaderProtectionKey};
use aws_lc_rs::aead::{self, Aad, LessSafeKey, Nonce, UnboundKey};
use sheave_engine::{CipherLimits, Forged, RecordCipher, TAG_LEN};

/// Bytes of an initialization vector.
const IV_LEN: usize = 12;

/// A cipher suite of TLS 1.3 that DTLS chunks can have (draft-ietf-tsvwg-sctp-dtls-chunk-04 §3.1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CipherSuite {
    /// TLS_AES_128_GCM_SHA256, which every end has.
    Aes128Gcm,
    /// TLS_AES_256_GCM_SHA384.
    Aes256Gcm,
    /// TLS_CHACHA20_POLY1305_SHA256.
    ChaCha20Poly1305,
}

impl CipherSuite {
    /// Every suite, the one that every end has in front.
    pub const ALL: [Self; 3] = [Self::Aes128Gcm, Self::Aes256Gcm, Self::ChaCha20Poly1305];

    /// The number in IANA's registry.
    #[must_use]
    pub const fn id(self) -> [u8; 2] {
        match self {
            Self::Aes128Gcm => [0x13, 0x01],
            Self::Aes256Gcm => [0x13, 0x02],
            Self::ChaCha20Poly1305 => [0x13, 0x03],
        }
    }

    /// The suite of that number.
    #[must_use]
    pub fn from_id(id: [u8; 2]) -> Option<Self> {
        Self::ALL.into_iter().find(|suite| suite.id() == id)
    }

    /// Bytes of the key, and of the key over sequence numbers.
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

    /// The mask over sequence numbers (RFC 9147 §4.2.3) is that of QUIC's headers (RFC 9001 §5.4.3, §5.4.4).
    const fn mask(self) -> &'static quic::Algorithm {
        match self {
            Self::Aes128Gcm => &quic::AES_128,
            Self::Aes256Gcm => &quic::AES_256,
            Self::ChaCha20Poly1305 => &quic::CHACHA20,
        }
    }

    /// RFC 9147 §4.5.3: 2^24.5 sealed records of full size with AES-GCM, 2^36 forged ones. Sequence numbers have 48
    /// bits (§4.2.1).
    const fn limits(self) -> CipherLimits {
        CipherLimits {
            sealed: match self {
                Self::Aes128Gcm | Self::Aes256Gcm => 23_726_566,
                Self::ChaCha20Poly1305 => (1 << 48) - 1,
            },
            forged: 1 << 36,
        }
    }
}

/// Keys of one direction: key, initialization vector and key over sequence numbers
/// (draft-ietf-tsvwg-sctp-dtls-chunk-04 §6). Used for one association and one epoch, ever: two associations under the
/// same keys would repeat nonces, which gives the keys away.
#[derive(Clone)]
pub struct TrafficKeys {
    suite: CipherSuite,
    key: Vec<u8>,
    iv: [u8; IV_LEN],
    sn_key: Vec<u8>,
}

/// A key or an initialization vector has not the length of its suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrongLength;

impl fmt::Display for WrongLength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key or an initialization vector has not the length of its cipher suite")
    }
}

impl std::error::Error for WrongLength {}

impl TrafficKeys {
    /// Keys of a suite.
    ///
    /// # Errors
    /// [`WrongLength`].
    pub fn new(
        suite: CipherSuite,
        key: &[u8],
        iv: &[u8],
        sn_key: &[u8],
    ) -> Result<Self, WrongLength> {
        let fits = key.len() == suite.key_len() && sn_key.len() == suite.key_len();
        let iv = <[u8; IV_LEN]>::try_from(iv).map_err(|_| WrongLength)?;
        fits.then(|| Self {
            suite,
            key: key.into(),
            iv,
            sn_key: sn_key.into(),
        })
        .ok_or(WrongLength)
    }

    /// The cipher that the engine calls for each packet.
    ///
    /// # Errors
    /// [`WrongLength`].
    pub fn cipher(&self) -> Result<Arc<dyn RecordCipher>, WrongLength> {
        let key = UnboundKey::new(self.suite.aead(), &self.key).map_err(|_| WrongLength)?;
        let mask = HeaderProtectionKey::new(self.suite.mask(), &self.sn_key);
        Ok(Arc::new(Cipher {
            suite: self.suite,
            key: LessSafeKey::new(key),
            mask: mask.map_err(|_| WrongLength)?,
            iv: self.iv,
        }))
    }
}

impl fmt::Debug for TrafficKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TrafficKeys({:?})", self.suite)
    }
}

struct Cipher {
    suite: CipherSuite,
    key: LessSafeKey,
    mask: HeaderProtectionKey,
    iv: [u8; IV_LEN],
}

impl Cipher {
    /// The nonce of a record: the vector, its end XORed with the number (RFC 8446 §5.3). The epoch is no part of it
    /// (RFC 9147 §4.2.1).
    fn nonce(&self, sequence: u64) -> Nonce {
        let mut nonce = self.iv;
        let tail = nonce.iter_mut().rev();
        tail.zip(sequence.to_be_bytes().iter().rev())
            .for_each(|(byte, number)| *byte ^= number);
        Nonce::assume_unique_for_key(nonce)
    }
}

impl RecordCipher for Cipher {
    fn seal(&self, sequence: u64, header: [u8; 3], record: &mut [u8]) -> [u8; TAG_LEN] {
        let (nonce, header) = (self.nonce(sequence), Aad::from(header));
        let sealed = self.key.seal_in_place_separate_tag(nonce, header, record);
        let tag = sealed.expect("records are shorter than what a cipher may seal");
        let mut bytes = [0; TAG_LEN];
        bytes.copy_from_slice(tag.as_ref());
        bytes
    }

    fn open(&self, sequence: u64, header: [u8; 3], record: &mut [u8]) -> Result<(), Forged> {
        let (nonce, header) = (self.nonce(sequence), Aad::from(header));
        let opened = self.key.open_in_place(nonce, header, record);
        opened.map(|_| ()).map_err(|_| Forged)
    }

    fn mask(&self, sample: [u8; 16]) -> [u8; 2] {
        let mask = self.mask.new_mask(&sample);
        let [first, second, ..] = mask.expect("a sample of the right length");
        [first, second]
    }

    fn limits(&self) -> CipherLimits {
        self.suite.limits()
    }
}

impl fmt::Debug for Cipher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cipher({:?})", self.suite)
    }
}
