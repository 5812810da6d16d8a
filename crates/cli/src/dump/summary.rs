//! The summary at the end of a dump.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde_json::{Value, json};
use sheave_wire::Packet;

use super::captured_chunk::CapturedChunk;
use super::frame::{Segment, Unread};

/// Counts of frames, packets and chunks.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Frames of any kind.
    pub frames: u64,
    /// SCTP packets.
    pub packets: u64,
    bytes: u64,
    bad_checksums: u64,
    /// Malformed headers and chunks.
    pub malformed: u64,
    /// Truncated packets and frames.
    pub cut: u64,
    /// IP fragments that may hold SCTP.
    pub fragments: u64,
    /// Frames that may hold SCTP but are not decoded, by reason.
    pub unread: BTreeMap<Unread, u64>,
    chunks: BTreeMap<String, u64>,
}

/// The check of a packet's checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checksum {
    /// Correct.
    Right,
    Wrong,
    /// Zero: disabled by both ends (RFC 9653), or wrong.
    Zero,
    /// Unknown, because part of the packet is missing.
    Unknown,
}

impl Summary {
    pub fn count(&mut self, segment: &Segment<'_>, packet: &Packet<'_>, checksum: Checksum) {
        self.packets += 1;
        self.bytes += (segment.bytes.len() + segment.missing) as u64;
        self.bad_checksums += u64::from(checksum == Checksum::Wrong);
        self.cut += u64::from(segment.missing > 0);
        for chunk in CapturedChunk::all(packet, segment.missing) {
            let kind = match chunk {
                CapturedChunk::Whole(chunk) => chunk.chunk_type(),
                CapturedChunk::Cut(kind) => kind,
                CapturedChunk::Malformed(_) => {
                    self.malformed += 1;
                    continue;
                }
            };
            *self.chunks.entry(kind.to_string()).or_default() += 1;
        }
    }

    /// Writes the summary as text.
    pub fn write_text(&self, out: &mut impl Write, associations: usize) -> io::Result<()> {
        writeln!(
            out,
            "{} SCTP packets, {} bytes, {associations} associations, {} frames; {} bad \
             checksums, {} malformed, {} fragments, {} cut",
            self.packets,
            self.bytes,
            self.frames,
            self.bad_checksums,
            self.malformed,
            self.fragments,
            self.cut,
        )?;
        for (name, count) in &self.chunks {
            writeln!(out, "  {count:>10} {name}")?;
        }
        for (what, count) in &self.unread {
            writeln!(
                out,
                "  {count} frames may hold SCTP in what is not read here: {what}"
            )?;
        }
        Ok(())
    }

    /// The summary as JSON.
    pub fn to_json(&self, associations: usize) -> Value {
        let unread = self.unread.iter();
        let unread: BTreeMap<String, u64> = unread
            .map(|(what, count)| (what.to_string(), *count))
            .collect();
        json!({ "summary": {
            "packets": self.packets,
            "bytes": self.bytes,
            "associations": associations,
            "frames": self.frames,
            "bad_checksums": self.bad_checksums,
            "malformed": self.malformed,
            "fragments": self.fragments,
            "cut": self.cut,
            "unknown_links": self.unknown_links(),
            "unread": unread,
            "chunks": self.chunks,
        }})
    }

    /// Frames with an unsupported link type.
    fn unknown_links(&self) -> u64 {
        let is_link = |what: &Unread| matches!(what, Unread::LinkType(_));
        let unread = self.unread.iter().filter(|(what, _)| is_link(what));
        unread.map(|(_, count)| count).sum()
    }
}
