//! Blocked calls.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use sheave_sockets::{SendCall, SocketId};

use crate::Time;
use crate::door::{Caller, Trapped};
use crate::sys::memory::{Fault, Memory};
use crate::trapped::Wait;

/// Delay before the first check for a signal that interrupts a blocked call.
pub(crate) const FIRST_PAUSE: Duration = Duration::from_millis(1);
/// Longest delay between two checks.
const LONGEST_PAUSE: Duration = Duration::from_millis(100);

/// A call that the host is handling.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    /// The program that made the call.
    pub(crate) program: usize,
    pub(crate) process: u32,
    pub(crate) memory: Memory,
    pub(crate) call: Trapped,
    /// The message to send, once copied.
    pub(crate) sends: Option<Sends>,
    /// Messages sent or received so far by `sendmmsg` or `recvmmsg`.
    pub(crate) done: u32,
    /// The association that a connecting call has begun, or 0.
    pub(crate) assoc: i32,
    /// Time after which `recvmmsg` receives no further message.
    pub(crate) closes: Option<Time>,
    /// The progress of the call.
    pub(crate) stage: Stage,
    /// Inode of the socket that the call waits for. During the wait its descriptor may be closed
    /// and the number reused.
    pub(crate) on: Option<u64>,
    /// Deadline of the wait, if it has begun.
    pub(crate) until: Option<Time>,
    /// Delay until the next check for a signal.
    pub(crate) pause: Duration,
    /// Time of that check.
    pub(crate) look: Time,
}

/// A message to send, copied from program memory.
#[derive(Clone, Debug)]
pub(crate) struct Sends {
    pub(crate) destination: Option<SocketAddr>,
    pub(crate) control: Vec<u8>,
    pub(crate) payload: Bytes,
    /// Whether the copy succeeded.
    pub(crate) copied: Result<(), Fault>,
    pub(crate) flags: i32,
}

impl Sends {
    /// The arguments for the socket API.
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
    /// The call was blocked, or was repeated by a thread after an interruption.
    Resumed,
}

/// Blocked calls by caller, at most one each.
#[derive(Debug, Default)]
pub(crate) struct Parked {
    jobs: HashMap<Caller, (SocketId, Wait, Job)>,
    by_socket: BTreeMap<SocketId, BTreeSet<Caller>>,
    deadlines: BTreeSet<(Time, Caller)>,
    /// Times of the checks for signals.
    looks: BTreeSet<(Time, Caller)>,
    /// Interrupted `connect` calls, which their threads will repeat.
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

    /// The stage of a new call. A repeated call continues the attempt that its interrupted
    /// predecessor started.
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

    /// Removes the blocked call of a caller that a signal interrupted.
    pub(crate) fn interrupt(&mut self, caller: Caller) -> Option<Job> {
        let (wait, job) = self.remove(caller)?;
        if wait == Wait::Connected {
            self.interrupted.insert(caller, job.clone());
        }
        Some(job)
    }

    /// Removes the blocked call of a caller.
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

    /// Callers that wait for this socket.
    pub(crate) fn on(&self, socket: SocketId) -> Vec<Caller> {
        let callers = self.by_socket.get(&socket);
        callers.map_or_else(Vec::new, |callers| callers.iter().copied().collect())
    }

    /// Whether any call waits for this socket.
    pub(crate) fn has(&self, socket: SocketId) -> bool {
        self.by_socket.contains_key(&socket)
    }

    /// Time of the first deadline or signal check.
    pub(crate) fn deadline(&self) -> Option<Time> {
        let first = |times: &BTreeSet<(Time, Caller)>| times.first().map(|(time, _)| *time);
        let times = [first(&self.deadlines), first(&self.looks)];
        times.into_iter().flatten().min()
    }

    /// A caller due for a signal check at `now`; schedules the next check.
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

    /// A caller whose deadline has passed.
    pub(crate) fn expired(&self, now: Time) -> Option<Caller> {
        let (until, caller) = self.deadlines.first()?;
        (*until <= now).then_some(*caller)
    }

    /// The blocked call of a caller.
    pub(crate) fn of(&self, caller: Caller) -> Option<&Job> {
        self.jobs.get(&caller).map(|(_, _, job)| job)
    }

    /// Removes the calls of a program that has ended.
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
