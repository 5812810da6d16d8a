//! User message interleaving (RFC 8260).

use sheave_wire::{ChunkType, IData, IForwardTsn, RawChunk};

use super::closing::Ending;
use super::input::Reading;
use super::tcb::{Context, Tcb};
use crate::error::PeerFault;
use crate::extensions::ExtensionSet;
use crate::inbound::Arrival;

const NOT_AGREED: PeerFault =
    PeerFault::violation("an I-DATA chunk where interleaving was not agreed on");

impl Tcb {
    /// Whether user data travels in I-DATA.
    pub(super) fn interleaves(&self) -> bool {
        self.extensions.contains(ExtensionSet::INTERLEAVING)
    }

    /// Switches both directions to I-DATA where both ends want it.
    pub(super) fn adopt_interleaving(&mut self) {
        if self.interleaves() {
            self.inbound.interleave();
            self.outbound.interleave();
        }
    }

    /// Handles a chunk of this extension. Whether it was one.
    pub(super) fn on_interleaved(
        &mut self,
        cx: &mut Context<'_>,
        raw: &RawChunk<'_>,
        reading: &mut Reading,
    ) -> Result<bool, Ending> {
        if !self
            .options
            .extensions()
            .contains(ExtensionSet::INTERLEAVING)
        {
            return Ok(false);
        }
        match raw.chunk_type {
            ChunkType::I_DATA => {
                if let Some(data) = IData::from_raw(raw) {
                    self.on_i_data(cx, &data, reading)?;
                }
            }
            ChunkType::I_FORWARD_TSN if self.takes_i_forward_tsn() => {
                if let Some(forward) = IForwardTsn::from_raw(raw) {
                    self.on_i_forward_tsn(cx, &forward, reading);
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    // DEVIATION RFC 8260 §2.3.1: from a peer that has not listed it, too, if both ends interleave and
    // may give messages up. Linux lists I-DATA alone, sends it all the same, and would repeat it until
    // the association fails.
    fn takes_i_forward_tsn(&self) -> bool {
        let unlisted = ExtensionSet::INTERLEAVING.union(ExtensionSet::PARTIAL_RELIABILITY);
        self.extensions.contains(ExtensionSet::I_FORWARD_TSN) || self.extensions.contains(unlisted)
    }

    fn on_i_data(
        &mut self,
        cx: &mut Context<'_>,
        data: &IData<'_>,
        reading: &mut Reading,
    ) -> Result<(), Ending> {
        if !self.phase.receives_data() {
            return Ok(());
        }
        // RFC 8260 §2.2.3
        if !self.interleaves() {
            return Err(NOT_AGREED.into());
        }
        if data.payload.is_empty() {
            return Err(Ending::no_user_data(data.tsn));
        }
        let before = self.inbound.buffered();
        let arrival = self
            .inbound
            .accept_interleaved(data, cx.memory_left, cx.pool)?;
        self.note_data(cx, (data.tsn, data.flags), (before, arrival), reading);
        Ok(())
    }

    // RFC 8260 §2.3.1, RFC 3758 §3.6
    fn on_i_forward_tsn(
        &mut self,
        cx: &mut Context<'_>,
        forward: &IForwardTsn<'_>,
        reading: &mut Reading,
    ) {
        if !self.phase.receives_data() {
            return;
        }
        let skipped = forward.skipped.iter();
        let cut_off = self
            .inbound
            .skip_interleaved(forward.new_cumulative_tsn, skipped, cx.pool);
        self.report_cut_off(cx, cut_off);
        reading.note_arrival(Arrival::FilledGap);
    }
}
