//! The programs that a host serves, and the answers to their calls.

use std::io;
use std::os::fd::OwnedFd;

use rustix::event::epoll::EventFlags;
use rustix::event::{PollFd, PollFlags, poll};

use super::poller::{Poller, Source};
use crate::door::{Arrival, Door};
use crate::filter::Base;
use crate::parked::{Job, Sends};
use crate::process;
use crate::sys::AT_ONCE;
use crate::sys::signals;
use crate::trace::{self, Verbosity};
use crate::trapped::Failure;

/// The kernel's internal code for an interrupted call (`linux/errno.h`).
pub(super) const ERESTARTSYS: i32 = 512;

/// A program and all its descendants.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) door: Box<dyn Door>,
    /// The smallest trapped descriptor number.
    pub(crate) base: Base,
    /// Connection to the other `sheave run` that started the program and waits for its sockets to
    /// close.
    pub(crate) link: Option<OwnedFd>,
}

/// Programs by the order in which they came.
#[derive(Debug)]
pub(super) struct Programs {
    all: Vec<Option<Program>>,
    /// Connections to `sheave run` instances whose program has ended but still has open sockets.
    links: Vec<(usize, OwnedFd)>,
    verbosity: Verbosity,
}

impl Programs {
    pub(super) const fn new(verbosity: Verbosity) -> Self {
        Self {
            all: Vec::new(),
            links: Vec::new(),
            verbosity,
        }
    }

    /// Adds a program to serve.
    pub(super) fn add(&mut self, poller: &Poller, program: Program) -> io::Result<()> {
        let index = self.all.len();
        poller.watch(&program.door, Source::Door(index), EventFlags::IN)?;
        if let Some(link) = &program.link {
            poller.watch(link, Source::Link(index), EventFlags::RDHUP)?;
        }
        self.all.push(Some(program));
        Ok(())
    }

    pub(super) const fn len(&self) -> usize {
        self.all.len()
    }

    /// Programs that have not ended.
    pub(super) fn running(&self) -> usize {
        self.all.iter().flatten().count()
    }

    pub(super) fn get(&self, index: usize) -> Option<&Program> {
        self.all.get(index)?.as_ref()
    }

    pub(super) fn get_mut(&mut self, index: usize) -> Option<&mut Program> {
        self.all.get_mut(index)?.as_mut()
    }

    /// Stops serving all programs.
    pub(super) fn drop_all(&mut self) {
        self.all.iter_mut().for_each(|program| *program = None);
    }

    /// Handles the end of a program's last process; its link stays while it has sockets.
    pub(super) fn end(&mut self, poller: &Poller, index: usize) {
        if let Some(program) = self.all.get_mut(index).and_then(Option::take) {
            poller.forget(&program.door);
            self.links.extend(program.link.map(|link| (index, link)));
        }
    }

    /// Closes connections to `sheave run` instances whose sockets are all closed.
    pub(super) fn drop_links(&mut self, has_sockets: impl Fn(usize) -> bool) {
        self.links.retain(|(index, _)| has_sockets(*index));
    }

    /// Handles a `sheave run` that ended before its program.
    pub(super) fn unlink(&mut self, poller: &Poller, index: usize) {
        if let Some(link) = self.get_mut(index).and_then(|own| own.link.take()) {
            poller.forget(&link);
        }
    }

    /// The door of a program whose call is being handled.
    pub(super) fn door(&mut self, program: usize) -> Result<&mut dyn Door, Failure> {
        let program = self.get_mut(program).ok_or(Failure(libc::ENOSYS))?;
        Ok(&mut *program.door)
    }

    pub(super) fn doors(&self) -> impl Iterator<Item = &dyn Door> {
        self.all.iter().flatten().map(|program| &*program.door)
    }

    pub(super) fn base(&self, program: usize) -> Base {
        self.get(program)
            .map_or(Base(u32::MAX), |program| program.base)
    }

    /// Whether the caller still waits for its answer.
    pub(super) fn is_waiting(&self, job: &Job) -> bool {
        let program = self.get(job.program);
        program.is_some_and(|program| program.door.is_waiting(job.call.id))
    }

    /// Whether a descriptor may be in transit, and so belong to no process, by program.
    pub(super) fn gifts_on_their_way(&self) -> Vec<bool> {
        let on_way = |program: &Option<Program>| {
            let door = program.as_ref().map(|program| &program.door);
            door.is_some_and(|door| door.has_gifts_on_their_way())
        };
        self.all.iter().map(on_way).collect()
    }

    /// Whether the program has another call to receive.
    pub(super) fn has_call(&self, index: usize) -> bool {
        let Some(program) = self.get(index) else {
            return false;
        };
        let mut polled = [PollFd::new(&program.door, PollFlags::IN)];
        let _ = poll(&mut polled, Some(&AT_ONCE));
        polled[0].revents().contains(PollFlags::IN)
    }

    /// Lets the programs' calls wake the host.
    pub(super) fn rest(&mut self) {
        for program in self.all.iter_mut().flatten() {
            program.door.rest();
        }
    }

    pub(super) fn answer(&mut self, job: &Job, returned: Result<i64, Failure>) {
        let failed = returned.err();
        let returned = match returned {
            // A call with a partial effect succeeds.
            Err(_) if job.done > 0 => Ok(job.done.into()),
            returned => returned.map_err(|failure| failure.0),
        };
        let Some(program) = self.get_mut(job.program) else {
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
        if let Some(program) = self.get_mut(program) {
            let _ = program.door.go_on(id);
        }
    }

    pub(super) fn trace(&self, job: &Job, returned: Result<Option<i64>, i32>) {
        if self.verbosity == Verbosity::Calls && returned != Err(ERESTARTSYS) {
            eprintln!("{}", trace::line(job.process, &job.call, returned));
        }
    }
}
