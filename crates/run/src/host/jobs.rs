//! Handles calls from arrival to answer.

use super::Host;
use super::exchange::Exchange;
use super::programs::ERESTARTSYS;
use crate::door::{Caller, Trapped};
use crate::parked::{self, Job, Stage};
use crate::sys::memory::Memory;
use crate::trapped::{Failure, Outcome, Wait};

impl Host {
    /// Handles a new call.
    pub(super) fn on_call(&mut self, program: usize, call: Trapped) {
        self.report.calls += 1;
        self.catch_up(Exchange::of(call.number));
        let process = match call.process {
            Some(process) => self.sockets.processes.know(process),
            None => self.sockets.processes.of_thread(call.thread),
        };
        let Some(process) = process else {
            self.programs.go_on(program, call.id);
            return;
        };
        let stage = self.parked.stage_of(&call);
        let loan = self
            .programs
            .door(program)
            .ok()
            .and_then(|door| door.loan(call.id));
        self.work(Job {
            program,
            process,
            memory: Memory::new(process, loan),
            call,
            sends: None,
            done: 0,
            assoc: 0,
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
        if self.programs.is_waiting(&job) {
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
            self.programs.answer(&job, Err(failure));
        }
    }

    /// Interrupts a blocked call if its thread has a pending signal. Depending on the signal's
    /// handler, the kernel then repeats the call or returns EINTR.
    pub(super) fn interrupt(&mut self, caller: Caller) {
        let is_interrupted = self.parked.of(caller).is_some_and(|job| {
            let program = self.programs.get(job.program);
            program.is_some_and(|program| program.door.is_interrupted(job.call.thread))
        });
        if is_interrupted && let Some(job) = self.parked.interrupt(caller) {
            self.programs.answer(&job, Err(Failure(ERESTARTSYS)));
        }
    }

    /// Ends the blocked call of a caller that withdrew it.
    pub(super) fn withdraw(&mut self, caller: Caller) {
        if let Some(job) = self.parked.interrupt(caller) {
            self.programs.answer(&job, Err(Failure(libc::EINTR)));
        }
    }

    pub(super) fn work(&mut self, mut job: Job) {
        match self.perform(&mut job) {
            Ok(Outcome::Returns(value)) => self.programs.answer(&job, Ok(value)),
            Ok(Outcome::GoesOn) => self.programs.go_on(job.program, job.call.id),
            Ok(Outcome::Answered(value)) => self.programs.trace(&job, Ok(value)),
            Ok(Outcome::Gone | Outcome::Waits(_)) => {}
            Err(failure) => self.programs.answer(&job, Err(failure)),
        }
    }
}
