//! Unfinished files and the sessions that write them.
//!
//! The session of a killed sender lives until its association times out. If the same files are sent
//! again, the newer session takes over the unfinished files, and the older one can no longer write.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// A session number; higher is newer.
pub type Session = u64;

/// Unfinished files being written by this process's sessions.
#[derive(Default)]
pub struct Claims {
    next: Mutex<Session>,
    parts: Mutex<HashMap<String, Weak<Shared>>>,
}

struct Shared {
    file: File,
    owner: Mutex<Session>,
}

/// An unfinished file claimed by a session.
pub struct Part {
    name: String,
    session: Session,
    shared: Arc<Shared>,
    claims: Arc<Claims>,
}

impl Claims {
    /// Allocates a session number.
    pub fn new_session(&self) -> Session {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        *next += 1;
        *next
    }

    /// Claims a file for `session`; `open` opens it if no other session has it.
    pub fn claim(
        self: &Arc<Self>,
        session: Session,
        name: &str,
        open: impl FnOnce() -> io::Result<File>,
    ) -> io::Result<Part> {
        let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        let shared = match parts.get(name).and_then(Weak::upgrade) {
            Some(shared) => {
                *shared.owner.lock().unwrap_or_else(PoisonError::into_inner) = session;
                shared
            }
            None => {
                let shared = Arc::new(Shared {
                    file: open()?,
                    owner: Mutex::new(session),
                });
                parts.retain(|_, part| part.strong_count() > 0);
                parts.insert(name.to_owned(), Arc::downgrade(&shared));
                shared
            }
        };
        Ok(Part {
            name: name.to_owned(),
            session,
            shared,
            claims: Arc::clone(self),
        })
    }
}

impl Part {
    /// Writes at an offset.
    /// Errors: a newer session has claimed the file, or a system call failed.
    pub fn write(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.with(|file| file.write_all_at(bytes, offset))
    }

    /// Truncates the file to `len` bytes, or extends it by a hole.
    /// Errors: a newer session has claimed the file, or a system call failed.
    pub fn cut(&self, len: u64) -> io::Result<()> {
        self.with(|file| file.set_len(len))
    }

    /// Runs `step` on the file while no other session can claim it.
    /// Errors: a newer session has claimed the file, or `step` failed.
    pub fn with<T>(&self, step: impl FnOnce(&File) -> io::Result<T>) -> io::Result<T> {
        let owner = self.shared.owner.lock();
        let owner = owner.unwrap_or_else(PoisonError::into_inner);
        if *owner != self.session {
            return Err(io::Error::other(
                "a newer transfer has taken this file over",
            ));
        }
        step(&self.shared.file)
    }

    /// Ends the claim: the file is complete and moves to its name.
    /// Errors: a newer session has claimed the file, or `place` failed.
    pub fn complete(self, place: impl FnOnce(&File, &str) -> io::Result<()>) -> io::Result<()> {
        self.with(|file| place(file, &self.name))?;
        let parts = self.claims.parts.lock();
        parts
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&self.name);
        Ok(())
    }
}
