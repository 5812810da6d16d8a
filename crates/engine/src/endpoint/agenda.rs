use alloc::collections::{BTreeSet, VecDeque};

use crate::Time;
use crate::assoc::{Queued, Tcb};

/// Which association is to be looked at next, and when. Each is noted in its own books too, so
/// that most calls find that there is nothing to do.
#[derive(Debug, Default)]
pub(super) struct Agenda {
    /// When which association waits for something. An entry may be early, never late: moving a
    /// deadline back costs nothing.
    deadlines: BTreeSet<(Time, usize)>,
    /// Associations that may have something to send.
    senders: VecDeque<usize>,
}

impl Agenda {
    /// Notes what the association now waits for.
    #[inline(always)] // Seldom news, and asked for after each packet.
    pub(super) fn note_deadline(&mut self, index: usize, tcb: &mut Tcb) {
        if let Some(wanted) = tcb.deadline()
            && wanted < tcb.books.deadline
        {
            self.bring_forward(index, tcb, wanted);
        }
    }

    #[inline(never)]
    fn bring_forward(&mut self, index: usize, tcb: &mut Tcb, wanted: Time) {
        let noted = tcb.books.deadline;
        if noted != Time::MAX {
            self.deadlines.remove(&(noted, index));
        }
        tcb.books.deadline = wanted;
        self.deadlines.insert((wanted, index));
    }

    /// Puts an association among those that may have something to send.
    #[inline]
    pub(super) fn enlist(&mut self, index: usize, tcb: &mut Tcb) {
        if tcb.books.queued == Queued::No {
            tcb.books.queued = Queued::Yes;
            self.senders.push_back(index);
        }
    }

    /// Forgets the deadline of an association that is no more.
    pub(super) fn forget(&mut self, index: usize, tcb: &Tcb) {
        self.deadlines.remove(&(tcb.books.deadline, index));
    }

    /// When the next association is due.
    pub(super) fn next_due(&self) -> Option<Time> {
        self.deadlines.first().map(|(due, _)| *due)
    }

    /// Takes out the deadline of an association that is due.
    pub(super) fn pop_due(&mut self, now: Time) -> Option<usize> {
        if self.next_due()? > now {
            return None;
        }
        self.deadlines.pop_first().map(|(_, index)| index)
    }

    /// The next that may have something to send. The caller either
    /// [puts it back](Self::put_back) or notes that it is no longer queued.
    pub(super) fn pop_sender(&mut self) -> Option<usize> {
        self.senders.pop_front()
    }

    /// Puts a sender behind all others.
    pub(super) fn put_back(&mut self, index: usize) {
        self.senders.push_back(index);
    }
}
