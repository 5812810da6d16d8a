//! Choice of another path for damaged chunks.

use alloc::vec::Vec;

use crate::assoc::tcb::Tcb;
use crate::outbound::Detour;
use crate::path::Path;
use crate::value::ids::PathIndex;
use crate::{Heartbeats, Phase, Time};

impl Tcb {
    /// Another path for the damaged chunks of each path. A path whose timeout is not measured yet
    /// is probed.
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

    /// Damaged chunks of `index` go to another path with a measured timeout, as far as its window
    /// allows. Beyond the window a chunk would wait for room, and all new data with it (RFC 9260
    /// §6.1 C); lost on an unmeasured path, it would wait for an arbitrary timeout.
    fn detour(&self, index: PathIndex) -> Detour {
        let onto = self.paths.alternate(index);
        let other = self.paths.get(onto).filter(|path| self.is_measured(path));
        let room = other.map_or(0, |path| {
            path.congestion.cwnd().saturating_sub(path.flow.flight())
        });
        Detour { onto, room }
    }

    /// Whether the path's timeout is based on its round trips, rather than an initial guess or a
    /// backed-off value. Without heartbeats, any timeout is accepted.
    fn is_measured(&self, path: &Path) -> bool {
        self.options.heartbeats == Heartbeats::Off
            || (path.errors == 0 && path.rto.srtt().is_some())
    }

    /// Probes a path for damaged chunks with a heartbeat: retransmissions measure no round trip
    /// (RFC 9260 §6.3.1 C5), and the path may carry no other data.
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
