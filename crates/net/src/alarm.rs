//! A pipe that wakes the sleeping poller.

use std::io::{PipeWriter, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Wake, Waker};

/// The writing end of the pipe.
#[derive(Debug)]
pub(crate) struct Alarm {
    pipe: PipeWriter,
    /// Whether a reader polls and must be woken through the pipe.
    set: AtomicBool,
}

impl Alarm {
    pub(crate) fn new(pipe: PipeWriter) -> Arc<Self> {
        Arc::new(Self {
            pipe,
            set: AtomicBool::new(false),
        })
    }

    /// Ends the poller's current or next sleep.
    pub(crate) fn ring(&self) {
        // A full pipe also wakes the poller.
        let _ = (&self.pipe).write(&[0]);
    }

    /// Sets whether a reader polls. A polling reader sets this before its final check for a
    /// message, so that no wake-up is missed.
    pub(crate) fn set(&self, set: bool) {
        self.set.store(set, Ordering::SeqCst);
    }

    /// The waker of a polling reader.
    pub(crate) fn waker(self: &Arc<Self>) -> Waker {
        Waker::from(Arc::clone(self))
    }
}

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if self.set.load(Ordering::SeqCst) {
            self.ring();
        }
    }
}
