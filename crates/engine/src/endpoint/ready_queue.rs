use alloc::collections::VecDeque;

use crate::assoc::{Queued, Tcb};

/// Associations that may have something to send, each at most once, as its accounting says.
#[derive(Clone, Debug, Default)]
pub(super) struct ReadyQueue(VecDeque<usize>);

impl ReadyQueue {
    /// Adds an association at the end, unless the queue has it.
    #[inline]
    pub(super) fn enlist(&mut self, index: usize, tcb: &mut Tcb) {
        if tcb.accounting.queued == Queued::No {
            tcb.accounting.queued = Queued::Yes;
            self.0.push_back(index);
        }
    }

    /// The next that may have something to send. The caller either
    /// [puts it back](Self::put_back) or notes that it is no longer queued.
    pub(super) fn pop(&mut self) -> Option<usize> {
        self.0.pop_front()
    }

    /// Puts a sender behind all others.
    pub(super) fn put_back(&mut self, index: usize) {
        self.0.push_back(index);
    }
}
