//! Forks of this process.

use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};

/// Forks between the first process and this one, since somebody began to count.
static FORKS: AtomicU64 = AtomicU64::new(0);

static COUNTING: Once = Once::new();

/// The process that something was made in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Process(u64);

impl Process {
    /// The process that asks.
    pub(crate) fn this() -> Self {
        COUNTING.call_once(|| {
            // SAFETY: the handler does nothing but change an atomic number, which a child may do.
            // A failure means that forks are not noticed.
            let _ = unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
        });
        Self(FORKS.load(Ordering::Relaxed))
    }

    /// Whether it is another than this one: a parent, whose threads are not here.
    pub(crate) fn is_another(self) -> bool {
        FORKS.load(Ordering::Relaxed) != self.0
    }
}

extern "C" fn in_child() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}
