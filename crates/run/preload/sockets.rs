//! The descriptors of this process that are SCTP sockets.

use core::ffi::c_int;
use core::sync::atomic::{AtomicU32, Ordering};

use crate::kernel::{self, arg, call, number};
use crate::words::Seen;

/// Descriptors with larger numbers are not known.
pub(crate) const MOST: usize = 1 << 16;

const F_GETFL: usize = 3;

/// The socket behind each descriptor, by the low half of its inode; 0 for other descriptors.
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

/// Whether calls on that descriptor are likely to be the host's, which lets the kernel carry others out.
pub(crate) fn may_be_ours(fd: c_int) -> bool {
    place(fd).is_some_and(|place| place.load(Ordering::Relaxed) != 0)
}

/// Whether calls on that descriptor are the host's. One that was closed behind our back is found
/// by its inode.
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

/// The socket behind a descriptor that may be the host's.
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

/// Takes note of a socket.
pub(crate) fn add(fd: c_int) {
    if let Some(place) = place(fd) {
        place.store(mark_of(kernel::inode_of(fd)), Ordering::Relaxed);
    }
}

/// The descriptor is, or will be, something else.
pub(crate) fn forget(fd: c_int) {
    if let Some(place) = place(fd) {
        place.store(0, Ordering::Relaxed);
    }
}
