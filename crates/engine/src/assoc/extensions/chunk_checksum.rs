//! "Chunk checksum": distinguishing damaged chunks from lost ones (docs/chunk-checksum.md).

mod damage;
mod detour;

use core::net::IpAddr;

use sheave_wire::{CheckedData, Chunk, ChunkType, Corruption, Data, IData, Packet, PacketWriter};

pub(in crate::assoc) use self::damage::Damage;
use crate::assoc::tcb::{Context, Tcb};
use crate::outbound::Piece;
use crate::paths::Repeated;
use crate::value::extension::ExtensionSet;

/// The chunk format of user data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::assoc) enum DataFormat {
    /// DATA (RFC 9260 §3.3.1).
    Plain,
    /// CHECKED DATA.
    Checked,
    /// I-DATA (RFC 8260 §2.1).
    Interleaved,
}

impl DataFormat {
    /// Header bytes beyond those of DATA.
    pub(in crate::assoc) const fn extra(self) -> usize {
        match self {
            Self::Plain => 0,
            Self::Checked => CheckedData::HEADER_LEN - Data::HEADER_LEN,
            Self::Interleaved => IData::HEADER_LEN - Data::HEADER_LEN,
        }
    }

    /// Bytes available to a DATA chunk such that a chunk of this format fits the packet.
    pub(in crate::assoc) fn room(self, packet: &PacketWriter<'_>) -> usize {
        packet.remaining().saturating_sub(self.extra())
    }

    /// Writes a chunk. A chunk cut before the extension was negotiated, or for a larger path MTU,
    /// may only fit without the checksum, and is then sent as DATA, which every peer accepts.
    #[inline(always)] // What is to be written stands in registers.
    pub(in crate::assoc) fn push(self, packet: &mut PacketWriter<'_>, piece: &Piece<'_>) {
        let data = &piece.data;
        let checked = CheckedData::HEADER_LEN + data.payload.len();
        match self {
            Self::Checked if checked <= packet.remaining() => packet.push_checked_data(data),
            Self::Interleaved => packet.push_i_data(&piece.i_data()),
            Self::Checked | Self::Plain => packet.push_data(data),
        }
    }
}

impl Tcb {
    /// Whether both ends use checksums in user data headers.
    pub(in crate::assoc) fn checks_chunks(&self) -> bool {
        self.agreed.contains(ExtensionSet::CHUNK_CHECKSUM)
    }

    pub(in crate::assoc) fn data_format(&self) -> DataFormat {
        if self.checks_chunks() {
            DataFormat::Checked
        } else if self.interleaves() {
            DataFormat::Interleaved
        } else {
            DataFormat::Plain
        }
    }

    /// Handles a report of damaged chunks.
    pub(in crate::assoc) fn on_corruption(
        &mut self,
        cx: &mut Context<'_>,
        report: &Corruption<'_>,
    ) {
        if !self.phase.takes_sack() {
            return;
        }
        let mut detours = self.detours(cx.now);
        self.outbound
            .on_corruption(cx.now, report, self.paths.as_mut_slice(), &mut detours);
    }

    /// Handles a packet with a wrong checksum, whose addresses may be wrong too. If its first
    /// checked header proves that it belongs to this association, notes which of its chunks were
    /// damaged.
    pub(crate) fn on_damaged_packet(
        &mut self,
        cx: &Context<'_>,
        packet: &Packet<'_>,
        remote: IpAddr,
    ) {
        let Some(from) = self.paths.find(remote) else {
            return;
        };
        if !self.checks_chunks()
            || !self.phase.receives_data()
            || self.extensions.asks_proof_of(ChunkType::DATA)
        {
            return;
        }
        let mut first = Some(packet.header);
        let mut found = false;
        for raw in packet.chunks().raw().map_while(Result::ok) {
            if raw.chunk_type != ChunkType::CHECKED_DATA {
                // Chunks after an unreadable one are ignored.
                if Chunk::from_raw(&raw).is_err() {
                    break;
                }
                continue;
            }
            let is_first = first.is_some();
            match CheckedData::verified(&raw, first.take()) {
                Some(checked) if self.inbound.is_new(checked.data.tsn) => {
                    self.extensions
                        .part_or_else(|extensions| &mut extensions.damage, Damage::default)
                        .on_damaged(cx.now, checked.data.tsn);
                    found = true;
                }
                Some(_) => {}
                // The common header may be wrong: ignore the whole packet.
                None if is_first => return,
                None => {}
            }
        }
        if found {
            self.paths.choose_sack_path(from, None, Repeated::No);
            self.acknowledger.request_now();
        }
    }

    /// Writes a report of all outstanding damage just before a SACK, so that the sender knows of it
    /// before it counts missing reports. Leaves `spare` bytes for the SACK.
    pub(in crate::assoc) fn push_corruption(
        &mut self,
        packet: &mut PacketWriter<'_>,
        spare: usize,
    ) {
        let Some(damage) = self.extensions.damage() else {
            return;
        };
        let room = packet.remaining().saturating_sub(spare);
        let max = room.saturating_sub(Corruption::HEADER_LEN) / 8;
        let inbound = &self.inbound;
        let events = damage.report(max, |tsn| !inbound.is_new(tsn));
        if !events.is_empty() {
            packet.push(&Chunk::Corruption(Corruption { events }));
        }
    }
}
