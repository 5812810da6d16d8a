//! The host of the process: stacks, sockets and pending callbacks.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use sheave_engine::{Node as _, Time};
use sheave_sockets::{Errno, SocketId, Stack};

use crate::clock::Clock;
use crate::connections::{Connections, OutputCallback};
use crate::defaults;
use crate::delivery::{Errand, Task};
use crate::handles::{Due, Half, Handle, Handles, Number};
use crate::internet::{Internet, Way};
use crate::worker::Worker;

static HOST: Mutex<Option<Host>> = Mutex::new(None);
/// Wakes calls that wait for a socket's change or a callback's end.
static CHANGED: Condvar = Condvar::new();

pub(crate) type Guard = MutexGuard<'static, Option<Host>>;

/// Locks the host, which is `None` before initialisation and after `usrsctp_finish`.
pub(crate) fn lock() -> Guard {
    HOST.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn changed() -> &'static Condvar {
    &CHANGED
}

pub(crate) struct Host {
    pub(crate) internet: Internet,
    pub(crate) connections: Connections,
    pub(crate) handles: Handles,
    pub(crate) clock: Clock,
    /// Pending callbacks.
    pub(crate) tasks: VecDeque<Task>,
    /// The threads that run callbacks and that pass packets to the program.
    pub(crate) calling: Option<Errand>,
    pub(crate) carrying: Option<Errand>,
    pub(crate) worker: Option<Worker>,
}

/// A socket of the program and its stack.
pub(crate) struct Open<'a> {
    pub(crate) handle: &'a mut Handle,
    pub(crate) stack: &'a mut Stack,
    pub(crate) now: Time,
}

impl Open<'_> {
    pub(crate) const fn id(&self) -> SocketId {
        self.handle.id
    }
}

impl Host {
    /// Starts the stacks. Also returns a warning for the program, such as why packets cannot be
    /// sent.
    pub(crate) fn start(
        way: Way,
        output: Option<OutputCallback>,
        after: Option<Number>,
    ) -> Result<(Self, Option<String>), Errno> {
        let mut seeds = [[0; 32]; 2];
        for seed in &mut seeds {
            getrandom::fill(seed).map_err(|_| Errno::ENOBUFS)?;
        }
        let [first, second] = seeds;
        let options = defaults::options();
        let (internet, error) = Internet::start(way, &options, first);
        let host = Self {
            internet,
            connections: Connections::start(output, &options, second),
            handles: Handles::new(after),
            clock: Clock::start(),
            tasks: VecDeque::new(),
            calling: None,
            carrying: None,
            worker: None,
        };
        Ok((host, error.or_else(defaults::complaint)))
    }

    /// Applies the program's current settings to new sockets.
    pub(crate) fn refresh_defaults(&mut self) {
        let options = defaults::options();
        self.internet.set_defaults(&options);
        self.connections.set_defaults(&options);
    }

    /// The socket with this number.
    ///
    /// # Errors
    /// `EBADF` for an unknown number.
    pub(crate) fn open(&mut self, number: Number) -> Result<Open<'_>, Errno> {
        let handle = self.handles.get_mut(number).ok_or(Errno::EBADF)?;
        let (stack, now) = match handle.half {
            Half::Internet => {
                let now = self.internet.now(&self.clock);
                (&mut self.internet.stack, now)
            }
            Half::Connections => (&mut self.connections.stack, self.clock.now()),
        };
        Ok(Open { handle, stack, now })
    }

    pub(crate) fn stack(&mut self, half: Half) -> (&mut Stack, Time) {
        match half {
            Half::Internet => {
                let now = self.internet.now(&self.clock);
                (&mut self.internet.stack, now)
            }
            Half::Connections => (&mut self.connections.stack, self.clock.now()),
        }
    }

    /// Handles incoming packets and due timers.
    pub(crate) fn step(&mut self) {
        self.internet.step(&self.clock);
        let now = self.clock.now();
        let due = self.connections.stack.poll_timeout();
        if due.is_some_and(|due| due <= now) {
            self.connections.stack.handle_timeout(now);
        }
    }

    /// Sends packets and records changes after a call. `waiting`: the socket of a call that would
    /// block, which has not changed.
    pub(crate) fn settle(&mut self, waiting: Option<Number>) {
        loop {
            self.internet.send(&self.clock);
            self.connections.collect(self.clock.now());
            let mut news = false;
            while let Some((half, id)) = self.poll_changed() {
                news = true;
                self.on_change(half, id, waiting);
            }
            if !news {
                break;
            }
        }
        self.look_for_room();
        if let Some(worker) = &mut self.worker {
            let due = self.internet.due.map(|due| {
                let now = self.internet.now(&self.clock);
                due.since(now)
            });
            let now = self.clock.now();
            let other = self.connections.stack.poll_timeout();
            let other = other.map(|due| due.since(now));
            worker.hurry([due, other].into_iter().flatten().min());
        }
    }

    /// Time until the next step.
    pub(crate) fn rest(&self) -> Option<std::time::Duration> {
        let now = self.internet.now(&self.clock);
        let due = self.internet.due.map(|due| due.since(now));
        let now = self.clock.now();
        let other = self.connections.stack.poll_timeout();
        let other = other.map(|due| due.since(now));
        [due, other].into_iter().flatten().min()
    }

    fn poll_changed(&mut self) -> Option<(Half, SocketId)> {
        let internet = self.internet.stack.poll_changed();
        if let Some(id) = internet {
            return Some((Half::Internet, id));
        }
        let id = self.connections.stack.poll_changed()?;
        Some((Half::Connections, id))
    }

    fn on_change(&mut self, half: Half, id: SocketId, waiting: Option<Number>) {
        let known = self.handles.number(half, id);
        let Some(number) = known.or_else(|| self.take_in(half, id)) else {
            return;
        };
        let Some(handle) = self.handles.get_mut(number) else {
            return;
        };
        if waiting != Some(number) {
            handle.changes += 1;
            CHANGED.notify_all();
            if handle.upcall.is_some() && handle.upcall_due == Due::No {
                handle.upcall_due = Due::Yes;
                self.tasks.push_back(Task::Upcall(number));
            }
        }
        if handle.callbacks.receive.is_some() && handle.receive_due == Due::No {
            handle.receive_due = Due::Yes;
            self.tasks.push_back(Task::Receive(number));
        }
    }

    /// Creates a handle for a socket in an accept queue; callbacks are those of its listener.
    fn take_in(&mut self, half: Half, id: SocketId) -> Option<Number> {
        let (stack, _) = self.stack(half);
        let listener = stack.find(id).ok()?.waits_at()?;
        let room = stack.send_room(id);
        let listener = self.handles.number(half, listener)?;
        let first = self.handles.get(listener)?;
        first.callbacks.receive?;
        let mut handle = first.offspring(id);
        handle.waits_at = Some(listener);
        handle.room = room;
        Some(self.handles.insert(handle))
    }

    /// Finds sockets with more send room than before, if the program has a callback for it.
    fn look_for_room(&mut self) {
        let mut concerned: Vec<(Number, Half, SocketId)> = Vec::new();
        for (number, handle) in self.handles.iter_mut() {
            if handle.callbacks.send.is_some() {
                concerned.push((number, handle.half, handle.id));
            }
        }
        for (number, half, id) in concerned {
            let (stack, _) = self.stack(half);
            let room = stack.send_room(id);
            let Some(handle) = self.handles.get_mut(number) else {
                continue;
            };
            let more = room > handle.room;
            handle.room = room;
            let enough = room >= handle.callbacks.threshold as usize;
            if more && enough && handle.room_due == Due::No {
                handle.room_due = Due::Yes;
                self.tasks.push_back(Task::Room(number));
            }
        }
    }

    /// Schedules the first callback of a socket.
    pub(crate) fn announce(&mut self, number: Number) {
        if let Some(handle) = self.handles.get(number) {
            let (half, id) = (handle.half, handle.id);
            self.on_change(half, id, None);
        }
    }

    /// Starts carrying packets, if that was postponed until the first socket.
    pub(crate) fn carry_by(&mut self, way: Way) {
        if self.internet.carry_by(way, &defaults::options())
            && let Some(worker) = &mut self.worker
        {
            worker.watch(self.internet.descriptor());
        }
    }

    /// Whether no socket or association is left.
    pub(crate) fn is_idle(&self) -> bool {
        self.handles.is_empty() && self.internet.stack.is_idle() && self.connections.stack.is_idle()
    }
}
