//! Unfinished files, and who writes them.
//!
//! A sender that was killed leaves its session behind until the association times out. When the
//! same files are sent again, the newer session takes the unfinished ones over, and the older one
//! can write no more.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// The number of a session, higher for newer ones.
pub type Session = u64;

/// The unfinished files that the sessions of this process write.
#[derive(Default)]
pub struct Claims {
    next: Mutex<Session>,
    parts: Mutex<HashMap<String, Weak<Shared>>>,
}

struct Shared {
    file: File,
    owner: Mutex<Session>,
}

/// An unfinished file that a session writes.
pub struct Part {
    name: String,
    session: Session,
    shared: Arc<Shared>,
    claims: Arc<Claims>,
}

impl Claims {
    /// A number for a new session.
    pub fn new_session(&self) -> Session {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        *next += 1;
        *next
    }

    /// Gives the file of that name to `session`; `open` opens it if no other session has it.
    ///
    /// # Errors
    /// What `open` says.
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
    /// Writes at that offset.
    ///
    /// # Errors
    /// A newer session has taken the file over, or what the system says.
    pub fn write(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.with(|file| file.write_all_at(bytes, offset))
    }

    /// Cuts the file to `len` bytes, or fills it up with a hole.
    ///
    /// # Errors
    /// A newer session has taken the file over, or what the system says.
    pub fn cut(&self, len: u64) -> io::Result<()> {
        self.with(|file| file.set_len(len))
    }

    /// Does `step` with the file while no other session can take it.
    ///
    /// # Errors
    /// A newer session has taken the file over, or what `step` says.
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

    /// Gives the file up for good: it is complete and moves to its own name.
    ///
    /// # Errors
    /// A newer session has taken the file over, or what `place` says.
    pub fn complete(self, place: impl FnOnce(&File, &str) -> io::Result<()>) -> io::Result<()> {
        self.with(|file| place(file, &self.name))?;
        let parts = self.claims.parts.lock();
        parts
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&self.name);
        Ok(())
    }
}
