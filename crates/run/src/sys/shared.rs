//! Memory shared between the host and a connection of a preloaded library.

use std::io;
use std::ops::Deref;
use std::os::fd::{AsRawFd, OwnedFd};
use std::ptr::NonNull;

use rustix::fs::{MemfdFlags, SealFlags};

use crate::door::preload::region::{Region, SIZE};

/// A mapped region.
#[derive(Debug)]
pub(crate) struct Shared(NonNull<Region>);

// SAFETY: the mapping is of the process, and all of a region is atomic.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

impl Shared {
    /// Creates a region and the file to map it on the other side.
    ///
    /// # Errors
    /// The error of the system call.
    pub(crate) fn new() -> io::Result<(Self, OwnedFd)> {
        let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
        let file = rustix::fs::memfd_create(c"sheave-region", flags)?;
        let length = u64::try_from(SIZE).unwrap_or(0);
        rustix::fs::ftruncate(&file, length)?;
        // Seals prevent anyone from shrinking the file under the mapping.
        let seals = SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL;
        rustix::fs::fcntl_add_seals(&file, seals)?;
        Ok((Self::of(&file)?, file))
    }

    /// Maps the region in a file of fixed size.
    ///
    /// # Errors
    /// The error of the system call.
    pub(crate) fn of(file: &OwnedFd) -> io::Result<Self> {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let (near, fd) = (std::ptr::null_mut(), file.as_raw_fd());
        // SAFETY: the kernel chooses the place of a new mapping.
        let at = unsafe { libc::mmap(near, SIZE, access, libc::MAP_SHARED, fd, 0) };
        match NonNull::new(at.cast::<Region>()) {
            Some(at) if at.as_ptr().cast() != libc::MAP_FAILED => Ok(Self(at)),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

impl Deref for Shared {
    type Target = Region;

    fn deref(&self) -> &Region {
        // SAFETY: the mapping lives as long as this, cannot shrink, and is a whole page of atomic words, of
        // which every bit pattern is valid, whoever writes them.
        unsafe { self.0.as_ref() }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: mapped in `new`, and nobody borrows it any more.
        unsafe { libc::munmap(self.0.as_ptr().cast(), SIZE) };
    }
}
