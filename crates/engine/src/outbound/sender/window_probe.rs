//! Zero window probes (RFC 9260 §6.1 A).

use super::Outbound;
use crate::flight::sent::ChunkState;
use crate::outbound::probe::WindowProbe;
use crate::path::Path;
use crate::value::ids::PathIndex;

impl Outbound {
    /// The peer's window was closed for an RTO: allows the next chunk as a probe.
    pub(crate) fn allow_probe(&mut self) {
        self.set_probe(WindowProbe::Allowed);
    }

    /// The probe of a closed window, if there is one.
    #[inline]
    pub(super) fn probe(&self) -> Option<WindowProbe> {
        self.extensions.get(|extensions| &extensions.probe).copied()
    }

    fn set_probe(&mut self, probe: WindowProbe) {
        self.extensions
            .put(|extensions| &mut extensions.probe, Some(probe.into()));
    }

    fn end_probe(&mut self) {
        self.extensions
            .put(|extensions| &mut extensions.probe, None);
    }

    /// If the outstanding data is a window probe, the path by which the peer answered since the
    /// last T3-rtx expiry; the next expiry then does not indicate a failed peer (RFC 9260 §6.1 A).
    pub(crate) fn take_probe_answer(&mut self) -> Option<PathIndex> {
        match self.extensions.part(|extensions| &mut extensions.probe)? {
            WindowProbe::Sent { answered_by, .. } => answered_by.take(),
            WindowProbe::Allowed => None,
        }
    }

    /// Whether the chunk was a window probe that the peer dropped, answering without acknowledging
    /// it.
    pub(super) fn was_refused(&self, chunk: u64) -> bool {
        matches!(
            self.probe(),
            Some(WindowProbe::Sent { seq, answered_by: Some(_) }) if seq == chunk
        )
    }

    // RFC 9260 §6.1 A, C: retransmissions use the window first, even if they wait for another path
    // than new data.
    pub(super) fn window_allows(&self, len: usize) -> bool {
        let left = self.peer_rwnd().saturating_sub(self.ring.bytes_marked());
        len <= left as usize || self.is_probing()
    }

    pub(super) fn on_window_used(&mut self, seq: u64) {
        if self.is_probing() {
            self.set_probe(WindowProbe::Sent {
                seq,
                answered_by: None,
            });
        }
    }

    /// The peer answers but has no room even for the oldest chunk, sent before the window closed:
    /// that chunk becomes the window probe (RFC 9260 §6.1 A).
    pub(super) fn note_refusal(&mut self, base: u64, from: PathIndex) {
        let refused = self
            .ring
            .get(base)
            .is_some_and(|chunk| self.told_rwnd < u32::from(chunk.len));
        if refused && self.probe().is_none() {
            self.set_probe(WindowProbe::Sent {
                seq: base,
                answered_by: Some(from),
            });
        }
    }

    /// Retransmits a probe that the peer had to drop once the advertised window has room for it. A
    /// chunk that the peer does not have uses none of that window.
    pub(super) fn on_probe_answer(&mut self, base: u64, from: PathIndex, paths: &mut [Path]) {
        let Some(WindowProbe::Sent { seq, .. }) = self.probe() else {
            return;
        };
        if seq < base {
            return self.end_probe();
        }
        self.set_probe(WindowProbe::Sent {
            seq,
            answered_by: Some(from),
        });
        let Some(chunk) = self.ring.get(seq) else {
            return;
        };
        if self.told_rwnd >= u32::from(chunk.len) {
            self.mark(seq, ChunkState::Marked, paths);
            self.end_probe();
        }
    }
}
