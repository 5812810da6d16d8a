//! Calls that copy between a socket and a file or pipe.

use std::os::fd::{AsFd, OwnedFd};

use bytes::Bytes;

use super::Host;
use super::sockets::Target;
use super::transfers::Checked;
use crate::message::low_half;
use crate::parked::{Job, Sends};
use crate::sys::memory::Memory;
use crate::trapped::{Failure, Outcome};

/// Most bytes per `sendfile` call.
const FILE_PART: usize = 64 << 10;

impl Host {
    /// `sendfile` to a socket: reads the file for the program.
    pub(super) fn sends_file(
        &mut self,
        target: &Target,
        job: &mut Job,
    ) -> Result<Outcome, Failure> {
        let [_, file, offset_at, count, ..] = job.call.args;
        let number = low_half(file);
        let file = match offset_at {
            0 => self.sockets.processes.copy(job.process, number),
            _ => self.sockets.processes.file(job.process, number),
        };
        let place = match file {
            Ok(file) => FilePlace { file, offset_at },
            Err(libc::EBADF) => return Err(Failure(libc::EBADF)),
            // Programs then fall back to read and write.
            Err(_) => return Err(Failure::INVALID),
        };
        let from = place.get(&job.memory)?;
        let count = usize::try_from(count).unwrap_or(usize::MAX).min(FILE_PART);
        let mut bytes = vec![0; count];
        let read = rustix::io::pread(place.file.as_fd(), &mut bytes, from)?;
        bytes.truncate(read);
        if read == 0 {
            return Ok(Outcome::Returns(0));
        }
        let sends = Sends {
            destination: None,
            control: Vec::new(),
            payload: Bytes::from(bytes),
            copied: Ok(()),
            flags: 0,
        };
        // Stores the flags, so that EPIPE raises SIGPIPE as for other sends.
        job.sends = Some(Sends {
            payload: Bytes::new(),
            ..sends.clone()
        });
        if let Checked::Waits(wait) = self.check_send(target, &sends)? {
            return Ok(Outcome::Waits(wait));
        }
        let read = u64::try_from(read).unwrap_or(0);
        place.set(&job.memory, from.saturating_add(read))?;
        let returned = i64::try_from(read).unwrap_or(0);
        let outcome = self.commit_send(target, job, &sends, returned)?;
        if outcome == Outcome::Gone {
            let _ = place.set(&job.memory, from);
        }
        Ok(outcome)
    }
}

/// The error of `sendfile` from a socket.
pub(super) fn reads_file(job: &Job) -> Failure {
    match job.call.args[2] {
        0 => Failure::INVALID,
        // Sockets have no offsets.
        _ => Failure(libc::ESPIPE),
    }
}

/// A file that `sendfile` reads; `offset_at` is the address of its offset, or 0 for the file's own
/// offset.
struct FilePlace {
    file: OwnedFd,
    offset_at: u64,
}

impl FilePlace {
    fn get(&self, memory: &Memory) -> Result<u64, Failure> {
        if self.offset_at == 0 {
            return Ok(rustix::fs::tell(&self.file)?);
        }
        let mut bytes = [0; 8];
        memory.read(self.offset_at, &mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn set(&self, memory: &Memory, offset: u64) -> Result<(), Failure> {
        if self.offset_at == 0 {
            rustix::fs::seek(&self.file, rustix::fs::SeekFrom::Start(offset))?;
            return Ok(());
        }
        Ok(memory.scatter(&[(self.offset_at, &offset.to_le_bytes())])?)
    }
}
