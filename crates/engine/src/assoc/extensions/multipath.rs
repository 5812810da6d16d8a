//! Path selection when data leaves on several paths at once (Iyengar, Amer and Stewart 2006).

use core::cmp::Reverse;
use core::time::Duration;

use crate::assoc::tcb::Tcb;
use crate::congestion::{Loss, Siblings};
use crate::path::{Path, Urgency};
use crate::value::ids::PathIndex;
use crate::{BufferSplitting, ConcurrentTransfer, Coupling, PathScheduler};

/// Minimum round trip used in computations, to keep the results bounded.
const LEAST_ROUND_TRIP: Duration = Duration::from_micros(10);

impl Tcb {
    /// The distribution of data among paths, if several carry new data.
    fn concurrent(&self) -> Option<ConcurrentTransfer> {
        self.options.multipath.transfer()
    }

    /// The path of the next packet with DATA, if the windows allow one: a path with a pending
    /// retransmission, otherwise one for new data.
    pub(in crate::assoc) fn concurrent_destination(&self, fragment: usize) -> Option<PathIndex> {
        if self.outbound.retransmission_path().is_some()
            && let Some(index) = self
                .paths
                .indices()
                .find(|index| self.may_repeat_on(*index))
        {
            return Some(index);
        }
        if let Some(index) = self.outbound.copy_destination(self.paths.as_slice()) {
            return Some(index);
        }
        if !self.outbound.has_new(fragment, self.is_nagle()) {
            return None;
        }
        if let Some(index) = self.outbound.next_direction(&self.paths) {
            return self.has_room(index, u64::MAX).then_some(index);
        }
        let transfer = self.concurrent()?;
        let share = self.share(transfer.splitting);
        let open = self
            .paths
            .indices()
            .filter(|index| self.takes_new_data(*index) && self.has_room(*index, share));
        open.min_by_key(|index| self.rank(*index, transfer.scheduler))
    }

    /// Lets the oldest outstanding chunk, once timed out, leave on the first path with room.
    /// Otherwise, paths that time out in turn, each full of newer data, would pass it around
    /// forever. The chunk waits for a path that delivers rather than use one in doubt.
    pub(in crate::assoc) fn hasten_oldest(&mut self) {
        let Some(awaited) = self.outbound.path_of_oldest_timed_out() else {
            return;
        };
        if !self.outbound.is_concurrent() || self.may_repeat_on(awaited) {
            return;
        }
        let has_room = |index: &PathIndex| {
            self.takes_new_data(*index) && self.paths.get(*index).is_some_and(Path::may_retransmit)
        };
        let is_doubtful = |index| self.paths.get(index).is_some_and(Path::is_doubtful);
        let mut free = self.paths.indices().filter(has_room);
        if let Some(onto) = free.find(|index| is_doubtful(awaited) || !is_doubtful(*index)) {
            self.outbound.redirect_oldest(onto);
        }
    }

    fn may_repeat_on(&self, index: PathIndex) -> bool {
        self.paths.get(index).is_some_and(Path::may_retransmit)
            && self.outbound.repeats_first(index)
    }

    /// Whether a path is used for new data. With concurrent paths: every active path with a
    /// measured round trip that is neither silent nor being checked. Otherwise: the current path.
    /// On an unmeasured path that does not work, data would wait for RTO.Initial.
    pub(in crate::assoc) fn takes_new_data(&self, index: PathIndex) -> bool {
        let usable =
            |path: &Path| path.answers() && path.rto.srtt().is_some() && path.check().is_none();
        if self.outbound.is_concurrent() && self.paths.existing().any(usable) {
            self.paths.get(index).is_some_and(usable)
        } else {
            index == self.paths.current()
        }
    }

    /// Whether the windows allow a packet of new data on the path.
    fn has_room(&self, index: PathIndex, share: u64) -> bool {
        let Some(path) = self.paths.get(index) else {
            return false;
        };
        let held = self.outbound.held(index);
        path.may_send()
            && !self.outbound.repeats_first(index)
            && (held == 0 || held + path.pmdcs() <= share)
    }

    /// Bytes that each path may have in the buffers.
    fn share(&self, splitting: BufferSplitting) -> u64 {
        match splitting {
            BufferSplitting::Off => u64::MAX,
            BufferSplitting::Even => {
                let active = self.paths.active().count();
                let least = self.outbound.widest_rwnd().min(self.send_buffer());
                (least / active.max(1)) as u64
            }
        }
    }

    /// Sort key of a path; the lowest is used next. A tail probe leaves on the path it is meant
    /// for.
    fn rank(&self, index: PathIndex, scheduler: PathScheduler) -> (bool, u64, Reverse<u64>) {
        let Some(path) = self.paths.get(index) else {
            return (true, u64::MAX, Reverse(0));
        };
        let probed = path.urgency == Urgency::Probe;
        let room = Reverse(path.congestion.cwnd().saturating_sub(path.flow.flight()));
        let first = match scheduler {
            PathScheduler::LowestRtt => path.rto.srtt().map_or(u64::MAX, |srtt| {
                u64::try_from(srtt.as_nanos()).unwrap_or(u64::MAX)
            }),
            PathScheduler::LargestWindow => 0,
            PathScheduler::RoundRobin => {
                let last = self.outbound.last_path().map_or(0, |last| last.0);
                u64::from(index.0.wrapping_sub(last).wrapping_sub(1))
            }
        };
        (!probed, first, room)
    }

    /// The path for retransmitting data lost on `from`.
    pub(in crate::assoc) fn repeat_path(&self, from: PathIndex, loss: Loss) -> PathIndex {
        let Some(transfer) = self.concurrent() else {
            return self.paths.alternate(from);
        };
        self.paths
            .retransmission_path(from, transfer.retransmissions, loss)
    }

    /// Moves chunks waiting for a path without room to `onto`, which is active again and has room.
    /// Otherwise, paths that time out in turn would keep passing on the oldest chunks, each while
    /// the other's window is full, and new data would be sent instead forever.
    pub(in crate::assoc) fn relieve_others(&mut self, onto: PathIndex) {
        let has_room = |path: &Path| path.may_retransmit();
        if !self.outbound.is_concurrent() || !self.paths.get(onto).is_some_and(has_room) {
            return;
        }
        for from in self.paths.indices() {
            if from != onto && !self.paths.get(from).is_some_and(has_room) {
                self.outbound.redirect_marked(from, onto);
            }
        }
    }

    /// Updates coupled windows with the state of all paths before a SACK or timeout changes one.
    pub(in crate::assoc) fn couple(&mut self) {
        if self.options.multipath.coupling() == Coupling::Uncoupled {
            return;
        }
        let total = self.siblings();
        for path in self.paths.iter_mut() {
            let own_rate = rate(path);
            path.congestion.on_siblings(&Siblings { own_rate, ..total });
        }
    }

    /// The sums over active paths needed by coupled windows.
    fn siblings(&self) -> Siblings {
        let used = self.paths.active();
        used.fold(Siblings::default(), |total, path| Siblings {
            cwnd: total.cwnd.saturating_add(path.congestion.cwnd()),
            ssthresh: total.ssthresh.saturating_add(path.congestion.ssthresh()),
            rate: total.rate.saturating_add(rate(path)),
            own_rate: 0,
            best_pull: total.best_pull.max(per_round_trip(rate(path).into(), path)),
        })
    }
}

/// The rate corresponding to a path's window, bytes per second.
fn rate(path: &Path) -> u64 {
    let rate = per_round_trip(path.congestion.cwnd().into(), path);
    u64::try_from(rate).unwrap_or(u64::MAX)
}

/// `amount` per round trip of a path, converted to a rate per second.
fn per_round_trip(amount: u128, path: &Path) -> u128 {
    let round_trip = path.rto.srtt().unwrap_or(path.rto.rto());
    amount * 1_000_000_000 / round_trip.max(LEAST_ROUND_TRIP).as_nanos()
}
