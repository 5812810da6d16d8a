//! Explicit congestion notification (RFC 3168, RFC 4960 Appendix A).

use sheave_wire::{ChunkType, Cwr, EcnEcho, PacketWriter, RawChunk, Tsn};

use super::control::Control;
use super::input::Reading;
use super::output::Load;
use super::tcb::{Context, Tcb};
use crate::congestion::Loss;
use crate::marks::Telling;
use crate::path::PathIndex;
use crate::{CongestionAlgorithm, Ecn};

impl Tcb {
    /// What a packet with that load says of itself to routers.
    pub(super) fn codepoint(&self, load: Load) -> Ecn {
        match load {
            Load::New if self.marks_packets() => Ecn::Ect0,
            Load::Control | Load::New | Load::Repeated => Ecn::NotEct,
        }
    }

    /// Whether any packet says of itself that routers may mark it.
    #[inline]
    pub(super) fn marks_packets(&self) -> bool {
        self.rare.get(|rare| &rare.marks).is_some()
    }

    /// A packet arrived with a mark, and with new DATA.
    pub(super) fn on_marked_packet(&mut self, lowest: Tsn) {
        // A sender that counts marks wants to hear of each.
        let counts = self.options.congestion == CongestionAlgorithm::Dctcp;
        if let Some(marks) = self.rare.marks()
            && (marks.on_marked_packet(lowest) == Telling::Begins || counts)
        {
            self.acknowledger.request_now();
        }
    }

    /// Handles a chunk of this extension. Whether it was one.
    pub(super) fn on_ecn(
        &mut self,
        cx: &Context<'_>,
        raw: &RawChunk<'_>,
        reading: &mut Reading,
    ) -> bool {
        let Some(marks) = self.rare.marks() else {
            return false;
        };
        match raw.chunk_type {
            ChunkType::ECNE => {
                if let Some(echo) = EcnEcho::from_raw(raw) {
                    self.on_echo(cx, echo, reading);
                }
            }
            ChunkType::CWR => {
                if let Some(cwr) = Cwr::from_raw(raw) {
                    marks.on_cwr(cwr.lowest_tsn);
                }
            }
            _ => return false,
        }
        true
    }

    /// The peer tells of a mark. One that was answered already is answered again, since the answer
    /// may have been lost; one on what was never sent counts for nothing.
    fn on_echo(&mut self, cx: &Context<'_>, echo: EcnEcho, reading: &mut Reading) {
        let tsn = echo.lowest_tsn;
        let Some((seq, path)) = self.outbound.sent(tsn) else {
            return;
        };
        let next = self.outbound.next_seq();
        let path = path.unwrap_or(self.current);
        self.couple();
        let Some(marks) = self.rare.marks().filter(|_| self.phase.takes_sack()) else {
            return;
        };
        let is_first = marks.answer().is_none_or(|last| tsn.is_after(last));
        let cuts = marks.on_echo(tsn, path, seq, next);
        if let Some(path) = self.path_mut(path) {
            if is_first {
                path.congestion.on_marked_packet(path.pmdcs());
            }
            if cuts {
                path.congestion.on_mark(cx.now);
            }
        }
        if reading.may_reply(Cwr::LEN) {
            let path = self.reply_path(reading.from());
            self.queue(path, Control::Cwr);
        }
    }

    /// How a loss that a SACK shows on a path counts, if it does.
    pub(super) fn loss_to_answer(&self, index: PathIndex) -> Option<Loss> {
        let Some(marks) = &self.rare.marks else {
            return Some(Loss::GapReports);
        };
        marks.loss(index, self.path(index)?.flow.tally.lost_below)
    }

    /// Tells the peer of a mark, right before a SACK, until it answers. `spare` bytes must be left
    /// for the SACK.
    pub(super) fn push_ecn_echo(&self, packet: &mut PacketWriter<'_>, spare: usize) {
        let echo = self.rare.marks.as_ref().and_then(|marks| marks.echo());
        if let Some(lowest_tsn) = echo
            && packet.remaining() >= EcnEcho::LEN + spare
        {
            packet.push_ecn_echo(EcnEcho { lowest_tsn });
        }
    }

    /// Writes CWR if it fits. Whether nothing is left to be said.
    pub(super) fn push_cwr(&self, packet: &mut PacketWriter<'_>) -> bool {
        let answer = self.rare.marks.as_ref().and_then(|marks| marks.answer());
        let Some(lowest_tsn) = answer else {
            return true;
        };
        let fits = packet.remaining() >= Cwr::LEN;
        if fits {
            packet.push_cwr(Cwr { lowest_tsn });
        }
        fits
    }
}
