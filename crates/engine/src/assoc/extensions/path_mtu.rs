//! Path MTU discovery of an association: events that drive the search (RFC 8899 §6.2).

use core::net::IpAddr;
use core::time::Duration;

use sheave_wire::{Chunk, Heartbeat, PacketWriter};

use crate::assoc::control::Control;
use crate::assoc::output::pad;
use crate::assoc::paths::HEARTBEAT_INFO_LEN;
use crate::assoc::tcb::Tcb;
use crate::path::{MtuProbes, MtuSearch, Path, RAISE_AFTER};
use crate::rng::Rng;
use crate::timers::Timer;
use crate::value::ids::PathIndex;
use crate::{Fragmentation, Phase, Time};

/// Second byte of the Heartbeat Info of a path MTU probe.
const KIND: u8 = 1;

/// Minimum time to wait for the answer to a probe (PROBE_TIMER, RFC 8899 §5.1.1).
const LEAST_WAIT: Duration = Duration::from_secs(1);

/// Pause of a complete search as a multiple of the user's probe timer, as in Linux.
const RAISE_SPANS: u32 = 30;

impl Tcb {
    /// Data starts to flow: begins searches on all confirmed paths, so that chunks cut from now on
    /// fit any path that takes over (RFC 9260 §7.3).
    pub(in crate::assoc) fn begin_mtu_searches(&mut self, now: Time) {
        if self.options.path_mtu_discovery.max().is_none() {
            return;
        }
        for index in self.paths.indices() {
            if self.paths.is_confirmed(index) {
                self.begin_mtu_search(now, index);
            }
        }
    }

    /// Data starts to flow on a path: begins a search, if enabled and none exists.
    pub(in crate::assoc) fn begin_mtu_search(&mut self, now: Time, index: PathIndex) {
        let Some(max) = self.options.path_mtu_discovery.max() else {
            return;
        };
        if !self.phase.sends_data() {
            return;
        }
        if let Some(path) = self.paths.get_mut(index)
            && path.extensions.mtu_search.is_none()
            && path.may_search_mtu()
        {
            let cover = self.extensions.cover(None);
            path.begin_mtu_search(cover.limit_mtu(max));
            self.follow_mtu_search(now, index);
        }
    }

    /// Data was lost on a path, and other paths may deliver it: its heartbeats are now as long as
    /// data packets, and an MTU search begins in case this length is too long.
    pub(in crate::assoc) fn doubt(&mut self, now: Time, index: PathIndex) {
        if let Some(path) = self.paths.get_mut(index) {
            path.begin_doubt();
        }
        self.begin_mtu_search(now, index);
    }

    /// Data is about to leave on a path: begins a search before any chunk is cut if the path does
    /// not fragment long packets, since chunks cannot be cut again. Returns whether a search began.
    pub(in crate::assoc) fn search_before_data(
        &mut self,
        now: Time,
        data: Option<PathIndex>,
    ) -> bool {
        let path = data.and_then(|index| self.paths.get(index));
        let unknown = |path: &&Path| {
            path.is_never_fragmented()
                && path.extensions.mtu_search.is_none()
                && path.may_search_mtu()
        };
        let (Some(index), Some(_)) = (data, path.filter(unknown)) else {
            return false;
        };
        self.begin_mtu_search(now, index);
        self.options.path_mtu_discovery.max().is_some()
    }

    /// Acts on the state of a path's search: sends a probe, pauses, or changes the packet size.
    pub(in crate::assoc) fn follow_mtu_search(&mut self, now: Time, index: PathIndex) {
        let Some(path) = self.paths.get_mut(index) else {
            return;
        };
        let Some(search) = path.extensions.mtu_search.as_deref() else {
            return;
        };
        let (due, probing, using) = (search.due(), search.is_probing(), search.using());
        path.set_pmtu(using);
        let wait = if probing {
            probe_timer(path)
        } else {
            raise_timer(path)
        };
        self.timers.set(Timer::PathMtu(index), now + wait);
        if due.is_some() {
            self.queue(index, Control::MtuProbe);
        } else {
            self.control.withdraw(index, &Control::MtuProbe);
        }
    }

    /// Applies an event to the search on a path, then acts on its new state.
    pub(in crate::assoc) fn with_mtu_search(
        &mut self,
        now: Time,
        index: PathIndex,
        act: impl FnOnce(&mut MtuSearch),
    ) {
        let search = self
            .paths
            .get_mut(index)
            .and_then(|path| path.extensions.mtu_search());
        if let Some(search) = search {
            act(search);
            self.follow_mtu_search(now, index);
        }
    }

    /// A probe is unanswered, or a pause is over.
    pub(in crate::assoc) fn on_mtu_timeout(&mut self, now: Time, index: PathIndex) {
        if !self.phase.sends_data() {
            return;
        }
        let Some(path) = self.paths.get_mut(index) else {
            return;
        };
        if path.is_without_data(now, raise_timer(path)) && !path.is_doubtful() {
            // The next data or doubt begins a new search.
            path.extensions
                .put(|extensions| &mut extensions.mtu_search, None);
            return;
        }
        self.with_mtu_search(now, index, |search| {
            if search.is_probing() {
                search.on_silence();
            } else {
                search.on_raise();
            }
        });
    }

    /// T3-rtx expired: perhaps only long packets are lost.
    pub(in crate::assoc) fn suspect_black_hole(&mut self, now: Time, index: PathIndex) {
        let Some(path) = self.paths.get(index) else {
            return;
        };
        let flight = path.flow.flight();
        self.with_mtu_search(now, index, |search| search.on_timeout(flight));
    }

    /// Data sent on this path was acknowledged.
    #[inline]
    pub(in crate::assoc) fn clear_black_hole(&mut self, now: Time, index: PathIndex) {
        let search = self
            .paths
            .get(index)
            .and_then(|path| path.extensions.mtu_search.as_deref());
        if search.is_some_and(MtuSearch::is_troubled) {
            self.with_mtu_search(now, index, MtuSearch::on_progress);
        }
    }

    /// A link on the path to the address limits packets to `mtu`: a hint, confirmed by probes if
    /// they are enabled.
    pub(crate) fn on_packet_too_big(&mut self, now: Time, remote: IpAddr, mtu: u16) {
        let Some(index) = self.paths.find(remote) else {
            return;
        };
        match self.paths.get_mut(index) {
            Some(path) if path.extensions.mtu_search.is_none() => path.lower_pmtu(mtu),
            _ => self.with_mtu_search(now, index, |search| search.on_too_big(mtu)),
        }
    }

    /// Handles the answer to a path MTU probe. Returns whether it was one. Neither the answer nor
    /// its absence affects the path's state.
    pub(in crate::assoc) fn on_mtu_answer(&mut self, now: Time, info: &[u8]) -> bool {
        let &[index, KIND, 0, 0, a, b, c, d, e, f, g, h] = info else {
            return false;
        };
        let nonce = u64::from_be_bytes([a, b, c, d, e, f, g, h]);
        self.with_mtu_search(now, PathIndex(index), |search| {
            search.on_answer(nonce);
        });
        true
    }

    /// Length of the next packet, if it is an MTU probe.
    pub(in crate::assoc) fn mtu_probe_len(&self) -> Option<usize> {
        match self.control.front() {
            Some((index, Control::MtuProbe)) => self.paths.get(index)?.mtu_probe_len(),
            _ => None,
        }
    }

    /// Writes an MTU probe, alone in its packet.
    pub(in crate::assoc) fn push_mtu_probe(
        &mut self,
        packet: &mut PacketWriter<'_>,
        rng: &mut Rng,
        index: PathIndex,
    ) {
        let search = self
            .paths
            .get_mut(index)
            .and_then(|path| path.extensions.mtu_search());
        let Some(nonce) = search.and_then(|search| search.on_sent(rng.u64())) else {
            return;
        };
        let [a, b, c, d, e, f, g, h] = nonce.to_be_bytes();
        let info: [u8; HEARTBEAT_INFO_LEN] = [index.0, KIND, 0, 0, a, b, c, d, e, f, g, h];
        packet.push(&Chunk::Heartbeat(Heartbeat { info: &info }));
        pad(packet);
    }

    /// Whether a packet of `len` bytes may be fragmented on the path. It may during the handshake,
    /// when nothing is known of the path; if it is longer than the size known to get through; or if
    /// the user fixed the MTU. Chunks cut before the MTU fell need fragmentation (RFC 9260 §6.9).
    pub(in crate::assoc) fn fragmentation(&self, index: PathIndex, len: usize) -> Fragmentation {
        let fits = self
            .paths
            .get(index)
            .is_some_and(|path| len <= path.proved_packet_len() && path.may_search_mtu());
        let discovers = self.options.path_mtu_discovery.max().is_some();
        if discovers && fits && self.phase >= Phase::Established {
            Fragmentation::Forbidden
        } else {
            Fragmentation::Allowed
        }
    }
}

/// Time to wait for the answer to a probe (PROBE_TIMER, RFC 8899 §5.1.1).
fn probe_timer(path: &Path) -> Duration {
    match path.mtu_probes() {
        Some(MtuProbes::Timed(span)) => span,
        _ => path.rto.rto().max(LEAST_WAIT),
    }
}

/// Pause of a complete search (PMTU_RAISE_TIMER, RFC 8899 §5.1.1).
fn raise_timer(path: &Path) -> Duration {
    match path.mtu_probes() {
        Some(MtuProbes::Timed(span)) => span.saturating_mul(RAISE_SPANS),
        _ => RAISE_AFTER,
    }
}
