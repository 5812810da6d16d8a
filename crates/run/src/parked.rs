//! Calls that wait.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use sheave_sockets::{SendCall, SocketId};

use crate::Time;
use crate::door::{Caller, Trapped};
use crate::sys::memory::{Fault, Memory};
use crate::trapped::Wait;

/// The first look for a signal that would interrupt a waiting call comes after this time.
pub(crate) const FIRST_PAUSE: Duration = Duration::from_millis(1);
/// The longest time between two such looks.
const LONGEST_PAUSE: Duration = Duration::from_millis(100);

/// A call that the host works on.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    /// The program that made it.
    pub(crate) program: usize,
    pub(crate) process: u32,
    pub(crate) memory: Memory,
    pub(crate) call: Trapped,
    /// The message that it sends, once that was read.
    pub(crate) sends: Option<Sends>,
    /// Messages that a call for several has sent or received.
    pub(crate) done: u32,
    /// The time after which such a call receives no further message.
    pub(crate) closes: Option<Time>,
    /// The progress of the call.
    pub(crate) stage: Stage,
    /// The socket that it waits for, by its inode: its descriptor may be closed, and its number another
    /// one's, before the wait ends.
    pub(crate) on: Option<u64>,
    /// The time at which it stops waiting, once it waits.
    pub(crate) until: Option<Time>,
    /// The time until the next look for a signal, once it waits.
    pub(crate) pause: Duration,
    /// When that is.
    pub(crate) look: Time,
}

/// A message to send, copied from the program's memory.
#[derive(Clone, Debug)]
pub(crate) struct Sends {
    pub(crate) destination: Option<SocketAddr>,
    pub(crate) control: Vec<u8>,
    pub(crate) payload: Bytes,
    /// Whether the bytes could be copied.
    pub(crate) copied: Result<(), Fault>,
    pub(crate) flags: i32,
}

impl Sends {
    /// The call that it is to the socket.
    pub(crate) fn call(&self) -> SendCall<'_> {
        SendCall {
            destination: self.destination,
            control: &self.control,
            flags: self.flags,
            payload: self.payload.clone(),
        }
    }
}

/// The progress of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// The call was just made.
    Fresh,
    /// The call has waited, or was made again by a thread whose same call was interrupted.
    Resumed,
}

/// The calls that wait, by their caller: each has one at most.
#[derive(Debug, Default)]
pub(crate) struct Parked {
    jobs: HashMap<Caller, (SocketId, Wait, Job)>,
    by_socket: BTreeMap<SocketId, BTreeSet<Caller>>,
    deadlines: BTreeSet<(Time, Caller)>,
    /// When signals are looked for.
    looks: BTreeSet<(Time, Caller)>,
    /// Calls that waited for a connection when a signal interrupted them: their threads make them again.
    interrupted: HashMap<Caller, Job>,
}

impl Parked {
    pub(crate) fn add(&mut self, now: Time, socket: SocketId, wait: Wait, mut job: Job) {
        let caller = job.call.caller;
        self.remove(caller);
        job.look = now + job.pause;
        self.looks.insert((job.look, caller));
        if let Some(until) = job.until {
            self.deadlines.insert((until, caller));
        }
        self.by_socket.entry(socket).or_default().insert(caller);
        self.jobs.insert(caller, (socket, wait, job));
    }

    /// The stage of a call that arrives. A caller has one call at a time: an earlier one was interrupted,
    /// and the same call goes on with what that has begun.
    pub(crate) fn stage_of(&mut self, call: &Trapped) -> Stage {
        let waited = self.remove(call.caller);
        let connected = waited.filter(|(wait, _)| *wait == Wait::Connected);
        let noted = self.interrupted.remove(&call.caller);
        let earlier = connected.map(|(_, job)| job).or(noted);
        match earlier {
            Some(job) if job.call.number == call.number && job.call.args == call.args => {
                Stage::Resumed
            }
            _ => Stage::Fresh,
        }
    }

    /// Takes the call of that caller out, which a signal has interrupted.
    pub(crate) fn interrupt(&mut self, caller: Caller) -> Option<Job> {
        let (wait, job) = self.remove(caller)?;
        if wait == Wait::Connected {
            self.interrupted.insert(caller, job.clone());
        }
        Some(job)
    }

    /// Takes the call of that caller out.
    pub(crate) fn remove(&mut self, caller: Caller) -> Option<(Wait, Job)> {
        let (socket, wait, job) = self.jobs.remove(&caller)?;
        self.looks.remove(&(job.look, caller));
        if let Some(until) = job.until {
            self.deadlines.remove(&(until, caller));
        }
        if let Some(callers) = self.by_socket.get_mut(&socket) {
            callers.remove(&caller);
            if callers.is_empty() {
                self.by_socket.remove(&socket);
            }
        }
        Some((wait, job))
    }

    /// The callers that wait for something of that socket.
    pub(crate) fn on(&self, socket: SocketId) -> Vec<Caller> {
        let callers = self.by_socket.get(&socket);
        callers.map_or_else(Vec::new, |callers| callers.iter().copied().collect())
    }

    /// Whether some call waits for something of that socket.
    pub(crate) fn has(&self, socket: SocketId) -> bool {
        self.by_socket.contains_key(&socket)
    }

    /// When the first call stops waiting, or is to be looked after.
    pub(crate) fn deadline(&self) -> Option<Time> {
        let first = |times: &BTreeSet<(Time, Caller)>| times.first().map(|(time, _)| *time);
        let times = [first(&self.deadlines), first(&self.looks)];
        times.into_iter().flatten().min()
    }

    /// A caller for which a signal is to be looked for at `now`; the next look is later.
    pub(crate) fn next_look(&mut self, now: Time) -> Option<Caller> {
        let &(look, caller) = self.looks.first()?;
        if look > now {
            return None;
        }
        self.looks.remove(&(look, caller));
        if let Some((_, _, job)) = self.jobs.get_mut(&caller) {
            job.pause = job.pause.saturating_mul(2).min(LONGEST_PAUSE);
            job.look = now + job.pause;
            self.looks.insert((job.look, caller));
        }
        Some(caller)
    }

    /// A caller whose call stops waiting at `now`.
    pub(crate) fn expired(&self, now: Time) -> Option<Caller> {
        let (until, caller) = self.deadlines.first()?;
        (*until <= now).then_some(*caller)
    }

    /// The call that this caller waits for.
    pub(crate) fn of(&self, caller: Caller) -> Option<&Job> {
        self.jobs.get(&caller).map(|(_, _, job)| job)
    }

    /// All of them, for the end of their program.
    pub(crate) fn drop_program(&mut self, program: usize) {
        let of_program = |(_, _, job): &&(SocketId, Wait, Job)| job.program == program;
        let jobs = self.jobs.values().filter(of_program);
        let callers: Vec<Caller> = jobs.map(|(_, _, job)| job.call.caller).collect();
        for caller in callers {
            self.remove(caller);
        }
        self.interrupted.retain(|_, job| job.program != program);
    }
}
