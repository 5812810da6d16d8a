//! The paths of an association, and which of them carries what.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::mem;
use core::net::IpAddr;

use crate::congestion::Loss;
use crate::path::{MtuSearch, Path};
use crate::value::ids::PathIndex;
use crate::{PathStats, RetransmissionPath, Time};

/// The paths of an association: the primary one, the one for new data, the one for SACKs.
///
/// A path whose address was deleted keeps its place, so that the others keep their numbers; it is
/// found by none of the lookups.
#[derive(Clone, Debug)]
pub(crate) struct Paths {
    list: Box<[Path]>,
    primary: PathIndex,
    /// The path for new data: the primary path while it is active.
    current: PathIndex,
    /// The path for SACKs: the one that the last DATA came on.
    sack_path: PathIndex,
    /// The address of ours that it came to, if that is not its path's own. The place is made when it is
    /// first needed, and kept.
    sack_source: Option<Box<Option<IpAddr>>>,
    /// Consecutive sends without an answer on all paths (RFC 9260 §8.1).
    errors: u32,
    /// When the current burst of heartbeats began (HB.Max.Burst).
    burst_began: Time,
    /// Heartbeats sent in it.
    burst_heartbeats: u8,
}

/// Whether the peer sent DATA although a SACK had left for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repeated {
    Yes,
    No,
}

impl Paths {
    /// Makes the first path the one for everything.
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

    /// Goes on with the paths of another endpoint.
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

    /// Goes on with other paths, which nobody has chosen among yet.
    pub(crate) fn restart(&mut self, list: Vec<Path>) {
        self.list = list.into_boxed_slice();
        self.primary = PathIndex(0);
        self.current = PathIndex(0);
        self.sack_path = PathIndex(0);
        self.sack_source = None;
    }

    /// The path of that number, unless its address was deleted: whatever comes late for it finds
    /// nothing (A47).
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

    /// The path to that peer address.
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

    /// The number of places, those of deleted paths included.
    #[inline]
    pub(crate) const fn len(&self) -> usize {
        self.list.len()
    }

    #[inline]
    pub(crate) fn indices(&self) -> impl Iterator<Item = PathIndex> + use<> {
        (0..u8::try_from(self.list.len()).unwrap_or(u8::MAX)).map(PathIndex)
    }

    /// All places, those of deleted paths included.
    #[inline]
    pub(crate) fn iter(&self) -> core::slice::Iter<'_, Path> {
        self.list.iter()
    }

    /// The peer's addresses, those deleted not among them.
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

    /// The places with their numbers.
    pub(crate) fn numbered(&self) -> impl Iterator<Item = (PathIndex, &Path)> {
        self.indices().zip(&self.list)
    }

    /// The places with their numbers, to be changed.
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

    /// Adds a path behind all others.
    pub(crate) fn push(&mut self, path: Path) -> PathIndex {
        let index = u8::try_from(self.list.len()).unwrap_or(u8::MAX);
        let mut list = mem::take(&mut self.list).into_vec();
        list.reserve_exact(1);
        list.push(path);
        self.list = list.into_boxed_slice();
        PathIndex(index)
    }

    /// The place of a deleted path.
    pub(crate) fn vacant(&self) -> Option<PathIndex> {
        let mut all = self.numbered();
        let found = all.find(|(_, path)| path.is_deleted());
        found.map(|(index, _)| index)
    }

    /// Puts another path in a place.
    pub(crate) fn replace(&mut self, index: PathIndex, path: Path) {
        if let Some(place) = self.list.get_mut(usize::from(index.0)) {
            *place = path;
        }
    }

    /// Makes a path the primary one, and the one for new data if it is active.
    pub(crate) fn set_primary(&mut self, index: PathIndex) {
        self.primary = index;
        self.choose_current();
    }

    pub(crate) const fn set_current(&mut self, index: PathIndex) {
        self.current = index;
    }

    /// Chooses the path for new data: the primary path while it is active; else an active one; else
    /// it stays where it was (RFC 9260 §6.4.1).
    pub(crate) fn choose_current(&mut self) {
        if self.is_active(self.primary) {
            self.current = self.primary;
        } else if !self.is_active(self.current)
            && let Some(index) = self
                .indices()
                .filter(|index| self.is_active(*index))
                .min_by_key(|index| self.errors_of(*index))
                .or_else(|| self.least_failed())
        {
            self.current = index;
        }
    }

    /// Chooses the path for SACKs: the one that DATA came from (RFC 9260 §6.4), unless sends there go
    /// unanswered. `source`: the address of ours that it came to, if not its path's own.
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

    /// The address of ours that SACKs leave from, if not their path's own.
    #[inline]
    pub(crate) fn sack_source(&self) -> Option<IpAddr> {
        self.sack_source.as_deref().copied().flatten()
    }

    /// Takes a path's roles away: they go to the first confirmed path, else to the first there is.
    /// Returns which one that was; `None` if there is none, and nothing changed.
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

    /// Chooses where to send again what timed out on `index`: another active path, that with the
    /// fewest errors and among equals the next in turn, so that all are tried (RFC 9260 §6.4.1);
    /// else the next that is at least confirmed.
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

    /// The path whose answer can stand in for that of a silent one: an active one with a round trip that is not
    /// being checked itself, the quickest of those that work best.
    pub(crate) fn stand_in(&self, silent: PathIndex) -> Option<PathIndex> {
        let heard = |path: &Path| path.is_active() && path.check().is_none();
        let others = self.others(silent).filter_map(|index| {
            let path = self.get(index).filter(|path| heard(path))?;
            Some((path.is_doubtful(), path.errors, path.rto.srtt()?, index))
        });
        others.min().map(|(.., index)| index)
    }

    /// Chooses where to send again what was lost on `from`, where several paths carry new data: not
    /// there if it timed out (RFC 9260 §6.4.1). After timeouts in turns on all paths the one with the
    /// longest packets has the largest window, whether or not these get through.
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
                    // Among equals it stays.
                    (first, window, *index == from)
                }),
        };
        best.map_or_else(|| self.alternate(from), |(index, _)| index)
    }

    /// The confirmed path after `index`, in a circle; `index` itself if there is no other.
    pub(crate) fn next_confirmed(&self, index: PathIndex) -> PathIndex {
        self.others(index)
            .find(|other| self.is_confirmed(*other))
            .unwrap_or(index)
    }

    /// The path for a reply to a packet from `from`: the same path, unless that address is not yet
    /// confirmed.
    pub(crate) fn reply_path(&self, from: PathIndex) -> PathIndex {
        if self.is_confirmed(from) {
            from
        } else {
            self.current
        }
    }

    /// Whether DATA is on its way by another path than that one.
    pub(crate) fn is_in_flight_elsewhere(&self, here: PathIndex) -> bool {
        self.others(here)
            .any(|index| self.get(index).is_some_and(|path| path.flow.flight() > 0))
    }

    /// Whether another active path than that one leaves from that address of ours.
    pub(crate) fn is_taken(&self, local: IpAddr, index: PathIndex) -> bool {
        self.others(index).any(|other| {
            self.get(other)
                .is_some_and(|path| path.is_active() && path.local == local)
        })
    }

    /// Consecutive sends without an answer on all paths (RFC 9260 §8.1).
    pub(crate) const fn errors(&self) -> u32 {
        self.errors
    }

    pub(crate) const fn count_error(&mut self) {
        self.errors = self.errors.saturating_add(1);
    }

    /// The peer lives: what went unanswered counts no more.
    #[inline]
    pub(crate) const fn clear_errors(&mut self) {
        self.errors = 0;
    }

    /// Counts a heartbeat that is to leave now: `most` leave within the shortest timeout of all paths
    /// (HB.Max.Burst, RFC 9260 §5.4). A path that backed off would never find a longer pause between
    /// the probes of the others.
    ///
    /// # Errors
    /// When the next burst begins, if this heartbeat has to wait for it.
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

    /// Packets that came from the peer so far.
    pub(crate) fn packets_received(&self) -> u64 {
        self.list
            .iter()
            .map(|path| path.counters.packets_received)
            .sum()
    }

    /// Whether the peer was heard at other addresses and never at that one, which may be somebody
    /// else's.
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

    /// The potentially failed path with the fewest errors; among equals the one in
    /// use (RFC 7829 §3).
    fn least_failed(&self) -> Option<PathIndex> {
        let failed = self
            .numbered()
            .filter(|(_, path)| path.is_potentially_failed() && !path.is_deleted());
        failed
            .min_by_key(|(index, path)| (path.errors, *index != self.current))
            .map(|(index, _)| index)
    }

    /// The paths but for `index`, beginning after it, in a circle.
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
