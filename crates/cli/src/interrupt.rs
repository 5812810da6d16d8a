//! Ctrl-C: stops the running work, and the program ends regularly.

use std::io;
use std::process;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::failure::Exit;

/// Longest time for a regular end.
const PATIENCE: Duration = Duration::from_secs(5);

/// `timeout` sends a signal to the program and to its group: what comes so soon is not a second one.
const TOGETHER: Duration = Duration::from_millis(200);

type Action = Box<dyn FnMut() + Send>;

/// Watches for the signals that ask the program to end.
#[derive(Clone, Default)]
pub struct Interrupts {
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    /// The last signal, and when the first one came.
    received: Option<(u8, Instant)>,
    actions: Vec<Action>,
    end: End,
}

/// The end of the program after a signal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum End {
    /// Soon, regularly or not.
    #[default]
    Soon,
    /// After the remaining work.
    #[cfg(feature = "lab")]
    InOrder,
}

impl Interrupts {
    /// Starts watching. The first signal runs the actions; the second one ends the program at once.
    pub fn watch() -> io::Result<Self> {
        let interrupts = Self::default();
        let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
        let watched = interrupts.clone();
        thread::Builder::new()
            .name("signals".to_owned())
            .spawn(move || {
                for number in signals.forever() {
                    watched.on_signal(u8::try_from(number).unwrap_or(0));
                }
            })?;
        Ok(interrupts)
    }

    /// Runs `action` at the first signal, or at once if a signal has already arrived.
    pub fn on_interrupt(&self, mut action: impl FnMut() + Send + 'static) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.received.is_some() {
            action();
        } else {
            state.actions.push(Box::new(action));
        }
    }

    /// The exit code, if a signal has arrived.
    pub fn exit(&self) -> Option<Exit> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.received.map(|(number, _)| Exit::Signal(number))
    }

    /// Lets the remaining work complete without a time limit. A second signal still ends the
    /// program at once.
    #[cfg(feature = "lab")]
    pub fn take_time(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.end = End::InOrder;
    }

    fn end(&self) -> End {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.end
    }

    fn on_signal(&self, number: u8) {
        let exit = Exit::Signal(number);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((last, first)) = &mut state.received {
            *last = number;
            if first.elapsed() > TOGETHER {
                process::exit(exit.code().into());
            }
            return;
        }
        state.received = Some((number, Instant::now()));
        let actions = std::mem::take(&mut state.actions);
        drop(state);
        for mut action in actions {
            action();
        }
        let watched = self.clone();
        thread::spawn(move || {
            thread::sleep(PATIENCE);
            if watched.end() == End::Soon {
                process::exit(exit.code().into());
            }
        });
    }
}

#[cfg(all(test, feature = "lab"))]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[test]
    fn a_signal_that_comes_twice_at_once_lets_the_program_end_regularly() {
        let interrupts = Interrupts::default();
        interrupts.take_time();
        let runs = Arc::new(AtomicU32::new(0));
        let counted = runs.clone();
        interrupts.on_interrupt(move || {
            counted.fetch_add(1, Ordering::Relaxed);
        });
        interrupts.on_signal(2);
        interrupts.on_signal(2);
        assert_eq!(runs.load(Ordering::Relaxed), 1);
        assert!(matches!(interrupts.exit(), Some(Exit::Signal(2))));
    }
}
