//! Receiving into the caller's memory, or as an owned message.

use std::ffi::{c_char, c_int, c_void};
use std::task::{Context, Poll};

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
/// More of the message follows in later calls.
pub const SHEAVE_RECEIVED_MORE: u32 = 2;

/// A received message, or part of one.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ReceiveInfo {
    /// Bytes copied to the buffer.
    pub length: usize,
    /// The payload protocol identifier, in host byte order.
    pub ppid: u32,
    /// A sum of SHEAVE_RECEIVED_ constants.
    pub flags: u32,
    /// The stream number, from 0.
    pub stream: u16,
}

/// Source and sequence numbers of a received message.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    /// The peer's address from which the message, or its first part, came, as text; empty if the
    /// peer no longer has the address or the association is closed.
    pub source: [c_char; SHEAVE_ADDRESS_LENGTH],
    /// The stream sequence number (16 bits) or, with interleaving (RFC 8260), the message
    /// identifier. Undefined for unordered messages without interleaving.
    pub ssn_or_mid: u32,
    /// The TSN of the message's first chunk.
    pub tsn: u32,
    /// The cumulative TSN at the time of the call; 0 for a closed association.
    pub cumulative_tsn: u32,
}

impl Association {
    /// Converts the origin of a message for C.
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

    /// The rest of the last message, or what `poll` returns next.
    fn next<E: Into<Failure>>(
        &self,
        timeout: c_int,
        poll: impl FnMut(&Context<'_>) -> Poll<Result<Option<Received>, E>>,
    ) -> Outcome<Received> {
        if let Some(rest) = self.rest().pop_front() {
            return Ok(rest);
        }
        match wait_until(border::timeout(timeout), poll) {
            Some(Ok(Some(received))) => Ok(received),
            Some(Ok(None)) => Err(end()),
            Some(Err(error)) => Err(error.into()),
            None => Err(Failure::again("message")),
        }
    }

    /// Receives into the caller's memory; returns the message's origin.
    ///
    /// # Safety
    /// `buffer` points to memory for `capacity` bytes, `info` to memory for its type, or they are
    /// NULL.
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
        let next = self.next(timeout, |context| self.association.poll_receive(context));
        let received = next.inspect_err(|_| self.update())?;
        let origin = received.origin;
        let (piece, info) = self.split(received, capacity);
        // SAFETY: the caller has room for `capacity` bytes, which the piece does not exceed.
        unsafe { border::copy(&piece, buffer.cast::<u8>()) };
        place.put(info);
        self.update();
        Ok(origin)
    }

    /// Splits off at most `room` bytes; keeps the rest for the next call.
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
}

fn end() -> Failure {
    Failure::new(Status::End, "the association was closed gracefully")
}

/// Receives the next message, or part of it, into `buffer`, which has room for `capacity` bytes, at
/// least 1. Waits at most `timeout` milliseconds. `info` must not be NULL. If the message does not
/// fit, or exceeds the receive buffer of the association, later calls return the rest, and
/// `info->flags` says so. Parts of messages on different streams may alternate if interleaving (RFC
/// 8260) is on.
///
/// Several threads may receive; the parts of one message may then go to different threads.
///
/// Errors: SHEAVE_STATUS_AGAIN on timeout; SHEAVE_STATUS_END; SHEAVE_STATUS_CLOSED. The last two
/// are returned only after every received message.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_association_receive(
    association: Option<&Association>,
    buffer: *mut c_void,
    capacity: usize,
    info: *mut ReceiveInfo,
    timeout: c_int,
) -> Status {
    border::on(association, "association", |association| {
        // SAFETY: as the top of the header asks of the caller.
        unsafe { association.receive(buffer, capacity, info, timeout) }?;
        Ok(())
    })
}

/// Receives like sheave_association_receive(), and copies the message's source and sequence numbers
/// to `*origin`; `size` is sizeof(struct sheave_origin).
///
/// Errors: as sheave_association_receive().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_association_receive_from(
    association: Option<&Association>,
    buffer: *mut c_void,
    capacity: usize,
    info: *mut ReceiveInfo,
    origin: *mut Origin,
    size: usize,
    timeout: c_int,
) -> Status {
    border::on(association, "association", |association| {
        // SAFETY: as the top of the header asks of the caller.
        let place = unsafe { Place::sized(origin, size, "sheave_origin") }?;
        // SAFETY: likewise.
        let origin = unsafe { association.receive(buffer, capacity, info, timeout) }?;
        place.put(association.origin(origin));
        Ok(())
    })
}

/// Receives the next complete message of at most `limit` bytes, without a copy if it arrived in one
/// part. Waits at most `timeout` milliseconds. Stores the message in `*message`; free it with
/// sheave_message_free(). Do not mix with sheave_association_receive(): after a partly received
/// message, this function returns its rest.
/// Errors: as sheave_association_receive(), and SHEAVE_STATUS_TOO_LARGE for a message of more than
/// `limit` bytes, which is discarded.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_association_receive_message(
    association: Option<&Association>,
    limit: usize,
    message: *mut *mut Message,
    timeout: c_int,
) -> Status {
    border::on(association, "association", |association| {
        // SAFETY: as the top of the header asks of the caller.
        let place = unsafe { Place::new(message, "message") }?;
        let received = association.next(timeout, |context| {
            association.association.poll_receive_joined(context, limit)
        });
        association.update();
        let received = received?;
        let origin = association.origin(received.origin);
        place.put(border::give(Message::new(received.message, origin)));
        Ok(())
    })
}
