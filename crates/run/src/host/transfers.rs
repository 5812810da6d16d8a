//! The calls that send and receive, in two phases: an answer that does not reach its call, since a
//! signal interrupted it, must not have had an effect, or the program would send or lose a message
//! twice when it makes the call again.

use std::os::fd::{AsFd, OwnedFd};

use bytes::Bytes;
use sheave_sockets::{Errno, Incoming, Limits};

use super::calls::Target;
use super::{Host, has_one_at_most};
use crate::message::{self, Answer, LENGTH_AT, Message, Results, span};
use crate::parked::{Job, Sends};
use crate::socket::Blocking;
use crate::sys::memory::{self, Span};
use crate::trapped::{Failure, Outcome, Wait};

/// Bytes of a file that one call of `sendfile` takes.
const FILE_PART: usize = 64 << 10;

impl Host {
    pub(super) fn sends(&mut self, target: &Target, job: &mut Job) -> Result<Outcome, Failure> {
        if let Some(outcome) = nothing_to_do(job) {
            return Ok(outcome);
        }
        let sends = match job.sends.take() {
            Some(sends) => sends,
            None => self.read_message(job)?,
        };
        job.sends = Some(sends.clone());
        let taken = match self.check_send(target, &sends)? {
            Checked::Takes(bytes) => bytes,
            Checked::Waits(wait) => return Ok(Outcome::Waits(wait)),
        };
        let returned = match job.call.number {
            libc::SYS_sendmmsg => {
                // One message is sent, as happens on a full socket: the program sends the rest.
                let length = u32::try_from(taken).unwrap_or(0).to_le_bytes();
                let at = job.call.args[1].wrapping_add(LENGTH_AT);
                memory::scatter(job.process, &[&length], &[Span { at, length: 4 }])?;
                1
            }
            _ => i64::try_from(taken).unwrap_or(i64::MAX),
        };
        self.commit_send(target, job, &sends, returned)
    }

    /// The first phase: whether the message can be sent now.
    fn check_send(&mut self, target: &Target, sends: &Sends) -> Result<Checked, Failure> {
        let now = self.carrier.now();
        let checked = self.stack.check_send(now, target.id, &sends.call());
        match checked {
            Err(Errno::EAGAIN) if may_wait(target, sends.flags) => {
                Ok(Checked::Waits(Wait::Writable))
            }
            checked => Ok(Checked::Takes(checked?)),
        }
    }

    /// The second phase: answers with `returned`, and sends if the answer arrives.
    fn commit_send(
        &mut self,
        target: &Target,
        job: &Job,
        sends: &Sends,
        returned: i64,
    ) -> Result<Outcome, Failure> {
        let door = self.door(job.program)?;
        if door.answer(job.call.id, Ok(returned)).is_err() {
            return Ok(Outcome::Gone);
        }
        self.report.bytes_sent += u64::try_from(sends.payload.len()).unwrap_or(0);
        self.report.messages_sent += 1;
        // It was checked: what is refused now is lost, as by a reset right after the call.
        let _ = self.stack.send(self.carrier.now(), target.id, sends.call());
        self.open_port(target.id);
        Ok(Outcome::Answered(Some(returned)))
    }

    /// Copies the message of a sending call.
    fn read_message(&self, job: &Job) -> Result<Sends, Failure> {
        let [_, at, length, flags, name_at, name_length] = job.call.args;
        let message = match job.call.number {
            libc::SYS_sendto => {
                let mut message = Message::plain(at, length, flags);
                let bytes = usize::try_from(name_length & 0xffff_ffff).unwrap_or(0);
                message.name = span(name_at, bytes.min(128));
                message
            }
            libc::SYS_sendmsg => Message::of_header(job.process, at, length)?,
            libc::SYS_sendmmsg => Message::of_header(job.process, at, flags)?,
            libc::SYS_writev => Message::of_vector(job.process, at, length, 0)?,
            _ => Message::plain(at, length, 0),
        };
        let part = |span: Option<Span>| match span {
            Some(span) => memory::gather(job.process, &[span]),
            None => Ok(Vec::new()),
        };
        let name = part(message.name.filter(|name| name.length > 0))?;
        let destination = match name.as_slice() {
            [] => None,
            name => Some(self.stack.abi().address(name)?),
        };
        Ok(Sends {
            destination,
            control: part(message.control)?,
            payload: memory::gather(job.process, &message.payload)?.into(),
            flags: message.flags,
        })
    }

    pub(super) fn receives(&mut self, target: &Target, job: &Job) -> Result<Outcome, Failure> {
        if let Some(outcome) = nothing_to_do(job) {
            return Ok(outcome);
        }
        let message = room_of(job)?;
        let is_read = matches!(job.call.number, libc::SYS_read | libc::SYS_readv);
        if is_read && message.room() == 0 {
            return Ok(Outcome::Returns(0));
        }
        let limits = Limits {
            payload: message.room(),
            control: message.control.map_or(0, |control| control.length),
            flags: match target.blocking {
                Blocking::Usual => message.flags,
                Blocking::Never => message.flags | libc::MSG_DONTWAIT,
            },
        };
        let now = self.carrier.now();
        let incoming = match self.stack.peek(now, target.id, limits) {
            Err(Errno::EAGAIN) if may_wait(target, message.flags) => {
                return Ok(Outcome::Waits(Wait::Readable));
            }
            incoming => incoming?,
        };
        self.write_answer(job, &message, &incoming)?;
        let length = incoming.payload.len();
        let returned = match job.call.number {
            libc::SYS_recvmmsg => {
                let bytes = u32::try_from(length).unwrap_or(0).to_le_bytes();
                let at = job.call.args[1].wrapping_add(LENGTH_AT);
                memory::scatter(job.process, &[&bytes], &[Span { at, length: 4 }])?;
                1
            }
            _ => i64::try_from(length).unwrap_or(i64::MAX),
        };
        let last = has_one_at_most(&self.stack.readiness(target.id));
        if last && !incoming.payload.is_empty() && message.flags & libc::MSG_PEEK == 0 {
            self.take_back(target);
        }
        let door = self.door(job.program)?;
        if door.answer(job.call.id, Ok(returned)).is_err() {
            return Ok(Outcome::Gone);
        }
        self.report.bytes_received += u64::try_from(length).unwrap_or(0);
        self.report.messages_received += 1;
        self.stack.consume(now, target.id, incoming.token);
        Ok(Outcome::Answered(Some(returned)))
    }

    /// Copies what was received into the program's memory.
    fn write_answer(
        &mut self,
        job: &Job,
        room: &Message,
        incoming: &Incoming,
    ) -> Result<(), Failure> {
        // The thread waits, so that the memory is still what it named.
        if !self.door(job.program)?.is_waiting(job.call.id) {
            return Ok(());
        }
        let name = incoming
            .name
            .map(|name| self.stack.abi().address_bytes(name));
        let answer = Answer {
            payload: &incoming.payload,
            name: name.unwrap_or_default(),
            control: &incoming.control,
            flags: incoming.flags,
        };
        room.layout(&answer).write(job.process)?;
        Ok(())
    }

    /// `sendfile` to the socket: reads the file on the program's behalf.
    pub(super) fn sends_file(
        &mut self,
        target: &Target,
        job: &mut Job,
    ) -> Result<Outcome, Failure> {
        let [_, file, offset_at, count, ..] = job.call.args;
        let number = u32::try_from(file & 0xffff_ffff).unwrap_or(u32::MAX);
        let place = match self.processes.copy(job.process, number) {
            Ok(file) => FilePlace { file, offset_at },
            Err(libc::EBADF) => return Err(Failure(libc::EBADF)),
            // Programs read and write themselves where this call cannot be had.
            Err(_) => return Err(Failure::INVALID),
        };
        let from = place.get(job.process)?;
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
            flags: 0,
        };
        // A refusal ends the program by SIGPIPE, as that of any sending call.
        job.sends = Some(Sends {
            payload: Bytes::new(),
            ..sends.clone()
        });
        if let Checked::Waits(wait) = self.check_send(target, &sends)? {
            return Ok(Outcome::Waits(wait));
        }
        let read = u64::try_from(read).unwrap_or(0);
        place.set(job.process, from.saturating_add(read))?;
        let returned = i64::try_from(read).unwrap_or(0);
        let outcome = self.commit_send(target, job, &sends, returned)?;
        if outcome == Outcome::Gone {
            let _ = place.set(job.process, from);
        }
        Ok(outcome)
    }
}

/// The outcome of the first phase of sending.
enum Checked {
    /// So many bytes are sent.
    Takes(usize),
    Waits(Wait),
}

/// A file that `sendfile` reads, and where its offset lies: in the program's memory, or, at 0, in
/// the file itself.
struct FilePlace {
    file: OwnedFd,
    offset_at: u64,
}

impl FilePlace {
    fn get(&self, process: u32) -> Result<u64, Failure> {
        if self.offset_at == 0 {
            return Ok(rustix::fs::tell(&self.file)?);
        }
        let mut bytes = [0; 8];
        memory::read(process, self.offset_at, &mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn set(&self, process: u32, offset: u64) -> Result<(), Failure> {
        if self.offset_at == 0 {
            rustix::fs::seek(&self.file, rustix::fs::SeekFrom::Start(offset))?;
            return Ok(());
        }
        let span = Span {
            at: self.offset_at,
            length: 8,
        };
        Ok(memory::scatter(process, &[&offset.to_le_bytes()], &[span])?)
    }
}

/// Whether the call waits when it must.
fn may_wait(target: &Target, flags: i32) -> bool {
    let never = libc::MSG_DONTWAIT | libc::MSG_ERRQUEUE;
    target.blocking == Blocking::Usual && flags & never == 0
}

/// The outcome of a call for several messages that has none.
fn nothing_to_do(job: &Job) -> Option<Outcome> {
    let several = matches!(job.call.number, libc::SYS_sendmmsg | libc::SYS_recvmmsg);
    (several && job.call.args[2] & 0xffff_ffff == 0).then_some(Outcome::Returns(0))
}

/// The room that a receiving call has.
fn room_of(job: &Job) -> Result<Message, Failure> {
    let [_, at, length, flags, name_at, length_at] = job.call.args;
    Ok(match job.call.number {
        libc::SYS_recvfrom => {
            let mut message = Message::plain(at, length, flags);
            if name_at != 0 {
                let room = message::number(job.process, length_at)?;
                let room = usize::try_from(room).map_err(|_| Failure::INVALID)?;
                message.name = span(name_at, room.min(128));
                message.results = Results::NameLength(length_at);
            }
            message
        }
        libc::SYS_recvmsg => Message::of_header(job.process, at, length)?,
        libc::SYS_recvmmsg => Message::of_header(job.process, at, flags)?,
        libc::SYS_readv => Message::of_vector(job.process, at, length, 0)?,
        _ => Message::plain(at, length, 0),
    })
}
