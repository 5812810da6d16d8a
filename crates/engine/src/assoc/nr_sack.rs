//! Acknowledgements that are never taken back (draft-natarajan-tsvwg-sctp-nrsack).

use alloc::vec::Vec;

use sheave_wire::{Chunk, GapBlock, List, NrSack, PacketWriter, RawChunk, Sack};

use super::closing::Ending;
use super::tcb::{Context, Tcb};
use crate::extensions::ExtensionSet;

impl Tcb {
    /// Whether both ends keep what they acknowledge beyond a gap.
    pub(super) const fn keeps_what_it_acknowledges(&self) -> bool {
        self.extensions.contains(ExtensionSet::NR_SACK)
            && !self.extensions.contains(ExtensionSet::GO_BACK_N)
    }

    /// Handles a chunk of this extension. Whether it was one.
    pub(super) fn on_nr_sack(
        &mut self,
        cx: &mut Context<'_>,
        raw: &RawChunk<'_>,
    ) -> Result<bool, Ending> {
        if !self.keeps_what_it_acknowledges() {
            return Ok(false);
        }
        let Some(chunk) = NrSack::from_raw(raw) else {
            return Ok(false);
        };
        let (gap_blocks, nr_gap_blocks) = (chunk.gap_blocks, chunk.nr_gap_blocks);
        let sack = |gap_blocks| Sack {
            cumulative_tsn_ack: chunk.cumulative_tsn_ack,
            a_rwnd: chunk.a_rwnd,
            gap_blocks,
            duplicates: chunk.duplicates,
            // Its flags are not known to say how many packets it answers.
            packets: 0,
        };
        let taken = if gap_blocks.is_empty() {
            self.on_sack(cx, &sack(nr_gap_blocks))?
        } else {
            let both: Vec<GapBlock> = gap_blocks.iter().chain(nr_gap_blocks.iter()).collect();
            self.on_sack(cx, &sack(List::from(&both[..])))?
        };
        if taken.is_some() {
            self.outbound
                .release(chunk.cumulative_tsn_ack, &nr_gap_blocks);
        }
        Ok(true)
    }

    /// Bytes of a SACK, of the kind in use, before its gap blocks.
    pub(super) const fn sack_header(&self) -> usize {
        if self.keeps_what_it_acknowledges() {
            NrSack::HEADER_LEN
        } else {
            Sack::HEADER_LEN
        }
    }

    /// Writes a SACK, of the kind in use: all that we report is kept.
    pub(super) fn push_sack(packet: &mut PacketWriter<'_>, sack: &Sack<'_>, kind: Kind) {
        match kind {
            Kind::Renegable => packet.push(&Chunk::Sack(*sack)),
            Kind::NonRenegable => packet.push_nr_sack(&NrSack {
                cumulative_tsn_ack: sack.cumulative_tsn_ack,
                a_rwnd: sack.a_rwnd,
                gap_blocks: List::EMPTY,
                nr_gap_blocks: sack.gap_blocks,
                duplicates: sack.duplicates,
            }),
        }
    }

    pub(super) const fn sack_kind(&self) -> Kind {
        if self.keeps_what_it_acknowledges() {
            Kind::NonRenegable
        } else {
            Kind::Renegable
        }
    }
}

/// Which chunk acknowledges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Renegable,
    NonRenegable,
}
