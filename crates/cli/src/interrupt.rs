//! Ctrl-C: what is under way is told to stop, and the program ends in order.

use std::io;
use std::process;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::failure::Exit;

/// Time that the program may take to end in order.
const PATIENCE: Duration = Duration::from_secs(5);

type Action = Box<dyn FnMut() + Send>;

/// Watches for the signals that ask the program to end.
#[derive(Clone, Default)]
pub struct Interrupts {
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    received: Option<u8>,
    actions: Vec<Action>,
    end: End,
}

/// The end of the program after a signal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum End {
    /// Soon, in order or not.
    #[default]
    Soon,
    /// Once the work that is left is done.
    InOrder,
}

impl Interrupts {
    /// Begins to watch. The first signal runs the actions; a second one ends the program at once.
    ///
    /// # Errors
    /// What the system says.
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

    /// Runs `action` at the first signal; at once if it has come already.
    pub fn on_interrupt(&self, mut action: impl FnMut() + Send + 'static) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.received.is_some() {
            action();
        } else {
            state.actions.push(Box::new(action));
        }
    }

    /// The exit code if a signal came.
    pub fn exit(&self) -> Option<Exit> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.received.map(Exit::Signal)
    }

    /// Lets the program end in its own time: what is left to do ends by itself and should not be cut
    /// off. A second signal still ends it at once.
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
        if state.received.replace(number).is_some() {
            process::exit(exit.code().into());
        }
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
