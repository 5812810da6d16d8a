//! A record cipher for tests: not secret, detects every change, and panics if a nonce is reused.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use crate::prelude::*;

/// Keys of a test, and all nonces used with them, at both ends and in all their lives.
#[derive(Clone, Debug)]
pub(super) struct Keys {
    used: Arc<Mutex<BTreeSet<(u64, u64)>>>,
    pub(super) limits: CipherLimits,
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

    pub(super) fn receive(&self, world: &mut World, host: HostId, id: KeyContext) {
        let mut assoc = world.assoc(host);
        let mut shield = assoc.protection().expect("protection");
        let agreement = shield.agreement().expect("an agreement").clone();
        let cipher = self.cipher(&agreement, agreement.role.other(), id);
        shield.add_receive_keys(id, cipher).expect("keys in turn");
    }

    pub(super) fn send(&self, world: &mut World, host: HostId, id: KeyContext) {
        let now = world.now();
        let mut assoc = world.assoc(host);
        let mut shield = assoc.protection().expect("protection");
        let agreement = shield.agreement().expect("an agreement").clone();
        let cipher = self.cipher(&agreement, agreement.role, id);
        let set = shield.set_send_keys(now, id, cipher);
        set.expect("keys in turn");
    }

    /// Keys of that name, at both ends and in both directions.
    pub(super) fn change(&self, world: &mut World, hosts: [HostId; 2], id: KeyContext) {
        for host in hosts {
            self.receive(world, host, id);
        }
        for host in hosts {
            self.send(world, host, id);
        }
    }

    /// Installs the first keys at both ends and enforces protection.
    pub(super) fn protect(&self, world: &mut World, hosts: [HostId; 2]) {
        self.change(world, hosts, KeyContext::FIRST);
        for host in hosts {
            enforce(world, host).expect("keys");
        }
    }
}

pub(super) fn enforce(world: &mut World, host: HostId) -> Result<(), ProtectionError> {
    let now = world.now();
    let mut assoc = world.assoc(host);
    assoc.protection().expect("protection").enforce(now)
}

impl TestCipher {
    fn crypt(&self, sequence: u64, bytes: &mut [u8]) {
        for (at, byte) in bytes.iter_mut().enumerate() {
            *byte ^= mix(mix(self.key, sequence), at as u64) as u8;
        }
    }

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
        let fresh = self.keys.used.lock().unwrap().insert((self.key, sequence));
        assert!(fresh, "the nonce of record {sequence} is used twice");
        self.crypt(sequence, record);
        self.tag(sequence, header, record)
    }

    fn open(&self, sequence: u64, header: [u8; 3], record: &mut [u8]) -> Result<(), Forged> {
        let (ciphertext, tag) = record.split_at_mut(record.len() - TAG_LEN);
        if self.tag(sequence, header, ciphertext) != *tag {
            return Err(Forged);
        }
        self.crypt(sequence, ciphertext);
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

fn mix(a: u64, b: u64) -> u64 {
    let mixed = (a ^ b.rotate_left(31)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) ^ mixed >> 32
}

fn mix_bytes<'a>(seed: u64, bytes: impl Iterator<Item = &'a u8>) -> u64 {
    bytes.fold(seed, |hash, byte| mix(hash, u64::from(*byte) + 1))
}
