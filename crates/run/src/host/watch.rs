//! Waits for events after briefly polling for calls that do not wake the host.

use std::hint;
use std::io;
use std::time::{Duration, Instant};

use rustix::event::epoll;

use super::{CALLS, Host, wait};
use crate::door::Door;

/// Polls for calls between two checks for other events: about two microseconds.
const LOOKS: usize = 64;

impl Host {
    /// Waits for events, at most `span`. None means a timeout or a polled call.
    pub(super) fn wait(
        &mut self,
        events: &mut [epoll::Event],
        span: Option<Duration>,
    ) -> io::Result<usize> {
        let mut began = None;
        while self.doors().any(Door::is_expectant) {
            // Checks for other events after at most `CALLS` calls.
            if self.overheard < CALLS && self.looks() {
                self.overheard += 1;
                return Ok(0);
            }
            self.overheard = 0;
            let count = wait(&self.epoll, events, Some(Duration::ZERO))?;
            let began = *began.get_or_insert_with(Instant::now);
            let is_due = span.is_some_and(|span| began.elapsed() >= span);
            if count > 0 || is_due || self.has_unheard() {
                return Ok(count);
            }
        }
        for program in self.programs.iter_mut().flatten() {
            program.door.rest();
        }
        match self.has_unheard() {
            true => Ok(0),
            false => {
                let count = self.wait_for_events(events, span);
                self.woke = Instant::now();
                count
            }
        }
    }

    /// Waits for events from the kernel.
    fn wait_for_events(
        &mut self,
        events: &mut [epoll::Event],
        span: Option<Duration>,
    ) -> io::Result<usize> {
        let look = self.lookout.span(self.woke.elapsed());
        let look = span.map_or(look, |span| span.min(look));
        if look.is_zero() {
            return wait(&self.epoll, events, span);
        }
        let began = Instant::now();
        while began.elapsed() < look {
            let count = wait(&self.epoll, events, Some(Duration::ZERO))?;
            if count > 0 {
                self.lookout.found();
                return Ok(count);
            }
        }
        self.lookout.missed();
        let span = span.map(|span| span.saturating_sub(began.elapsed()));
        wait(&self.epoll, events, span)
    }

    fn doors(&self) -> impl Iterator<Item = &dyn Door> {
        self.programs.iter().flatten().map(|program| &*program.door)
    }

    /// Whether a call can be received by polling.
    fn has_unheard(&self) -> bool {
        self.doors().any(Door::has_unheard)
    }

    /// Polls for a call for a moment.
    fn looks(&self) -> bool {
        (0..LOOKS).any(|_| {
            let found = self.has_unheard();
            hint::spin_loop();
            found
        })
    }
}
