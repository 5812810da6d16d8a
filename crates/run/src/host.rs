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
mod transfers;
mod watch;

use std::collections::{HashMap, HashSet};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant, SystemTime};

use rustix::event::{Timespec, epoll};
use sheave::poll_loop::PollLoop;
use sheave_sockets::{Errno, How, Readiness, SocketId, Stack};

use crate::door::{Caller, Door, Heard};
use crate::filter::Base;
use crate::join::{self, Comer, Meeting};
use crate::parked::Parked;
use crate::process::{self, Processes, Reach};
use crate::report::Report;
use crate::socket::{Held, Mode, Showing};
use crate::sys::AT_ONCE;
use crate::sys::signals::{self, Origin, Signals};
use crate::trace::Verbosity;
use crate::{Ending, Time};
pub(crate) use addresses::Loopback;
use exchange::Exchange;
use left::Left;
use lookout::Lookout;

/// Most events per wait.
const EVENTS: usize = 64;
/// Most trapped calls of a program between two checks for packets.
const CALLS: usize = 8;
/// Delay between a trapped `close` and the search for sockets without an owner.
const AFTER_CLOSE: Duration = Duration::from_millis(2);
/// Longest delay between two searches.
const SEARCH: Duration = Duration::from_secs(1);

/// A source of events, encoded in epoll data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Carrier,
    Signals,
    Meeting,
    Door(usize),
    Link(usize),
    Socket(u64),
}

const KIND: u32 = 56;

impl Source {
    fn token(self) -> u64 {
        let wide = |index: usize| u64::try_from(index).unwrap_or(0);
        match self {
            Self::Carrier => 0,
            Self::Signals => 1 << KIND,
            Self::Meeting => 2 << KIND,
            Self::Door(index) => (3 << KIND) | wide(index),
            Self::Link(index) => (4 << KIND) | wide(index),
            Self::Socket(inode) => (5 << KIND) | inode,
        }
    }

    fn of(token: u64) -> Self {
        let number = token & ((1 << KIND) - 1);
        let index = usize::try_from(number).unwrap_or(usize::MAX);
        match token >> KIND {
            0 => Self::Carrier,
            1 => Self::Signals,
            2 => Self::Meeting,
            3 => Self::Door(index),
            4 => Self::Link(index),
            _ => Self::Socket(number),
        }
    }
}

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
    /// Fingerprint of the certificate, if packets are protected.
    pub(crate) fingerprint: Option<String>,
    pub(crate) loopback: Loopback,
}

/// Serves programs until all have ended.
pub(crate) struct Host {
    carrier: PollLoop,
    stack: Stack,
    epoll: OwnedFd,
    signals: Signals,
    meeting: Option<Meeting>,
    main: Main,
    programs: Vec<Option<Program>>,
    /// Connections to `sheave run` instances whose program has ended but still has open sockets.
    links: Vec<(usize, OwnedFd)>,
    processes: Processes,
    /// Sockets by inode of the program's end.
    held: HashMap<u64, Held>,
    inodes: HashMap<SocketId, u64>,
    /// Ended pass-through pairs with unsent messages.
    orphans: HashSet<u64>,
    /// Closed sockets on which calls still wait; the last of these calls closes the socket.
    outlived: HashSet<u64>,
    /// Whether the user was warned about io_uring.
    told_of_rings: bool,
    parked: Parked,
    ports: HashSet<u16>,
    /// Time of the next search for sockets without an owner, if the kernel does not report closes.
    search: Option<Time>,
    linger: Duration,
    verbosity: Verbosity,
    pub(crate) report: Report,
    room: Vec<u8>,
    /// Calls polled from shared memory since the last wait for events.
    overheard: usize,
    lookout: Lookout,
    left: Left,
    /// Fingerprint of the certificate, if packets are protected.
    fingerprint: Option<String>,
    loopback: Loopback,
    /// End of the last wait for events.
    woke: Instant,
    /// Kind of the calls since the last exchange of packets.
    exchanges: Exchange,
}

impl Host {
    pub(crate) fn new(parts: Parts, main: u32, program: Program) -> io::Result<Self> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let mut host = Self {
            carrier: parts.carrier,
            stack: parts.stack,
            epoll,
            signals: parts.signals,
            meeting: parts.meeting,
            main: Main::Running(main),
            programs: Vec::new(),
            links: Vec::new(),
            processes: Processes::new(parts.reach),
            held: HashMap::new(),
            inodes: HashMap::new(),
            orphans: HashSet::new(),
            outlived: HashSet::new(),
            told_of_rings: false,
            parked: Parked::default(),
            ports: HashSet::new(),
            search: None,
            linger: parts.linger,
            verbosity: parts.verbosity,
            report: Report::default(),
            room: vec![0; passing::ROOM],
            overheard: 0,
            lookout: Lookout::new(),
            left: Left::Nobody,
            fingerprint: parts.fingerprint,
            loopback: parts.loopback,
            woke: Instant::now(),
            exchanges: Exchange::Nothing,
        };
        let input = epoll::EventFlags::IN;
        watch(&host.epoll, &host.carrier, Source::Carrier, input)?;
        watch(&host.epoll, &host.signals, Source::Signals, input)?;
        if let Some(meeting) = &host.meeting {
            watch(&host.epoll, meeting, Source::Meeting, input)?;
        }
        host.admit(program)?;
        Ok(host)
    }

    /// Adds a program to serve.
    fn admit(&mut self, program: Program) -> io::Result<()> {
        let index = self.programs.len();
        let input = epoll::EventFlags::IN;
        watch(&self.epoll, &program.door, Source::Door(index), input)?;
        if let Some(link) = &program.link {
            watch(
                &self.epoll,
                link,
                Source::Link(index),
                epoll::EventFlags::RDHUP,
            )?;
        }
        self.programs.push(Some(program));
        self.report.programs += 1;
        Ok(())
    }

    /// Serves until every program has ended and the remaining sockets are closed; returns how the
    /// main program ended.
    pub(crate) fn serve(&mut self) -> io::Result<Ending> {
        let mut events = [const { EMPTY }; EVENTS];
        let mut done_by = None;
        loop {
            let deadline = self.settle();
            let now = self.carrier.now();
            if let Main::Ended(ending) = self.main
                && self.programs.iter().all(Option::is_none)
            {
                let until = *done_by.get_or_insert(now + self.linger);
                if self.stack.is_idle() || until <= now {
                    self.report.carrier = self.carrier.stats();
                    return Ok(ending);
                }
            } else {
                done_by = None;
            }
            let look = self.tell_of_left(now);
            let next = [deadline, self.parked.deadline(), self.search, done_by, look];
            let next = next.into_iter().flatten().min();
            let count = self.wait(&mut events, next.map(|next| next.since(now)))?;
            self.handle(&events[..count], deadline);
        }
    }

    /// Handles events, packets first, so that calls see their effects.
    fn handle(&mut self, events: &[epoll::Event], deadline: Option<Time>) {
        let source = |event: &epoll::Event| {
            let data = event.data;
            Source::of(data.u64())
        };
        let now = self.carrier.now();
        let since_epoch = SystemTime::UNIX_EPOCH.elapsed();
        // Reads the wall clock each time, because it may be set.
        self.stack
            .set_wall_clock(now, since_epoch.unwrap_or_default());
        let packets = events.iter().any(|event| source(event) == Source::Carrier);
        if packets || deadline.is_some_and(|deadline| deadline <= now) {
            self.carrier.step(&mut self.stack);
        }
        for event in events {
            let flags = event.flags;
            match source(event) {
                Source::Carrier => {}
                Source::Signals => self.on_signals(),
                Source::Meeting => self.on_meeting(),
                Source::Door(index) => self.on_door(index, flags),
                Source::Link(index) => self.on_link(index),
                Source::Socket(inode) => self.on_pair(inode, flags),
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
        let Some(&inode) = self.inodes.get(&id) else {
            return Showing::Whole;
        };
        let Some(held) = self.held.get_mut(&inode) else {
            return Showing::Whole;
        };
        match held.mode {
            Mode::Readiness => {
                let before = held.has_hung_up();
                let shown = held.show(&self.stack.readiness(id), theirs);
                if held.has_hung_up() && !before {
                    self.watch_hung_up(inode);
                }
                shown
            }
            Mode::PassThrough => {
                self.shovel(inode);
                Showing::Whole
            }
        }
    }

    fn on_door(&mut self, index: usize, flags: epoll::EventFlags) {
        if flags.contains(epoll::EventFlags::IN) {
            for _ in 0..CALLS {
                let Some(Some(program)) = self.programs.get_mut(index) else {
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
                if !self.has_call(index) {
                    break;
                }
            }
        } else if flags.intersects(epoll::EventFlags::HUP | epoll::EventFlags::ERR) {
            self.end_program(index);
        }
    }

    /// Receives calls made without waking the host.
    fn overhear(&mut self) {
        for index in 0..self.programs.len() {
            for _ in 0..CALLS {
                let program = self.programs.get_mut(index).and_then(Option::as_mut);
                match program.and_then(|program| program.door.overhear()) {
                    Some(call) => self.on_call(index, call),
                    None => break,
                }
            }
        }
    }

    /// Whether the program has another call to receive.
    fn has_call(&self, index: usize) -> bool {
        let Some(Some(program)) = self.programs.get(index) else {
            return false;
        };
        let mut polled = [rustix::event::PollFd::new(
            &program.door,
            rustix::event::PollFlags::IN,
        )];
        let _ = rustix::event::poll(&mut polled, Some(&AT_ONCE));
        polled[0].revents().contains(rustix::event::PollFlags::IN)
    }

    /// Handles the end of a program's last process.
    fn end_program(&mut self, index: usize) {
        self.parked.drop_program(index);
        if let Some(program) = self.programs.get_mut(index)
            && let Some(program) = program.take()
        {
            let _ = epoll::delete(&self.epoll, &program.door);
            self.links.extend(program.link.map(|link| (index, link)));
        }
        self.drop_links();
        self.processes.forget_ended();
        if self.processes.reach() == Reach::Names {
            self.search = Some(self.carrier.now());
        }
    }

    /// Closes connections to `sheave run` instances whose sockets are all closed.
    fn drop_links(&mut self) {
        let held = &self.held;
        let has_sockets = |index| held.values().any(|held| held.program == index);
        self.links.retain(|(index, _)| has_sockets(*index));
    }

    /// Handles a `sheave run` that ended before its program.
    fn on_link(&mut self, index: usize) {
        if let Some(Some(program)) = self.programs.get_mut(index)
            && let Some(link) = program.link.take()
        {
            let _ = epoll::delete(&self.epoll, &link);
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
                let _ = self.admit(program);
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
                    self.programs.iter_mut().for_each(|program| *program = None);
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
            if self.processes.reach() == Reach::Names {
                self.search = Some(self.carrier.now());
            }
        }
    }
}

impl Host {
    /// Registers a socket whose end was given to the program.
    fn hold(&mut self, mut held: Held, theirs: OwnedFd) -> io::Result<()> {
        let inode = rustix::fs::fstat(&theirs)?.st_ino;
        let flags = epoll::EventFlags::RDHUP;
        watch(&self.epoll, &held.end, Source::Socket(inode), flags)?;
        let id = held.id;
        if self.processes.reach() == Reach::Names {
            held.kept = Some(theirs);
            let now = self.carrier.now();
            self.search.get_or_insert(now + SEARCH);
        }
        self.held.insert(inode, held);
        self.inodes.insert(id, inode);
        self.report.sockets += 1;
        Ok(())
    }

    /// Handles the close of the last copy of a program's end: closes the socket, unless other
    /// threads' calls still wait for it.
    fn release(&mut self, inode: u64) {
        let Some(held) = self.held.get(&inode) else {
            return;
        };
        let id = held.id;
        self.processes.forget_numbers();
        for caller in self.parked.on(id) {
            if !self.is_waiting(caller) {
                self.parked.remove(caller);
            }
        }
        if self.parked.has(id) {
            if matches!(self.stack.pending(id), Ok(_) | Err(Errno::EAGAIN)) {
                // Wakes threads in `accept`: the listener has no descriptor left.
                let _ = self.stack.shutdown(self.carrier.now(), id, How::Read);
            }
            // Stops polling, since the hang-up would be reported again and again.
            if let Some(held) = self.held.get(&inode) {
                let _ = epoll::delete(&self.epoll, &held.end);
            }
            self.outlived.insert(inode);
            return;
        }
        self.held.remove(&inode);
        self.inodes.remove(&id);
        self.stack.close(self.carrier.now(), id);
        self.drop_links();
    }

    /// Whether a caller still waits for its answer.
    fn is_waiting(&self, caller: Caller) -> bool {
        self.parked.of(caller).is_some_and(|job| {
            let program = self.programs.get(job.program).and_then(Option::as_ref);
            program.is_some_and(|program| program.door.is_waiting(job.call.id))
        })
    }

    /// Handles sockets closed before the current call and returns whether there were any; the
    /// kernel reports calls and closes in no order.
    fn sweep(&mut self) -> bool {
        let before = self.held.len();
        if self.processes.reach() == Reach::Names {
            self.search_ownerless(self.carrier.now());
            return self.held.len() < before;
        }
        let closed = self.held.iter().filter(|(_, held)| held.is_released());
        let closed: Vec<u64> = closed.map(|(inode, _)| *inode).collect();
        for inode in closed {
            self.on_pair(inode, epoll::EventFlags::HUP);
        }
        self.held.len() < before
    }

    /// Searches for sockets without an owner, if the kernel does not report closes.
    fn search_ownerless(&mut self, now: Time) {
        // A descriptor in transit belongs to no process, so check this before searching processes.
        let on_way = |program: &Option<Program>| {
            let door = program.as_ref().map(|program| &program.door);
            door.is_some_and(|door| door.has_gifts_on_their_way())
        };
        let on_way: Vec<bool> = self.programs.iter().map(on_way).collect();
        let owned = process::sockets_of_others();
        let mut ownerless = Vec::new();
        for (inode, held) in &mut self.held {
            held.arrived |= owned.contains(inode);
            let may_arrive = !held.arrived && on_way.get(held.program) == Some(&true);
            if !owned.contains(inode) && !may_arrive {
                ownerless.push(*inode);
            }
        }
        for inode in ownerless {
            self.hang_up(inode);
        }
        self.search = (!self.held.is_empty()).then(|| now + SEARCH);
    }

    /// Accepts packets for the socket's port.
    fn open_port(&mut self, id: SocketId) {
        let port = (self.stack.find(id)).map_or(0, |socket| socket.local_name().port());
        if port != 0 && self.ports.insert(port) {
            self.carrier.open_port(port);
        }
    }
}

const EMPTY: epoll::Event = epoll::Event {
    flags: epoll::EventFlags::empty(),
    data: epoll::EventData::new_u64(0),
};

fn watch(
    epoll: &OwnedFd,
    what: &impl AsFd,
    source: Source,
    flags: epoll::EventFlags,
) -> io::Result<()> {
    let data = epoll::EventData::new_u64(source.token());
    Ok(epoll::add(epoll, what, data, flags)?)
}

fn wait(epoll: &OwnedFd, events: &mut [epoll::Event], span: Option<Duration>) -> io::Result<usize> {
    let span = span.map(|span| Timespec {
        tv_sec: span.as_secs().try_into().unwrap_or(i64::MAX),
        tv_nsec: span.subsec_nanos().into(),
    });
    match epoll::wait(epoll, &mut *events, span.as_ref()) {
        Ok(count) => Ok(count),
        Err(rustix::io::Errno::INTR) => Ok(0),
        Err(error) => Err(error.into()),
    }
}

/// Whether at most one message or association is left.
fn has_one_at_most(readiness: &Readiness) -> bool {
    readiness.readable <= 1
}
