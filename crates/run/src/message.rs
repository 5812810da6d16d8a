//! The arguments of calls that lie in the program's memory.
//!
//! Every number in here was written by the program, which may be hostile: lengths are bounded before
//! anything is allocated, and addresses are the kernel's to check.

use std::time::Duration;

use crate::sys::memory::{Fault, MAX_SPANS, Memory, Span};
use crate::trapped::Failure;

/// Bytes of the longest message that a call can send.
pub(crate) const MAX_PAYLOAD: usize = 4 << 20;
/// Bytes of which a call takes notice; Linux looks at no more (`MAX_RW_COUNT`).
const MAX_COUNT: usize = 0x7fff_f000;
/// Bytes of ancillary data.
const MAX_CONTROL: usize = 64 << 10;
/// Marks a call of a program of 32 bits (`MSG_CMSG_COMPAT`), which comes in another way.
const FOR_32_BITS: i32 = i32::MIN;
/// No program has memory from here on, whatever the processor.
const END: u64 = 1 << 56;
/// Bytes of a socket address.
const MAX_NAME: usize = 128;
/// Bytes of an option's value.
const MAX_VALUE: usize = 128 << 10;

/// Bytes of a `struct msghdr`.
const HEADER: usize = 56;

/// The room or the bytes that a call names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Message {
    /// The address, or the room for it.
    pub(crate) name: Option<Span>,
    pub(crate) payload: Vec<Span>,
    pub(crate) control: Span,
    /// The flags of the call.
    pub(crate) flags: i32,
    /// Addresses for the results beside the payload.
    pub(crate) results: Results,
}

/// Addresses at which a receiving call wants the lengths of its results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Results {
    #[default]
    Nowhere,
    /// The address of the length of the sender's address (`recvfrom`).
    NameLength(u64),
    /// The address of a `struct msghdr`.
    Header(u64),
}

fn size(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

/// A part of memory, unless it is null.
pub(crate) fn span(at: u64, length: usize) -> Option<Span> {
    (at != 0).then_some(Span { at, length })
}

impl Message {
    /// A single buffer, as `recvfrom` and `sendto` have it.
    pub(crate) fn plain(at: u64, length: u64, flags: u64) -> Result<Self, Failure> {
        let length = size(length).min(MAX_COUNT);
        let span = Span { at, length };
        check_range(span)?;
        Ok(Self {
            payload: vec![span],
            flags: flag_bits(flags),
            ..Self::default()
        })
    }

    /// A single buffer, as `read` and `write` have it.
    pub(crate) fn whole(at: u64, length: u64) -> Result<Self, Failure> {
        let length = size(length);
        check_range(Span { at, length })?;
        Self::plain(at, u64::try_from(length).unwrap_or(u64::MAX), 0)
    }

    /// Several buffers, as `readv` has them.
    pub(crate) fn of_vector(memory: &Memory, at: u64, count: u64) -> Result<Self, Failure> {
        // Of a `struct msghdr` that is EMSGSIZE.
        if size(count) > MAX_SPANS {
            return Err(Failure::INVALID);
        }
        Ok(Self {
            payload: vector(memory, at, count)?,
            ..Self::default()
        })
    }

    /// A `struct msghdr`.
    pub(crate) fn of_header(memory: &Memory, at: u64, flags: u64) -> Result<Self, Failure> {
        if flag_bits(flags) & FOR_32_BITS != 0 {
            return Err(Failure::INVALID);
        }
        let mut header = [0; HEADER];
        memory.read(at, &mut header)?;
        let word = |offset: usize| word(&header, offset);
        // Without a name its length may be any.
        let name = match (word(0), usize::try_from(flag_bits(word(8)))) {
            (0, _) => None,
            (_, Err(_)) => return Err(Failure::INVALID),
            (at, Ok(length)) => span(at, length.min(MAX_NAME)),
        };
        Ok(Self {
            name,
            payload: vector(memory, word(16), word(24))?,
            control: Span {
                at: word(32),
                length: size(word(40)),
            },
            flags: flag_bits(flags),
            results: Results::Header(at),
        })
    }

    /// The room for ancillary data, bytes.
    pub(crate) fn control_room(&self) -> usize {
        match self.control.at {
            0 => 0,
            _ => self.control.length.min(MAX_CONTROL),
        }
    }

    /// Copies the ancillary data of a message to send.
    pub(crate) fn read_control(&self, memory: &Memory) -> Result<Vec<u8>, Failure> {
        if self.control.length > MAX_CONTROL {
            return Err(Failure(libc::ENOBUFS));
        }
        Ok(memory.gather(&[self.control])?)
    }

    /// The same with the room for the sender's address that `recvfrom` names, which Linux looks at when
    /// it has a message.
    pub(crate) fn with_name_room(&self, memory: &Memory) -> Result<Self, Failure> {
        let mut message = self.clone();
        if let (Results::NameLength(at), Some(name)) = (self.results, &mut message.name) {
            let room = number(memory, at)?;
            name.length = usize::try_from(room).map_err(|_| Failure::INVALID)?;
        }
        Ok(message)
    }

    /// Bytes of the payload.
    pub(crate) fn room(&self) -> usize {
        self.payload.iter().map(|span| span.length).sum()
    }

    /// Writes an answer to a receiving call where the call wants it.
    pub(crate) fn write(&self, memory: &Memory, answer: &Answer<'_>) -> Result<(), Fault> {
        let mut parts: Vec<(u64, &[u8])> = Vec::with_capacity(self.payload.len() + 4);
        let mut left = answer.payload;
        for span in &self.payload {
            let (part, later) = left.split_at(left.len().min(span.length));
            parts.push((span.at, part));
            left = later;
        }
        let name = answer.name.as_slice();
        let mut name_length = 0;
        if let Some(room) = self.name {
            parts.push((room.at, &name[..name.len().min(room.length)]));
            name_length = u32::try_from(name.len()).unwrap_or(0);
        }
        let name_length = name_length.to_le_bytes();
        let control = &answer.control[..answer.control.len().min(self.control_room())];
        let control_length = u64::try_from(control.len()).unwrap_or(0).to_le_bytes();
        let flags = answer.flags.to_le_bytes();
        match self.results {
            Results::Nowhere => {}
            Results::NameLength(at) => parts.push((at, &name_length)),
            Results::Header(at) => {
                parts.push((self.control.at, control));
                if self.name.is_some() {
                    parts.push((at.wrapping_add(8), &name_length));
                }
                parts.push((at.wrapping_add(40), &control_length));
                parts.push((at.wrapping_add(48), &flags));
            }
        }
        parts.retain(|(_, part)| !part.is_empty());
        memory.scatter(&parts)
    }
}

/// An answer to a receiving call.
#[derive(Debug)]
pub(crate) struct Answer<'a> {
    pub(crate) payload: &'a [u8],
    pub(crate) name: Vec<u8>,
    pub(crate) control: &'a [u8],
    pub(crate) flags: i32,
}

/// Reads an array of `struct iovec`, of which it keeps as many bytes as Linux does.
fn vector(memory: &Memory, at: u64, count: u64) -> Result<Vec<Span>, Failure> {
    if size(count) > MAX_SPANS {
        return Err(Failure::TOO_LONG);
    }
    let mut bytes = vec![0; size(count) * 16];
    memory.read(at, &mut bytes)?;
    let iovecs = bytes.chunks_exact(16);
    // A length that is negative as a `ssize_t`.
    if iovecs.clone().any(|iovec| word(iovec, 8) >> 63 != 0) {
        return Err(Failure::INVALID);
    }
    let mut left = MAX_COUNT;
    let spans = iovecs.map(|iovec| {
        let (at, length) = (word(iovec, 0), size(word(iovec, 8)));
        check_range(Span { at, length })?;
        let length = length.min(left);
        left -= length;
        Ok(Span { at, length })
    });
    spans.collect()
}

/// Refuses memory that no program can have, before a call waits, as Linux does.
fn check_range(span: Span) -> Result<(), Failure> {
    let end = u64::try_from(span.length).map(|length| span.at.checked_add(length));
    match end {
        Ok(Some(end)) if end < END => Ok(()),
        _ => Err(Failure(libc::EFAULT)),
    }
}

fn word(bytes: &[u8], offset: usize) -> u64 {
    let bytes = bytes.get(offset..offset + 8).unwrap_or_default();
    u64::from_le_bytes(bytes.try_into().unwrap_or_default())
}

/// An argument of which the kernel looks at 32 bits, such as the number of a descriptor.
pub(crate) fn low_half(arg: u64) -> u32 {
    u32::try_from(arg & 0xffff_ffff).unwrap_or(0)
}

/// The flags of a call.
pub(crate) fn flag_bits(arg: u64) -> i32 {
    low_half(arg).cast_signed()
}

/// The flags of a message (`MSG_*`) that those of `preadv2` and `pwritev2` (`RWF_*`) stand for.
pub(crate) fn read_write_flags(arg: u64) -> Result<i32, Failure> {
    const APPEND: i32 = 0x10;
    const NOT_APPEND: i32 = 0x20;
    // With those that mean nothing to a socket: polling and synchronous writing.
    const KNOWN: i32 = 0b111 | libc::RWF_NOWAIT | APPEND | NOT_APPEND;
    let flags = flag_bits(arg);
    match flags {
        _ if flags & !KNOWN != 0 => Err(Failure(libc::EOPNOTSUPP)),
        _ if flags & APPEND != 0 && flags & NOT_APPEND != 0 => Err(Failure::INVALID),
        _ if flags & libc::RWF_NOWAIT != 0 => Ok(libc::MSG_DONTWAIT),
        _ => Ok(0),
    }
}

/// A socket address that the program passes, unless it is null.
pub(crate) fn name_span(at: u64, length: u64) -> Result<Option<Span>, Failure> {
    if at == 0 {
        return Ok(None);
    }
    let length = usize::try_from(flag_bits(length)).map_err(|_| Failure::INVALID)?;
    if length > MAX_NAME {
        return Err(Failure::INVALID);
    }
    Ok(Some(Span { at, length }))
}

/// Reads a socket address that the program passes.
pub(crate) fn name(memory: &Memory, at: u64, length: u64) -> Result<Vec<u8>, Failure> {
    let length = usize::try_from(flag_bits(length)).map_err(|_| Failure::INVALID)?;
    if length > MAX_NAME {
        return Err(Failure::INVALID);
    }
    Ok(memory.gather(&[Span { at, length }])?)
}

/// Reads addresses that follow each other, as `sctp_connectx` passes them.
pub(crate) fn names(memory: &Memory, at: u64, length: usize) -> Result<Vec<u8>, Failure> {
    if length > MAX_VALUE {
        return Err(Failure::INVALID);
    }
    let mut bytes = vec![0; length];
    memory.read(at, &mut bytes)?;
    Ok(bytes)
}

/// Reads the value of an option.
pub(crate) fn value(memory: &Memory, at: u64, length: i32) -> Result<Vec<u8>, Failure> {
    let length = usize::try_from(length).map_err(|_| Failure::INVALID)?;
    if length > MAX_VALUE {
        return Err(Failure::INVALID);
    }
    let mut bytes = vec![0; length];
    memory.read(at, &mut bytes)?;
    Ok(bytes)
}

/// Reads what lies in the room for an option's value, which names an association or a path, with zeros for
/// memory that the program has not; and whether it has any of it.
pub(crate) fn question(
    memory: &Memory,
    at: u64,
    room: i32,
) -> Result<(Vec<u8>, Result<(), Fault>), Failure> {
    let room = usize::try_from(room).map_err(|_| Failure::INVALID)?;
    let mut bytes = vec![0; room.min(MAX_VALUE)];
    let read = memory.read_some(at, &mut bytes);
    let is_there = match read {
        0 if room > 0 => Err(Fault),
        _ => Ok(()),
    };
    Ok((bytes, is_there))
}

/// Reads a number of 32 bits.
pub(crate) fn number(memory: &Memory, at: u64) -> Result<i32, Failure> {
    let mut bytes = [0; 4];
    memory.read(at, &mut bytes)?;
    Ok(i32::from_le_bytes(bytes))
}

/// Reads a `struct timespec` that is a span of time.
pub(crate) fn time_span(memory: &Memory, at: u64) -> Result<Duration, Failure> {
    let mut bytes = [0; 16];
    memory.read(at, &mut bytes)?;
    let nanos = u32::try_from(word(&bytes, 8)).map_err(|_| Failure::INVALID)?;
    let seconds = i64::try_from(word(&bytes, 0)).map_err(|_| Failure::INVALID)?;
    if nanos >= 1_000_000_000 {
        return Err(Failure::INVALID);
    }
    Ok(Duration::new(seconds.unsigned_abs(), nanos))
}

/// Writes a span of time as a `struct timespec`.
pub(crate) fn write_time_span(memory: &Memory, at: u64, span: Duration) -> Result<(), Failure> {
    let words = [span.as_secs(), span.subsec_nanos().into()].map(u64::to_le_bytes);
    Ok(memory.scatter(&[(at, words.as_flattened())])?)
}

/// Writes `bytes` as far as there is room at `at`, and their length at `length_at`, which holds the
/// room before.
pub(crate) fn give(
    memory: &Memory,
    bytes: &[u8],
    at: u64,
    length_at: u64,
    told: Told,
) -> Result<(), Failure> {
    let room = usize::try_from(number(memory, length_at)?).map_err(|_| Failure::INVALID)?;
    let part = &bytes[..bytes.len().min(room)];
    let length = match told {
        Told::Whole => bytes.len(),
        Told::Given => part.len(),
    };
    let length = u32::try_from(length).unwrap_or(0).to_le_bytes();
    Ok(memory.scatter(&[(at, part), (length_at, &length)])?)
}

/// The length that is told of something that did not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    /// That of all of it, as for addresses.
    Whole,
    /// That of what was given, as for options.
    Given,
}

#[cfg(test)]
mod tests;
