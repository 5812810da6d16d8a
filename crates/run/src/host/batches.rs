//! Calls for several messages.
//!
//! Where an answer reaches its call for sure, each message but the last has its effect at once, as in a
//! kernel, and a call that ends early returns how many had. Elsewhere such a call handles one message,
//! in two phases.

use std::time::Duration;

use sheave_sockets::Errno;

use super::Host;
use super::calls::Target;
use super::transfers::{Checked, Shown};
use crate::Time;
use crate::door::Arrival;
use crate::message::{self, Message, flag_bits, low_half};
use crate::parked::{Job, Stage};
use crate::trapped::{Failure, Outcome};

/// Messages of one call; Linux sends as many (`UIO_MAXIOV`).
const MOST: u32 = 1024;
/// Bytes of a `struct mmsghdr`: a `struct msghdr`, and the message's length at this offset.
const ENTRY: u64 = 64;
const LENGTH_AT: u64 = 56;

impl Host {
    /// `sendmmsg`.
    pub(super) fn sends_several(
        &mut self,
        target: &Target,
        job: &mut Job,
    ) -> Result<Outcome, Failure> {
        let wanted = self.wanted(job)?;
        while job.done < wanted {
            let sends = match job.sends.take() {
                Some(sends) => sends,
                None => {
                    let flags = job.call.args[3];
                    let message = Message::of_header(&job.memory, entry(job), flags)?;
                    self.copy_message(job, &message)?
                }
            };
            job.sends = Some(sends.clone());
            let bytes = match self.check_send(target, &sends)? {
                Checked::Takes(bytes) => bytes,
                Checked::Waits(wait) => return Ok(Outcome::Waits(wait)),
            };
            write_length(job, bytes)?;
            // As in Linux, a message that is not sent whole, for want of a receiver, is the last one.
            if job.done + 1 == wanted || bytes < sends.payload.len() {
                return self.commit_send(target, job, &sends, i64::from(job.done) + 1);
            }
            if !self.door(job.program)?.is_waiting(job.call.id) {
                return Ok(Outcome::Gone);
            }
            self.send_checked(target, &sends);
            on_done(job);
        }
        Ok(Outcome::Returns(job.done.into()))
    }

    /// `recvmmsg`. An error behind messages is for the next call to tell of.
    pub(super) fn receives_several(
        &mut self,
        target: &Target,
        job: &mut Job,
    ) -> Result<Outcome, Failure> {
        let outcome = self.receives_next(target, job);
        if let Err(failure) = outcome
            && failure != Failure::AGAIN
            && job.done > 0
        {
            let error = Errno::from_code(failure.0);
            self.stack.put_error(target.id, error);
        }
        outcome
    }

    fn receives_next(&mut self, target: &Target, job: &mut Job) -> Result<Outcome, Failure> {
        let flags = flag_bits(job.call.args[3]);
        if job.stage == Stage::Fresh {
            job.closes = self.closing_time(job)?;
            let error = (flags & libc::MSG_ERRQUEUE == 0).then(|| self.stack.take_error(target.id));
            if let Some(error) = error.flatten() {
                return Err(error.into());
            }
        }
        let wanted = self.wanted(job)?;
        while job.done < wanted {
            let mut room = Message::of_header(&job.memory, entry(job), job.call.args[3])?;
            room.flags &= !libc::MSG_WAITFORONE;
            if flags & libc::MSG_WAITFORONE != 0 && job.done > 0 {
                room.flags |= libc::MSG_DONTWAIT;
            }
            let incoming = match self.show(target, &room)? {
                Shown::Message(incoming) => incoming,
                Shown::Waits(wait) => return Ok(Outcome::Waits(wait)),
            };
            if !self.door(job.program)?.is_waiting(job.call.id) {
                return Ok(Outcome::Gone);
            }
            self.write_answer(job, &room, &incoming)?;
            write_length(job, incoming.payload.len())?;
            let is_over = self.write_time_left(job)?.is_zero();
            let is_last = job.done + 1 == wanted || is_over;
            let shown = (&room, &incoming);
            if is_last {
                let returned = i64::from(job.done) + 1;
                return self.commit_receive(target, job, shown, returned);
            }
            self.hide_last(target, shown);
            self.dequeue(target, &incoming);
            on_done(job);
        }
        Ok(Outcome::Returns(job.done.into()))
    }

    /// Messages that the call may handle.
    fn wanted(&mut self, job: &Job) -> Result<u32, Failure> {
        let count = low_half(job.call.args[2]);
        let most = match self.door(job.program)?.arrival() {
            Arrival::Certain => MOST,
            Arrival::Uncertain => 1,
        };
        Ok(count.min(most))
    }

    /// The time after which `recvmmsg` receives no further message, if its last argument says one. It
    /// does not end a call that waits: the next message does.
    fn closing_time(&self, job: &Job) -> Result<Option<Time>, Failure> {
        let at = job.call.args[4];
        if at == 0 {
            return Ok(None);
        }
        let span = message::time_span(&job.memory, at)?;
        let now = self.carrier.now();
        let nanos = u64::try_from(span.as_nanos()).unwrap_or(u64::MAX);
        Ok(Some(Time::from_nanos(now.as_nanos().saturating_add(nanos))))
    }

    /// Writes the time that `recvmmsg` has left behind a message, which it returns.
    fn write_time_left(&self, job: &Job) -> Result<Duration, Failure> {
        let Some(closes) = job.closes else {
            return Ok(Duration::MAX);
        };
        let left = closes.since(self.carrier.now());
        message::write_time_span(&job.memory, job.call.args[4], left)?;
        Ok(left)
    }
}

/// The address of the next message's `struct mmsghdr`.
fn entry(job: &Job) -> u64 {
    job.call.args[1].wrapping_add(u64::from(job.done) * ENTRY)
}

/// Writes the length of the next message behind its header.
fn write_length(job: &Job, bytes: usize) -> Result<(), Failure> {
    let length = u32::try_from(bytes).unwrap_or(0).to_le_bytes();
    let at = entry(job).wrapping_add(LENGTH_AT);
    Ok(job.memory.scatter(&[(at, &length)])?)
}

/// The next message follows, with a wait of its own.
fn on_done(job: &mut Job) {
    job.done += 1;
    job.sends = None;
    job.until = None;
}
