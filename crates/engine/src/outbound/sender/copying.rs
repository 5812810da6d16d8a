//! Copies of messages on every active path: creation and crediting by SACKs.

use sheave_wire::{DataFlags, Sack};

use super::Outbound;
use super::digest::credit;
use crate::congestion::Cumulative;
use crate::flight::share::{Digest, Reports};
use crate::outbound::loss_detection::LossDetector;
use crate::outbound::sack_outcome::{SackOutcome, Shares};
use crate::outbound::slot::{Piece, Slot};
use crate::path::Path;
use crate::value::ids::PathIndex;
use crate::{Redundancy, Time};

impl Outbound {
    /// Whether copies of messages are in use.
    #[inline]
    pub(crate) fn has_copies(&self) -> bool {
        let copies = self.extensions.get(|extensions| &extensions.copies);
        copies.is_some()
    }

    /// The path of the next copy that can be sent.
    #[inline]
    pub(crate) fn copy_destination(&self, paths: &[Path]) -> Option<PathIndex> {
        let copies = self.extensions.get(|extensions| &extensions.copies)?;
        copies.destination(&self.ring, paths)
    }

    /// Whether the next message leaves on every path.
    pub(crate) fn next_is_copied(&self) -> bool {
        self.has_copies()
            && self.next_fragment().is_some_and(|next| match next.begun {
                Some(message) => self.ring.is_copied(message),
                None => self.queue.front_redundancy() == Some(Redundancy::EveryPath),
            })
    }

    /// An active path with room on which the next message, sent on every path, can leave first.
    pub(crate) fn free_path(&self, paths: &[Path]) -> Option<PathIndex> {
        let has_room = |path: &Path| path.is_active() && path.may_send();
        let mut free = (0..)
            .map(PathIndex)
            .zip(paths)
            .filter(|(_, path)| has_room(path));
        free.next()
            .map(|(index, _)| index)
            .filter(|_| self.next_is_copied())
    }

    pub(crate) fn has_copy_for(&self, path: PathIndex) -> bool {
        let copies = self.extensions.get(|extensions| &extensions.copies);
        copies.is_some_and(|copies| copies.waits_for(path))
    }

    /// A chunk leaves that is to be sent on every active path. Returns the flags it needs: the last
    /// copy requests an immediate SACK, which reports on its path.
    #[cold]
    #[inline(never)]
    pub(super) fn copy_elsewhere(
        &mut self,
        seq: u64,
        first: PathIndex,
        paths: &[Path],
    ) -> DataFlags {
        let copies = self
            .extensions
            .part_or_else(|extensions| &mut extensions.copies, Default::default);
        copies.on_launched(seq, first, paths);
        self.answer_wanted()
    }

    fn answer_wanted(&self) -> DataFlags {
        match self.queue.is_empty() {
            true => DataFlags::IMMEDIATE,
            false => DataFlags::EMPTY,
        }
    }

    /// The next copy for `slot.path`, if it fits.
    pub(crate) fn next_copy(&mut self, slot: Slot, paths: &mut [Path]) -> Option<Piece<'_>> {
        let copies = self.extensions.copies()?;
        let seq = copies.take(slot, &self.ring)?;
        let chunk = self.ring.get(seq)?;
        copies.on_sent(seq, chunk, slot.path, slot.now);
        let ends = copies.have_left();
        if let Some(path) = paths.get_mut(usize::from(slot.path.0)) {
            path.on_sent(seq, chunk.wire_len(), slot.now);
            path.counters.chunks_sent += 1;
        }
        let mut flags = slot.flags;
        if ends {
            flags = flags.union(self.answer_wanted());
        }
        self.ring.data(seq, flags)
    }

    /// Forgets the copies of a path on which nothing is in flight any more.
    pub(super) fn forget_copies(&mut self, gone: PathIndex) {
        if let Some(copies) = self.extensions.copies() {
            copies.forget_path(gone);
        }
    }

    /// Applies only the duplicate reports of a reordered SACK; a SACK on a faster path has reported
    /// the rest.
    #[cold]
    pub(super) fn take_duplicates(
        &mut self,
        now: Time,
        sack: &Sack<'_>,
        from: PathIndex,
        paths: &mut [Path],
    ) -> Option<SackOutcome> {
        if !self.has_copies() || sack.duplicates.is_empty() {
            return None;
        }
        let mut shares = self.begin_shares(paths);
        self.credit_duplicates(now, sack, from, paths, &mut shares);
        self.settle(paths, &mut shares);
        let digest = Digest {
            cumulative: Cumulative::Unmoved,
            recovery: self.recovery(),
            entered_recovery: false,
            reports: Reports::Passed,
        };
        Some(SackOutcome { digest, shares })
    }

    /// Credits copies that a SACK reports as duplicates.
    pub(super) fn credit_duplicates(
        &mut self,
        now: Time,
        sack: &Sack<'_>,
        from: PathIndex,
        paths: &mut [Path],
        shares: &mut Shares,
    ) {
        let Some(copies) = self.extensions.copies() else {
            return;
        };
        for tsn in &sack.duplicates {
            let seq = self.ring.sent_seq(tsn);
            if let Some((seq, copy)) =
                seq.and_then(|seq| Some((seq, copies.on_duplicate(seq, from)?)))
            {
                credit(&copy, seq, now, paths, shares);
                self.detector.on_delivered(&copy, seq, now);
            }
        }
        copies.expire(now, paths);
    }
}
