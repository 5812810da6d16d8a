//! The alarm: a pipe that ends the poller's sleep.

use std::io::{PipeWriter, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Wake, Waker};

/// The writing end of the pipe.
#[derive(Debug)]
pub(crate) struct Alarm {
    pipe: PipeWriter,
    /// Whether a reader polls, and has to be woken by it.
    set: AtomicBool,
}

impl Alarm {
    pub(crate) fn new(pipe: PipeWriter) -> Arc<Self> {
        Arc::new(Self {
            pipe,
            set: AtomicBool::new(false),
        })
    }

    /// Ends the poller's sleep, or the next one.
    pub(crate) fn ring(&self) {
        // A full pipe wakes it as well.
        let _ = (&self.pipe).write(&[0]);
    }

    /// Says whether a reader polls from now on. One that polls sets it before it looks for its message a
    /// last time.
    pub(crate) fn set(&self, set: bool) {
        self.set.store(set, Ordering::SeqCst);
    }

    /// The waker of the reader that polls.
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
