//! Another path for what was damaged on the way.

use alloc::vec::Vec;

use crate::assoc::tcb::Tcb;
use crate::outbound::Detour;
use crate::path::Path;
use crate::value::ids::PathIndex;
use crate::{Heartbeats, Phase, Time};

impl Tcb {
    /// Alternative paths for the retransmission of damaged chunks, one for each path. A detour that
    /// cannot be relied on yet is measured.
    pub(in crate::assoc) fn detours(&mut self, now: Time) -> Vec<Detour> {
        let detours: Vec<_> = self
            .paths
            .indices()
            .map(|index| self.detour(index))
            .collect();
        for detour in &detours {
            self.measure_detour(now, detour.onto);
        }
        detours
    }

    /// Damaged chunks of `index` go to another path whose timer can be relied on, as far as
    /// its window allows. Elsewhere it would wait for that window, and all new data with it
    /// (RFC 9260 §6.1 C); and lost on the way it would wait for a timeout that nobody measured.
    fn detour(&self, index: PathIndex) -> Detour {
        let onto = self.paths.alternate(index);
        let other = self.paths.get(onto).filter(|path| self.is_measured(path));
        let room = other.map_or(0, |path| {
            path.congestion.cwnd().saturating_sub(path.flow.flight())
        });
        Detour { onto, room }
    }

    /// Whether the path's timeout is what its round trips say, and not a first guess or a multiple
    /// of that. Without heartbeats there is no better.
    fn is_measured(&self, path: &Path) -> bool {
        self.options.heartbeats == Heartbeats::Off
            || (path.errors == 0 && path.rto.srtt().is_some())
    }

    /// Retransmissions measure nothing (RFC 9260 §6.3.1 C5), so that a path that carries no other
    /// data learns its round trip from heartbeats alone.
    fn measure_detour(&mut self, now: Time, onto: PathIndex) {
        let Some(path) = self.paths.get(onto) else {
            return;
        };
        // RFC 9260 §5.1 C: no heartbeat before the COOKIE ACK.
        let is_up = self.phase >= Phase::Established;
        if is_up && onto != self.paths.current() && !path.is_probed() && !self.is_measured(path) {
            let due = now + path.rto.rto();
            self.send_heartbeat(onto, due);
        }
    }
}
