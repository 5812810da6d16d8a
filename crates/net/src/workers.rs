//! The endpoint's worker threads.
//!
//! All workers run the same loop: become the *poller*, of which there is one at a time; wait for
//! packets and timers; receive a batch of packets, verify it, give it to the engine and send what
//! that releases. Where more has come than fits a batch, the next worker polls meanwhile. So the
//! packets of one association are received, verified, digested and sent on several processors, and
//! still in order: batches are numbered, and the engine gets one after the other. With one thread
//! these are the steps of a loop.
//!
//! A worker that is the only one leaves the sockets to a reader that answers and comes back, and stands
//! by meanwhile ([`vacancy`](crate::vacancy)).
//!
//! After a large batch a worker receives more before it answers and wakes anybody
//! ([`coalescing`](crate::receive_coalescing)).

use std::mem;
use std::sync::{Arc, PoisonError};
use std::thread;
use std::time::Duration;

use crate::carrier::Batch;
use crate::driver::Shared;
use crate::poller::Look;
use crate::reception::{Delivered, Next};
use crate::vacancy::Rest;
use crate::wait;

/// The longest that the poller's place is free while nobody looks.
const LOOK_EVERY: Duration = Duration::from_millis(1);

/// A worker thread.
pub(crate) struct Worker {
    shared: Arc<Shared>,
    batch: Batch,
}

/// The end of a worker's polling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    /// The endpoint is closed.
    Closed,
    /// A reader may poll.
    Vacated,
}

/// Ends every association should a thread panic, so that nobody waits for ever.
struct Watchdog(Arc<Shared>);

impl Drop for Watchdog {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.break_down();
        let awake = mem::take(&mut state.awake);
        drop(state);
        wait::wake(awake);
    }
}

impl Worker {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self {
            shared,
            batch: Batch::default(),
        }
    }

    /// Works until the endpoint is closed.
    pub(crate) fn run(mut self) {
        let _watchdog = Watchdog(Arc::clone(&self.shared));
        while self.poll() == Ended::Vacated {
            self.stand_by();
        }
    }

    /// Waits until nobody polls.
    fn stand_by(&self) {
        let thread = thread::current();
        loop {
            let now = self.shared.clock.now();
            let rest = self.shared.lock().stand_by(now, &thread);
            match rest {
                None => return,
                Some(Rest::Short) => thread::park_timeout(LOOK_EVERY),
                Some(Rest::UntilCalled) => thread::park(),
            }
        }
    }

    /// Polls until a reader may do so, or the endpoint is closed.
    fn poll(&mut self) -> Ended {
        let shared = Arc::clone(&self.shared);
        loop {
            let poller = shared.poller.lock();
            let mut poller = poller.unwrap_or_else(PoisonError::into_inner);
            let number = match shared.look(&mut poller, &mut self.batch, Duration::MAX) {
                Look::Batch(number) => number,
                Look::Nothing => continue,
                Look::Closed => return Ended::Closed,
            };
            // Where more waits than fits a batch, another thread goes on receiving. Else to wake it
            // would cost more than it does. In the place of the only one a reader may poll as soon as it
            // has its message.
            let alone = shared.workers == 1;
            let next = match self.batch.is_full() && !alone {
                true => Next::Anyone,
                false => Next::This,
            };
            if alone || next == Next::Anyone {
                drop(poller);
            }
            if shared.deliver(&mut self.batch, number, next) == Delivered::Vacated {
                return Ended::Vacated;
            }
        }
    }
}
