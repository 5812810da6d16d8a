//! Reception of packets: passes them to the engine in arrival order and sends the results.

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

/// Reorders received batches for the engine.
#[derive(Default)]
pub(crate) struct Reception {
    /// Number of the next batch for the engine.
    next: u64,
    /// Batches waiting for earlier ones: fewer than there are threads.
    early: BTreeMap<u64, Batch>,
    spare: Vec<Batch>,
}

impl Reception {
    /// Takes the next batch, if it has arrived.
    fn next_early(&mut self) -> Option<Batch> {
        self.early.remove(&self.next)
    }
}

/// The thread that polls next while a batch is processed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// The same worker, afterwards, unless it leaves polling to a returning reader.
    This,
    /// The same reader, afterwards, unless its message has arrived.
    Reader,
    /// Any other free worker, at once.
    Anyone,
}

/// Remaining work after a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Delivered {
    /// The poller continues, possibly with trains to send first.
    Left(Remaining),
    /// The poller's role is free for the woken reader.
    Vacated,
}

impl Shared {
    /// Passes batch `number` to the engine, after all earlier ones, and sends the results.
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
        // The poller sends the rest; but if another thread polls, it may be asleep, so send here.
        while left == Remaining::Trains
            && next == Next::Anyone
            && !matches!(state.output, Output::Blocked { .. })
            && matches!(self.poller.try_lock(), Err(TryLockError::WouldBlock))
        {
            (state, left) = self.settle(state, self.clock.now(), TRAINS);
        }
        // With a sole worker, a reader of small batches may poll for more itself; large batches are
        // better received by the worker while the reader reads.
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

    /// Passes a batch's packets to the engine.
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
