use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::{Emulator, Report, Until};

/// An emulator running on its own thread. Dropping it stops it.
#[derive(Debug)]
pub struct Running {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<io::Result<Report>>>,
}

impl Running {
    /// Starts the emulator.
    ///
    /// # Errors
    /// No thread can be started.
    pub fn start(emulator: Emulator) -> io::Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let sign = Arc::clone(&stop);
        let work = move || {
            let until = Until {
                stop: &sign,
                limit: None,
            };
            emulator.run(until, Duration::MAX, |_| {})
        };
        let thread = thread::Builder::new().name("emulator".to_owned());
        Ok(Self {
            stop,
            thread: Some(thread.spawn(work)?),
        })
    }

    /// Stops the emulator and returns the final report.
    ///
    /// # Errors
    /// The emulator had already failed because a TUN device vanished, or a capture could not be
    /// written.
    pub fn end(mut self) -> io::Result<Report> {
        self.join()
    }

    fn join(&mut self) -> io::Result<Report> {
        self.stop.store(true, Ordering::Relaxed);
        let ended = self.thread.take().map(JoinHandle::join);
        let broken = || Err(io::Error::other("the emulator broke off"));
        ended.map_or_else(broken, |ended| ended.unwrap_or_else(|_| broken()))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.thread.is_some() {
            // The result is of no use to a caller that drops it.
            let _ = self.join();
        }
    }
}
