//! Detection of forks.

use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};

/// Forks between the first process and this one, counted since the first call of `this()`.
static FORKS: AtomicU64 = AtomicU64::new(0);

static COUNTING: Once = Once::new();

/// The process in which an object was created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Process(u64);

impl Process {
    /// The calling process.
    pub(crate) fn this() -> Self {
        COUNTING.call_once(|| {
            // SAFETY: the handler does nothing but change an atomic number, which a child may do.
            // A failure means that forks are not noticed.
            let _ = unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
        });
        Self(FORKS.load(Ordering::Relaxed))
    }

    /// Whether this process forked since `this()`; the parent's threads do not exist here.
    pub(crate) fn is_another(self) -> bool {
        FORKS.load(Ordering::Relaxed) != self.0
    }
}

extern "C" fn in_child() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}
