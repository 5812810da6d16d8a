use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::{Emulator, Report, Until};

/// An emulator at work on a thread of its own. Dropping it ends it.
#[derive(Debug)]
pub struct Running {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<io::Result<Report>>>,
}

impl Running {
    /// Begins.
    ///
    /// # Errors
    /// There can be no further thread.
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

    /// Ends it, and tells what became of the packets.
    ///
    /// # Errors
    /// The work had ended before, since a TUN device has vanished; or a capture could not be written.
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
            // Whoever drops it does not want to know.
            let _ = self.join();
        }
    }
}
