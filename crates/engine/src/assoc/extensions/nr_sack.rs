//! Non-renegable acknowledgements (draft-natarajan-tsvwg-sctp-nrsack).

use alloc::vec::Vec;

use sheave_wire::{Chunk, GapBlock, List, NrSack, PacketWriter, Sack};

use crate::assoc::shutdown::Ending;
use crate::assoc::tcb::{Context, Tcb};
use crate::flight::share::Reports;
use crate::value::extension::ExtensionSet;
use crate::value::ids::PathIndex;

impl Tcb {
    /// Whether both ends keep all data that they acknowledge beyond a gap.
    pub(in crate::assoc) const fn keeps_what_it_acknowledges(&self) -> bool {
        self.agreed.contains(ExtensionSet::NR_SACK)
            && !self.agreed.contains(ExtensionSet::GO_BACK_N)
    }

    /// Processes an NR-SACK like a SACK, and frees the chunks that the peer will keep.
    pub(in crate::assoc) fn on_nr_sack(
        &mut self,
        cx: &mut Context<'_>,
        chunk: &NrSack<'_>,
        from: PathIndex,
    ) -> Result<(), Ending> {
        let (gap_blocks, nr_gap_blocks) = (chunk.gap_blocks, chunk.nr_gap_blocks);
        let sack = |gap_blocks| Sack {
            cumulative_tsn_ack: chunk.cumulative_tsn_ack,
            a_rwnd: chunk.a_rwnd,
            gap_blocks,
            duplicates: chunk.duplicates,
            // NR-SACK flags do not contain the number of packets acknowledged.
            packets: 0,
        };
        let taken = if gap_blocks.is_empty() {
            self.on_sack(cx, &sack(nr_gap_blocks), from)?
        } else {
            let both: Vec<GapBlock> = gap_blocks.iter().chain(nr_gap_blocks.iter()).collect();
            self.on_sack(cx, &sack(List::from(&both[..])), from)?
        };
        if taken == Some(Reports::Taken) {
            self.outbound
                .release(chunk.cumulative_tsn_ack, &nr_gap_blocks);
        }
        Ok(())
    }

    /// Header bytes of a SACK of the kind in use, before its gap blocks.
    pub(in crate::assoc) const fn sack_header(&self) -> usize {
        if self.keeps_what_it_acknowledges() {
            NrSack::HEADER_LEN
        } else {
            Sack::HEADER_LEN
        }
    }

    /// Writes a SACK of the kind in use; all reported data is kept.
    pub(in crate::assoc) fn push_sack(
        packet: &mut PacketWriter<'_>,
        sack: &Sack<'_>,
        kind: SackKind,
    ) {
        match kind {
            SackKind::Renegable => packet.push(&Chunk::Sack(*sack)),
            SackKind::NonRenegable => packet.push(&Chunk::NrSack(NrSack {
                cumulative_tsn_ack: sack.cumulative_tsn_ack,
                a_rwnd: sack.a_rwnd,
                gap_blocks: List::EMPTY,
                nr_gap_blocks: sack.gap_blocks,
                duplicates: sack.duplicates,
            })),
        }
    }

    pub(in crate::assoc) const fn sack_kind(&self) -> SackKind {
        if self.keeps_what_it_acknowledges() {
            SackKind::NonRenegable
        } else {
            SackKind::Renegable
        }
    }
}

/// The chunk type used for acknowledgements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::assoc) enum SackKind {
    Renegable,
    NonRenegable,
}
