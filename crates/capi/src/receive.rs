//! Receiving, into the caller's memory or by taking a message over.

use std::ffi::{c_char, c_int, c_void};
use std::task::Context;

use sheave::handle::wait_until;
use sheave::message::Part;
use sheave::{Delivery, Received};

use crate::association::Association;
use crate::border::{self, Outcome, Place};
use crate::failure::Failure;
use crate::message::Message;
use crate::stats::{SHEAVE_ADDRESS_LENGTH, address_text};
use crate::status::Status;

/// The message was sent unordered.
pub const SHEAVE_RECEIVED_UNORDERED: u32 = 1;
/// More of the message follows, in another call.
pub const SHEAVE_RECEIVED_MORE: u32 = 2;

/// A message, or a part of one, that was received.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ReceiveInfo {
    /// Bytes put into the buffer.
    pub length: usize,
    /// The payload protocol identifier, in the machine's byte order.
    pub ppid: u32,
    /// A sum of SHEAVE_RECEIVED_ constants.
    pub flags: u32,
    /// The stream; they count from 0.
    pub stream: u16,
}

/// The place of a received message among what the peer sends.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    /// The peer's address that the message, or its first part, came from, as text; empty where the peer
    /// has it no longer, and once the association is closed.
    pub source: [c_char; SHEAVE_ADDRESS_LENGTH],
    /// The stream sequence number, 16 bits, or where messages are interleaved (RFC 8260) the message
    /// identifier. Means nothing for unordered messages without interleaving.
    pub ssn_or_mid: u32,
    /// The TSN of the message's first chunk.
    pub tsn: u32,
    /// The last TSN before which none is missing, at the time of the call; 0 once the association is
    /// closed.
    pub cumulative_tsn: u32,
}

impl Association {
    /// The place of a message as C has it.
    pub(crate) fn origin(&self, origin: sheave::message::Origin) -> Origin {
        let source = self.association.source(origin);
        let cumulative_tsn = self.association.cumulative_tsn();
        Origin {
            source: source.map_or([0; SHEAVE_ADDRESS_LENGTH], address_text),
            ssn_or_mid: origin.ssn_or_mid,
            tsn: origin.tsn.0,
            cumulative_tsn: cumulative_tsn.map_or(0, |tsn| tsn.0),
        }
    }

    /// The next message or part of one, as it comes.
    fn next(&self, timeout: c_int) -> Outcome<Received> {
        if let Some(rest) = self.rest().pop_front() {
            return Ok(rest);
        }
        let poll = |context: &Context<'_>| self.association.poll_receive(context);
        match wait_until(border::timeout(timeout), poll) {
            Some(Ok(Some(received))) => Ok(received),
            Some(Ok(None)) => Err(end()),
            Some(Err(error)) => Err(error.into()),
            None => Err(Failure::again("message")),
        }
    }

    /// Receives into memory of the caller's; the place of the message.
    ///
    /// # Safety
    /// `buffer` leads to memory for `capacity` bytes, `info` to memory for its type, or they are NULL.
    unsafe fn receive(
        &self,
        buffer: *mut c_void,
        capacity: usize,
        info: *mut ReceiveInfo,
        timeout: c_int,
    ) -> Outcome<sheave::message::Origin> {
        // SAFETY: as the caller promises.
        let place = unsafe { Place::new(info, "info") }?;
        if buffer.is_null() || capacity == 0 {
            return Err(Failure::argument("buffer has no room"));
        }
        let received = match self.next(timeout) {
            Ok(received) => received,
            Err(failure) => {
                self.update();
                return Err(failure);
            }
        };
        let origin = received.origin;
        let (piece, info) = self.split(received, capacity);
        // SAFETY: the caller has room for `capacity` bytes, which the piece does not exceed.
        unsafe { border::copy(&piece, buffer.cast::<u8>()) };
        place.put(info);
        self.update();
        Ok(origin)
    }

    /// Splits off at most `room` bytes; the rest is kept for the next call.
    fn split(&self, received: Received, room: usize) -> (bytes::Bytes, ReceiveInfo) {
        let Received {
            mut message,
            part,
            origin,
        } = received;
        let length = room.min(message.payload.len());
        let piece = message.payload.split_to(length);
        let mut flags = match message.delivery {
            Delivery::Ordered => 0,
            Delivery::Unordered => SHEAVE_RECEIVED_UNORDERED,
        };
        if matches!(part, Part::First | Part::Middle) || !message.payload.is_empty() {
            flags |= SHEAVE_RECEIVED_MORE;
        }
        let info = ReceiveInfo {
            length,
            ppid: message.ppid.0,
            flags,
            stream: message.stream.0,
        };
        if !message.payload.is_empty() {
            self.rest().push_front(Received {
                message,
                part,
                origin,
            });
        }
        (piece, info)
    }

    /// The next whole message; the rest of one that was begun counts as one.
    fn next_whole(&self, limit: usize, timeout: c_int) -> Outcome<Received> {
        if let Some(rest) = self.rest().pop_front() {
            return Ok(rest);
        }
        let poll = |context: &Context<'_>| self.association.poll_receive_joined(context, limit);
        match wait_until(border::timeout(timeout), poll) {
            Some(Ok(Some(received))) => Ok(received),
            Some(Ok(None)) => Err(end()),
            Some(Err(error)) => Err(error.into()),
            None => Err(Failure::again("message")),
        }
    }
}

fn end() -> Failure {
    Failure::new(Status::End, "the association was closed gracefully")
}

/// Receives the next message, or part of it, into `buffer`, which has room for `capacity` bytes, at
/// least 1; waits for it at most `timeout` milliseconds. `info` must not be NULL. Where the message
/// does not fit, or is larger than the receive buffer of the association, more of it comes with the
/// next call, and `info->flags` says so; parts of messages on different streams may alternate if
/// interleaving (RFC 8260) is on.
///
/// Several threads may receive, each other messages; but parts of one then go to whoever comes.
///
/// Errors: SHEAVE_STATUS_AGAIN, when nothing came in time; SHEAVE_STATUS_END; SHEAVE_STATUS_CLOSED.
/// With the last two, everything that had arrived was returned before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_association_receive(
    association: *const Association,
    buffer: *mut c_void,
    capacity: usize,
    info: *mut ReceiveInfo,
    timeout: c_int,
) -> Status {
    border::call(|| {
        // SAFETY: as the top of the header asks of the caller.
        let association = unsafe { border::borrow(association, "association") }?;
        // SAFETY: likewise.
        unsafe { association.receive(buffer, capacity, info, timeout) }?;
        Ok(())
    })
}

/// Receives like sheave_association_receive(), and puts the place of the message among what the peer
/// sends into `*origin`; `size` is sizeof(struct sheave_origin).
///
/// Errors: as sheave_association_receive().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_association_receive_from(
    association: *const Association,
    buffer: *mut c_void,
    capacity: usize,
    info: *mut ReceiveInfo,
    origin: *mut Origin,
    size: usize,
    timeout: c_int,
) -> Status {
    border::call(|| {
        // SAFETY: as the top of the header asks of the caller.
        let association = unsafe { border::borrow(association, "association") }?;
        // SAFETY: likewise.
        let place = unsafe { Place::sized(origin, size, "sheave_origin") }?;
        // SAFETY: likewise.
        let origin = unsafe { association.receive(buffer, capacity, info, timeout) }?;
        place.put(association.origin(origin));
        Ok(())
    })
}

/// Receives the next whole message, of at most `limit` bytes, without a copy where it came in one
/// part; waits for it at most `timeout` milliseconds. It goes to `*message` and has to be freed with
/// sheave_message_free(). Use either this or sheave_association_receive() on an association: of a
/// message that the latter has begun, this returns the rest.
///
/// Errors: as sheave_association_receive(), and SHEAVE_STATUS_TOO_LARGE for a message of more than
/// `limit` bytes, which is discarded.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_association_receive_message(
    association: *const Association,
    limit: usize,
    message: *mut *mut Message,
    timeout: c_int,
) -> Status {
    border::call(|| {
        // SAFETY: as the top of the header asks of the caller.
        let association = unsafe { border::borrow(association, "association") }?;
        // SAFETY: likewise.
        let place = unsafe { Place::new(message, "message") }?;
        let outcome = association.next_whole(limit, timeout);
        association.update();
        let received = outcome?;
        let origin = association.origin(received.origin);
        place.put(border::give(Message::new(received.message, origin)));
        Ok(())
    })
}
