//! Calls that create, name and configure sockets.

use std::net::SocketAddr;
use std::os::fd::AsFd;

use rustix::net::{self, netdevice};
use sheave_sockets::{Abi, ConnectState, Domain, Errno, How, SocketId, Special, Style};

use super::exchange::Exchange;
use super::files::reads_file;
use super::sockets::Target;
use super::{AFTER_CLOSE, Host, has_one_at_most};
use crate::door::{Gift, GiveError, OnExec, Place};
use crate::filter::SIOCOUTQ;
use crate::message::{self, Told, flag_bits, give, low_half};
use crate::parked::{Job, Stage};
use crate::process::name_of;
use crate::socket::{self, Blocking, Showing};
use crate::sys::memory::Fault;
use crate::trapped::{Failure, Outcome, Wait};

/// The offset with which `preadv2` and `pwritev2` act as `readv` and `writev`.
const NO_OFFSET: u64 = u64::MAX;
const SOCK_TYPE: i32 = 15;
/// Valid flags for a new socket.
const ON_ACCEPT: i32 = libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
const SOCK_STREAM: i32 = libc::SOCK_STREAM;
const SOCK_SEQPACKET: i32 = libc::SOCK_SEQPACKET;

/// `SCTP_SOCKOPT_CONNECTX_OLD` (Linux), which does not return the association's id.
const CONNECTX_OLD: i32 = 107;

impl Host {
    /// Executes a call.
    pub(super) fn perform(&mut self, job: &mut Job) -> Result<Outcome, Failure> {
        match job.call.number {
            libc::SYS_socket => return self.socket(job),
            libc::SYS_close_range => return Ok(self.closing(job)),
            // Like Linux for files without `splice`: programs then read and write instead.
            libc::SYS_splice if self.sockets.is_ours(job, 0) || self.sockets.is_ours(job, 2) => {
                return Err(Failure::INVALID);
            }
            libc::SYS_splice => return Ok(Outcome::GoesOn),
            libc::SYS_io_uring_setup => {
                if !std::mem::replace(&mut self.told.rings, true) {
                    tell_of_rings(job.process);
                }
                return Ok(Outcome::GoesOn);
            }
            libc::SYS_sendfile if self.sockets.is_ours(job, 1) => return Err(reads_file(job)),
            libc::SYS_preadv2 | libc::SYS_pwritev2 if job.call.args[3] != NO_OFFSET => {
                // The kernel refuses it: sockets have no offsets.
                return Ok(Outcome::GoesOn);
            }
            libc::SYS_accept4 if flag_bits(job.call.args[3]) & !ON_ACCEPT != 0 => {
                return Err(Failure::INVALID);
            }
            _ => {}
        }
        let Some(target) = self.target(job) else {
            return Ok(Outcome::GoesOn);
        };
        let mut outcome = self.perform_on(&target, job);
        if outcome == Err(Failure(libc::EADDRINUSE)) && self.sweep() {
            outcome = self.perform_on(&target, job);
        }
        if let Ok(Outcome::Waits(wait)) = outcome {
            outcome = self.park(&target, wait, job);
        }
        self.show_state(&target, job);
        outcome
    }

    /// Shows the socket's readiness to the program after a call.
    fn show_state(&mut self, target: &Target, job: &Job) {
        if self.refresh(target.id, target.theirs()) == Showing::InPart
            && let Some(found) = self.sockets.looked_up(job)
        {
            self.refresh(target.id, found.theirs());
        }
    }

    /// The SCTP socket of the first argument, or the one that the call waited for.
    fn target(&mut self, job: &Job) -> Option<Target> {
        if let Some(seen) = self.sockets.seen(job) {
            return Some(seen);
        }
        let target = self.sockets.looked_up(job)?;
        if let Ok(door) = self.programs.door(job.program) {
            door.prove(job.call.id, target.inode, target.id);
        }
        Some(target)
    }

    fn perform_on(&mut self, target: &Target, job: &mut Job) -> Result<Outcome, Failure> {
        match job.call.number {
            // The messages are in the pair, for whoever reads there first.
            call if Exchange::of(call) == Exchange::Receives
                && self.sockets.passes_messages(target.inode) =>
            {
                Ok(Outcome::GoesOn)
            }
            libc::SYS_sendto
            | libc::SYS_sendmsg
            | libc::SYS_write
            | libc::SYS_writev
            | libc::SYS_pwritev2 => self.sends(target, job),
            libc::SYS_sendmmsg => self.sends_several(target, job),
            libc::SYS_recvmmsg => self.receives_several(target, job),
            call if Exchange::of(call) == Exchange::Receives => self.receives(target, job),
            libc::SYS_sendfile => self.sends_file(target, job),
            libc::SYS_bind => self.bind(target, job),
            libc::SYS_connect => self.connect(target, job),
            libc::SYS_listen => self.listen(target, job),
            libc::SYS_accept => self.accept(target, job, 0),
            libc::SYS_accept4 => self.accept(target, job, flag_bits(job.call.args[3])),
            libc::SYS_getsockname => {
                let name = self.stack.find(target.id)?.local_name();
                give_name(self.stack.abi(), job, name)
            }
            libc::SYS_getpeername => {
                let name = self.stack.find(target.id)?.peer_name()?;
                give_name(self.stack.abi(), job, name)
            }
            libc::SYS_setsockopt => self.set_option(target, job),
            libc::SYS_getsockopt => self.option(target, job),
            libc::SYS_shutdown => {
                let how = How::from_number(flag_bits(job.call.args[1]))?;
                self.stack.shutdown(self.carrier.now(), target.id, how)?;
                Ok(Outcome::Returns(0))
            }
            libc::SYS_ioctl => {
                let length = self.stack.next_length(self.carrier.now(), target.id)?;
                if low_half(job.call.args[1]) == SIOCOUTQ {
                    // Linux's SCTP does not report unsent bytes.
                    return Err(Failure(libc::ENOTTY));
                }
                let length = u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes();
                job.memory.scatter(&[(job.call.args[2], &length)])?;
                Ok(Outcome::Returns(0))
            }
            libc::SYS_dup => self.duplicate(target, job, OnExec::Keep),
            libc::SYS_fcntl => {
                // The kernel finds trapped numbers itself.
                if low_half(job.call.args[2]) >= self.programs.base(job.program).0 {
                    return Ok(Outcome::GoesOn);
                }
                let on_exec = match flag_bits(job.call.args[1]) {
                    libc::F_DUPFD_CLOEXEC => OnExec::Close,
                    _ => OnExec::Keep,
                };
                self.duplicate(target, job, on_exec)
            }
            #[cfg(target_arch = "x86_64")]
            libc::SYS_dup2 => Ok(self.duplicate_at(target, job)),
            libc::SYS_dup3 => Ok(self.duplicate_at(target, job)),
            libc::SYS_close => Ok(self.closing(job)),
            _ => Ok(Outcome::GoesOn),
        }
    }

    /// Blocks the call, with the socket's timeout.
    fn park(&mut self, target: &Target, wait: Wait, job: &mut Job) -> Result<Outcome, Failure> {
        let (receive, send) = self.stack.find(target.id)?.patience();
        let patience = match wait {
            Wait::Readable => receive,
            Wait::Writable | Wait::Connected => send,
        };
        let now = self.carrier.now();
        job.until = job.until.or(patience.map(|patience| now + patience));
        job.on = Some(target.inode);
        self.parked.add(now, target.id, wait, job.clone());
        self.programs.door(job.program)?.let_wait(job.call.id);
        Ok(Outcome::Waits(wait))
    }

    fn socket(&mut self, job: &Job) -> Result<Outcome, Failure> {
        let [domain, kind, protocol, ..] = job.call.args.map(flag_bits);
        let domain = match domain {
            libc::AF_INET => Domain::V4,
            libc::AF_INET6 => Domain::V6,
            _ => return Ok(Outcome::GoesOn),
        };
        if kind & !(SOCK_TYPE | ON_ACCEPT) != 0 {
            return Err(Failure::INVALID);
        }
        let style = match kind & SOCK_TYPE {
            SOCK_STREAM => Style::OneToOne,
            SOCK_SEQPACKET => Style::OneToMany,
            // Raw sockets for SCTP packets belong to the kernel.
            libc::SOCK_RAW => return Ok(Outcome::GoesOn),
            _ if protocol == 0 => return Ok(Outcome::GoesOn),
            _ => return Err(Failure(libc::ESOCKTNOSUPPORT)),
        };
        let id = self.stack.socket(domain, style);
        let made = self.give_socket(job, id, kind, None);
        if !matches!(made, Ok(Outcome::Answered(_))) {
            self.stack.close(self.carrier.now(), id);
        }
        made
    }

    /// Answers the call with a descriptor for the socket; also writes its number to address `at`.
    fn give_socket(
        &mut self,
        job: &Job,
        id: SocketId,
        flags: i32,
        at: Option<u64>,
    ) -> Result<Outcome, Failure> {
        let blocking = match flags & libc::SOCK_NONBLOCK {
            0 => Blocking::Usual,
            _ => Blocking::Never,
        };
        let on_exec = match flags & libc::SOCK_CLOEXEC {
            0 => OnExec::Keep,
            _ => OnExec::Close,
        };
        let (mut held, theirs) = socket::pair(id, job.program, blocking)?;
        // The program may poll the descriptor at once.
        held.show(&self.stack.readiness(id), Some(theirs.as_fd()));
        let Some(program) = self.programs.get_mut(job.program) else {
            return Ok(Outcome::Gone);
        };
        let (base, processes) = (program.base, &mut self.sockets.processes);
        let gift = Gift {
            end: theirs.as_fd(),
            on_exec,
            place: &mut || processes.place(job.process, base),
            written: at.map(|at| (&job.memory, at)),
        };
        match program.door.give(job.call.id, gift) {
            Ok(number) => {
                self.hold(held, theirs).map_err(|_| Failure(libc::ENFILE))?;
                Ok(Outcome::Answered(number.map(i64::from)))
            }
            Err(GiveError::Gone) => Ok(Outcome::Gone),
            Err(GiveError::Refused(code)) => {
                let (failure, base) = (refused(code), self.programs.base(job.program).0);
                let is_limit = failure == Failure(libc::EMFILE);
                if is_limit && !std::mem::replace(&mut self.told.limits, true) {
                    tell_of_limit(job.process, base);
                }
                Err(failure)
            }
        }
    }

    fn bind(&mut self, target: &Target, job: &Job) -> Result<Outcome, Failure> {
        let address = address(self.stack.abi(), job)?;
        self.bind_by(|stack, now| stack.bind(now, target.id, &[address]))?;
        self.open_port(target.id);
        Ok(Outcome::Returns(0))
    }

    fn listen(&mut self, target: &Target, job: &Job) -> Result<Outcome, Failure> {
        // A negative backlog means the maximum.
        let backlog = low_half(job.call.args[1]);
        self.stack.listen(self.carrier.now(), target.id, backlog)?;
        self.open_port(target.id);
        Ok(Outcome::Returns(0))
    }

    fn connect(&mut self, target: &Target, job: &Job) -> Result<Outcome, Failure> {
        if job.stage == Stage::Fresh {
            let address = address(self.stack.abi(), job)?;
            self.connect_to(target, &[address])?;
        }
        self.connected(target, 0)
    }

    fn connect_to(&mut self, target: &Target, addresses: &[SocketAddr]) -> Result<i32, Failure> {
        let now = self.carrier.now();
        let connected = self.stack.connect(now, target.id, addresses);
        self.open_port(target.id);
        Ok(connected?)
    }

    /// The outcome of a connecting call that returns `value` on success.
    fn connected(&mut self, target: &Target, value: i32) -> Result<Outcome, Failure> {
        let waits = target.blocking() == Blocking::Usual;
        let socket = self.stack.find(target.id)?;
        match socket.connect_state() {
            // As in Linux, where the call sees that its wait is over.
            ConnectState::InProgress if waits && socket.has_shut_reading() => {
                Ok(Outcome::Returns(value.into()))
            }
            ConnectState::InProgress if waits => Ok(Outcome::Waits(Wait::Connected)),
            ConnectState::InProgress => Err(Failure(libc::EINPROGRESS)),
            ConnectState::Idle | ConnectState::Established => Ok(Outcome::Returns(value.into())),
            // As in Linux, SO_ERROR reports it again.
            ConnectState::Failed(errno) => Err(errno.into()),
        }
    }

    fn accept(&mut self, target: &Target, job: &Job, flags: i32) -> Result<Outcome, Failure> {
        let (child, peer) = match self.stack.pending(target.id) {
            Err(Errno::EAGAIN) if target.blocking() == Blocking::Usual => {
                return Ok(Outcome::Waits(Wait::Readable));
            }
            pending => pending?,
        };
        if job.call.args[1] != 0 {
            give_name(self.stack.abi(), job, peer)?;
        }
        if has_one_at_most(&self.stack.readiness(target.id)) {
            self.sockets.take_back(target, job);
        }
        let given = self.give_socket(job, child, flags, None)?;
        if let Outcome::Answered(_) = given {
            let accepted = self.stack.accept(target.id)?;
            debug_assert_eq!(accepted, child);
            self.refresh(child, None);
        }
        Ok(given)
    }

    fn set_option(&mut self, target: &Target, job: &mut Job) -> Result<Outcome, Failure> {
        let [_, level, name, at, length, ..] = job.call.args;
        let (level, name, length) = (flag_bits(level), flag_bits(name), flag_bits(length));
        let value = message::value(&job.memory, at, length)?;
        if (level, name) == (libc::SOL_SOCKET, libc::SO_BINDTODEVICE) && !is_device(&value) {
            return Err(Failure(libc::ENODEV));
        }
        match self.stack.abi().special(level, name, &value)? {
            Some(Special::Connect(addresses)) => {
                if job.stage == Stage::Fresh {
                    job.assoc = self.connect_to(target, &addresses)?;
                }
                let returned = if name == CONNECTX_OLD { 0 } else { job.assoc };
                self.connected(target, returned)
            }
            Some(_) => Err(Failure(libc::ENOPROTOOPT)),
            None => {
                // `sctp_bindx` is one of these options.
                self.bind_by(|stack, now| stack.set_option(now, target.id, level, name, &value))?;
                self.open_port(target.id);
                Ok(Outcome::Returns(0))
            }
        }
    }

    fn option(&mut self, target: &Target, job: &Job) -> Result<Outcome, Failure> {
        let [_, level, name, at, length_at, ..] = job.call.args;
        let (level, name) = (flag_bits(level), flag_bits(name));
        let room = message::number(&job.memory, length_at)?;
        let (given, is_there) = message::question(&job.memory, at, room)?;
        if let Err(fault) = is_there {
            return Err(self.unreadable(target, (level, name), &given, fault));
        }
        match self.stack.abi().special(level, name, &given)? {
            Some(Special::ConnectAt { pointer, length }) => {
                let mut value = given;
                if job.stage == Stage::Fresh {
                    let bytes = message::names(&job.memory, pointer, length)?;
                    let addresses = self.stack.abi().addresses(&bytes)?;
                    let assoc = self.connect_to(target, &addresses)?;
                    let assoc = assoc.to_le_bytes();
                    job.memory.scatter(&[(at, &assoc)])?;
                    value[..4].copy_from_slice(&assoc);
                }
                self.connected(target, 0)
            }
            Some(Special::PeelOff {
                assoc,
                flags,
                descriptor_at,
            }) => self.peel_off(target, job, &given, (assoc, flags, descriptor_at)),
            Some(Special::Connect(_)) => Err(Failure(libc::ENOPROTOOPT)),
            None => {
                let now = self.carrier.now();
                let value = self.stack.option(now, target.id, level, name, &given)?;
                give(&job.memory, &value, at, length_at, Told::Given)?;
                Ok(Outcome::Returns(0))
            }
        }
    }

    /// The error of `getsockopt` with an invalid buffer: Linux first checks that the option exists.
    fn unreadable(
        &mut self,
        target: &Target,
        (level, name): (i32, i32),
        zeros: &[u8],
        fault: Fault,
    ) -> Failure {
        let now = self.carrier.now();
        let is_special = !matches!(self.stack.abi().special(level, name, zeros), Ok(None));
        match self.stack.option(now, target.id, level, name, zeros) {
            Err(error @ (Errno::ENOPROTOOPT | Errno::EOPNOTSUPP)) if !is_special => error.into(),
            _ => fault.into(),
        }
    }

    fn peel_off(
        &mut self,
        target: &Target,
        job: &Job,
        value: &[u8],
        (assoc, flags, descriptor_at): (i32, u32, usize),
    ) -> Result<Outcome, Failure> {
        let [_, _, _, at, length_at, ..] = job.call.args;
        give(&job.memory, value, at, length_at, Told::Given)?;
        let id = self.stack.peel_off(self.carrier.now(), target.id, assoc)?;
        let at = at.wrapping_add(u64::try_from(descriptor_at).unwrap_or(0));
        let given = self.give_socket(job, id, flags.cast_signed(), Some(at));
        match given {
            Ok(Outcome::Answered(_)) => {
                self.refresh(id, None);
            }
            _ => self.stack.close(self.carrier.now(), id),
        }
        given
    }

    /// Duplicates the descriptor within the trapped range.
    fn duplicate(
        &mut self,
        target: &Target,
        job: &Job,
        on_exec: OnExec,
    ) -> Result<Outcome, Failure> {
        let kept = (self.sockets.get(target.inode)).and_then(|held| held.kept.as_ref());
        let end = target
            .theirs
            .as_ref()
            .or(kept)
            .ok_or(Failure(libc::EMFILE))?;
        let Some(program) = self.programs.get_mut(job.program) else {
            return Ok(Outcome::Gone);
        };
        let from = program.base.0;
        let processes = &self.sockets.processes;
        let gift = Gift {
            end: end.as_fd(),
            on_exec,
            place: &mut || Place::At(processes.free_number(job.process, from)),
            written: None,
        };
        match program.door.give(job.call.id, gift) {
            Ok(number) => Ok(Outcome::Answered(number.map(i64::from))),
            Err(GiveError::Gone) => Ok(Outcome::Gone),
            Err(GiveError::Refused(code)) => Err(refused(code)),
        }
    }

    /// Lets the kernel duplicate the descriptor. If calls on the copy are not trapped, as for
    /// standard input and output, the pair carries messages from now on.
    fn duplicate_at(&mut self, target: &Target, job: &Job) -> Outcome {
        let to = flag_bits(job.call.args[1]);
        let base = self.programs.base(job.program).0;
        if u32::try_from(to).is_ok_and(|to| to < base) {
            let passes = self.pass_through(target);
            let serves = passes && to <= libc::STDERR_FILENO;
            if !serves && !std::mem::replace(&mut self.told.copies, true) {
                tell_of_copy(job.process, to);
            }
        }
        Outcome::GoesOn
    }

    /// Handles `close` or `close_range`.
    fn closing(&mut self, job: &Job) -> Outcome {
        if self.sockets.are_searched() {
            self.search = Some(self.carrier.now() + AFTER_CLOSE);
            let number = low_half(job.call.args[0]);
            self.sockets.processes.closes(job.process, number);
        }
        Outcome::GoesOn
    }
}

/// Whether an option's value names a network device, or none to be free of one.
fn is_device(value: &[u8]) -> bool {
    let name = value.split(|byte| *byte == 0).next().unwrap_or_default();
    let Ok(name) = std::str::from_utf8(name) else {
        return false;
    };
    let socket = net::socket(net::AddressFamily::INET, net::SocketType::DGRAM, None);
    let exists = |socket| netdevice::name_to_index(socket, name).is_ok();
    name.is_empty() || socket.is_ok_and(exists)
}

/// Warns that calls through io_uring are not seen.
fn tell_of_rings(process: u32) {
    let name = name_of(process);
    eprintln!(
        "sheave: {name} (process {process}) uses io_uring: SCTP sockets are not served through it; \
         switch it off in the program if it is for them"
    );
}

/// Warns that a process may not open the descriptors that sockets get.
fn tell_of_limit(process: u32, base: u32) {
    let name = name_of(process);
    eprintln!(
        "sheave: {name} (process {process}) may open no descriptor from {base} on, which SCTP sockets get; \
         raise its limit of open files, or start it with --fds low"
    );
}

/// Warns that calls on a copied descriptor are not seen.
fn tell_of_copy(process: u32, to: i32) {
    let name = name_of(process);
    eprintln!(
        "sheave: {name} (process {process}) copies an SCTP socket to descriptor {to}, where calls on it \
         are not seen; start it with --fds low"
    );
}

/// The address in the second and third arguments.
fn address(abi: Abi, job: &Job) -> Result<SocketAddr, Failure> {
    let bytes = message::name(&job.memory, job.call.args[1], job.call.args[2])?;
    Ok(abi.address(&bytes)?)
}

/// Writes a name to the second and third arguments.
fn give_name(abi: Abi, job: &Job, name: SocketAddr) -> Result<Outcome, Failure> {
    let [_, at, length_at, ..] = job.call.args;
    give(
        &job.memory,
        &abi.address_bytes(name),
        at,
        length_at,
        Told::Whole,
    )?;
    Ok(Outcome::Returns(0))
}

/// The error for a process that cannot have another descriptor.
fn refused(code: i32) -> Failure {
    match code {
        libc::EBADF | libc::EINVAL => Failure(libc::EMFILE),
        code => Failure(code),
    }
}
