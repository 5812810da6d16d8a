use alloc::collections::BTreeSet;

use crate::Time;
use crate::assoc::Tcb;

/// Associations by the time of their next work. Each association's entry is noted in its own
/// accounting too, so that most calls find that there is nothing to do.
///
/// An entry may be early, never late: moving a deadline back costs nothing.
#[derive(Clone, Debug, Default)]
pub(super) struct Deadlines(BTreeSet<(Time, usize)>);

impl Deadlines {
    /// Notes the deadline of an association.
    #[inline(always)] // Seldom news, and asked for after each packet.
    pub(super) fn note(&mut self, index: usize, tcb: &mut Tcb) {
        if let Some(wanted) = tcb.deadline()
            && wanted < tcb.accounting.deadline
        {
            self.bring_forward(index, tcb, wanted);
        }
    }

    #[inline(never)]
    fn bring_forward(&mut self, index: usize, tcb: &mut Tcb, wanted: Time) {
        let noted = tcb.accounting.deadline;
        if noted != Time::MAX {
            self.0.remove(&(noted, index));
        }
        tcb.accounting.deadline = wanted;
        self.0.insert((wanted, index));
    }

    /// Forgets the deadline of an association that is no more.
    pub(super) fn forget(&mut self, index: usize, tcb: &Tcb) {
        self.0.remove(&(tcb.accounting.deadline, index));
    }

    /// When the next association is due.
    pub(super) fn next_due(&self) -> Option<Time> {
        self.0.first().map(|(due, _)| *due)
    }

    /// Takes out the deadline of an association that is due.
    pub(super) fn pop_due(&mut self, now: Time) -> Option<usize> {
        if self.next_due()? > now {
            return None;
        }
        self.0.pop_first().map(|(_, index)| index)
    }
}
