//! A middlebox of one direction: edits SACKs, with a right checksum, and clears ECN marks.

use core::ops::Range;

use sheave_engine::wire::{Chunk, GapBlock, List, NrSack, Packet, PacketWriter, Sack, Tsn};
use sheave_engine::{Ecn, Time};

use super::random::Random;

#[derive(Debug, Default)]
pub(crate) struct Middlebox {
    /// Packets whose ECN field is cleared, per mille.
    pub(crate) bleach: u16,
    /// SACKs that lose gap blocks, and those that lose their duplicates, per mille.
    pub(crate) thin: u16,
    pub(crate) distinct: u16,
    /// Times in which all windows are 0.
    pub(crate) shut: Vec<Range<Time>>,
}

/// Changes to the SACKs of a packet.
#[derive(Clone, Copy)]
struct Edits {
    /// Position after which gap blocks are missing, in thousandths of their number.
    gaps: u16,
    duplicates: bool,
    shuts: bool,
}

impl Middlebox {
    /// Ends the edits of SACKs.
    pub(crate) fn retire(&mut self) {
        (self.thin, self.distinct) = (0, 0);
        self.shut.clear();
    }

    /// The ECN field behind the middlebox.
    pub(crate) fn mark(&self, ecn: Ecn, random: &mut Random) -> Ecn {
        match random.chance(self.bleach) {
            true => Ecn::NotEct,
            false => ecn,
        }
    }

    /// Edits the SACKs of a packet, if no HMAC or lower layer protects them.
    pub(crate) fn edit(&self, now: Time, bytes: &mut Vec<u8>, random: &mut Random) {
        let gaps = match random.chance(self.thin) {
            true => random.below(1000) as u16,
            false => 1000,
        };
        let edits = Edits {
            gaps,
            duplicates: !random.chance(self.distinct),
            shuts: self.shut.iter().any(|span| span.contains(&now)),
        };
        if edits.gaps == 1000 && edits.duplicates && !edits.shuts {
            return;
        }
        if let Some(edited) = edits.apply(bytes) {
            *bytes = edited;
        }
    }
}

impl Edits {
    /// The packet with other SACKs; `None` if it has none, or they are protected.
    fn apply(self, bytes: &[u8]) -> Option<Vec<u8>> {
        let packet = Packet::parse(bytes).ok()?;
        let chunks: Vec<Chunk<'_>> = packet.chunks().collect::<Result<_, _>>().ok()?;
        let has = |is: fn(&Chunk<'_>) -> bool| chunks.iter().any(is);
        let protected = packet.checksum() == 0 || has(|chunk| matches!(chunk, Chunk::Auth(_)));
        if protected || !has(|chunk| matches!(chunk, Chunk::Sack(_) | Chunk::NrSack(_))) {
            return None;
        }
        let mut edited = Vec::new();
        let mut writer = PacketWriter::new(&mut edited, packet.header, bytes.len());
        for chunk in &chunks {
            match chunk {
                Chunk::Sack(sack) => {
                    let gaps = self.kept(sack.gap_blocks);
                    writer.push(&Chunk::Sack(Sack {
                        a_rwnd: self.window(sack.a_rwnd),
                        gap_blocks: List::from(&gaps[..]),
                        duplicates: self.told(sack.duplicates),
                        ..*sack
                    }));
                }
                Chunk::NrSack(sack) => {
                    let gaps = [sack.gap_blocks, sack.nr_gap_blocks].map(|gaps| self.kept(gaps));
                    writer.push(&Chunk::NrSack(NrSack {
                        a_rwnd: self.window(sack.a_rwnd),
                        gap_blocks: List::from(&gaps[0][..]),
                        nr_gap_blocks: List::from(&gaps[1][..]),
                        duplicates: self.told(sack.duplicates),
                        ..*sack
                    }));
                }
                other => writer.push(other),
            }
        }
        writer.finish();
        Some(edited)
    }

    const fn window(self, a_rwnd: u32) -> u32 {
        if self.shuts { 0 } else { a_rwnd }
    }

    fn kept(self, gaps: List<'_, GapBlock>) -> Vec<GapBlock> {
        let kept = gaps.len() * usize::from(self.gaps) / 1000;
        gaps.iter().take(kept).collect()
    }

    const fn told(self, duplicates: List<'_, Tsn>) -> List<'_, Tsn> {
        if self.duplicates {
            duplicates
        } else {
            List::EMPTY
        }
    }
}
