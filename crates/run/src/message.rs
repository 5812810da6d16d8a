//! The arguments of calls that lie in the program's memory.
//!
//! Every number in here was written by the program, which may be hostile: lengths are bounded before
//! anything is allocated, and addresses are the kernel's to check.

use crate::sys::memory::{self, Fault, MAX_SPANS, Span};
use crate::trapped::Failure;

/// Bytes of a message that are taken or given in one call.
const MAX_PAYLOAD: usize = 4 << 20;
/// Bytes of ancillary data.
const MAX_CONTROL: usize = 64 << 10;
/// Bytes of a socket address.
const MAX_NAME: usize = 128;
/// Bytes of an option's value.
const MAX_VALUE: usize = 128 << 10;

/// Bytes of a `struct msghdr`, and of a `struct mmsghdr`, which has the length behind it.
const HEADER: usize = 56;
pub(crate) const LENGTH_AT: u64 = 56;

/// The room or the bytes that a call names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Message {
    /// The address, or the room for it.
    pub(crate) name: Option<Span>,
    pub(crate) payload: Vec<Span>,
    pub(crate) control: Option<Span>,
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
    /// A single buffer, as `read` and `sendto` have it.
    pub(crate) fn plain(at: u64, length: u64, flags: u64) -> Self {
        let length = size(length).min(MAX_PAYLOAD);
        Self {
            payload: vec![Span { at, length }],
            flags: flag_bits(flags),
            ..Self::default()
        }
    }

    /// Several buffers, as `readv` has them.
    pub(crate) fn of_vector(
        process: u32,
        at: u64,
        count: u64,
        flags: u64,
    ) -> Result<Self, Failure> {
        // Of a `struct msghdr` that is EMSGSIZE.
        if size(count) > MAX_SPANS {
            return Err(Failure::INVALID);
        }
        Ok(Self {
            payload: vector(process, at, count)?,
            flags: flag_bits(flags),
            ..Self::default()
        })
    }

    /// A `struct msghdr`.
    pub(crate) fn of_header(process: u32, at: u64, flags: u64) -> Result<Self, Failure> {
        let mut header = [0; HEADER];
        memory::read(process, at, &mut header)?;
        let word = |offset: usize| word(&header, offset);
        let name_length = size(word(8) & 0xffff_ffff);
        let control_length = size(word(40)).min(MAX_CONTROL);
        Ok(Self {
            name: span(word(0), name_length.min(MAX_NAME)),
            payload: vector(process, word(16), word(24))?,
            control: span(word(32), control_length),
            flags: flag_bits(flags),
            results: Results::Header(at),
        })
    }

    /// Bytes of the payload.
    pub(crate) fn room(&self) -> usize {
        self.payload.iter().map(|span| span.length).sum()
    }

    /// Lays out an answer to a receiving call: what goes where, to be written in one go.
    pub(crate) fn layout<'a>(&self, answer: &'a Answer<'a>) -> Layout<'a> {
        let mut layout = Layout::default();
        let mut left = answer.payload;
        for span in &self.payload {
            let (part, rest) = left.split_at(left.len().min(span.length));
            layout.put(
                Span {
                    at: span.at,
                    length: part.len(),
                },
                part,
            );
            left = rest;
        }
        let name = answer.name.as_slice();
        if let Some(room) = self.name {
            let part = &name[..name.len().min(room.length)];
            layout.put(
                Span {
                    at: room.at,
                    length: part.len(),
                },
                part,
            );
        }
        let name_length = match self.name {
            Some(_) => u32::try_from(name.len()).unwrap_or(0),
            None => 0,
        };
        match self.results {
            Results::Nowhere => {}
            Results::NameLength(at) => layout.put_owned(at, name_length.to_le_bytes().to_vec()),
            Results::Header(at) => {
                let control = match self.control {
                    Some(room) => {
                        let part = &answer.control[..answer.control.len().min(room.length)];
                        layout.put(
                            Span {
                                at: room.at,
                                length: part.len(),
                            },
                            part,
                        );
                        part.len()
                    }
                    None => 0,
                };
                if self.name.is_some() {
                    layout.put_owned(at.wrapping_add(8), name_length.to_le_bytes().to_vec());
                }
                let mut tail = u64::try_from(control).unwrap_or(0).to_le_bytes().to_vec();
                tail.extend(answer.flags.to_le_bytes());
                layout.put_owned(at.wrapping_add(40), tail);
            }
        }
        layout
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

/// Bytes, and where in the program's memory they go.
#[derive(Debug, Default)]
pub(crate) struct Layout<'a> {
    parts: Vec<(Span, Part<'a>)>,
}

#[derive(Debug)]
enum Part<'a> {
    Borrowed(&'a [u8]),
    Owned(Vec<u8>),
}

impl<'a> Layout<'a> {
    fn put(&mut self, span: Span, bytes: &'a [u8]) {
        if !bytes.is_empty() {
            self.parts.push((span, Part::Borrowed(bytes)));
        }
    }

    fn put_owned(&mut self, at: u64, bytes: Vec<u8>) {
        let length = bytes.len();
        self.parts.push((Span { at, length }, Part::Owned(bytes)));
    }

    /// Writes all of it.
    pub(crate) fn write(&self, process: u32) -> Result<(), Fault> {
        for parts in self.parts.chunks(MAX_SPANS) {
            let bytes: Vec<&[u8]> = parts
                .iter()
                .map(|(_, part)| match part {
                    Part::Borrowed(bytes) => *bytes,
                    Part::Owned(bytes) => bytes,
                })
                .collect();
            let spans: Vec<Span> = parts.iter().map(|(span, _)| *span).collect();
            memory::scatter(process, &bytes, &spans)?;
        }
        Ok(())
    }
}

/// Reads an array of `struct iovec`, of which it keeps as much as a message may have.
fn vector(process: u32, at: u64, count: u64) -> Result<Vec<Span>, Failure> {
    if size(count) > MAX_SPANS {
        return Err(Failure::TOO_LONG);
    }
    let mut bytes = vec![0; size(count) * 16];
    memory::read(process, at, &mut bytes)?;
    let mut left = MAX_PAYLOAD;
    let spans = bytes.chunks_exact(16).map(|iovec| {
        let length = size(word(iovec, 8)).min(left);
        left -= length;
        Span {
            at: word(iovec, 0),
            length,
        }
    });
    Ok(spans.collect())
}

fn word(bytes: &[u8], offset: usize) -> u64 {
    let bytes = bytes.get(offset..offset + 8).unwrap_or_default();
    u64::from_le_bytes(bytes.try_into().unwrap_or_default())
}

/// The flags of a call, of which the kernel looks at 32 bits.
pub(crate) fn flag_bits(arg: u64) -> i32 {
    let low = u32::try_from(arg & 0xffff_ffff).unwrap_or(0);
    low.cast_signed()
}

/// Reads a socket address that the program passes.
pub(crate) fn name(process: u32, at: u64, length: u64) -> Result<Vec<u8>, Failure> {
    let length = flag_bits(length);
    let length = usize::try_from(length).map_err(|_| Failure::INVALID)?;
    if length > MAX_NAME {
        return Err(Failure::INVALID);
    }
    let mut bytes = vec![0; length];
    memory::read(process, at, &mut bytes)?;
    Ok(bytes)
}

/// Reads addresses that follow each other, as `sctp_connectx` passes them.
pub(crate) fn names(process: u32, at: u64, length: usize) -> Result<Vec<u8>, Failure> {
    if length > MAX_VALUE {
        return Err(Failure::INVALID);
    }
    let mut bytes = vec![0; length];
    memory::read(process, at, &mut bytes)?;
    Ok(bytes)
}

/// Reads the value of an option.
pub(crate) fn value(process: u32, at: u64, length: i32) -> Result<Vec<u8>, Failure> {
    let length = usize::try_from(length).map_err(|_| Failure::INVALID)?;
    if length > MAX_VALUE {
        return Err(Failure::INVALID);
    }
    let mut bytes = vec![0; length];
    memory::read(process, at, &mut bytes)?;
    Ok(bytes)
}

/// Reads a number of 32 bits.
pub(crate) fn number(process: u32, at: u64) -> Result<i32, Failure> {
    let mut bytes = [0; 4];
    memory::read(process, at, &mut bytes)?;
    Ok(i32::from_le_bytes(bytes))
}

/// Writes `bytes` as far as there is room at `at`, and their length at `length_at`, which holds the
/// room before.
pub(crate) fn give(
    process: u32,
    bytes: &[u8],
    at: u64,
    length_at: u64,
    told: Told,
) -> Result<(), Failure> {
    let room = usize::try_from(number(process, length_at)?).map_err(|_| Failure::INVALID)?;
    let part = &bytes[..bytes.len().min(room)];
    memory::scatter(
        process,
        &[part],
        &[Span {
            at,
            length: part.len(),
        }],
    )?;
    let length = match told {
        Told::Whole => bytes.len(),
        Told::Given => part.len(),
    };
    let length = u32::try_from(length).unwrap_or(0).to_le_bytes();
    memory::scatter(
        process,
        &[&length],
        &[Span {
            at: length_at,
            length: 4,
        }],
    )?;
    Ok(())
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
