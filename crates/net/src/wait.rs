//! Waiting: every operation that can wait is a poll function with a waker; a blocking call polls it
//! with the calling thread as the waker.

use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// Wakers of the threads and tasks waiting for one condition.
#[derive(Debug, Default)]
pub(crate) struct Waiters(Vec<Waker>);

impl Waiters {
    /// Adds the context's waker; nothing without a context.
    pub(crate) fn add(&mut self, context: Option<&Context<'_>>) {
        let Some(context) = context else { return };
        let waker = context.waker();
        if !self.0.iter().any(|known| known.will_wake(waker)) {
            self.0.push(waker.clone());
        }
    }

    /// Whether there are no waiters.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Moves all wakers to `awake`, to be woken once no lock is held.
    pub(crate) fn wake_into(&mut self, awake: &mut Vec<Waker>) {
        awake.append(&mut self.0);
    }
}

/// Wakes all; no lock may be held. If a user's waker panics, the others are still woken, and the
/// thread continues.
pub(crate) fn wake(awake: Vec<Waker>) {
    for waker in awake {
        // The panic hook has already reported the panic.
        let _ = panic::catch_unwind(AssertUnwindSafe(|| waker.wake()));
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

/// When a blocking call stops waiting.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Deadline {
    /// The call waits without limit.
    Never,
    /// The call gives up at this instant.
    At(Instant),
}

impl Deadline {
    /// The deadline `span` from now; `Never` if it is not representable.
    pub(crate) fn after(span: Duration) -> Self {
        match Instant::now().checked_add(span) {
            Some(instant) => Self::At(instant),
            None => Self::Never,
        }
    }

    /// Time left.
    pub(crate) fn left(self) -> Duration {
        match self {
            Self::Never => Duration::MAX,
            Self::At(instant) => instant.saturating_duration_since(Instant::now()),
        }
    }
}

/// Blocks until `poll` is ready; `None` if the deadline comes first.
pub(crate) fn until<T>(
    deadline: Deadline,
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
        match (deadline, deadline.left()) {
            (Deadline::Never, _) => thread::park(),
            (Deadline::At(_), Duration::ZERO) => return None,
            (Deadline::At(_), left) => thread::park_timeout(left),
        }
    }
}

/// Blocks until `poll` is ready.
pub(crate) fn forever<T>(mut poll: impl FnMut(&Context<'_>) -> Poll<T>) -> T {
    endless(|| until(Deadline::Never, &mut poll))
}

/// Repeats a wait without a deadline until it returns an answer.
pub(crate) fn endless<T>(mut wait: impl FnMut() -> Option<T>) -> T {
    loop {
        if let Some(answer) = wait() {
            return answer;
        }
    }
}
