//! The kernel's side of the door: each thing that serving a program takes, tried on a child.

use std::io;

use crate::MemoryAccess;
use crate::sys::trial::{self, Trial};

/// The things that [`run`](crate::run) needs or likes, each with the error that it met.
#[derive(Debug)]
pub struct Doors {
    /// A seccomp listener, without which no program can be served; `ResourceBusy` if another
    /// supervisor around this process has the one that there can be.
    pub listener: io::Result<()>,
    /// Access to a child's memory, without which no program can be served.
    pub memory: io::Result<MemoryAccess>,
    /// Copies of a child's descriptors (`pidfd_getfd`); without them a close is noticed later.
    pub descriptors: io::Result<()>,
    /// Whether this build carries the library that is preloaded where there is no listener.
    pub library: bool,
    /// The release of the kernel where it is older than 5.14, the first that serves a program.
    pub too_old: Option<String>,
}

/// Tries everything on a child that does nothing and ends at once. Nothing of this process
/// changes.
///
/// # Errors
/// No child can be made.
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
