//! `sendmmsg` and `recvmmsg`.
//!
//! If answers are sure to arrive, each message but the last takes effect at once, as in a kernel,
//! and a call that ends early returns the number of messages done. Otherwise the call handles one
//! message in two phases.

use std::time::Duration;

use sheave_sockets::Errno;

use super::Host;
use super::sockets::Target;
use super::transfers::{Checked, Shown, copy_message, write_answer};
use crate::Time;
use crate::door::Arrival;
use crate::message::{self, Message, flag_bits, low_half};
use crate::parked::{Job, Stage};
use crate::trapped::{Failure, Outcome};

/// Most messages per call, as in Linux (`UIO_MAXIOV`).
const MOST: u32 = 1024;
/// Size of `struct mmsghdr`: a `struct msghdr`, then the message's length at `LENGTH_AT`.
const ENTRY: u64 = 64;
const LENGTH_AT: u64 = 56;

impl Host {
    /// `sendmmsg`.
    pub(super) fn sends_several(
        &mut self,
        target: &Target,
        job: &mut Job,
    ) -> Result<Outcome, Failure> {
        let wanted = wanted(job, self.programs.door(job.program)?.arrival());
        while job.done < wanted {
            let sends = match job.sends.take() {
                Some(sends) => sends,
                None => {
                    let flags = job.call.args[3];
                    let message = Message::of_header(&job.memory, entry(job), flags)?;
                    copy_message(self.stack.abi(), job, &message)?
                }
            };
            job.sends = Some(sends.clone());
            let bytes = match self.check_send(target, &sends)? {
                Checked::Takes(bytes) => bytes,
                Checked::Waits(wait) => return Ok(Outcome::Waits(wait)),
            };
            write_length(job, bytes)?;
            // Like in Linux, a partly sent message is the last one.
            if job.done + 1 == wanted || bytes < sends.payload.len() {
                return self.commit_send(target, job, &sends, i64::from(job.done) + 1);
            }
            if !self.programs.is_waiting(job) {
                return Ok(Outcome::Gone);
            }
            self.send_checked(target, &sends);
            on_done(job);
        }
        Ok(Outcome::Returns(job.done.into()))
    }

    /// `recvmmsg`. An error after the first message is left to the next call.
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
            job.closes = closing_time(job, self.carrier.now())?;
            let error = (flags & libc::MSG_ERRQUEUE == 0).then(|| self.stack.take_error(target.id));
            if let Some(error) = error.flatten() {
                return Err(error.into());
            }
        }
        let wanted = wanted(job, self.programs.door(job.program)?.arrival());
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
            if !self.programs.is_waiting(job) {
                return Ok(Outcome::Gone);
            }
            write_answer(self.stack.abi(), job, &room, &incoming)?;
            write_length(job, incoming.payload.len())?;
            let is_over = write_time_left(job, self.carrier.now())?.is_zero();
            let is_last = job.done + 1 == wanted || is_over;
            let shown = (&room, &incoming);
            if is_last {
                let returned = i64::from(job.done) + 1;
                return self.commit_receive(target, job, shown, returned);
            }
            self.hide_last(target, job, shown);
            self.dequeue(target, &incoming);
            on_done(job);
        }
        Ok(Outcome::Returns(job.done.into()))
    }
}

/// The deadline of `recvmmsg`, if given. Like in Linux, it does not end a blocked call; it is
/// checked after each message.
fn closing_time(job: &Job, now: Time) -> Result<Option<Time>, Failure> {
    let at = job.call.args[4];
    if at == 0 {
        return Ok(None);
    }
    let span = message::time_span(&job.memory, at)?;
    let nanos = u64::try_from(span.as_nanos()).unwrap_or(u64::MAX);
    Ok(Some(Time::from_nanos(now.as_nanos().saturating_add(nanos))))
}

/// Writes the remaining time of `recvmmsg` after a message, and returns it.
fn write_time_left(job: &Job, now: Time) -> Result<Duration, Failure> {
    let Some(closes) = job.closes else {
        return Ok(Duration::MAX);
    };
    let left = closes.since(now);
    message::write_time_span(&job.memory, job.call.args[4], left)?;
    Ok(left)
}

/// Number of messages that the call may handle.
fn wanted(job: &Job, arrival: Arrival) -> u32 {
    let most = match arrival {
        Arrival::Certain => MOST,
        Arrival::Uncertain => 1,
    };
    low_half(job.call.args[2]).min(most)
}

/// Address of the next message's `struct mmsghdr`.
fn entry(job: &Job) -> u64 {
    job.call.args[1].wrapping_add(u64::from(job.done) * ENTRY)
}

/// Writes the length of the next message after its header.
fn write_length(job: &Job, bytes: usize) -> Result<(), Failure> {
    let length = u32::try_from(bytes).unwrap_or(0).to_le_bytes();
    let at = entry(job).wrapping_add(LENGTH_AT);
    Ok(job.memory.scatter(&[(at, &length)])?)
}

/// Advances to the next message, which may block again.
fn on_done(job: &mut Job) {
    job.done += 1;
    job.sends = None;
    job.until = None;
}
