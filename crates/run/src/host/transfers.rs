//! Calls that send and receive, in two phases: if a signal prevents the answer from arriving, the
//! call must have had no effect. Otherwise the program would repeat it and send a message twice or
//! lose one.

use sheave_sockets::{Abi, Errno, Incoming, Limits};

use super::sockets::Target;
use super::{Host, has_one_at_most};
use crate::message::{self, Answer, Message, Results, span};
use crate::parked::{Job, Sends};
use crate::socket::Blocking;
use crate::sys::memory::Span;
use crate::trapped::{Failure, Outcome, Wait};

impl Host {
    pub(super) fn sends(&mut self, target: &Target, job: &mut Job) -> Result<Outcome, Failure> {
        let sends = match job.sends.take() {
            Some(sends) => sends,
            None => {
                let message = bytes_of(job)?;
                // Linux returns at once if all buffers are empty.
                if is_vector(job) && message.room() == 0 {
                    return Ok(Outcome::Returns(0));
                }
                copy_message(self.stack.abi(), job, &message)?
            }
        };
        job.sends = Some(sends.clone());
        match self.check_send(target, &sends)? {
            Checked::Takes(bytes) => {
                let returned = i64::try_from(bytes).unwrap_or(i64::MAX);
                self.commit_send(target, job, &sends, returned)
            }
            Checked::Waits(wait) => Ok(Outcome::Waits(wait)),
        }
    }

    /// First phase: whether the message can be sent now.
    pub(super) fn check_send(
        &mut self,
        target: &Target,
        sends: &Sends,
    ) -> Result<Checked, Failure> {
        let now = self.carrier.now();
        let checked = self.stack.check_send(now, target.id, &sends.call());
        match checked {
            Err(Errno::EAGAIN) if may_wait(target, sends.flags) => {
                Ok(Checked::Waits(Wait::Writable))
            }
            checked => {
                let bytes = checked?;
                sends.copied?;
                Ok(Checked::Takes(bytes))
            }
        }
    }

    /// Second phase: answers with `returned` and sends if the answer arrives.
    pub(super) fn commit_send(
        &mut self,
        target: &Target,
        job: &Job,
        sends: &Sends,
        returned: i64,
    ) -> Result<Outcome, Failure> {
        let door = self.programs.door(job.program)?;
        if door.answer(job.call.id, Ok(returned)).is_err() {
            return Ok(Outcome::Gone);
        }
        self.send_checked(target, sends);
        Ok(Outcome::Answered(Some(returned)))
    }

    /// Sends a checked message; a refusal now loses the message, as a reset right after the call
    /// would.
    pub(super) fn send_checked(&mut self, target: &Target, sends: &Sends) {
        self.report.bytes_sent += u64::try_from(sends.payload.len()).unwrap_or(0);
        self.report.messages_sent += 1;
        let _ = self.stack.send(self.carrier.now(), target.id, sends.call());
        self.open_port(target.id);
    }

    pub(super) fn receives(&mut self, target: &Target, job: &Job) -> Result<Outcome, Failure> {
        let message = room_of(job)?;
        let is_read = is_vector(job) || job.call.number == libc::SYS_read;
        if is_read && message.room() == 0 {
            return Ok(Outcome::Returns(0));
        }
        match self.show(target, &message)? {
            // A call that may not be answered must not have an effect, because it will be repeated.
            Shown::Message(_) if !self.programs.is_waiting(job) => Ok(Outcome::Gone),
            Shown::Message(incoming) => {
                write_answer(self.stack.abi(), job, &message, &incoming)?;
                let returned = i64::try_from(incoming.payload.len()).unwrap_or(i64::MAX);
                self.commit_receive(target, job, (&message, &incoming), returned)
            }
            Shown::Waits(wait) => Ok(Outcome::Waits(wait)),
        }
    }

    /// First phase: shows what can be received.
    pub(super) fn show(&mut self, target: &Target, room: &Message) -> Result<Shown, Errno> {
        let limits = |flags| Limits {
            payload: room.room(),
            control: room.control_room(),
            flags,
        };
        let now = self.carrier.now();
        let flags = room.flags | libc::MSG_DONTWAIT;
        let shown = match self.stack.peek(now, target.id, limits(flags)) {
            Ok(incoming) if !incoming.payload.is_empty() => Ok(incoming),
            // Whether the call blocks matters only without data; finding out may cost a system call.
            Ok(_) | Err(Errno::EAGAIN) if target.blocking() == Blocking::Usual => {
                self.stack.peek(now, target.id, limits(room.flags))
            }
            shown => shown,
        };
        match shown {
            Err(Errno::EAGAIN) if may_wait(target, room.flags) => Ok(Shown::Waits(Wait::Readable)),
            shown => Ok(Shown::Message(shown?)),
        }
    }

    /// Second phase: answers with `returned` and dequeues the message if the answer arrives.
    pub(super) fn commit_receive(
        &mut self,
        target: &Target,
        job: &Job,
        shown: (&Message, &Incoming),
        returned: i64,
    ) -> Result<Outcome, Failure> {
        self.hide_last(target, job, shown);
        let door = self.programs.door(job.program)?;
        if door.answer(job.call.id, Ok(returned)).is_err() {
            return Ok(Outcome::Gone);
        }
        self.dequeue(target, shown.1);
        Ok(Outcome::Answered(Some(returned)))
    }

    /// Makes the socket unreadable if its last message is delivered.
    pub(super) fn hide_last(
        &mut self,
        target: &Target,
        job: &Job,
        (room, incoming): (&Message, &Incoming),
    ) {
        let last = has_one_at_most(&self.stack.readiness(target.id));
        if last && !incoming.payload.is_empty() && room.flags & libc::MSG_PEEK == 0 {
            self.sockets.take_back(target, job);
        }
    }

    pub(super) fn dequeue(&mut self, target: &Target, incoming: &Incoming) {
        self.report.bytes_received += u64::try_from(incoming.payload.len()).unwrap_or(0);
        self.report.messages_received += 1;
        let now = self.carrier.now();
        self.stack.consume(now, target.id, incoming.token);
    }
}

/// Copies a message to send.
pub(super) fn copy_message(abi: Abi, job: &Job, message: &Message) -> Result<Sends, Failure> {
    // An empty name in a header counts as none.
    let is_there = |name: &Span| name.length > 0 || message.results == Results::Nowhere;
    let name = message.name.filter(is_there);
    let name = name.map(|name| job.memory.gather(&[name]));
    let destination = match name.transpose()? {
        None => None,
        Some(name) => Some(abi.address(&name)?),
    };
    let control = message.read_control(&job.memory)?;
    let length = message.room();
    if length > message::MAX_PAYLOAD {
        return Err(Failure::TOO_LONG);
    }
    let payload = job.memory.gather(&message.payload);
    let copied = payload.as_ref().map(|_| ()).map_err(|fault| *fault);
    Ok(Sends {
        destination,
        control,
        // A failed copy is reported after other errors.
        payload: payload.unwrap_or_else(|_| vec![0; length]).into(),
        copied,
        flags: message.flags,
    })
}

/// Copies received data to the program's memory, which is valid while its thread
/// [waits](crate::door::Door::is_waiting).
pub(super) fn write_answer(
    abi: Abi,
    job: &Job,
    room: &Message,
    incoming: &Incoming,
) -> Result<(), Failure> {
    let room = room.with_name_room(&job.memory)?;
    let name = incoming.name.map(|name| abi.address_bytes(name));
    let answer = Answer {
        payload: &incoming.payload,
        name: name.unwrap_or_default(),
        control: &incoming.control,
        flags: incoming.flags,
    };
    room.write(&job.memory, &answer)?;
    Ok(())
}

/// The outcome of the first phase of sending.
pub(super) enum Checked {
    /// This many bytes will be sent.
    Takes(usize),
    Waits(Wait),
}

/// The outcome of the first phase of receiving.
pub(super) enum Shown {
    Message(Incoming),
    Waits(Wait),
}

/// Whether the call may block.
fn may_wait(target: &Target, flags: i32) -> bool {
    let never = libc::MSG_DONTWAIT | libc::MSG_ERRQUEUE;
    flags & never == 0 && target.blocking() == Blocking::Usual
}

/// Whether the call uses several buffers.
fn is_vector(job: &Job) -> bool {
    matches!(
        job.call.number,
        libc::SYS_readv | libc::SYS_writev | libc::SYS_preadv2 | libc::SYS_pwritev2
    )
}

/// The buffers that a call sends.
fn bytes_of(job: &Job) -> Result<Message, Failure> {
    let [_, at, length, flags, name_at, name_length] = job.call.args;
    match job.call.number {
        libc::SYS_sendto => {
            let mut message = Message::plain(at, length, flags)?;
            message.name = message::name_span(name_at, name_length)?;
            Ok(message)
        }
        libc::SYS_sendmsg => Message::of_header(&job.memory, at, length),
        libc::SYS_write => Message::whole(at, length),
        _ => parts_of(job),
    }
}

/// The buffers of a receiving call.
fn room_of(job: &Job) -> Result<Message, Failure> {
    let [_, at, length, flags, name_at, length_at] = job.call.args;
    match job.call.number {
        libc::SYS_recvfrom => {
            let mut message = Message::plain(at, length, flags)?;
            if name_at != 0 {
                message.name = span(name_at, 0);
                message.results = Results::NameLength(length_at);
            }
            Ok(message)
        }
        libc::SYS_recvmsg => Message::of_header(&job.memory, at, length),
        libc::SYS_read => Message::whole(at, length),
        _ => parts_of(job),
    }
}

/// The buffers of a vectored call.
fn parts_of(job: &Job) -> Result<Message, Failure> {
    let [_, at, count, ..] = job.call.args;
    let mut message = Message::of_vector(&job.memory, at, count)?;
    if matches!(job.call.number, libc::SYS_preadv2 | libc::SYS_pwritev2) && message.room() > 0 {
        message.flags = message::read_write_flags(job.call.args[5])?;
    }
    Ok(message)
}
