//! The host: owns the sockets of all programs and answers their calls.

mod addresses;
mod batches;
mod calls;
mod exchange;
mod files;
mod jobs;
mod left;
mod listing;
mod lookout;
mod passing;
mod poller;
mod programs;
mod sockets;
mod transfers;

use std::collections::HashSet;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::time::{Duration, SystemTime};

use rustix::event::epoll::EventFlags;
use sheave::poll_loop::PollLoop;
use sheave_sockets::{Errno, How, Readiness, SocketId, Stack};

use crate::door::Heard;
use crate::join::{self, Comer, Meeting};
use crate::parked::Parked;
use crate::process::Reach;
use crate::report::Report;
use crate::socket::{Held, Mode, Showing};
use crate::sys::signals::{self, Origin, Signals};
use crate::trace::Verbosity;
use crate::{Ending, Time};
pub(crate) use addresses::Loopback;
use exchange::Exchange;
use left::Left;
use poller::{CALLS, Poller, Source};
pub(crate) use programs::Program;
use programs::Programs;
use sockets::Sockets;

/// Delay between a trapped `close` and the search for sockets without an owner.
const AFTER_CLOSE: Duration = Duration::from_millis(2);
/// Longest delay between two searches.
const SEARCH: Duration = Duration::from_secs(1);

/// The first process of this host's own program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Main {
    Running(u32),
    Ended(Ending),
}

/// The parts of a host.
pub(crate) struct Parts {
    pub(crate) carrier: PollLoop,
    pub(crate) stack: Stack,
    pub(crate) signals: Signals,
    pub(crate) meeting: Option<Meeting>,
    pub(crate) reach: Reach,
    pub(crate) verbosity: Verbosity,
    pub(crate) linger: Duration,
    pub(crate) terms: Terms,
    pub(crate) loopback: Loopback,
}

/// Properties of a host that a joining `sheave run` compares with its own.
#[derive(Debug)]
pub(crate) struct Terms {
    /// Fingerprint of the certificate, if packets are protected.
    pub(crate) fingerprint: Option<String>,
    /// Digest of the settings that sockets begin with.
    pub(crate) settings: String,
}

/// Warnings that the user was given.
#[derive(Debug, Default)]
struct Told {
    /// About io_uring.
    rings: bool,
    /// About a socket copied to a descriptor on which calls are not seen.
    copies: bool,
    /// About a limit of open files below the numbers of sockets.
    limits: bool,
}

/// Serves programs until all have ended.
pub(crate) struct Host {
    carrier: PollLoop,
    stack: Stack,
    poller: Poller,
    signals: Signals,
    meeting: Option<Meeting>,
    main: Main,
    programs: Programs,
    sockets: Sockets,
    /// Ended pass-through pairs with unsent messages.
    orphans: HashSet<u64>,
    /// Closed sockets on which calls still wait; the last of these calls closes the socket.
    outlived: HashSet<u64>,
    told: Told,
    parked: Parked,
    ports: HashSet<u16>,
    /// Time of the next search for sockets without an owner, if the kernel does not report closes.
    search: Option<Time>,
    linger: Duration,
    pub(crate) report: Report,
    room: Vec<u8>,
    left: Left,
    terms: Terms,
    loopback: Loopback,
    /// Kind of the calls since the last exchange of packets.
    exchanges: Exchange,
}

impl Host {
    pub(crate) fn new(parts: Parts, main: u32, program: Program) -> io::Result<Self> {
        let poller = Poller::new()?;
        let input = EventFlags::IN;
        poller.watch(&parts.carrier, Source::Carrier, input)?;
        poller.watch(&parts.signals, Source::Signals, input)?;
        if let Some(meeting) = &parts.meeting {
            poller.watch(meeting, Source::Meeting, input)?;
        }
        let mut programs = Programs::new(parts.verbosity);
        programs.add(&poller, program)?;
        Ok(Self {
            carrier: parts.carrier,
            stack: parts.stack,
            poller,
            signals: parts.signals,
            meeting: parts.meeting,
            main: Main::Running(main),
            programs,
            sockets: Sockets::new(parts.reach),
            orphans: HashSet::new(),
            outlived: HashSet::new(),
            told: Told::default(),
            parked: Parked::default(),
            ports: HashSet::new(),
            search: None,
            linger: parts.linger,
            report: Report {
                programs: 1,
                ..Report::default()
            },
            room: vec![0; passing::ROOM],
            left: Left::Nobody,
            terms: parts.terms,
            loopback: parts.loopback,
            exchanges: Exchange::Nothing,
        })
    }

    /// Serves until every program has ended and the remaining sockets are closed; returns how the
    /// main program ended.
    pub(crate) fn serve(&mut self) -> io::Result<Ending> {
        let mut done_by = None;
        loop {
            let deadline = self.settle();
            let now = self.carrier.now();
            if let Main::Ended(ending) = self.main
                && self.programs.running() == 0
            {
                let until = *done_by.get_or_insert(now + self.linger);
                if self.stack.is_idle() || until <= now {
                    self.report.carrier = self.carrier.stats();
                    return Ok(ending);
                }
            } else {
                done_by = None;
            }
            let waits = matches!(self.main, Main::Ended(_)) && self.programs.running() > 0;
            let look = self.left.tell(now, waits);
            let next = [deadline, self.parked.deadline(), self.search, done_by, look];
            let next = next.into_iter().flatten().min();
            let span = next.map(|next| next.since(now));
            let events = self.poller.wait(&mut self.programs, span)?;
            self.handle(&events, deadline);
        }
    }

    /// Handles events, packets first, so that calls see their effects.
    fn handle(&mut self, events: &[(Source, EventFlags)], deadline: Option<Time>) {
        let now = self.carrier.now();
        let since_epoch = SystemTime::UNIX_EPOCH.elapsed();
        // Reads the wall clock each time, because it may be set.
        self.stack
            .set_wall_clock(now, since_epoch.unwrap_or_default());
        let packets = events.iter().any(|(source, _)| *source == Source::Carrier);
        if packets || deadline.is_some_and(|deadline| deadline <= now) {
            self.carrier.step(&mut self.stack);
        }
        for (source, flags) in events {
            match *source {
                Source::Carrier => {}
                Source::Signals => self.on_signals(),
                Source::Meeting => self.on_meeting(),
                Source::Door(index) => self.on_door(index, *flags),
                Source::Link(index) => self.programs.unlink(&self.poller, index),
                Source::Socket(inode) => self.on_pair(inode, *flags),
            }
        }
        self.overhear();
        while let Some(caller) = self.parked.expired(now) {
            self.expire(caller);
        }
        while let Some(caller) = self.parked.next_look(now) {
            self.interrupt(caller);
        }
        if self.search.is_some_and(|search| search <= now) {
            self.search_ownerless(now);
        }
    }

    /// Updates readiness, resumes calls and sends packets; returns when the next packet or timer is
    /// due.
    fn settle(&mut self) -> Option<Time> {
        self.exchanges = Exchange::Nothing;
        loop {
            while let Some(id) = self.stack.poll_changed() {
                self.on_change(id);
            }
            for inode in std::mem::take(&mut self.outlived) {
                self.release(inode);
            }
            let deadline = self.carrier.send(&mut self.stack);
            match self.stack.poll_changed() {
                Some(id) => self.on_change(id),
                None => return deadline,
            }
        }
    }

    fn on_change(&mut self, id: SocketId) {
        for caller in self.parked.on(id) {
            if let Some((_, job)) = self.parked.remove(caller) {
                self.resume(job);
            }
        }
        self.refresh(id, None);
    }

    /// Shows the program the readiness of its socket.
    fn refresh(&mut self, id: SocketId, theirs: Option<BorrowedFd<'_>>) -> Showing {
        let Some(inode) = self.sockets.inode_of(id) else {
            return Showing::Whole;
        };
        let Some(held) = self.sockets.get_mut(inode) else {
            return Showing::Whole;
        };
        match held.mode {
            Mode::Readiness => {
                let before = held.has_hung_up();
                let shown = held.show(&self.stack.readiness(id), theirs);
                if held.has_hung_up() && !before {
                    // Waits for the release of a pair that already hangs up, edge-triggered.
                    let release = EventFlags::OUT | EventFlags::ET;
                    self.poller.change(inode, &held.end, release);
                }
                shown
            }
            Mode::PassThrough => {
                self.shovel(inode);
                Showing::Whole
            }
        }
    }

    fn on_door(&mut self, index: usize, flags: EventFlags) {
        if flags.contains(EventFlags::IN) {
            for _ in 0..CALLS {
                let Some(program) = self.programs.get_mut(index) else {
                    return;
                };
                match program.door.hear() {
                    Ok(Heard::Call(call)) => self.on_call(index, call),
                    Ok(Heard::Withdrawn(caller)) => self.withdraw(caller),
                    Ok(Heard::Left(caller)) => drop(self.parked.remove(caller)),
                    Ok(Heard::Nothing) => break,
                    Ok(Heard::Over) => return self.end_program(index),
                    Err(_) => return,
                }
                if !self.programs.has_call(index) {
                    break;
                }
            }
        } else if flags.intersects(EventFlags::HUP | EventFlags::ERR) {
            self.end_program(index);
        }
    }

    /// Receives calls made without waking the host.
    fn overhear(&mut self) {
        for index in 0..self.programs.len() {
            for _ in 0..CALLS {
                let program = self.programs.get_mut(index);
                match program.and_then(|program| program.door.overhear()) {
                    Some(call) => self.on_call(index, call),
                    None => break,
                }
            }
        }
    }

    /// Handles the end of a program's last process.
    fn end_program(&mut self, index: usize) {
        self.parked.drop_program(index);
        self.programs.end(&self.poller, index);
        self.drop_links();
        self.sockets.processes.forget_ended();
        self.search_now();
    }

    /// Closes connections to `sheave run` instances whose sockets are all closed.
    fn drop_links(&mut self) {
        let sockets = &self.sockets;
        self.programs.drop_links(|index| sockets.has_of(index));
    }

    /// Schedules a search for sockets without an owner, if the kernel does not report closes.
    fn search_now(&mut self) {
        if self.sockets.are_searched() {
            self.search = Some(self.carrier.now());
        }
    }

    fn on_meeting(&mut self) {
        let Some(meeting) = &self.meeting else {
            return;
        };
        match join::admit(meeting) {
            Ok(Some(Comer::Program(door, base, link))) => {
                let program = Program {
                    door,
                    base,
                    link: Some(link),
                };
                // A program without an event source could never be answered.
                if self.programs.add(&self.poller, program).is_ok() {
                    self.report.programs += 1;
                }
            }
            Ok(Some(Comer::Asker(asker))) => self.tell_state(&asker),
            Ok(None) | Err(_) => {}
        }
    }

    fn on_signals(&mut self) {
        while let Some(signal) = self.signals.take() {
            match (signal.number, self.main) {
                (libc::SIGCHLD, _) => self.reap(),
                (libc::SIGTERM | libc::SIGHUP | libc::SIGINT | libc::SIGQUIT, Main::Ended(_)) => {
                    // The user does not want to wait for open associations.
                    self.linger = Duration::ZERO;
                    self.programs.drop_all();
                }
                // The terminal has sent the signal to the program as well.
                (libc::SIGINT | libc::SIGQUIT, _) if signal.origin == Origin::Kernel => {}
                (number, Main::Running(process)) => {
                    let _ = signals::send(process, process, number);
                }
                _ => {}
            }
        }
    }

    /// Reaps every exited child, including orphans of the program.
    fn reap(&mut self) {
        use rustix::process::{WaitOptions, wait};
        while let Ok(Some((child, status))) = wait(WaitOptions::NOHANG) {
            let child = child.as_raw_nonzero().get().unsigned_abs();
            if self.main == Main::Running(child) {
                self.main =
                    Main::Ended(match (status.exit_status(), status.terminating_signal()) {
                        (_, Some(signal)) => Ending::Signal(signal),
                        (code, None) => Ending::Code(code.unwrap_or(0)),
                    });
            }
            self.search_now();
        }
    }
}

impl Host {
    /// Registers a socket whose end was given to the program.
    fn hold(&mut self, mut held: Held, theirs: OwnedFd) -> io::Result<()> {
        let inode = rustix::fs::fstat(&theirs)?.st_ino;
        let source = Source::Socket(inode);
        self.poller.watch(&held.end, source, EventFlags::RDHUP)?;
        if self.sockets.are_searched() {
            held.kept = Some(theirs);
            let now = self.carrier.now();
            self.search.get_or_insert(now + SEARCH);
        }
        self.sockets.insert(inode, held);
        self.report.sockets += 1;
        Ok(())
    }

    /// Handles the close of the last copy of a program's end: closes the socket, unless other
    /// threads' calls still wait for it.
    fn release(&mut self, inode: u64) {
        let Some(id) = self.sockets.get(inode).map(|held| held.id) else {
            return;
        };
        self.sockets.processes.forget_numbers();
        for caller in self.parked.on(id) {
            let job = self.parked.of(caller);
            if !job.is_some_and(|job| self.programs.is_waiting(job)) {
                self.parked.remove(caller);
            }
        }
        if self.parked.has(id) {
            if matches!(self.stack.pending(id), Ok(_) | Err(Errno::EAGAIN)) {
                // Wakes threads in `accept`: the listener has no descriptor left.
                let _ = self.stack.shutdown(self.carrier.now(), id, How::Read);
            }
            // Stops polling, since the hang-up would be reported again and again.
            if let Some(held) = self.sockets.get(inode) {
                self.poller.forget(&held.end);
            }
            self.outlived.insert(inode);
            return;
        }
        self.sockets.remove(inode);
        self.stack.close(self.carrier.now(), id);
        self.drop_links();
    }

    /// Handles sockets closed before the current call and returns whether there were any; the
    /// kernel reports calls and closes in no order.
    fn sweep(&mut self) -> bool {
        let before = self.sockets.len();
        if self.sockets.are_searched() {
            self.search_ownerless(self.carrier.now());
        } else {
            for inode in self.sockets.released() {
                self.on_pair(inode, EventFlags::HUP);
            }
        }
        self.sockets.len() < before
    }

    /// Searches for sockets without an owner, if the kernel does not report closes.
    fn search_ownerless(&mut self, now: Time) {
        // A descriptor in transit belongs to no process, so check this before searching processes.
        let on_way = self.programs.gifts_on_their_way();
        for inode in self.sockets.ownerless(&on_way) {
            self.hang_up(inode);
        }
        self.search = (self.sockets.len() > 0).then(|| now + SEARCH);
    }

    /// Accepts packets for the socket's port.
    fn open_port(&mut self, id: SocketId) {
        let port = (self.stack.find(id)).map_or(0, |socket| socket.local_name().port());
        if port != 0 && self.ports.insert(port) {
            self.carrier.open_port(port);
        }
    }
}

/// Whether at most one message or association is left.
fn has_one_at_most(readiness: &Readiness) -> bool {
    readiness.readable <= 1
}
