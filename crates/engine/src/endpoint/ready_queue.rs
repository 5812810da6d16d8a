use alloc::collections::VecDeque;

use crate::assoc::{Queued, Tcb};

/// Associations that may have something to send, each at most once.
#[derive(Clone, Debug, Default)]
pub(super) struct ReadyQueue(VecDeque<usize>);

impl ReadyQueue {
    /// Appends an association unless it is queued already.
    #[inline]
    pub(super) fn enlist(&mut self, index: usize, tcb: &mut Tcb) {
        if tcb.accounting.queued == Queued::No {
            tcb.accounting.queued = Queued::Yes;
            self.0.push_back(index);
        }
    }

    /// Removes the next possible sender. The caller must [put it back](Self::put_back) or mark it
    /// as not queued.
    pub(super) fn pop(&mut self) -> Option<usize> {
        self.0.pop_front()
    }

    /// Appends a sender after all others.
    pub(super) fn put_back(&mut self, index: usize) {
        self.0.push_back(index);
    }
}
