//! Arguments of calls that lie in the program's memory.
//!
//! The program writes every number here and may be hostile: lengths are bounded before allocation,
//! and the kernel checks addresses.

use std::time::Duration;

use crate::sys::memory::{Fault, MAX_SPANS, Memory, Span};
use crate::trapped::Failure;

/// Largest message that a call can send, bytes.
pub(crate) const MAX_PAYLOAD: usize = 4 << 20;
/// Largest byte count of a call, as in Linux (`MAX_RW_COUNT`).
const MAX_COUNT: usize = 0x7fff_f000;
/// Largest ancillary data, bytes.
const MAX_CONTROL: usize = 64 << 10;
/// Marks a 32-bit program's call (`MSG_CMSG_COMPAT`), which is not supported.
const FOR_32_BITS: i32 = i32::MIN;
/// End of user memory on all processors.
const END: u64 = 1 << 56;
/// Largest socket address, bytes.
const MAX_NAME: usize = 128;
/// Largest option value, bytes.
const MAX_VALUE: usize = 128 << 10;

/// Size of `struct msghdr`.
const HEADER: usize = 56;

/// The buffers that a call names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Message {
    /// The socket address, or its buffer.
    pub(crate) name: Option<Span>,
    pub(crate) payload: Vec<Span>,
    pub(crate) control: Span,
    /// The flags of the call.
    pub(crate) flags: i32,
    /// Addresses for the lengths of the results.
    pub(crate) results: Results,
}

/// Destination of the result lengths of a receiving call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Results {
    #[default]
    Nowhere,
    /// Address of the name length (`recvfrom`).
    NameLength(u64),
    /// Address of a `struct msghdr`.
    Header(u64),
}

fn size(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

/// A memory span, unless the address is null.
pub(crate) fn span(at: u64, length: usize) -> Option<Span> {
    (at != 0).then_some(Span { at, length })
}

impl Message {
    /// A single buffer of `recvfrom` or `sendto`.
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

    /// A single buffer of `read` or `write`.
    pub(crate) fn whole(at: u64, length: u64) -> Result<Self, Failure> {
        let length = size(length);
        check_range(Span { at, length })?;
        Self::plain(at, u64::try_from(length).unwrap_or(u64::MAX), 0)
    }

    /// The buffers of `readv` or `writev`.
    pub(crate) fn of_vector(memory: &Memory, at: u64, count: u64) -> Result<Self, Failure> {
        // With `struct msghdr` the error is EMSGSIZE.
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
        // Without an address, any length is valid.
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

    /// Size of the ancillary-data buffer, bytes.
    pub(crate) fn control_room(&self) -> usize {
        match self.control.at {
            0 => 0,
            _ => self.control.length.min(MAX_CONTROL),
        }
    }

    /// Copies the ancillary data to send.
    pub(crate) fn read_control(&self, memory: &Memory) -> Result<Vec<u8>, Failure> {
        if self.control.length > MAX_CONTROL {
            return Err(Failure(libc::ENOBUFS));
        }
        Ok(memory.gather(&[self.control])?)
    }

    /// Adds the size of `recvfrom`'s address buffer, which Linux reads only once it has a message.
    pub(crate) fn with_name_room(&self, memory: &Memory) -> Result<Self, Failure> {
        let mut message = self.clone();
        if let (Results::NameLength(at), Some(name)) = (self.results, &mut message.name) {
            let room = number(memory, at)?;
            name.length = usize::try_from(room).map_err(|_| Failure::INVALID)?;
        }
        Ok(message)
    }

    /// Total size of the payload buffers, bytes.
    pub(crate) fn room(&self) -> usize {
        self.payload.iter().map(|span| span.length).sum()
    }

    /// Writes the result of a receiving call to the program's memory.
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

/// The result of a receiving call.
#[derive(Debug)]
pub(crate) struct Answer<'a> {
    pub(crate) payload: &'a [u8],
    pub(crate) name: Vec<u8>,
    pub(crate) control: &'a [u8],
    pub(crate) flags: i32,
}

/// Parses an array of `struct iovec`, truncated to `MAX_COUNT` bytes like in Linux.
fn vector(memory: &Memory, at: u64, count: u64) -> Result<Vec<Span>, Failure> {
    if size(count) > MAX_SPANS {
        return Err(Failure::TOO_LONG);
    }
    let mut bytes = vec![0; size(count) * 16];
    memory.read(at, &mut bytes)?;
    let iovecs = bytes.chunks_exact(16);
    // Rejects lengths above the range of `ssize_t`.
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

/// Rejects addresses outside user memory before a call blocks, like Linux.
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

/// The low 32 bits of an argument, such as a descriptor.
pub(crate) fn low_half(arg: u64) -> u32 {
    u32::try_from(arg & 0xffff_ffff).unwrap_or(0)
}

/// The flags of a call.
pub(crate) fn flag_bits(arg: u64) -> i32 {
    low_half(arg).cast_signed()
}

/// Converts the flags of `preadv2` and `pwritev2` (`RWF_*`) to `MSG_*` flags.
pub(crate) fn read_write_flags(arg: u64) -> Result<i32, Failure> {
    const APPEND: i32 = 0x10;
    const NOT_APPEND: i32 = 0x20;
    // Includes flags that do not affect sockets: polling and synchronous writes.
    const KNOWN: i32 = 0b111 | libc::RWF_NOWAIT | APPEND | NOT_APPEND;
    let flags = flag_bits(arg);
    match flags {
        _ if flags & !KNOWN != 0 => Err(Failure(libc::EOPNOTSUPP)),
        _ if flags & APPEND != 0 && flags & NOT_APPEND != 0 => Err(Failure::INVALID),
        _ if flags & libc::RWF_NOWAIT != 0 => Ok(libc::MSG_DONTWAIT),
        _ => Ok(0),
    }
}

/// The span of a socket address, unless null.
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

/// Reads a socket address.
pub(crate) fn name(memory: &Memory, at: u64, length: u64) -> Result<Vec<u8>, Failure> {
    let length = usize::try_from(flag_bits(length)).map_err(|_| Failure::INVALID)?;
    if length > MAX_NAME {
        return Err(Failure::INVALID);
    }
    Ok(memory.gather(&[Span { at, length }])?)
}

/// Reads consecutive addresses, as passed to `sctp_connectx`.
pub(crate) fn names(memory: &Memory, at: u64, length: usize) -> Result<Vec<u8>, Failure> {
    if length > MAX_VALUE {
        return Err(Failure::INVALID);
    }
    let mut bytes = vec![0; length];
    memory.read(at, &mut bytes)?;
    Ok(bytes)
}

/// Reads an option value.
pub(crate) fn value(memory: &Memory, at: u64, length: i32) -> Result<Vec<u8>, Failure> {
    let length = usize::try_from(length).map_err(|_| Failure::INVALID)?;
    if length > MAX_VALUE {
        return Err(Failure::INVALID);
    }
    let mut bytes = vec![0; length];
    memory.read(at, &mut bytes)?;
    Ok(bytes)
}

/// Reads the buffer of `getsockopt`, which may name an association or a path. Unmapped memory reads
/// as zeros; also returns whether any of it is mapped.
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

/// Reads a 32-bit number.
pub(crate) fn number(memory: &Memory, at: u64) -> Result<i32, Failure> {
    let mut bytes = [0; 4];
    memory.read(at, &mut bytes)?;
    Ok(i32::from_le_bytes(bytes))
}

/// Reads a `struct timespec` duration.
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

/// Writes a duration as `struct timespec`.
pub(crate) fn write_time_span(memory: &Memory, at: u64, span: Duration) -> Result<(), Failure> {
    let words = [span.as_secs(), span.subsec_nanos().into()].map(u64::to_le_bytes);
    Ok(memory.scatter(&[(at, words.as_flattened())])?)
}

/// Writes `bytes` to `at`, truncated to the size stored at `length_at`, and then stores their
/// length there.
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

/// The length to store for a truncated result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    /// The full length, as for addresses.
    Whole,
    /// The truncated length, as for options.
    Given,
}

#[cfg(test)]
mod tests;
