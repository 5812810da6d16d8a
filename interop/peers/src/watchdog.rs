use std::io::Write;
use std::process;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

/// Ends the whole process if a test takes too long; dropping it calls it off.
#[derive(Debug)]
pub struct Watchdog {
    _off: Sender<()>,
}

impl Watchdog {
    /// Starts to count down.
    pub fn start(limit: Duration) -> Self {
        let (off, signal) = mpsc::channel::<()>();
        let test = thread::current().name().unwrap_or("a test").to_owned();
        thread::spawn(move || {
            if signal.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
                // A closed standard error must not keep the process alive.
                let _ = writeln!(std::io::stderr(), "{test} is not over after {limit:?}");
                process::exit(101);
            }
        });
        Self { _off: off }
    }
}
