//! Waiting: everything that can wait is a poll function over wakers; a blocking call is such a
//! function with the calling thread as its waker.

use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// Those who wait for one thing.
#[derive(Debug, Default)]
pub(crate) struct Waiters(Vec<Waker>);

impl Waiters {
    /// Adds the one who polls; nobody for a call that must not wait.
    pub(crate) fn add(&mut self, context: Option<&Context<'_>>) {
        let Some(context) = context else { return };
        let waker = context.waker();
        if !self.0.iter().any(|known| known.will_wake(waker)) {
            self.0.push(waker.clone());
        }
    }

    /// Moves all of them to `awake`, which is woken when no lock is held.
    pub(crate) fn wake_into(&mut self, awake: &mut Vec<Waker>) {
        awake.append(&mut self.0);
    }
}

/// Wakes a thread that waits in [`until`].
struct Parked(Thread);

impl Wake for Parked {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.unpark();
    }
}

thread_local! {
    static PARKED: Waker = Waker::from(Arc::new(Parked(thread::current())));
}

/// How long a blocking call waits.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Patience {
    /// For as long as it takes.
    Endless,
    /// Until this instant.
    Until(Instant),
}

impl Patience {
    /// For that long from now.
    pub(crate) fn lasting(span: Duration) -> Self {
        match Instant::now().checked_add(span) {
            Some(instant) => Self::Until(instant),
            None => Self::Endless,
        }
    }
}

/// Polls until the answer is there; `None` when patience ends first.
pub(crate) fn until<T>(
    patience: Patience,
    mut poll: impl FnMut(&Context<'_>) -> Poll<T>,
) -> Option<T> {
    let waker = PARKED
        .try_with(Waker::clone)
        .unwrap_or_else(|_| Waker::from(Arc::new(Parked(thread::current()))));
    let context = Context::from_waker(&waker);
    loop {
        if let Poll::Ready(answer) = poll(&context) {
            return Some(answer);
        }
        match patience {
            Patience::Endless => thread::park(),
            Patience::Until(instant) => {
                let left = instant.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    return None;
                }
                thread::park_timeout(left);
            }
        }
    }
}

/// Polls until the answer is there.
pub(crate) fn forever<T>(mut poll: impl FnMut(&Context<'_>) -> Poll<T>) -> T {
    loop {
        if let Some(answer) = until(Patience::Endless, &mut poll) {
            return answer;
        }
    }
}
