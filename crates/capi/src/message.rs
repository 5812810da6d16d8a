//! Received messages, owned by the caller.

use sheave::Delivery;

use crate::border::{self, Place};
use crate::receive::{Origin, SHEAVE_RECEIVED_UNORDERED};
use crate::status::Status;

/// A received message.
pub struct Message {
    message: sheave::Message,
    origin: Origin,
}

impl Message {
    pub(crate) fn new(message: sheave::Message, origin: Origin) -> Self {
        Self { message, origin }
    }
}

/// The payload, valid until the message is freed; NULL on errors.
#[unsafe(no_mangle)]
pub extern "C" fn sheave_message_bytes(message: Option<&Message>) -> *const u8 {
    border::on_or(std::ptr::null(), message, "message", |message| {
        Ok(message.message.payload.as_ptr())
    })
}

/// Size of the payload, bytes.
#[unsafe(no_mangle)]
pub extern "C" fn sheave_message_length(message: Option<&Message>) -> usize {
    border::on_or(0, message, "message", |message| {
        Ok(message.message.payload.len())
    })
}

/// The stream of the message.
#[unsafe(no_mangle)]
pub extern "C" fn sheave_message_stream(message: Option<&Message>) -> u16 {
    border::on_or(0, message, "message", |message| {
        Ok(message.message.stream.0)
    })
}

/// The payload protocol identifier, in host byte order.
#[unsafe(no_mangle)]
pub extern "C" fn sheave_message_ppid(message: Option<&Message>) -> u32 {
    border::on_or(0, message, "message", |message| Ok(message.message.ppid.0))
}

/// SHEAVE_RECEIVED_UNORDERED for an unordered message, else 0.
#[unsafe(no_mangle)]
pub extern "C" fn sheave_message_flags(message: Option<&Message>) -> u32 {
    border::on_or(0, message, "message", |message| {
        Ok(match message.message.delivery {
            Delivery::Ordered => 0,
            Delivery::Unordered => SHEAVE_RECEIVED_UNORDERED,
        })
    })
}

/// Copies the message's source and sequence numbers at the time of reception to `*origin`; `size`
/// is sizeof(struct sheave_origin).
///
/// Errors: SHEAVE_STATUS_INVALID_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_message_origin(
    message: Option<&Message>,
    origin: *mut Origin,
    size: usize,
) -> Status {
    border::on(message, "message", |message| {
        // SAFETY: as the top of the header asks of the caller.
        let place = unsafe { Place::sized(origin, size, "sheave_origin") }?;
        place.put(message.origin);
        Ok(())
    })
}

/// Frees the message; does nothing with NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_message_free(message: *mut Message) {
    // SAFETY: as the top of the header asks of the caller.
    unsafe { border::take_back(message) };
}
