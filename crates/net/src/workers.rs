//! The endpoint's worker threads.
//!
//! All workers run the same loop: become the *poller*, of which there is one at a time; wait for
//! packets and timers; receive and verify a batch of packets; pass the batch to the engine and send
//! the resulting packets. If more packets arrived than fit a batch, the next worker polls
//! meanwhile, so that one association's packets are processed on several processors. Order is
//! preserved: batches are numbered, and the engine gets them in order. With one thread, these are
//! the steps of a loop.
//!
//! A sole worker leaves polling to a reader that repeatedly receives and answers, and stands by
//! ([`vacancy`](crate::vacancy)).
//!
//! After a large batch, a worker receives more before it sends SACKs and wakes readers
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

/// Interval at which a standby worker checks whether the poller's role is unused.
const LOOK_EVERY: Duration = Duration::from_millis(1);

/// A worker thread.
pub(crate) struct Worker {
    shared: Arc<Shared>,
    batch: Batch,
}

/// The reason why a worker stopped polling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    /// The endpoint is closed.
    Closed,
    /// A reader may take over.
    Vacated,
}

/// Ends every association if a thread panics, so that no caller waits for ever.
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

    /// Stands by until this worker must poll.
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

    /// Polls until a reader takes over or the endpoint is closed.
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
            // If more packets wait than fit a batch, another thread receives them; otherwise waking
            // one would cost more than it saves. With a sole worker, a reader may poll once it has
            // its message.
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
