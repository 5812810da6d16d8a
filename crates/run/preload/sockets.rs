//! Descriptors of this process that are SCTP sockets.

use core::ffi::c_int;
use core::sync::atomic::{AtomicU32, Ordering};

use crate::kernel::{self, arg, call, number};
use crate::words::Seen;

/// Larger descriptor numbers are not tracked.
pub(crate) const MOST: usize = 1 << 16;

const F_GETFL: usize = 3;

/// The low half of each socket's inode, by descriptor; 0 for other descriptors.
static SOCKETS: [AtomicU32; MOST] = [const { AtomicU32::new(0) }; MOST];

#[expect(
    clippy::cast_possible_truncation,
    reason = "sockets have inodes of 32 bits"
)]
fn mark_of(inode: u64) -> u32 {
    inode as u32
}

fn place(fd: c_int) -> Option<&'static AtomicU32> {
    SOCKETS.get(usize::try_from(fd).ok()?)
}

/// Whether calls on the descriptor probably belong to the host; if not, the kernel executes them.
pub(crate) fn may_be_ours(fd: c_int) -> bool {
    place(fd).is_some_and(|place| place.load(Ordering::Relaxed) != 0)
}

/// Whether calls on the descriptor belong to the host; the inode detects a close without the
/// library's knowledge.
pub(crate) fn is_ours(fd: c_int) -> bool {
    let Some(place) = place(fd) else {
        return false;
    };
    let mark = place.load(Ordering::Relaxed);
    if mark == 0 {
        return false;
    }
    let same = mark_of(kernel::inode_of(fd)) == mark;
    if !same {
        place.store(0, Ordering::Relaxed);
    }
    same
}

/// The socket of a descriptor that may belong to the host.
pub(crate) fn seen(fd: c_int) -> Seen {
    if !may_be_ours(fd) {
        return Seen::default();
    }
    let inode = kernel::inode_of(fd);
    match call(number::FCNTL, [arg(fd), F_GETFL, 0, 0, 0, 0]) {
        Ok(flags) => Seen {
            inode,
            flags: flags as u64,
        },
        Err(_) => Seen::default(),
    }
}

/// Registers a socket.
pub(crate) fn add(fd: c_int) {
    if let Some(place) = place(fd) {
        place.store(mark_of(kernel::inode_of(fd)), Ordering::Relaxed);
    }
}

/// Unregisters a descriptor that is or will be another file.
pub(crate) fn forget(fd: c_int) {
    if let Some(place) = place(fd) {
        place.store(0, Ordering::Relaxed);
    }
}
