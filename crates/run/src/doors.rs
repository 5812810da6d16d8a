//! Checks on a child process whether the kernel allows what serving a program needs.

use std::io;

use crate::MemoryAccess;
use crate::sys::trial::{self, Trial};

/// Results of the checks for [`run`](crate::run), each with its error.
#[derive(Debug)]
pub struct Doors {
    /// A seccomp listener, unless a library is preloaded; `ResourceBusy` if a supervisor around
    /// this process has the only one.
    pub listener: io::Result<()>,
    /// Access to a child's memory, which serving requires.
    pub memory: io::Result<MemoryAccess>,
    /// Copies of a child's descriptors (`pidfd_getfd`); without them, a close is noticed later.
    pub descriptors: io::Result<()>,
    /// Whether this build has the library to preload instead of a listener.
    pub library: bool,
    /// The kernel release, if older than 5.14, the oldest supported.
    pub too_old: Option<String>,
}

/// Runs all checks on a short-lived child; this process does not change.
///
/// # Errors
/// The child cannot be created.
pub fn doors() -> io::Result<Doors> {
    let Trial {
        listener,
        memory,
        descriptors,
    } = trial::carry_out()?;
    let too_old = match crate::entry::check_kernel() {
        Err(crate::RunError::OldKernel(release)) => Some(release),
        _ => None,
    };
    Ok(Doors {
        listener,
        memory,
        descriptors,
        library: crate::entry::has_library(),
        too_old,
    })
}
