use alloc::boxed::Box;
use core::net::IpAddr;

use sheave_wire::Heartbeat;

use super::closing::Ending;
use super::control::Control;
use super::tcb::{Context, Tcb};
use crate::congestion::Cumulative;
use crate::event::Events;
use crate::outbound::Digest;
use crate::path::{Cut, Path, PathIndex, Probe};
use crate::timers::Timer;
use crate::{Event, Heartbeats, PathChange, PathError, PathState, Phase, Time};

/// Heartbeat Info: the path's number, three zero bytes, the nonce. What else belongs to a probe
/// stays here, where nobody can edit it.
pub(super) const HEARTBEAT_INFO_LEN: usize = 12;

impl Tcb {
    /// Starts the heartbeats of all paths, with those that have yet to be confirmed at once
    /// (RFC 9260 §5.4, §8.3).
    pub(super) fn start_probing(&mut self, cx: &mut Context<'_>) {
        for index in self.indices() {
            if self.path(index).is_some_and(Path::is_confirmed) {
                self.await_heartbeat(cx, index, cx.now);
            } else {
                self.timers.set(Timer::Heartbeat(index), cx.now);
            }
        }
        self.measure_round_trips(cx.now);
        self.probe_due_paths(cx);
    }

    /// Runs the heartbeat timers that were set to "at once", so that their probes leave with the
    /// packet at hand.
    fn probe_due_paths(&mut self, cx: &mut Context<'_>) {
        for index in self.indices() {
            let due = self.path(index).is_some_and(|path| !path.is_confirmed());
            if due {
                self.probe_within_burst(cx, index);
            }
        }
    }

    pub(super) fn indices(&self) -> impl Iterator<Item = PathIndex> + use<> {
        (0..u8::try_from(self.paths.len()).unwrap_or(u8::MAX)).map(PathIndex)
    }

    /// Waits for the next regular heartbeat of a path, whose period began at `from`: when the last
    /// one was sent, if there was one.
    fn await_heartbeat(&mut self, cx: &mut Context<'_>, index: PathIndex, from: Time) {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "sixteen random bits are wanted"
        )]
        let jitter = cx.rng.u32() as u16;
        let Some(path) = self.path(index) else { return };
        match self.options.heartbeats {
            Heartbeats::Every(interval) => {
                let wait = path.heartbeat_wait(interval, jitter);
                let due = (from + wait).max(cx.now);
                self.timers.set(Timer::Heartbeat(index), due);
            }
            Heartbeats::Off => self.timers.stop(Timer::Heartbeat(index)),
        }
    }

    /// The heartbeat timer of a path expired: its probe was not answered, or it is time for one.
    pub(super) fn on_heartbeat_timeout(
        &mut self,
        cx: &mut Context<'_>,
        index: PathIndex,
    ) -> Result<(), Ending> {
        if matches!(self.phase, Phase::ShutdownSent | Phase::ShutdownAckSent) {
            return Ok(());
        }
        let Some(path) = self.path(index) else {
            return Ok(());
        };
        if path.rare.probe.is_some() {
            return self.on_probe_unanswered(cx, index);
        }
        let idle_rule = path.is_confirmed() && !path.is_potentially_failed();
        if idle_rule && self.was_used_lately(cx.now, index) {
            self.await_heartbeat(cx, index, cx.now);
        } else {
            self.probe_within_burst(cx, index);
        }
        Ok(())
    }

    fn was_used_lately(&self, now: Time, index: PathIndex) -> bool {
        let Heartbeats::Every(interval) = self.options.heartbeats else {
            return true;
        };
        self.path(index)
            .is_some_and(|path| now.since(path.used_at) < interval)
    }

    /// Probes a path unless HB.Max.Burst probes left within the shortest timeout of all paths;
    /// then it is next (RFC 9260 §5.4). A path that backed off would never find a longer pause
    /// between the probes of the others.
    fn probe_within_burst(&mut self, cx: &Context<'_>, index: PathIndex) {
        let Some(path) = self.path(index) else { return };
        let rto = path.rto.rto();
        let pause = self.paths.iter().map(|path| path.rto.rto()).min();
        let pause = pause.unwrap_or(rto);
        let (began, sent) = (self.burst_began, self.burst_heartbeats);
        let fresh = cx.now.since(began) >= pause || sent == 0;
        if !fresh && sent >= self.options.hb_max_burst {
            self.timers.set(Timer::Heartbeat(index), began + pause);
            return;
        }
        (self.burst_began, self.burst_heartbeats) = if fresh {
            (cx.now, 1)
        } else {
            (began, sent + 1)
        };
        self.queue(index, Control::Heartbeat);
        self.timers.set(Timer::Heartbeat(index), cx.now + rto);
    }

    fn on_probe_unanswered(
        &mut self,
        cx: &mut Context<'_>,
        index: PathIndex,
    ) -> Result<(), Ending> {
        let options = self.options.clone();
        let carries_data = index == self.current;
        let Some(path) = self.path_mut(index) else {
            return Ok(());
        };
        let sent_at = path
            .rare
            .take(|rare| &mut rare.probe)
            .map_or(cx.now, |probe| probe.sent_at);
        path.congestion.on_probe_unanswered();
        path.rto.back_off(&options);
        let confirmed = path.is_confirmed();
        let failed = path.errors > options.path_max_retrans;
        if !failed {
            path.errors += 1;
        }
        let failing = path.errors > options.path_max_retrans;
        if confirmed {
            self.judge(cx, index);
        }
        if failing {
            self.try_other_source(index);
        }
        // RFC 9260 §8.1: only on the path that carries data.
        if confirmed && carries_data {
            self.count_association_error()?;
        }
        if self.path(index).is_some_and(Path::is_potentially_failed) {
            self.probe_within_burst(cx, index);
        } else if confirmed || failing {
            self.await_heartbeat(cx, index, sent_at);
            if self.options.heartbeats == Heartbeats::Off {
                // An address must be confirmed somehow, if slowly.
                self.timers
                    .set(Timer::Heartbeat(index), cx.now + options.rto_max);
            }
        } else {
            self.probe_within_burst(cx, index);
        }
        Ok(())
    }

    pub(super) fn count_association_error(&mut self) -> Result<(), Ending> {
        self.errors += 1;
        if self.errors > self.options.association_max_retrans {
            return Err(Ending::timed_out());
        }
        Ok(())
    }

    /// A send on a path went unanswered (RFC 9260 §8.1, §8.2).
    pub(super) fn count_failure(
        &mut self,
        cx: &mut Context<'_>,
        index: PathIndex,
    ) -> Result<(), Ending> {
        if let Some(path) = self.path_mut(index) {
            path.errors = path.errors.saturating_add(1);
        }
        self.judge(cx, index);
        self.count_association_error()
    }

    pub(super) fn take_down(&mut self, cx: &mut Context<'_>, index: PathIndex) {
        let Some(path) = self.path_mut(index) else {
            return;
        };
        if matches!(path.state, PathState::Active | PathState::PotentiallyFailed) {
            path.state = PathState::Inactive;
            let remote = path.remote.ip;
            cx.events.push(
                self.id,
                Event::Path {
                    remote,
                    change: PathChange::Down,
                },
            );
        }
        self.choose_current();
        self.outbound.redirect_marked(index, self.current);
    }

    /// A path that does not answer may do so from another of our addresses.
    fn try_other_source(&mut self, index: PathIndex) {
        let local = self.local.clone();
        let options = self.options.clone();
        let Some(path) = self.path_mut(index) else {
            return;
        };
        let family = path.remote.ip.is_ipv4();
        let mut candidates = local.iter().filter(|ip| ip.is_ipv4() == family).cycle();
        let count = local.iter().filter(|ip| ip.is_ipv4() == family).count();
        if count > 1
            && candidates.by_ref().take(count).any(|ip| *ip == path.local)
            && let Some(next) = candidates.next()
        {
            path.reroute(*next, &options);
        }
    }

    /// Something sent on a path was answered.
    pub(super) fn on_path_answered(&mut self, cx: &mut Context<'_>, index: PathIndex) {
        let Some(path) = self.path_mut(index) else {
            return;
        };
        path.errors = 0;
        let change = match path.state {
            PathState::Active => return,
            PathState::Unconfirmed => PathChange::Confirmed,
            PathState::PotentiallyFailed | PathState::Inactive => PathChange::Up,
        };
        path.state = PathState::Active;
        let remote = path.remote.ip;
        cx.events.push(self.id, Event::Path { remote, change });
        self.choose_current();
    }

    /// New data goes to the primary path while it is active; else to an active one; else it stays
    /// where it was (RFC 9260 §6.4.1).
    pub(super) fn choose_current(&mut self) {
        let active = |index: PathIndex| self.path(index).is_some_and(Path::is_active);
        if active(self.primary) {
            self.current = self.primary;
        } else if !active(self.current)
            && let Some(index) = self
                .indices()
                .find(|index| active(*index))
                .or_else(|| self.least_failed())
        {
            self.current = index;
        }
    }

    /// Where to send again what timed out on `index`: another active path, else the next that is
    /// at least confirmed, so that all are tried in turn (RFC 9260 §6.4).
    pub(super) fn alternate(&self, index: PathIndex) -> PathIndex {
        let active =
            |other: &PathIndex| *other != index && self.path(*other).is_some_and(Path::is_active);
        match self.indices().find(active) {
            Some(other) => other,
            None if self.path(index).is_some_and(Path::is_active) => index,
            None => self
                .least_failed()
                .unwrap_or_else(|| self.next_confirmed(index)),
        }
    }

    /// The confirmed path after `index`, in a circle; `index` itself if there is no other.
    pub(super) fn next_confirmed(&self, index: PathIndex) -> PathIndex {
        let after = self.indices().filter(|other| *other > index);
        let around = self.indices().filter(|other| *other < index);
        after
            .chain(around)
            .find(|other| self.path(*other).is_some_and(Path::is_confirmed))
            .unwrap_or(index)
    }

    /// Where a reply to a packet from `from` goes: back, unless that address is not yet confirmed.
    pub(super) fn reply_path(&self, from: PathIndex) -> PathIndex {
        if self.path(from).is_some_and(Path::is_confirmed) {
            from
        } else {
            self.current
        }
    }

    /// Fills in a probe that is about to leave.
    pub(super) fn begin_probe(
        &mut self,
        now: Time,
        index: PathIndex,
        nonce: u64,
    ) -> [u8; HEARTBEAT_INFO_LEN] {
        if let Some(path) = self.path_mut(index) {
            path.rare.put(
                |rare| &mut rare.probe,
                Some(Box::new(Probe {
                    nonce,
                    sent_at: now,
                })),
            );
            path.used_at = now;
            path.counters.heartbeats_sent += 1;
        }
        let [a, b, c, d, e, f, g, h] = nonce.to_be_bytes();
        [index.0, 0, 0, 0, a, b, c, d, e, f, g, h]
    }

    /// An answer to a probe counts if it carries the nonce that went to that very path.
    pub(super) fn on_heartbeat_ack(&mut self, cx: &mut Context<'_>, ack: &Heartbeat<'_>) {
        if self.on_mtu_answer(cx.now, ack.info) {
            return;
        }
        let &[index, 0, 0, 0, a, b, c, d, e, f, g, h] = ack.info else {
            return;
        };
        let index = PathIndex(index);
        let nonce = u64::from_be_bytes([a, b, c, d, e, f, g, h]);
        let options = self.options.clone();
        let Some(path) = self.path_mut(index) else {
            return;
        };
        let Some(probe) = path.take_probe(nonce) else {
            return;
        };
        path.congestion.on_probe_answered();
        path.on_round_trip(cx.now.since(probe.sent_at), &options);
        path.counters.heartbeats_acked += 1;
        self.errors = 0;
        self.on_path_answered(cx, index);
        self.await_heartbeat(cx, index, probe.sent_at);
    }

    /// Books a SACK to the paths: windows, round trips, errors, T3-rtx (RFC 9260 §6.3.2, §8.2).
    pub(super) fn apply(&mut self, cx: &mut Context<'_>, digest: &Digest) {
        let options = self.options.clone();
        let mut any = digest.cumulative == Cumulative::Advanced;
        if self.outbound.is_concurrent() {
            self.couple();
        }
        for index in self.indices() {
            let loss = self.loss_to_answer(index);
            let own = self.outbound.digest_of(index, digest);
            let Some(path) = self.path_mut(index) else {
                continue;
            };
            let cut = path.on_digest(cx.now, &own, loss, &options);
            let acked = path.flow.tally.acked > 0;
            let restart = path.flow.tally.earliest_moved;
            let (flight, rto) = (path.flow.flight(), path.rto.rto());
            // A SACK that only tells a window too small for the next chunk, again and again, must
            // not put off the probe of that window.
            let awaits_probe =
                !acked && flight == 0 && index == self.current && self.is_window_blocked();
            if flight == 0 {
                if !awaits_probe {
                    self.timers.stop(Timer::Retransmission(index));
                }
            } else if restart {
                self.timers.set(Timer::Retransmission(index), cx.now + rto);
            } else {
                self.timers
                    .set_if_stopped(Timer::Retransmission(index), cx.now + rto);
            }
            if let Some(marks) = self.rare.marks()
                && cut == Cut::Made
            {
                marks.on_loss_answered(index, self.outbound.next_seq());
            }
            if acked {
                any = true;
                self.on_path_answered(cx, index);
                self.clear_black_hole(cx.now, index);
            }
        }
        if any {
            self.errors = 0;
        }
        self.watch_losses(cx.now);
        self.settle_partial(cx);
        if digest.cumulative == Cumulative::Advanced && self.outbound.is_empty() {
            cx.events.push(self.id, Event::Drained);
        }
    }

    pub(crate) fn set_primary(
        &mut self,
        events: &mut Events,
        remote: IpAddr,
    ) -> Result<(), PathError> {
        let index = self.path_to(remote).ok_or(PathError::Unknown)?;
        if !self.path(index).is_some_and(Path::is_confirmed) {
            return Err(PathError::Unconfirmed);
        }
        if index != self.primary {
            self.primary = index;
            events.push(
                self.id,
                Event::Path {
                    remote,
                    change: PathChange::Primary,
                },
            );
        }
        self.choose_current();
        Ok(())
    }

    /// A heartbeat on demand; like any other, it counts as an error if it is not answered within
    /// an RTO (RFC 9260 §8.3). One that is still on its way stands for it.
    pub(crate) fn request_heartbeat(
        &mut self,
        cx: &Context<'_>,
        remote: IpAddr,
    ) -> Result<(), PathError> {
        let index = self.path_to(remote).ok_or(PathError::Unknown)?;
        if self.phase >= Phase::Established
            && let Some(path) = self.path(index)
            && path.rare.probe.is_none()
        {
            let due = cx.now + path.rto.rto();
            self.timers.set(Timer::Heartbeat(index), due);
            self.queue(index, Control::Heartbeat);
        }
        Ok(())
    }
}
