//! Warnings from nodes on the path that a link damaged or lost a packet.

use sheave_wire::{ChunkType, CommonHeader, Tsn};

use crate::Time;
use crate::assoc::tcb::Tcb;

/// The TSNs in the quoted beginning of a packet, which may end within a chunk.
struct QuotedTsns<'a>(&'a [u8]);

impl<'a> QuotedTsns<'a> {
    fn of(quoted: &'a [u8]) -> Self {
        Self(quoted.get(CommonHeader::LEN..).unwrap_or_default())
    }
}

impl Iterator for QuotedTsns<'_> {
    type Item = Tsn;

    fn next(&mut self) -> Option<Tsn> {
        loop {
            let &[chunk_type, _, high, low] = self.0.first_chunk()?;
            let len = usize::from(u16::from_be_bytes([high, low]));
            let tsn = self.0.get(4..8).and_then(<[u8]>::first_chunk);
            let rest = len.max(4).next_multiple_of(4);
            self.0 = self.0.get(rest..).unwrap_or_default();
            if matches!(
                ChunkType(chunk_type),
                ChunkType::DATA | ChunkType::CHECKED_DATA
            ) {
                return tsn.map(|tsn| Tsn(u32::from_be_bytes(*tsn)));
            }
        }
    }
}

impl Tcb {
    /// A node reports that a link lost our packet with this beginning.
    pub(crate) fn on_error_warning(&mut self, now: Time, quoted: &[u8]) {
        if !self.phase.takes_sack() {
            return;
        }
        let mut detours = self.detours(now);
        for tsn in QuotedTsns::of(quoted) {
            self.outbound
                .on_warned(now, tsn, self.paths.as_mut_slice(), &mut detours);
        }
    }
}

#[cfg(test)]
mod tests;
