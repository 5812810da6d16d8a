//! Processes whose calls are trapped, and their descriptors.

use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};

use rustix::event::{PollFd, PollFlags};
use rustix::process::{Pid, PidfdFlags};

use crate::door::Place;
use crate::filter::Base;
use crate::sys::{AT_ONCE, seccomp, signals};

/// Most cached threads; the cache is cleared beyond that.
const MAX_THREADS: usize = 4096;

/// The host's access to a program's descriptors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Descriptors can be copied (`pidfd_getfd`).
    Copies,
    /// `pidfd_getfd` is refused; `/proc` only shows what a descriptor is.
    Names,
}

/// A descriptor of a process: its socket's inode, and a copy if possible.
#[derive(Debug)]
pub(crate) struct Descriptor {
    pub(crate) inode: u64,
    pub(crate) copy: Option<OwnedFd>,
}

/// Processes by id.
#[derive(Debug)]
pub(crate) struct Processes {
    reach: Reach,
    /// The process of each thread.
    threads: HashMap<u32, u32>,
    handles: HashMap<u32, OwnedFd>,
    /// The first number from the base on that may be free, by process; only if no other descriptors
    /// use these numbers.
    may_be_free: HashMap<u32, u32>,
}

impl Processes {
    pub(crate) fn new(reach: Reach) -> Self {
        Self {
            reach,
            threads: HashMap::new(),
            handles: HashMap::new(),
            may_be_free: HashMap::new(),
        }
    }

    pub(crate) fn reach(&self) -> Reach {
        self.reach
    }

    /// The process of a thread.
    pub(crate) fn of_thread(&mut self, thread: u32) -> Option<u32> {
        if let Some(&process) = self.threads.get(&thread) {
            // The thread id may have been reused by another process.
            if signals::send(process, thread, 0).is_ok() {
                return Some(process);
            }
            self.threads.remove(&thread);
        }
        let status = fs::read_to_string(format!("/proc/{thread}/status")).ok()?;
        let process = status
            .lines()
            .find_map(|line| line.strip_prefix("Tgid:"))?
            .trim()
            .parse()
            .ok()?;
        if self.threads.len() >= MAX_THREADS {
            self.threads.clear();
            self.handles.clear();
            self.may_be_free.clear();
        }
        self.threads.insert(thread, process);
        if !self.handles.get(&process).is_some_and(is_alive) {
            self.open(process)?;
        }
        Some(process)
    }

    /// Registers a process that made a call.
    pub(crate) fn know(&mut self, process: u32) -> Option<u32> {
        if !self.handles.contains_key(&process) {
            if self.handles.len() >= MAX_THREADS {
                self.handles.clear();
                self.may_be_free.clear();
            }
            self.open(process)?;
        }
        Some(process)
    }

    fn open(&mut self, process: u32) -> Option<()> {
        let id = Pid::from_raw(i32::try_from(process).ok()?)?;
        let handle = rustix::process::pidfd_open(id, PidfdFlags::empty()).ok()?;
        self.handles.insert(process, handle);
        Some(())
    }

    /// Forgets processes that have exited.
    pub(crate) fn forget_ended(&mut self) {
        self.handles.retain(|_, handle| is_alive(handle));
        let handles = &self.handles;
        self.threads
            .retain(|_, process| handles.contains_key(process));
    }

    /// The pidfd of a registered process.
    fn handle(&self, process: u32) -> Option<BorrowedFd<'_>> {
        self.handles.get(&process).map(AsFd::as_fd)
    }

    /// A descriptor of a process; `None` if it is not a socket.
    pub(crate) fn descriptor(&mut self, process: u32, number: u32) -> Option<Descriptor> {
        if self.reach == Reach::Copies {
            let number = i32::try_from(number).ok()?;
            let mut copied = seccomp::descriptor_of(self.handle(process)?, number);
            if copied.as_ref().err() == Some(&libc::ESRCH) {
                // The pidfd belongs to an earlier process with the same id.
                self.open(process)?;
                copied = seccomp::descriptor_of(self.handle(process)?, number);
            }
            match copied {
                Ok(copy) => {
                    let stat = rustix::fs::fstat(&copy).ok()?;
                    let inode = stat.st_ino;
                    return Some(Descriptor {
                        inode,
                        copy: Some(copy),
                    });
                }
                Err(libc::EBADF | libc::ESRCH) => return None,
                // A security module may refuse single processes.
                Err(_) => {}
            }
        }
        let inode = inode_of(process, number)?;
        Some(Descriptor { inode, copy: None })
    }

    /// Copies a descriptor that shares the file offset, to read a file for the program; otherwise
    /// returns the error code.
    pub(crate) fn copy(&self, process: u32, number: u32) -> Result<OwnedFd, i32> {
        let handle = self.handle(process).ok_or(libc::ESRCH)?;
        let signed = i32::try_from(number).map_err(|_| libc::EBADF)?;
        seccomp::descriptor_of(handle, signed).map_err(|code| match self.is_free(process, number) {
            true => libc::EBADF,
            false => code,
        })
    }

    /// Opens the file of a descriptor; if copying is refused, with an offset of its own.
    pub(crate) fn file(&self, process: u32, number: u32) -> Result<OwnedFd, i32> {
        /// Mode bit of a `/proc` descriptor link that marks a readable descriptor.
        const READABLE: u32 = 0o400;
        let code = match self.copy(process, number) {
            Ok(copy) => return Ok(copy),
            Err(code) => code,
        };
        let path = format!("/proc/{process}/fd/{number}");
        let link = fs::symlink_metadata(&path).map_err(|_| code)?;
        let is_file = fs::metadata(&path).is_ok_and(|file| file.is_file());
        if !is_file || link.permissions().mode() & READABLE == 0 {
            return Err(code);
        }
        // The program may have replaced the file by one whose opening blocks.
        let mut options = OpenOptions::new();
        options.read(true).custom_flags(libc::O_NONBLOCK);
        let opened = options.open(&path).map_err(|_| code)?;
        Ok(opened.into())
    }

    /// The number for a new socket: the lowest free one from `base` on.
    pub(crate) fn place(&mut self, process: u32, base: Base) -> Place {
        // Other threads allocate low numbers concurrently, so the kernel must choose; it picks a
        // number from the base on if all below are taken.
        if base == Base::LOW && (0..base.0).all(|number| !self.is_free(process, number)) {
            return Place::Lowest;
        }
        let first = self.may_be_free.get(&process).copied();
        let number = self.free_number(process, first.unwrap_or(base.0));
        if base != Base::LOW {
            self.may_be_free.insert(process, number + 1);
        }
        Place::At(number)
    }

    /// Notes that a descriptor is about to be closed.
    pub(crate) fn closes(&mut self, process: u32, number: u32) {
        if let Some(first) = self.may_be_free.get_mut(&process) {
            *first = number.min(*first);
        }
    }

    /// Notes that a socket was closed, so its number is free.
    pub(crate) fn forget_numbers(&mut self) {
        self.may_be_free.clear();
    }

    /// The lowest free number from `from` on.
    pub(crate) fn free_number(&self, process: u32, from: u32) -> u32 {
        let mut numbers = from..from.saturating_add(1 << 20);
        let free = numbers.find(|number| self.is_free(process, *number));
        free.unwrap_or(from)
    }

    fn is_free(&self, process: u32, number: u32) -> bool {
        match self.reach {
            Reach::Copies => {
                let number = i32::try_from(number).unwrap_or(-1);
                let handle = self.handle(process);
                let copied = handle.map(|handle| seccomp::descriptor_of(handle, number));
                matches!(copied, Some(Err(libc::EBADF)) | None)
            }
            Reach::Names => fs::symlink_metadata(format!("/proc/{process}/fd/{number}")).is_err(),
        }
    }
}

/// Whether the process still runs.
fn is_alive(handle: &OwnedFd) -> bool {
    let mut polled = [PollFd::new(handle, PollFlags::IN)];
    matches!(rustix::event::poll(&mut polled, Some(&AT_ONCE)), Ok(0))
}

/// Whether a pending signal interrupts the thread's call. A signal to the process interrupts the first
/// thread alone that does not block it.
pub(crate) fn has_signal(thread: u32) -> bool {
    let names = ["SigPnd:", "ShdPnd:", "SigBlk:", "SigIgn:"];
    let [pending, shared, blocked, ignored] = signal_sets(&status_of(thread), names);
    let taken = !blocked & !ignored;
    pending & taken != 0 || (shared & taken != 0 && left_by_earlier(thread, shared & taken) != 0)
}

/// The signals that every earlier thread of the process blocks.
fn left_by_earlier(thread: u32, signals: u64) -> u64 {
    let tasks = fs::read_dir(format!("/proc/{thread}/task"));
    let threads = tasks.into_iter().flatten().flatten();
    let ids = threads.filter_map(|task| task.file_name().to_str()?.parse::<u32>().ok());
    // The first thread may end before others do.
    let has_ended = |status: &String| status.lines().any(|line| line.starts_with("State:\tZ"));
    let earlier = ids.take_while(|id| *id != thread).map(status_of);
    let earlier = earlier.filter(|status| !has_ended(status));
    earlier.fold(signals, |left, status| {
        left & signal_sets(&status, ["SigBlk:"])[0]
    })
}

/// Whether the thread would run a handler for this signal at once.
pub(crate) fn would_handle(thread: u32, signal: i32) -> bool {
    let [caught, blocked] = signal_sets(&status_of(thread), ["SigCgt:", "SigBlk:"]);
    (caught & !blocked) >> (signal - 1) & 1 == 1
}

/// The state of a thread from `/proc`; empty if there is no such thread.
fn status_of(thread: u32) -> String {
    fs::read_to_string(format!("/proc/{thread}/status")).unwrap_or_default()
}

/// Signal sets in the state of a thread; empty if missing.
fn signal_sets<const N: usize>(status: &str, names: [&str; N]) -> [u64; N] {
    names.map(|name| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        let set = line.and_then(|set| u64::from_str_radix(set.trim(), 16).ok());
        set.unwrap_or(0)
    })
}

/// The inode of a socket, from the descriptor's link.
fn inode_of(process: u32, number: u32) -> Option<u64> {
    let link = fs::read_link(format!("/proc/{process}/fd/{number}")).ok()?;
    inode_in(link.to_str()?)
}

fn inode_in(link: &str) -> Option<u64> {
    let inode = link.strip_prefix("socket:[")?.strip_suffix(']')?;
    inode.parse().ok()
}

/// Inodes of the sockets of all other processes of this user.
pub(crate) fn sockets_of_others() -> std::collections::HashSet<u64> {
    let own = std::process::id();
    let entries = |path: String| fs::read_dir(path).into_iter().flatten().flatten();
    let id = |entry: fs::DirEntry| entry.file_name().to_str()?.parse::<u32>().ok();
    let processes = entries("/proc".into())
        .filter_map(id)
        .filter(|id| *id != own);
    processes
        .flat_map(|id| entries(format!("/proc/{id}/fd")))
        .filter_map(|entry| inode_in(fs::read_link(entry.path()).ok()?.to_str()?))
        .collect()
}

/// Whether other processes' descriptors can be copied; a surrounding filter, such as Docker's, may
/// refuse it.
pub(crate) fn reach() -> Reach {
    let own = rustix::process::getpid();
    let Ok(handle) = rustix::process::pidfd_open(own, PidfdFlags::empty()) else {
        return Reach::Names;
    };
    let flags = rustix::process::PidfdGetfdFlags::empty();
    match rustix::process::pidfd_getfd(&handle, 0, flags) {
        Ok(_) | Err(rustix::io::Errno::BADF) => Reach::Copies,
        Err(_) => Reach::Names,
    }
}

/// The name of a process's program; empty if it is gone.
pub(crate) fn name_of(process: impl std::fmt::Display) -> String {
    let name = fs::read_to_string(format!("/proc/{process}/comm"));
    name.unwrap_or_default().trim().to_owned()
}
