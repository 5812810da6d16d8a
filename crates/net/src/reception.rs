//! The reception of packets: they are given to the engine in the order in which they came, and what
//! follows is sent.

use std::collections::BTreeMap;
use std::mem;
use std::sync::TryLockError;

use sheave_engine::Time;

use crate::carrier::Batch;
use crate::driver::{Remaining, Shared};
use crate::locked::Locked;
use crate::poller::TRAINS;
use crate::receive_coalescing::Answer;
use crate::state::Output;

/// Received batches, put back into their order for the engine.
#[derive(Default)]
pub(crate) struct Reception {
    /// The number of the batch that the engine gets next.
    next: u64,
    /// Batches whose predecessors are not there yet: fewer than there are threads.
    early: BTreeMap<u64, Batch>,
    spare: Vec<Batch>,
}

impl Reception {
    /// The next batch, if it is there.
    fn next_early(&mut self) -> Option<Batch> {
        self.early.remove(&self.next)
    }
}

/// The thread that polls while a batch is digested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Nobody: the worker does so afterwards, or leaves it to a reader that comes back.
    This,
    /// Nobody: the reader does so afterwards, or comes to take what it was waiting for.
    Reader,
    /// Whoever is free.
    Anyone,
}

/// The rest of the work after a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Delivered {
    /// The poller goes on, with these trains to send first.
    Left(Remaining),
    /// The place of the poller is free for the reader that was woken.
    Vacated,
}

impl Shared {
    /// Gives the engine the batch of that number, once it has those before, and sends what follows
    /// from them.
    pub(crate) fn deliver(&self, batch: &mut Batch, number: u64, next: Next) -> Delivered {
        self.carrier.open(batch);
        batch.verify(self.checksum);
        let now = self.clock.now();
        let mut state = self.lock();
        if state.reception.next != number {
            let spare = state.reception.spare.pop();
            let early = mem::replace(batch, spare.unwrap_or_default());
            state.reception.early.insert(number, early);
            return Delivered::Left(Remaining::Nothing);
        }
        self.handle_batch(&mut state, now, batch);
        state.reception.next += 1;
        while let Some(batch) = state.reception.next_early() {
            self.handle_batch(&mut state, now, &batch);
            state.reception.next += 1;
            state.reception.spare.push(batch);
        }
        self.follow_connections(&mut state, now);
        if next != Next::Anyone && batch.is_large() {
            let associations = state.engine.stats().associations;
            let Answer::Now = state.coalescing.add(batch.bytes(), associations) else {
                return Delivered::Left(Remaining::Nothing);
            };
            state.dispatch_events(now);
            state.defer_waking();
        } else {
            state.wake_deferred();
        }
        let (mut state, mut left) = self.settle(state, now, TRAINS);
        // Whoever looks out sends what is left; if another one does, it may be asleep.
        while left == Remaining::Trains
            && next == Next::Anyone
            && !matches!(state.output, Output::Blocked { .. })
            && matches!(self.poller.try_lock(), Err(TryLockError::WouldBlock))
        {
            (state, left) = self.settle(state, self.clock.now(), TRAINS);
        }
        // A reader of few packets at a time may poll for more of them in the place of the only worker;
        // many are better taken in by one thread while another reads.
        let may_leave = next == Next::This
            && self.workers == 1
            && left == Remaining::Nothing
            && !batch.is_large();
        let vacated = may_leave && state.vacate(now);
        self.leave(state, left);
        match vacated {
            true => Delivered::Vacated,
            false => Delivered::Left(left),
        }
    }

    /// Gives the engine the packets that came in.
    fn handle_batch(&self, state: &mut Locked<'_>, now: Time, batch: &Batch) {
        for (datagram, known) in batch.datagrams() {
            if !self.carrier.takes(&state.ports, datagram.payload) {
                continue;
            }
            match self.siblings.sort(datagram) {
                Some(datagram) => state.engine.handle_verified(now, datagram, known),
                None => self.carrier.count_misdirected(),
            }
        }
    }
}
