//! The messages of both ends: the promise made for each, and its outcome.

use std::collections::BTreeMap;

use bytes::{BufMut, Bytes, BytesMut};
use sheave_engine::wire::{Ppid, StreamId};
use sheave_engine::{AssocId, Delivery, Message, Part, Policy, Received, Reliability, SendFailure};

use super::fault::{Verdict, ensure, fault};
use super::plan::End;

/// Payload bytes before the repeating pattern.
const HEADER: usize = 4;
/// Number of start offsets within the pattern, by which messages differ.
const STARTS: usize = 1021;
pub(crate) const LARGEST: usize = 64 << 20;
const PPID: u32 = 0x0051_2ea7;

/// Outcome of a message as reported to its sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    Abandoned(Policy),
    Failed,
}

/// A sent message.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) stream: u16,
    pub(crate) len: usize,
    pub(crate) delivery: Delivery,
    pub(crate) reliability: Reliability,
    /// Whether the engine accepted the message.
    pub(crate) accepted: bool,
    pub(crate) delivered: bool,
    pub(crate) told: Option<(Told, SendFailure)>,
    /// The sender's restart count when it sent the message.
    pub(crate) life: u32,
}

/// A message being received in parts.
#[derive(Debug)]
struct Partial {
    number: usize,
    have: usize,
}

/// Messages sent by one end, with what the other end received.
#[derive(Default)]
pub(crate) struct Ledger {
    pub(crate) entries: Vec<Entry>,
    last: BTreeMap<u16, usize>,
    partial: BTreeMap<(AssocId, u16), Partial>,
    /// Messages and bytes delivered, by the receiver's association.
    pub(crate) read: BTreeMap<AssocId, (u64, u64)>,
    pub(crate) bytes: u64,
    /// Maximum size of a stream table sized for the highest stream in use.
    pub(crate) streams: usize,
    /// Received parts plus reported messages.
    pub(crate) outcomes: u64,
}

/// Byte pattern of all payloads; longer payloads repeat it.
pub(crate) struct Pattern(Vec<u8>);

/// Period of the pattern, bytes: not a multiple of any chunk size.
const PERIOD: usize = 99_991;

impl Pattern {
    pub(crate) fn new() -> Self {
        let bytes = (0..PERIOD).map(|at| (at * 31 + at / 251) as u8);
        Self(bytes.collect())
    }

    /// Bytes `from..from + len` of a payload, in pieces.
    fn pieces(&self, number: usize, from: usize, len: usize) -> impl Iterator<Item = &[u8]> {
        let mut at = (number * 37 % STARTS + from) % PERIOD;
        let mut left = len;
        core::iter::from_fn(move || {
            let piece = self.0[at..].len().min(left);
            let bytes = &self.0[at..at + piece];
            (at, left) = (0, left - piece);
            (piece > 0).then_some(bytes)
        })
    }

    /// Whether `bytes` equal the payload from offset `from` on.
    fn matches(&self, number: usize, from: usize, bytes: &[u8]) -> bool {
        let mut rest = bytes;
        self.pieces(number, from, bytes.len()).all(|piece| {
            let (this, others) = rest.split_at(piece.len());
            rest = others;
            this == piece
        })
    }

    /// Builds message `number`.
    pub(crate) fn message(&self, sender: End, number: usize, entry: &Entry) -> Message {
        let mut payload = BytesMut::with_capacity(entry.len);
        payload.put_u32(head(sender, number));
        for piece in self.pieces(number, HEADER, entry.len - HEADER) {
            payload.put_slice(piece);
        }
        Message {
            stream: StreamId(entry.stream),
            ppid: Ppid(PPID ^ number as u32),
            delivery: entry.delivery,
            payload: payload.freeze(),
        }
    }
}

fn head(sender: End, number: usize) -> u32 {
    (sender.index() as u32) << 31 | number as u32
}

impl Ledger {
    /// Records a message that the user will send.
    pub(crate) fn add(&mut self, entry: Entry) -> usize {
        self.bytes += entry.len as u64;
        let table = (usize::from(entry.stream) + 1).next_power_of_two();
        self.streams = self.streams.max(table);
        self.entries.push(entry);
        self.entries.len() - 1
    }

    /// Checks and records a received message or part.
    pub(crate) fn on_received(
        &mut self,
        pattern: &Pattern,
        sender: End,
        id: AssocId,
        received: &Received,
    ) -> Verdict {
        let Received { message, part, .. } = received;
        let stream = message.stream.0;
        let bytes = &message.payload;
        let (number, have) = match part {
            Part::Whole => (number_of(bytes, sender)?, 0),
            Part::First => {
                let number = number_of(bytes, sender)?;
                let have = 0;
                let before = self.partial.insert((id, stream), Partial { number, have });
                ensure(before.is_none(), "parts", || {
                    format!("{before:?} and then the first part of {number}")
                })?;
                (number, 0)
            }
            Part::Middle | Part::Last => {
                let begun = self.partial.get(&(id, stream));
                let begun = begun.ok_or_else(|| fault("parts", "a part of nothing"))?;
                (begun.number, begun.have)
            }
        };
        let sums = self.read.entry(id).or_default();
        sums.1 += bytes.len() as u64;
        self.outcomes += 1;
        self.check_bytes(pattern, sender, number, have, message)?;
        let have = have + bytes.len();
        match part {
            Part::First | Part::Middle => {
                if let Some(partial) = self.partial.get_mut(&(id, stream)) {
                    partial.have = have;
                }
                Ok(())
            }
            Part::Whole | Part::Last => {
                self.partial.remove(&(id, stream));
                self.read.entry(id).or_default().0 += 1;
                self.on_complete(number, have)
            }
        }
    }

    /// Checks that no message of another stream is partly delivered (without interleaving).
    pub(crate) fn check_together(&self, id: AssocId, stream: StreamId) -> Verdict {
        let mut begun = self.partial.keys().filter(|(other, _)| *other == id);
        let apart = begun.find(|(_, other)| *other != stream.0);
        ensure(apart.is_none(), "together", || {
            format!("a message of {stream:?} within one of {apart:?}")
        })
    }

    fn check_bytes(
        &self,
        pattern: &Pattern,
        sender: End,
        number: usize,
        have: usize,
        message: &Message,
    ) -> Verdict {
        let entry = self.entries.get(number);
        let entry = entry.ok_or_else(|| fault("payload", format!("nobody sent {number}")))?;
        let bytes = &message.payload;
        let as_sent = message.stream.0 == entry.stream
            && message.delivery == entry.delivery
            && message.ppid == Ppid(PPID ^ number as u32)
            && have + bytes.len() <= entry.len;
        let skip = HEADER.saturating_sub(have).min(bytes.len());
        let whole = as_sent && pattern.matches(number, have + skip, &bytes[skip..]);
        let _ = sender;
        ensure(whole, "payload", || {
            format!("message {number} from byte {have} is not as it was sent: {message:?}")
        })
    }

    fn on_complete(&mut self, number: usize, len: usize) -> Verdict {
        let entry = &mut self.entries[number];
        ensure(entry.accepted && len == entry.len, "payload", || {
            format!("message {number} has {len} bytes, not {}", entry.len)
        })?;
        ensure(!entry.delivered, "exactly once", || {
            format!("message {number} came twice")
        })?;
        entry.delivered = true;
        let unsent = matches!(entry.told, Some((_, SendFailure::Unsent)));
        ensure(!unsent, "told", || {
            format!("message {number} came though it was told to be unsent")
        })?;
        if entry.delivery == Delivery::Ordered {
            let before = self.last.insert(entry.stream, number);
            ensure(before < Some(number), "in order", || {
                format!("message {number} came after {before:?} of its stream")
            })?;
        }
        Ok(())
    }

    /// Records that a partly delivered message was aborted.
    pub(crate) fn on_aborted_part(&mut self, id: AssocId, stream: StreamId) -> Verdict {
        let begun = self.partial.remove(&(id, stream.0));
        ensure(begun.is_some(), "parts", || {
            format!("the end of a partial delivery that never began on {stream:?}")
        })
    }

    /// Drops partial messages after a restart of the association.
    pub(crate) fn forget_parts(&mut self, id: AssocId) {
        self.partial.retain(|(other, _), _| *other != id);
    }

    /// Resets counters and partial messages when the receiver gets a new engine.
    pub(crate) fn forget_reader(&mut self) {
        self.partial.clear();
        self.read.clear();
    }

    /// Records a failure report to the message's sender.
    pub(crate) fn on_told(
        &mut self,
        sender: End,
        context: u64,
        message: &Message,
        told: (Told, SendFailure),
    ) -> Verdict {
        let number = context as usize;
        let entry = self.entries.get_mut(number);
        let entry = entry.ok_or_else(|| fault("told", format!("nobody sent {number}")))?;
        let same = number_of(&message.payload, sender)? == number
            && message.payload.len() == entry.len
            && message.stream.0 == entry.stream;
        ensure(same && entry.accepted, "told", || {
            format!("of message {number} another was given back: {message:?}")
        })?;
        ensure(entry.told.is_none(), "told", || {
            format!("of message {number}: {:?}, then {told:?}", entry.told)
        })?;
        ensure(
            !(entry.delivered && told.1 == SendFailure::Unsent),
            "told",
            || format!("message {number} was delivered and is told to be unsent"),
        )?;
        if let Told::Abandoned(policy) = told.0 {
            let agreed = match entry.reliability {
                Reliability::Reliable => false,
                Reliability::Timed(_) => policy == Policy::Timed,
                Reliability::Retransmissions(_) => policy == Policy::Retransmissions,
                Reliability::Priority(_) => policy == Policy::Priority,
            };
            ensure(agreed, "told", || {
                format!("message {number} was given up by {policy:?}: {entry:?}")
            })?;
        }
        entry.told = Some(told);
        self.outcomes += 1;
        Ok(())
    }
}

/// Reads the message number at the start of a payload.
fn number_of(payload: &Bytes, sender: End) -> Result<usize, Box<super::Fault>> {
    let first = payload.first_chunk::<HEADER>();
    let first = first.ok_or_else(|| fault("payload", "no number in it"))?;
    let head_found = u32::from_be_bytes(*first);
    let number = head_found & !(1 << 31);
    if head_found == head(sender, number as usize) {
        Ok(number as usize)
    } else {
        Err(fault("payload", "a message of the receiver's own"))
    }
}
