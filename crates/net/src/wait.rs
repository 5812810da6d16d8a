//! Waiting: everything that can wait is a poll function over wakers; a blocking call is such a
//! function with the calling thread as its waker.

use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// The wakers of threads and tasks that wait for one thing.
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

    /// Whether nobody waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Moves all of them to `awake`, which is woken when no lock is held.
    pub(crate) fn wake_into(&mut self, awake: &mut Vec<Waker>) {
        awake.append(&mut self.0);
    }
}

/// Wakes them, with no lock held. A waker of the user's that panics is its user's loss alone: the
/// others are woken, and the thread goes on.
pub(crate) fn wake(awake: Vec<Waker>) {
    for waker in awake {
        // The panic hook has told of it.
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

/// The end of a blocking call's wait.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Deadline {
    /// The call waits for as long as it takes.
    Never,
    /// The call gives up at this instant.
    At(Instant),
}

impl Deadline {
    /// The instant that long from now.
    pub(crate) fn after(span: Duration) -> Self {
        match Instant::now().checked_add(span) {
            Some(instant) => Self::At(instant),
            None => Self::Never,
        }
    }

    /// The time until then.
    pub(crate) fn left(self) -> Duration {
        match self {
            Self::Never => Duration::MAX,
            Self::At(instant) => instant.saturating_duration_since(Instant::now()),
        }
    }
}

/// Polls until the answer is there; `None` when the deadline comes first.
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

/// Polls until the answer is there.
pub(crate) fn forever<T>(mut poll: impl FnMut(&Context<'_>) -> Poll<T>) -> T {
    endless(|| until(Deadline::Never, &mut poll))
}

/// The answer of a wait that no deadline ends.
pub(crate) fn endless<T>(mut wait: impl FnMut() -> Option<T>) -> T {
    loop {
        if let Some(answer) = wait() {
            return answer;
        }
    }
}
