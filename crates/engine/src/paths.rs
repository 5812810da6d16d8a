//! The paths of an association and their roles.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::mem;
use core::net::IpAddr;
use core::time::Duration;

use crate::congestion::Loss;
use crate::path::{Hedge, MtuSearch, Path};
use crate::value::ids::PathIndex;
use crate::{Event, PathStats, RetransmissionPath, Time};

/// The paths of an association, and those used as primary, for new data, and for SACKs.
///
/// A path whose address was deleted keeps its slot so that the other paths keep their numbers;
/// lookups skip it.
#[derive(Clone, Debug)]
pub(crate) struct Paths {
    list: Box<[Path]>,
    primary: PathIndex,
    /// The path for new data; the primary path while it is active.
    current: PathIndex,
    /// The path for SACKs; the one on which the last DATA came.
    sack_path: PathIndex,
    /// The local address that DATA came to, if it differs from its path's address. Allocated on
    /// first use and then kept.
    sack_source: Option<Box<Option<IpAddr>>>,
    /// Consecutive unanswered sends on all paths (RFC 9260 §8.1).
    errors: u32,
    /// Start of the current burst of heartbeats (HB.Max.Burst).
    burst_began: Time,
    /// Heartbeats sent in that burst.
    burst_heartbeats: u8,
}

/// Whether the peer retransmitted DATA although a SACK for it was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repeated {
    Yes,
    No,
}

impl Paths {
    /// Creates the set; the first path has all roles.
    pub(crate) fn new(list: Vec<Path>) -> Self {
        Self {
            list: list.into_boxed_slice(),
            primary: PathIndex(0),
            current: PathIndex(0),
            sack_path: PathIndex(0),
            sack_source: None,
            errors: 0,
            burst_began: Time::ZERO,
            burst_heartbeats: 0,
        }
    }

    /// Resumes with paths imported from another endpoint.
    pub(crate) fn resume(list: Vec<Path>, primary: PathIndex) -> Self {
        let mut paths = Self {
            primary,
            current: primary,
            sack_path: primary,
            ..Self::new(list)
        };
        paths.choose_current();
        paths
    }

    /// Restarts with other paths, the first of which gets all roles.
    pub(crate) fn restart(&mut self, list: Vec<Path>) {
        self.list = list.into_boxed_slice();
        self.primary = PathIndex(0);
        self.current = PathIndex(0);
        self.sack_path = PathIndex(0);
        self.sack_source = None;
    }

    /// The path with this number, unless its address was deleted: late packets for it find no path
    /// (A47).
    #[inline]
    pub(crate) fn get(&self, index: PathIndex) -> Option<&Path> {
        let path = self.list.get(usize::from(index.0));
        path.filter(|path| !path.is_deleted())
    }

    /// Returns the path, mutably, as [`get`](Self::get) does.
    #[inline]
    pub(crate) fn get_mut(&mut self, index: PathIndex) -> Option<&mut Path> {
        let path = self.list.get_mut(usize::from(index.0));
        path.filter(|path| !path.is_deleted())
    }

    /// The event that data goes to another path after a time of silence, unless it is the same one.
    pub(crate) fn failover(
        &self,
        from: PathIndex,
        to: PathIndex,
        silence: Duration,
    ) -> Option<Event> {
        let (from, to) = (self.get(from)?.remote.ip, self.get(to)?.remote.ip);
        (from != to).then_some(Event::Failover { from, to, silence })
    }

    /// The path to the peer address.
    pub(crate) fn find(&self, remote: IpAddr) -> Option<PathIndex> {
        let mut all = self.numbered();
        let found = all.find(|(_, path)| path.remote.ip == remote && !path.is_deleted());
        found.map(|(index, _)| index)
    }

    pub(crate) const fn primary(&self) -> PathIndex {
        self.primary
    }

    /// The path for new data.
    #[inline]
    pub(crate) const fn current(&self) -> PathIndex {
        self.current
    }

    #[inline]
    pub(crate) fn current_path(&self) -> Option<&Path> {
        self.get(self.current)
    }

    /// The path for SACKs.
    #[inline]
    pub(crate) const fn sack_path(&self) -> PathIndex {
        self.sack_path
    }

    #[inline]
    pub(crate) fn is_active(&self, index: PathIndex) -> bool {
        self.get(index).is_some_and(Path::is_active)
    }

    #[inline]
    pub(crate) fn is_confirmed(&self, index: PathIndex) -> bool {
        self.get(index).is_some_and(Path::is_confirmed)
    }

    /// The number of slots, including deleted paths.
    #[inline]
    pub(crate) const fn len(&self) -> usize {
        self.list.len()
    }

    #[inline]
    pub(crate) fn indices(&self) -> impl Iterator<Item = PathIndex> + use<> {
        (0..u8::try_from(self.list.len()).unwrap_or(u8::MAX)).map(PathIndex)
    }

    /// Slots of paths, including deleted ones.
    #[inline]
    pub(crate) fn iter(&self) -> core::slice::Iter<'_, Path> {
        self.list.iter()
    }

    /// The peer's addresses, except deleted ones.
    pub(crate) fn addresses(&self) -> Vec<IpAddr> {
        self.existing().map(|path| path.remote.ip).collect()
    }

    #[inline]
    pub(crate) fn iter_mut(&mut self) -> core::slice::IterMut<'_, Path> {
        self.list.iter_mut()
    }

    #[inline]
    pub(crate) const fn as_slice(&self) -> &[Path] {
        &self.list
    }

    #[inline]
    pub(crate) fn as_mut_slice(&mut self) -> &mut [Path] {
        &mut self.list
    }

    /// Slots with their numbers.
    pub(crate) fn numbered(&self) -> impl Iterator<Item = (PathIndex, &Path)> {
        self.indices().zip(&self.list)
    }

    /// Slots with their numbers, mutably.
    pub(crate) fn numbered_mut(&mut self) -> impl Iterator<Item = (PathIndex, &mut Path)> {
        self.indices().zip(&mut self.list)
    }

    /// The paths that were not deleted.
    pub(crate) fn existing(&self) -> impl Iterator<Item = &Path> {
        self.list.iter().filter(|path| !path.is_deleted())
    }

    /// The number of confirmed paths, at least 1.
    pub(crate) fn confirmed(&self) -> u32 {
        let confirmed = self.existing().filter(|path| path.is_confirmed());
        u32::try_from(confirmed.count()).unwrap_or(u32::MAX).max(1)
    }

    pub(crate) fn active(&self) -> impl Iterator<Item = &Path> {
        self.list.iter().filter(|path| path.is_active())
    }

    /// Appends a path.
    pub(crate) fn push(&mut self, path: Path) -> PathIndex {
        let index = u8::try_from(self.list.len()).unwrap_or(u8::MAX);
        let mut list = mem::take(&mut self.list).into_vec();
        list.reserve_exact(1);
        list.push(path);
        self.list = list.into_boxed_slice();
        PathIndex(index)
    }

    /// The slot of a deleted path.
    pub(crate) fn vacant(&self) -> Option<PathIndex> {
        let mut all = self.numbered();
        let found = all.find(|(_, path)| path.is_deleted());
        found.map(|(index, _)| index)
    }

    /// Replaces the path in a slot.
    pub(crate) fn replace(&mut self, index: PathIndex, path: Path) {
        if let Some(place) = self.list.get_mut(usize::from(index.0)) {
            *place = path;
        }
    }

    /// Makes a path primary, and uses it for new data if it is active.
    pub(crate) fn set_primary(&mut self, index: PathIndex) {
        self.primary = index;
        self.choose_current();
    }

    pub(crate) const fn set_current(&mut self, index: PathIndex) {
        self.current = index;
    }

    /// Chooses the path for new data: the primary path if active, otherwise an active path,
    /// otherwise no change (RFC 9260 §6.4.1). Silent paths come after others.
    pub(crate) fn choose_current(&mut self) {
        if self.answers(self.primary) {
            self.current = self.primary;
        } else if !self.answers(self.current)
            && let Some(index) = self
                .indices()
                .filter(|index| self.is_active(*index))
                .min_by_key(|index| (!self.answers(*index), self.errors_of(*index)))
                .or_else(|| self.least_failed())
        {
            self.current = index;
        }
        // Control chunks alone leave on an unconfirmed path.
        if !self.is_confirmed(self.sack_path) && self.is_confirmed(self.current) {
            self.sack_path = self.current;
            self.sack_source = None;
        }
    }

    /// A path is silent: new data leaves on another active one until it answers.
    // DEVIATION RFC 9260 §6.4.1: new data leaves a primary path on which data timed out or a check failed,
    // not only one that is inactive; the profile `rfc9260` waits.
    pub(crate) fn avoid(&mut self, silent: PathIndex) {
        if let Some(path) = self.get_mut(silent) {
            path.is_silent = true;
        }
        self.choose_current();
    }

    fn answers(&self, index: PathIndex) -> bool {
        self.get(index).is_some_and(Path::answers)
    }

    /// Chooses the path for SACKs: the one on which DATA came (RFC 9260 §6.4), unless sends on it
    /// go unanswered. `source` is the local address that the DATA came to, if not the path's own.
    // DEVIATION RFC 9260 §6.4: SACKs leave a path that fails, even while DATA comes from there: the way
    // back may be what is broken. Where repeated DATA shows that the other way is, they take turns.
    pub(crate) fn choose_sack_path(
        &mut self,
        from: PathIndex,
        source: Option<IpAddr>,
        repeated: Repeated,
    ) {
        let is_failing = !self.is_active(from) && self.is_active(self.current);
        if is_failing && !(repeated == Repeated::Yes && self.sack_path == self.current) {
            self.sack_path = self.current;
            self.set_sack_source(None);
        } else if self.is_confirmed(from) {
            self.sack_path = from;
            self.set_sack_source(source);
        }
    }

    #[inline]
    fn set_sack_source(&mut self, source: Option<IpAddr>) {
        if let Some(place) = &mut self.sack_source {
            **place = source;
        } else if source.is_some() {
            self.sack_source = Some(Box::new(source));
        }
    }

    /// The local address for SACKs, if not their path's own.
    #[inline]
    pub(crate) fn sack_source(&self) -> Option<IpAddr> {
        self.sack_source.as_deref().copied().flatten()
    }

    /// Moves the roles of path `gone` to the first confirmed path, otherwise to the first existing
    /// one. Returns that path; `None` if there is none, with nothing changed.
    pub(crate) fn leave(&mut self, gone: PathIndex) -> Option<PathIndex> {
        let confirmed = self.indices().find(|index| self.is_confirmed(*index));
        let there = || self.indices().find(|index| self.get(*index).is_some());
        let next = confirmed.or_else(there)?;
        for role in [&mut self.primary, &mut self.current, &mut self.sack_path] {
            if *role == gone {
                *role = next;
            }
        }
        self.sack_source = None;
        self.choose_current();
        Some(next)
    }

    /// Chooses the path for retransmitting data that timed out on `index`: the active path with the
    /// fewest errors among the others, in turn among equals so that all are tried (RFC 9260
    /// §6.4.1). If no other is active: `index` if active, otherwise a potentially failed path,
    /// otherwise the next confirmed one.
    pub(crate) fn alternate(&self, index: PathIndex) -> PathIndex {
        let others = self.others(index).filter(|other| self.is_active(*other));
        match others.min_by_key(|other| self.errors_of(*other)) {
            Some(other) => other,
            None if self.is_active(index) => index,
            None => self
                .least_failed()
                .unwrap_or_else(|| self.next_confirmed(index)),
        }
    }

    /// The path for hedging a silent one: active, with a measured round trip and not itself being
    /// checked; the fastest of those with the fewest errors.
    pub(crate) fn stand_in(&self, silent: PathIndex) -> Option<PathIndex> {
        let heard = |path: &Path| path.is_active() && path.check().is_none();
        let others = self.others(silent).filter_map(|index| {
            let path = self.get(index).filter(|path| heard(path))?;
            let needless = path.hedge().map_or(0, Hedge::doublings);
            let doubt = (path.is_doubtful(), path.errors, needless);
            Some((doubt, path.rto.srtt()?, index))
        });
        others.min().map(|(.., index)| index)
    }

    /// Chooses the path for retransmitting data lost on `from`, if several paths carry new data:
    /// another path after a timeout (RFC 9260 §6.4.1). After timeouts on all paths in turn, the
    /// path with the longest packets has the largest window, whether or not its packets get
    /// through.
    pub(crate) fn retransmission_path(
        &self,
        from: PathIndex,
        policy: RetransmissionPath,
        loss: Loss,
    ) -> PathIndex {
        let mut active = self
            .numbered()
            .filter(|(index, path)| path.is_active() && (loss != Loss::Timeout || *index != from));
        let best = match policy {
            RetransmissionPath::Same => active.find(|(index, _)| *index == from),
            RetransmissionPath::LargestWindow | RetransmissionPath::LargestThreshold => active
                .max_by_key(|(index, path)| {
                    let (window, threshold) = (path.congestion.cwnd(), path.congestion.ssthresh());
                    let first = match policy {
                        RetransmissionPath::LargestThreshold => threshold,
                        RetransmissionPath::LargestWindow | RetransmissionPath::Same => window,
                    };
                    // Prefer the same path among equals.
                    (first, window, *index == from)
                }),
        };
        best.map_or_else(|| self.alternate(from), |(index, _)| index)
    }

    /// The next confirmed path after `index`, cyclically; `index` itself if there is no other.
    pub(crate) fn next_confirmed(&self, index: PathIndex) -> PathIndex {
        self.others(index)
            .find(|other| self.is_confirmed(*other))
            .unwrap_or(index)
    }

    /// The path for a reply to a packet from `from`: the same one if confirmed, otherwise the path
    /// for new data.
    pub(crate) fn reply_path(&self, from: PathIndex) -> PathIndex {
        if self.is_confirmed(from) {
            from
        } else {
            self.current
        }
    }

    /// Whether DATA is in flight on another path.
    pub(crate) fn is_in_flight_elsewhere(&self, here: PathIndex) -> bool {
        self.others(here)
            .any(|index| self.get(index).is_some_and(|path| path.flow.flight() > 0))
    }

    /// Whether another active path uses the local address.
    pub(crate) fn is_taken(&self, local: IpAddr, index: PathIndex) -> bool {
        self.others(index).any(|other| {
            self.get(other)
                .is_some_and(|path| path.is_active() && path.local == local)
        })
    }

    /// Consecutive unanswered sends on all paths (RFC 9260 §8.1).
    pub(crate) const fn errors(&self) -> u32 {
        self.errors
    }

    pub(crate) const fn count_error(&mut self) {
        self.errors = self.errors.saturating_add(1);
    }

    /// Resets the error count because the peer is alive.
    #[inline]
    pub(crate) const fn clear_errors(&mut self) {
        self.errors = 0;
    }

    /// Counts a heartbeat about to leave: at most `most` leave within the shortest RTO of all paths
    /// (HB.Max.Burst, RFC 9260 §5.4). With its own backed-off RTO, a path would never find a long
    /// enough pause between the heartbeats of the others.
    ///
    /// # Errors
    /// The start of the next burst, if this heartbeat must wait for it.
    pub(crate) fn count_heartbeat(&mut self, now: Time, most: usize) -> Result<(), Time> {
        let pause = self.list.iter().map(|path| path.rto.rto()).min();
        let pause = pause.unwrap_or_default();
        if self.burst_heartbeats == 0 || now >= self.burst_began + pause {
            (self.burst_began, self.burst_heartbeats) = (now, 0);
        }
        if usize::from(self.burst_heartbeats) >= most {
            return Err(self.burst_began + pause);
        }
        self.burst_heartbeats += 1;
        Ok(())
    }

    /// Packets received from the peer.
    pub(crate) fn packets_received(&self) -> u64 {
        self.list
            .iter()
            .map(|path| path.counters.packets_received)
            .sum()
    }

    /// Whether the peer was heard only at other addresses than `remote`, which may belong to
    /// another host.
    pub(crate) fn is_unproven(&self, remote: IpAddr) -> bool {
        let (mut here, mut elsewhere) = (0, 0);
        for path in self.existing() {
            let heard = match path.remote.ip == remote {
                true => &mut here,
                false => &mut elsewhere,
            };
            *heard += path.counters.packets_received;
        }
        here == 0 && elsewhere > 0
    }

    pub(crate) fn stats(&self) -> Vec<PathStats> {
        self.numbered()
            .filter(|(_, path)| !path.is_deleted())
            .map(|(index, path)| path.stats(index == self.primary))
            .collect()
    }

    /// Bytes on the heap.
    pub(crate) fn footprint(&self) -> usize {
        size_of_val(&*self.list)
            + self
                .list
                .iter()
                .map(|path| path.congestion.footprint() + path.rates_footprint())
                .sum::<usize>()
            + self
                .list
                .iter()
                .filter(|path| path.extensions.mtu_search.is_some())
                .count()
                * size_of::<MtuSearch>()
    }

    /// The potentially failed path with the fewest errors; among equals, the one in use (RFC 7829
    /// §3).
    fn least_failed(&self) -> Option<PathIndex> {
        let failed = self
            .numbered()
            .filter(|(_, path)| path.is_potentially_failed() && !path.is_deleted());
        failed
            .min_by_key(|(index, path)| (path.errors, *index != self.current))
            .map(|(index, _)| index)
    }

    /// The paths other than `index`, starting after it, cyclically.
    fn others(&self, index: PathIndex) -> impl Iterator<Item = PathIndex> + use<> {
        let after = self.indices().filter(move |other| *other > index);
        let around = self.indices().filter(move |other| *other < index);
        after.chain(around)
    }

    fn errors_of(&self, index: PathIndex) -> u32 {
        self.get(index).map_or(u32::MAX, |path| path.errors)
    }
}

#[cfg(test)]
mod tests;
