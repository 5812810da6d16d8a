//! Key contexts: encryption and decryption of records (RFC 9147 §4).

use alloc::sync::Arc;
use alloc::vec::Vec;

use sheave_wire::{Chunk, CommonHeader, Dtls, Packet};

use super::window::ReplayWindow;
use super::{OVERHEAD, TAG_LEN};
use crate::value::protection::{KeyContext, RecordCipher};

/// Content type of a record: application data (RFC 8446 §5.1).
const APPLICATION_DATA: u8 = 23;

/// Bytes of a packet before the ciphertext.
const CIPHERTEXT: usize = CommonHeader::LEN + Dtls::HEADER_LEN + Dtls::RECORD_HEADER_LEN;

/// Keys for sending.
#[derive(Clone, Debug)]
pub(super) struct Sending {
    pub(super) id: KeyContext,
    cipher: Arc<dyn RecordCipher>,
    /// The next record number.
    next: u64,
    /// Bytes sealed.
    bytes: u64,
}

/// Keys for receiving.
#[derive(Clone, Debug)]
pub(super) struct Receiving {
    pub(super) id: KeyContext,
    cipher: Arc<dyn RecordCipher>,
    window: ReplayWindow,
    pub(super) opened: u64,
    pub(super) forged: u64,
}

/// The reason a record is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    Replayed,
    Forged,
    Malformed,
}

impl Sending {
    pub(super) fn rest(&self) {
        self.cipher.rest();
    }

    pub(super) fn new(id: KeyContext, cipher: Arc<dyn RecordCipher>) -> Self {
        Self {
            id,
            cipher,
            next: 0,
            bytes: 0,
        }
    }

    pub(super) const fn sealed(&self) -> u64 {
        self.next
    }

    pub(super) fn is_spent(&self) -> bool {
        self.next >= self.cipher.limits().sealed
    }

    /// Encrypts the packet that begins at `start` and ends `out`. Returns whether new keys are due:
    /// seven eighths of the limit, or the limit of bytes, are reached just now.
    pub(super) fn seal(&mut self, out: &mut Vec<u8>, start: usize) -> bool {
        let number = self.next;
        self.next += 1;
        let chunks = start + CommonHeader::LEN..out.len();
        let body = chunks.len() + 1;
        out.resize(out.len() + OVERHEAD, 0);
        out.copy_within(chunks, start + CIPHERTEXT);
        let Some(packet) = out.get_mut(start + CommonHeader::LEN..) else {
            return false;
        };
        let (head, rest) = packet.split_at_mut(CIPHERTEXT - CommonHeader::LEN);
        let header = record_header(self.id.epoch, number);
        let (record, rest) = rest.split_at_mut(body);
        if let Some(content_type) = record.last_mut() {
            *content_type = APPLICATION_DATA;
        }
        let tag = self.cipher.seal(number, header, record);
        let sample = sample(record.iter().chain(&tag));
        let (tag_place, padding) = rest.split_at_mut(TAG_LEN);
        tag_place.copy_from_slice(&tag);
        padding.fill(0);
        let length = Dtls::RECORD_HEADER_LEN + body + TAG_LEN;
        let chunk = Dtls::head(self.id.kind, length);
        let (chunk_head, record_head) = head.split_at_mut(Dtls::HEADER_LEN);
        chunk_head.copy_from_slice(&chunk);
        record_head.copy_from_slice(&masked(header, self.cipher.mask(sample)));
        let limits = self.cipher.limits();
        let before = self.bytes;
        self.bytes += body as u64;
        let is_full = (before..self.bytes).contains(&limits.bytes);
        is_full || self.next == limits.sealed - limits.sealed / 8
    }
}

impl Receiving {
    pub(super) fn rest(&mut self) {
        self.cipher.rest();
        self.window.rest();
    }

    pub(super) const fn footprint(&self) -> usize {
        self.window.footprint()
    }

    pub(super) fn new(id: KeyContext, cipher: Arc<dyn RecordCipher>, width: u16) -> Self {
        Self {
            id,
            cipher,
            window: ReplayWindow::new(width),
            opened: 0,
            forged: 0,
        }
    }

    pub(super) fn is_spent(&self) -> bool {
        self.forged >= self.cipher.limits().forged
    }

    /// Decrypts a record in place, after copying it once behind the packet's common header.
    pub(super) fn open(
        &mut self,
        packet: &Packet<'_>,
        chunk: &Dtls<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), Refusal> {
        let Some((&[flags, s0, s1], ciphertext)) = chunk.record.split_first_chunk() else {
            return Err(Refusal::Malformed);
        };
        if ciphertext.len() <= TAG_LEN {
            return Err(Refusal::Malformed);
        }
        let mask = self.cipher.mask(sample(ciphertext.iter()));
        let [_, s0, s1] = masked([flags, s0, s1], mask);
        let number = self.window.whole(u16::from_be_bytes([s0, s1]));
        if !self.window.admits(number) {
            return Err(Refusal::Replayed);
        }
        let header = packet.bytes().get(..CommonHeader::LEN);
        out.extend_from_slice(header.ok_or(Refusal::Malformed)?);
        out.extend_from_slice(ciphertext);
        let record = out.get_mut(CommonHeader::LEN..).unwrap_or_default();
        if self.cipher.open(number, [flags, s0, s1], record).is_err() {
            self.forged += 1;
            return Err(Refusal::Forged);
        }
        self.window.mark(number);
        self.opened += 1;
        out.truncate(out.len() - TAG_LEN);
        // RFC 8446 §5.4: zeros after the content type are padding.
        let plaintext = out.get(CommonHeader::LEN..).unwrap_or_default();
        let end = plaintext.iter().rposition(|byte| *byte != 0);
        match end.map(|end| (end, plaintext.get(end))) {
            Some((end, Some(&APPLICATION_DATA))) => {
                out.truncate(CommonHeader::LEN + end);
                Ok(())
            }
            _ => Err(Refusal::Malformed),
        }
    }
}

/// The DTLS chunk of a packet without other chunks (§5.2).
pub(super) fn chunk_alone<'a>(packet: &Packet<'a>) -> Option<Dtls<'a>> {
    let mut chunks = packet.chunks();
    let Some(Ok(Chunk::Dtls(chunk))) = chunks.next() else {
        return None;
    };
    chunks.is_over().then_some(chunk)
}

/// A record header, with its sequence number not encrypted.
fn record_header(epoch: u64, number: u64) -> [u8; 3] {
    let [.., low] = epoch.to_be_bytes();
    let [.., s0, s1] = number.to_be_bytes();
    [Dtls::RECORD_FLAGS | low & 3, s0, s1]
}

/// Encrypts or decrypts the sequence number of a header.
fn masked([flags, s0, s1]: [u8; 3], [m0, m1]: [u8; 2]) -> [u8; 3] {
    [flags, s0 ^ m0, s1 ^ m1]
}

/// The first bytes of a ciphertext including its tag (RFC 9147 §4.2.3).
fn sample<'a>(ciphertext: impl Iterator<Item = &'a u8>) -> [u8; 16] {
    let mut sample = [0; 16];
    sample
        .iter_mut()
        .zip(ciphertext)
        .for_each(|(to, from)| *to = *from);
    sample
}
