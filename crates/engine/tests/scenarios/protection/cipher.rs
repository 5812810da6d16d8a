//! A record cipher for tests: not secret, detects every change, and panics if a nonce is reused.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use sheave_engine::wire::{Chunk, CommonHeader, Dtls, DtlsContext, Packet, crc32c};
use sheave_engine::{
    CipherLimits, Forged, KeyAgreement, KeyContext, KeyRole, RecordCipher, TAG_LEN,
};

/// Keys of a test, and all nonces used with them, at both ends and in all their lives.
#[derive(Clone, Debug)]
pub(super) struct Keys {
    used: Arc<Mutex<Used>>,
    pub(super) limits: CipherLimits,
}

/// Nonces, each a key and a sequence number: all, and by the tags of their records.
#[derive(Debug, Default)]
struct Used {
    nonces: BTreeSet<(u64, u64)>,
    tags: BTreeMap<[u8; TAG_LEN], (u64, u64)>,
}

#[derive(Debug)]
struct TestCipher {
    key: u64,
    keys: Keys,
}

impl Default for Keys {
    fn default() -> Self {
        Self {
            used: Arc::default(),
            limits: CipherLimits {
                sealed: 1 << 24,
                forged: 1 << 36,
                bytes: u64::MAX,
            },
        }
    }
}

impl Keys {
    /// Cipher of one direction, derived from both ends' parameters.
    pub(super) fn cipher(
        &self,
        agreement: &KeyAgreement,
        sender: KeyRole,
        id: KeyContext,
    ) -> Arc<dyn RecordCipher> {
        let number = match sender {
            KeyRole::Client => 0,
            KeyRole::Server => 1,
        } + match id.kind {
            DtlsContext::Primary => 0,
            DtlsContext::Restart => 2,
        };
        let told = agreement.client_parameter.iter();
        let told = told.chain(&agreement.server_parameter);
        let key = mix(mix(number, id.epoch), mix_bytes(7, told));
        let keys = self.clone();
        Arc::new(TestCipher { key, keys })
    }

    /// The packet that a sealed one holds, with a right checksum; `None` if it is not sealed.
    pub(super) fn reveal(&self, packet: &[u8]) -> Option<Vec<u8>> {
        let parsed = Packet::parse(packet).ok()?;
        let Some(Ok(Chunk::Dtls(chunk))) = parsed.chunks().next() else {
            return None;
        };
        let (record, tag) = chunk.record.split_last_chunk::<TAG_LEN>()?;
        let (key, sequence) = *self.used.lock().unwrap().tags.get(tag)?;
        let mut plain = packet[..CommonHeader::LEN].to_vec();
        plain.extend_from_slice(&record[Dtls::RECORD_HEADER_LEN..]);
        crypt(mix(key, sequence), &mut plain[CommonHeader::LEN..]);
        plain.pop();
        plain[8..12].fill(0);
        let sum = crc32c(&plain);
        plain[8..12].copy_from_slice(&sum.to_le_bytes());
        Some(plain)
    }
}

impl TestCipher {
    fn tag(&self, sequence: u64, header: [u8; 3], ciphertext: &[u8]) -> [u8; TAG_LEN] {
        let first = mix_bytes(mix(self.key, sequence), header.iter().chain(ciphertext));
        let second = mix(first, self.key).to_be_bytes();
        let mut tag = [0; TAG_LEN];
        tag[..8].copy_from_slice(&first.to_be_bytes());
        tag[8..].copy_from_slice(&second);
        tag
    }
}

impl RecordCipher for TestCipher {
    fn seal(&self, sequence: u64, header: [u8; 3], record: &mut [u8]) -> [u8; TAG_LEN] {
        let mut used = self.keys.used.lock().unwrap();
        let nonce = (self.key, sequence);
        assert!(
            used.nonces.insert(nonce),
            "the nonce of record {sequence} is used twice"
        );
        crypt(mix(self.key, sequence), record);
        let tag = self.tag(sequence, header, record);
        used.tags.insert(tag, nonce);
        tag
    }

    fn open(&self, sequence: u64, header: [u8; 3], record: &mut [u8]) -> Result<(), Forged> {
        let (ciphertext, tag) = record.split_at_mut(record.len() - TAG_LEN);
        if self.tag(sequence, header, ciphertext) != *tag {
            return Err(Forged);
        }
        crypt(mix(self.key, sequence), ciphertext);
        Ok(())
    }

    fn mask(&self, sample: [u8; 16]) -> [u8; 2] {
        let [a, b, ..] = mix_bytes(self.key ^ 1, sample.iter()).to_be_bytes();
        [a, b]
    }

    fn limits(&self) -> CipherLimits {
        self.keys.limits
    }
}

fn crypt(key: u64, bytes: &mut [u8]) {
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte ^= mix(key, at as u64) as u8;
    }
}

fn mix(a: u64, b: u64) -> u64 {
    let mixed = (a ^ b.rotate_left(31)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) ^ mixed >> 32
}

fn mix_bytes<'a>(seed: u64, bytes: impl Iterator<Item = &'a u8>) -> u64 {
    bytes.fold(seed, |hash, byte| mix(hash, u64::from(*byte) + 1))
}
