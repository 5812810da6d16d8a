//! Explicit congestion notification (RFC 3168, RFC 4960 Appendix A).

mod marks;

use sheave_wire::{Chunk, Cwr, EcnEcho, PacketWriter, Tsn};

use self::marks::MarkEcho;
pub(super) use self::marks::Marks;
use crate::Ecn;
use crate::assoc::control::Control;
use crate::assoc::input::Reading;
use crate::assoc::output::Load;
use crate::assoc::tcb::{Context, Tcb};
use crate::congestion::Loss;
use crate::flight::share::PathShare;
use crate::value::ids::PathIndex;

impl Tcb {
    /// The ECN codepoint of a packet with this load.
    pub(in crate::assoc) fn codepoint(&self, load: Load) -> Ecn {
        match load {
            Load::New if self.marks_packets() => Ecn::Ect0,
            Load::Control | Load::New | Load::Repeated => Ecn::NotEct,
        }
    }

    /// Whether packets are sent as ECN-capable.
    #[inline]
    pub(in crate::assoc) fn marks_packets(&self) -> bool {
        self.extensions
            .get(|extensions| &extensions.marks)
            .is_some()
    }

    /// A marked packet with new DATA arrived.
    pub(in crate::assoc) fn on_marked_packet(&mut self, lowest: Tsn) {
        // A sender that counts marks needs a report of each.
        let counts = self.options.congestion.counts_marks();
        if let Some(marks) = self.extensions.marks()
            && (marks.on_marked_packet(lowest) == MarkEcho::Begins || counts)
        {
            self.acknowledger.request_now();
        }
    }

    /// The peer answered the echo, which ends it.
    pub(in crate::assoc) fn on_cwr(&mut self, cwr: Cwr) {
        if let Some(marks) = self.extensions.marks() {
            marks.on_cwr(cwr.lowest_tsn);
        }
    }

    /// The peer reports a mark. If already answered, it is answered again, since the answer may
    /// have been lost. A mark on data never sent is ignored.
    pub(in crate::assoc) fn on_ecn_echo(
        &mut self,
        cx: &Context<'_>,
        echo: EcnEcho,
        reading: &mut Reading,
    ) {
        let tsn = echo.lowest_tsn;
        let Some((seq, path)) = self.outbound.sent(tsn) else {
            return;
        };
        let next = self.outbound.next_seq();
        let path = path.unwrap_or(self.paths.current());
        self.couple();
        let Some(marks) = self.extensions.marks().filter(|_| self.phase.takes_sack()) else {
            return;
        };
        let is_first = marks.answer().is_none_or(|last| tsn.is_after(last));
        let cuts = marks.on_echo(tsn, path, seq, next);
        if let Some(path) = self.paths.get_mut(path) {
            if is_first {
                path.congestion.on_marked_packet(path.pmdcs());
            }
            if cuts {
                path.congestion.on_mark(cx.now);
            }
        }
        if self.may_reply(reading, Cwr::LEN) {
            let path = self.paths.reply_path(reading.from());
            self.queue(path, Control::Cwr);
        }
    }

    /// The kind of loss to report to a path's congestion control for a loss shown by a SACK, if
    /// any.
    pub(in crate::assoc) fn loss_to_answer(
        &self,
        index: PathIndex,
        share: &PathShare,
    ) -> Option<Loss> {
        let Some(marks) = &self.extensions.marks else {
            return Some(Loss::GapReports);
        };
        marks.loss(index, share.lost_below)
    }

    /// Writes ECNE just before a SACK until the peer answers. Leaves `spare` bytes for the SACK.
    pub(in crate::assoc) fn push_ecn_echo(&self, packet: &mut PacketWriter<'_>, spare: usize) {
        let echo = self
            .extensions
            .marks
            .as_ref()
            .and_then(|marks| marks.echo());
        if let Some(lowest_tsn) = echo
            && packet.remaining() >= EcnEcho::LEN + spare
        {
            packet.push(&Chunk::EcnEcho(EcnEcho { lowest_tsn }));
        }
    }

    /// Writes CWR if it fits. Returns whether no CWR remains to be sent.
    pub(in crate::assoc) fn push_cwr(&self, packet: &mut PacketWriter<'_>) -> bool {
        let answer = self
            .extensions
            .marks
            .as_ref()
            .and_then(|marks| marks.answer());
        let Some(lowest_tsn) = answer else {
            return true;
        };
        let fits = packet.remaining() >= Cwr::LEN;
        if fits {
            packet.push(&Chunk::Cwr(Cwr { lowest_tsn }));
        }
        fits
    }
}
