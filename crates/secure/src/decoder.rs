use std::fmt;
use std::sync::Arc;

use sheave_engine::wire::{Chunk, CommonHeader, Dtls, Packet};
use sheave_engine::{RecordCipher, TAG_LEN};

use crate::{KeyLog, TrafficKeys};

/// Content type of a record with chunks: application data (RFC 8446 §5.1).
const APPLICATION_DATA: u8 = 23;

/// Decrypts captured packets with the keys of a [`KeyLog`]. A packet is attributed to the keys that
/// authenticate it.
#[derive(Debug, Default)]
pub struct Decoder {
    /// The keys that opened the last record come first.
    keys: Vec<Keys>,
}

#[derive(Debug)]
struct Keys {
    epoch: u64,
    cipher: Arc<dyn RecordCipher>,
    /// The largest record number so far, plus one.
    next: u64,
}

/// A line of a key log is malformed; its number, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadLine(pub usize);

impl fmt::Display for BadLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} of the key log is malformed", self.0)
    }
}

impl std::error::Error for BadLine {}

impl Decoder {
    /// Reads the text of a key log; lines with other labels are skipped.
    ///
    /// # Errors
    /// [`BadLine`].
    pub fn from_log(text: &str) -> Result<Self, BadLine> {
        let mut keys = Vec::new();
        for (place, line) in text.lines().enumerate() {
            if let Some(rest) = line.strip_prefix(KeyLog::LABEL) {
                keys.push(Keys::from_text(rest).ok_or(BadLine(place + 1))?);
            }
        }
        Ok(Self { keys })
    }

    /// Whether there are no keys.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Decrypts the DTLS chunk of a packet. Returns the packet with the chunks that were in it, and
    /// the checksum that it had; `None` if no keys fit. The first packet under keys must be among
    /// the first 65,536 of them.
    pub fn open(&mut self, packet: &Packet<'_>) -> Option<Vec<u8>> {
        let Some(Ok(Chunk::Dtls(chunk))) = packet.chunks().next() else {
            return None;
        };
        let header = packet.bytes().get(..CommonHeader::LEN)?;
        let mut keys = self.keys.iter_mut().enumerate();
        let (place, chunks) = keys.find_map(|(place, keys)| Some((place, keys.open(&chunk)?)))?;
        self.keys[..=place].rotate_right(1);
        Some([header, &chunks].concat())
    }
}

impl Keys {
    fn from_text(text: &str) -> Option<Self> {
        let (keys, epoch) = TrafficKeys::from_text(text)?;
        Some(Self {
            epoch,
            cipher: keys.cipher().ok()?,
            next: 0,
        })
    }

    /// The chunks of a record of these keys.
    fn open(&mut self, chunk: &Dtls<'_>) -> Option<Vec<u8>> {
        let (&[flags, s0, s1], ciphertext) = chunk.record.split_first_chunk()?;
        if u64::from(flags & 3) != self.epoch & 3 || ciphertext.len() <= TAG_LEN {
            return None;
        }
        let sample = *ciphertext.first_chunk()?;
        let [m0, m1] = self.cipher.mask(sample);
        let header = [flags, s0 ^ m0, s1 ^ m1];
        let number = nearest(self.next, u16::from_be_bytes([header[1], header[2]]));
        let mut record = ciphertext.to_vec();
        self.cipher.open(number, header, &mut record).ok()?;
        self.next = self.next.max(number + 1);
        record.truncate(record.len() - TAG_LEN);
        let end = record.iter().rposition(|byte| *byte != 0)?;
        (record[end] == APPLICATION_DATA).then(|| {
            record.truncate(end);
            record
        })
    }
}

/// The number that ends in `low` and is nearest to `expected` (RFC 9147 §4.2.2).
fn nearest(expected: u64, low: u16) -> u64 {
    const SPAN: u64 = 1 << 16;
    let number = (expected & !(SPAN - 1)) | u64::from(low);
    match number.abs_diff(expected) > SPAN / 2 {
        true if number > expected => number.checked_sub(SPAN).unwrap_or(number),
        true => number + SPAN,
        false => number,
    }
}
