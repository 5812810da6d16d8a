//! Handles calls from arrival to answer.

use super::Host;
use super::exchange::Exchange;
use crate::door::{Arrival, Caller, Door, Trapped};
use crate::filter::Base;
use crate::parked::{self, Job, Sends, Stage};
use crate::process;
use crate::sys::memory::Memory;
use crate::sys::signals;
use crate::trace::{self, Verbosity};
use crate::trapped::{Failure, Outcome, Wait};

/// The kernel's internal code for an interrupted call (`linux/errno.h`).
const ERESTARTSYS: i32 = 512;

impl Host {
    /// Handles a new call.
    pub(super) fn on_call(&mut self, program: usize, call: Trapped) {
        self.report.calls += 1;
        self.catch_up(Exchange::of(call.number));
        let process = match call.process {
            Some(process) => self.processes.know(process),
            None => self.processes.of_thread(call.thread),
        };
        let Some(process) = process else {
            self.go_on(program, call.id);
            return;
        };
        let stage = self.parked.stage_of(&call);
        let loan = self.door(program).ok().and_then(|door| door.loan(call.id));
        self.work(Job {
            program,
            process,
            memory: Memory::new(process, loan),
            call,
            sends: None,
            done: 0,
            closes: None,
            stage,
            on: None,
            until: None,
            pause: parked::FIRST_PAUSE,
            look: self.carrier.now(),
        });
    }

    /// Retries a blocked call.
    pub(super) fn resume(&mut self, job: Job) {
        let Some(Some(program)) = self.programs.get(job.program) else {
            return;
        };
        if program.door.is_waiting(job.call.id) {
            self.work(Job {
                stage: Stage::Resumed,
                ..job
            });
        }
    }

    /// Ends a call whose timeout has expired.
    pub(super) fn expire(&mut self, caller: Caller) {
        if let Some((wait, job)) = self.parked.remove(caller) {
            let failure = match wait {
                Wait::Connected => Failure(libc::EINPROGRESS),
                Wait::Readable | Wait::Writable => Failure::AGAIN,
            };
            self.answer(&job, Err(failure));
        }
    }

    /// Interrupts a blocked call if its thread has a pending signal. Depending on the signal's
    /// handler, the kernel then repeats the call or returns EINTR.
    pub(super) fn interrupt(&mut self, caller: Caller) {
        let is_interrupted = self.parked.of(caller).is_some_and(|job| {
            let program = self.programs.get(job.program).and_then(Option::as_ref);
            program.is_some_and(|program| program.door.is_interrupted(job.call.thread))
        });
        if is_interrupted && let Some(job) = self.parked.interrupt(caller) {
            self.answer(&job, Err(Failure(ERESTARTSYS)));
        }
    }

    /// Ends the blocked call of a caller that withdrew it.
    pub(super) fn withdraw(&mut self, caller: Caller) {
        if let Some(job) = self.parked.interrupt(caller) {
            self.answer(&job, Err(Failure(libc::EINTR)));
        }
    }

    pub(super) fn work(&mut self, mut job: Job) {
        match self.perform(&mut job) {
            Ok(Outcome::Returns(value)) => self.answer(&job, Ok(value)),
            Ok(Outcome::GoesOn) => self.go_on(job.program, job.call.id),
            Ok(Outcome::Answered(value)) => self.trace(&job, Ok(value)),
            Ok(Outcome::Gone | Outcome::Waits(_)) => {}
            Err(failure) => self.answer(&job, Err(failure)),
        }
    }

    pub(super) fn answer(&mut self, job: &Job, returned: Result<i64, Failure>) {
        let failed = returned.err();
        let returned = match returned {
            // A call with a partial effect succeeds.
            Err(_) if job.done > 0 => Ok(job.done.into()),
            returned => returned.map_err(|failure| failure.0),
        };
        let Some(Some(program)) = self.programs.get_mut(job.program) else {
            return;
        };
        let is_loud = |sends: &Sends| sends.flags & libc::MSG_NOSIGNAL == 0;
        let is_broken = failed == Some(Failure(libc::EPIPE));
        let breaks = is_broken && job.sends.as_ref().is_some_and(is_loud);
        // Like in a kernel, SIGPIPE precedes the call's return, since programs may ignore it for
        // one call only. If its handler could end the call early, the answer goes first.
        let (process, thread) = (job.process, job.call.thread);
        let is_first = breaks
            && (program.door.arrival() == Arrival::Certain
                || !process::would_handle(thread, libc::SIGPIPE));
        if is_first && program.door.is_waiting(job.call.id) {
            let _ = signals::send(process, thread, libc::SIGPIPE);
        }
        let answered = program.door.answer(job.call.id, returned);
        if breaks && !is_first && answered.is_ok() {
            let _ = signals::send(process, thread, libc::SIGPIPE);
        }
        self.trace(job, returned.map(Some));
    }

    pub(super) fn go_on(&mut self, program: usize, id: u64) {
        if let Some(Some(program)) = self.programs.get_mut(program) {
            let _ = program.door.go_on(id);
        }
    }

    pub(super) fn trace(&self, job: &Job, returned: Result<Option<i64>, i32>) {
        if self.verbosity == Verbosity::Calls && returned != Err(ERESTARTSYS) {
            eprintln!("{}", trace::line(job.process, &job.call, returned));
        }
    }

    /// The door of a program whose call is being handled.
    pub(super) fn door(&mut self, program: usize) -> Result<&mut dyn Door, Failure> {
        let program = self.programs.get_mut(program).and_then(Option::as_mut);
        let program = program.ok_or(Failure(libc::ENOSYS))?;
        Ok(&mut *program.door)
    }

    pub(super) fn base(&self, program: usize) -> Base {
        let program = self.programs.get(program).and_then(Option::as_ref);
        program.map_or(Base(u32::MAX), |program| program.base)
    }
}
