//! The sockets of programs, by the inode of the program's end.

use std::collections::HashMap;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use sheave_sockets::SocketId;

use crate::message::low_half;
use crate::parked::Job;
use crate::process::{self, Processes, Reach};
use crate::socket::{self, Blocking, Held, Mode};

/// The socket that a call names.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) id: SocketId,
    pub(super) inode: u64,
    /// Whether its calls block, if known.
    blocking: Option<Blocking>,
    /// A copy of the program's end, if available.
    pub(super) theirs: Option<OwnedFd>,
}

impl Target {
    pub(super) fn theirs(&self) -> Option<BorrowedFd<'_>> {
        self.theirs.as_ref().map(AsFd::as_fd)
    }

    pub(super) fn blocking(&self) -> Blocking {
        let theirs = || self.theirs().map_or(Blocking::Usual, socket::blocking_of);
        self.blocking.unwrap_or_else(theirs)
    }
}

#[derive(Debug)]
pub(super) struct Sockets {
    pub(super) processes: Processes,
    held: HashMap<u64, Held>,
    inodes: HashMap<SocketId, u64>,
}

impl Sockets {
    pub(super) fn new(reach: Reach) -> Self {
        Self {
            processes: Processes::new(reach),
            held: HashMap::new(),
            inodes: HashMap::new(),
        }
    }

    pub(super) fn insert(&mut self, inode: u64, held: Held) {
        self.inodes.insert(held.id, inode);
        self.held.insert(inode, held);
    }

    pub(super) fn remove(&mut self, inode: u64) {
        if let Some(held) = self.held.remove(&inode) {
            self.inodes.remove(&held.id);
        }
    }

    pub(super) fn get(&self, inode: u64) -> Option<&Held> {
        self.held.get(&inode)
    }

    /// Whether the messages of a socket travel through its pair.
    pub(super) fn passes_messages(&self, inode: u64) -> bool {
        let held = self.held.get(&inode);
        held.is_some_and(|held| held.mode == Mode::PassThrough)
    }

    pub(super) fn get_mut(&mut self, inode: u64) -> Option<&mut Held> {
        self.held.get_mut(&inode)
    }

    /// Makes the socket unreadable before the last message is delivered.
    pub(super) fn take_back(&mut self, target: &Target, job: &Job) {
        let Some(held) = self.get(target.inode).filter(|held| held.shows_bytes()) else {
            return;
        };
        let found = match (&target.theirs, &held.kept) {
            (None, None) => self.looked_up(job),
            _ => None,
        };
        let found = found.filter(|found| found.inode == target.inode);
        let theirs = found.as_ref().unwrap_or(target).theirs();
        if let Some(held) = self.held.get_mut(&target.inode) {
            held.take_back(theirs);
        }
    }

    pub(super) fn inode_of(&self, id: SocketId) -> Option<u64> {
        self.inodes.get(&id).copied()
    }

    pub(super) fn len(&self) -> usize {
        self.held.len()
    }

    /// Whether a program has sockets.
    pub(super) fn has_of(&self, program: usize) -> bool {
        self.held.values().any(|held| held.program == program)
    }

    /// Whether closes are found by a search, because the kernel does not report them.
    pub(super) fn are_searched(&self) -> bool {
        self.processes.reach() == Reach::Names
    }

    /// Sockets whose last copy of the program's end is closed.
    pub(super) fn released(&self) -> Vec<u64> {
        let closed = self.held.iter().filter(|(_, held)| held.is_released());
        closed.map(|(inode, _)| *inode).collect()
    }

    /// Searches for sockets without an owner. `on_way` are the programs with descriptors in
    /// transit, which belong to no process.
    pub(super) fn ownerless(&mut self, on_way: &[bool]) -> Vec<u64> {
        let owned = process::sockets_of_others();
        let mut ownerless = Vec::new();
        for (inode, held) in &mut self.held {
            held.arrived |= owned.contains(inode);
            let may_arrive = !held.arrived && on_way.get(held.program) == Some(&true);
            if !owned.contains(inode) && !may_arrive {
                ownerless.push(*inode);
            }
        }
        ownerless
    }

    /// Whether the descriptor in this argument is an SCTP socket without pass-through.
    pub(super) fn is_ours(&mut self, job: &Job, index: usize) -> bool {
        let number = low_half(job.call.args[index]);
        let descriptor = self.processes.descriptor(job.process, number);
        let held = descriptor.and_then(|descriptor| self.get(descriptor.inode));
        held.is_some_and(|held| held.mode == Mode::Readiness)
    }

    /// The socket that the caller claims to use, without a copy of its end.
    pub(super) fn seen(&self, job: &Job) -> Option<Target> {
        let seen = job.call.seen?;
        let held = self.get(seen.inode)?;
        let copies = matches!(
            job.call.number,
            libc::SYS_dup | libc::SYS_dup3 | libc::SYS_fcntl
        );
        #[cfg(target_arch = "x86_64")]
        let copies = copies || job.call.number == libc::SYS_dup2;
        (held.id == seen.id && !copies).then_some(Target {
            id: held.id,
            inode: seen.inode,
            blocking: Some(seen.blocking),
            theirs: None,
        })
    }

    /// The socket of the first argument, from the process's descriptor.
    pub(super) fn looked_up(&mut self, job: &Job) -> Option<Target> {
        let number = low_half(job.call.args[0]);
        let descriptor = self.processes.descriptor(job.process, number);
        let descriptor = descriptor.filter(|found| job.on.is_none_or(|on| on == found.inode));
        let inode = match &descriptor {
            Some(descriptor) => descriptor.inode,
            None => job.on?,
        };
        let held = self.get(inode)?;
        let theirs = descriptor.and_then(|descriptor| descriptor.copy);
        let blocking = match (&theirs, &held.kept) {
            (None, Some(kept)) => Some(socket::blocking_of(kept.as_fd())),
            _ => None,
        };
        Some(Target {
            id: held.id,
            inode,
            blocking,
            theirs,
        })
    }
}
