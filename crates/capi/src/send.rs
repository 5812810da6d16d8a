//! Sending.

use std::ffi::{c_char, c_int, c_void};
use std::mem::offset_of;
use std::net::IpAddr;
use std::ptr;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::Bytes;
use sheave::authentication::KeyId;
use sheave::error::SendError;
use sheave::handle::wait_until;
use sheave::message::{Acknowledgement, Redundancy};
use sheave::{Delivery, Message, Ppid, Reliability, SendOptions, StreamId};

use crate::association::Association;
use crate::border::{self, Outcome};
use crate::failure::Failure;
use crate::settings;
use crate::status::Status;

/// The message may overtake earlier ones of its stream (RFC 9260 §6.6).
pub const SHEAVE_SEND_UNORDERED: u32 = 1;
/// Asks the peer to acknowledge the message at once (RFC 7053).
pub const SHEAVE_SEND_ACKNOWLEDGE_NOW: u32 = 2;
/// Authenticates the message with the key `key` instead of the active key (RFC 4895), if the peer
/// requires authenticated DATA.
pub const SHEAVE_SEND_WITH_KEY: u32 = 4;
/// The message leaves on every active path at once, and the first copy to arrive counts.
pub const SHEAVE_SEND_ON_EVERY_PATH: u32 = 8;

/// The message is retransmitted until it is delivered or the association ends.
pub const SHEAVE_RELIABLE: u32 = 0;
/// The message is abandoned after `reliability_value` milliseconds (RFC 3758).
pub const SHEAVE_LIFETIME: u32 = 1;
/// The message is abandoned after `reliability_value` retransmissions of one of its parts, at most
/// 255 (RFC 7496).
pub const SHEAVE_RETRANSMISSIONS: u32 = 2;
/// The message may be abandoned in favour of messages with a smaller `reliability_value` (RFC
/// 7496).
pub const SHEAVE_PRIORITY: u32 = 3;

/// Options of one message. Zero in every field but `size` means the defaults.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SendInfo {
    /// sizeof(struct sheave_send_info).
    pub size: usize,
    /// Returned in the event that reports the message as undelivered.
    pub context: u64,
    /// The payload protocol identifier, in host byte order.
    pub ppid: u32,
    /// A sum of SHEAVE_SEND_ constants.
    pub flags: u32,
    /// SHEAVE_RELIABLE, SHEAVE_LIFETIME, SHEAVE_RETRANSMISSIONS or SHEAVE_PRIORITY. Without partial
    /// reliability at both ends, every message is reliable.
    pub reliability: u32,
    /// Milliseconds, a number of retransmissions, or a priority.
    pub reliability_value: u32,
    /// The stream number, from 0.
    pub stream: u16,
    /// The key id, with SHEAVE_SEND_WITH_KEY.
    pub key: u16,
    /// The peer's address to use while it is reachable, as text (RFC 9260 §11.1.5); NULL for the
    /// primary one.
    pub destination: *const c_char,
}

/// Size of the struct without `destination`, as in programs built before that field existed.
const SIZE_WITHOUT_DESTINATION: usize = offset_of!(SendInfo, destination);

impl Default for SendInfo {
    fn default() -> Self {
        Self {
            size: size_of::<Self>(),
            context: 0,
            ppid: 0,
            flags: 0,
            reliability: SHEAVE_RELIABLE,
            reliability_value: 0,
            stream: 0,
            key: 0,
            destination: ptr::null(),
        }
    }
}

impl SendInfo {
    /// Reads the caller's struct and checks the size in its first field.
    ///
    /// # Safety
    /// The pointer is NULL, or points to a struct of the size in its first field.
    unsafe fn read(pointer: *const Self) -> Outcome<Self> {
        if pointer.is_null() {
            return Ok(Self::default());
        }
        // SAFETY: as the caller promises, there is a field of that type.
        let size = unsafe { ptr::read(pointer.cast::<usize>()) };
        if size != SIZE_WITHOUT_DESTINATION {
            border::same_size::<Self>(size, "sheave_send_info")?;
        }
        let mut info = Self::default();
        // SAFETY: as the caller promises, so many bytes are there, and the struct has no fewer.
        unsafe {
            ptr::copy_nonoverlapping(pointer.cast::<u8>(), (&raw mut info).cast::<u8>(), size);
        }
        Ok(info)
    }

    fn message(&self, payload: Bytes) -> Outcome<Message> {
        let known = SHEAVE_SEND_UNORDERED
            | SHEAVE_SEND_ACKNOWLEDGE_NOW
            | SHEAVE_SEND_WITH_KEY
            | SHEAVE_SEND_ON_EVERY_PATH;
        if self.flags & !known != 0 {
            let message = format_args!("flags {:#x}: there are no such ones", self.flags);
            return Err(Failure::argument(message));
        }
        let delivery = match self.flags & SHEAVE_SEND_UNORDERED {
            0 => Delivery::Ordered,
            _ => Delivery::Unordered,
        };
        Ok(Message {
            stream: StreamId(self.stream),
            ppid: Ppid(self.ppid),
            delivery,
            payload,
        })
    }

    /// The destination address.
    ///
    /// # Safety
    /// See [`border::text`].
    unsafe fn destination(&self) -> Outcome<Option<IpAddr>> {
        if self.destination.is_null() {
            return Ok(None);
        }
        // SAFETY: as the caller promises.
        let text = unsafe { border::text(self.destination, "destination") }?;
        Ok(Some(settings::ip(text)?))
    }

    fn options(&self, destination: Option<IpAddr>) -> Outcome<SendOptions> {
        let value = self.reliability_value;
        let reliability = match self.reliability {
            SHEAVE_RELIABLE => Reliability::Reliable,
            SHEAVE_LIFETIME => Reliability::Timed(Duration::from_millis(value.into())),
            SHEAVE_RETRANSMISSIONS => {
                let most = u8::try_from(value).map_err(|_| {
                    Failure::argument(format_args!("{value} retransmissions: at most 255"))
                })?;
                Reliability::Retransmissions(most)
            }
            SHEAVE_PRIORITY => Reliability::Priority(value),
            other => {
                return Err(Failure::argument(format_args!(
                    "reliability {other}: there is no such one"
                )));
            }
        };
        Ok(SendOptions {
            context: self.context,
            acknowledgement: match self.flags & SHEAVE_SEND_ACKNOWLEDGE_NOW {
                0 => Acknowledgement::Delayed,
                _ => Acknowledgement::Immediate,
            },
            reliability,
            destination,
            redundancy: match self.flags & SHEAVE_SEND_ON_EVERY_PATH {
                0 => Redundancy::ByLength,
                _ => Redundancy::EveryPath,
            },
            key: (self.flags & SHEAVE_SEND_WITH_KEY != 0).then_some(KeyId(self.key)),
        })
    }
}

impl Association {
    fn has_peer_address(&self, ip: IpAddr) -> Outcome {
        let paths = self.association.path_stats();
        match paths.iter().any(|path| path.remote == ip.to_canonical()) {
            true => Ok(()),
            false => {
                let message = format_args!("the peer has no address {ip}");
                Err(Failure::new(Status::Address, message))
            }
        }
    }

    fn send(&self, message: Message, options: SendOptions, timeout: Option<Duration>) -> Outcome {
        let mut pending = Some(message);
        let poll =
            |context: &Context<'_>| self.association.poll_send(context, &mut pending, options);
        if let Some(outcome) = wait_until(timeout, poll) {
            return Ok(outcome?);
        }
        // Records the refusal, so that the descriptor signals room.
        self.room.refuse();
        let waker = Waker::from(Arc::clone(&self.room));
        let context = Context::from_waker(&waker);
        match self.association.poll_send(&context, &mut pending, options) {
            Poll::Ready(outcome) => {
                self.room.admit();
                Ok(outcome?)
            }
            Poll::Pending => match pending {
                Some(message) => Err(SendError::Full(message).into()),
                None => Ok(()),
            },
        }
    }
}

/// Sends a message of `length` bytes. Waits at most `timeout` milliseconds while the send buffer is
/// full. The bytes are copied; `info` may be NULL for an ordered, reliable message on stream 0. The
/// message has been delivered when sheave_association_shutdown() succeeds or
/// SHEAVE_EVENT_KIND_DRAINED arrives.
///
/// On errors, nothing was sent: SHEAVE_STATUS_AGAIN on timeout; SHEAVE_STATUS_INVALID_ARGUMENT,
/// also for an empty message; SHEAVE_STATUS_INVALID_STREAM; SHEAVE_STATUS_TOO_LARGE;
/// SHEAVE_STATUS_SHUTTING_DOWN; SHEAVE_STATUS_CLOSED; SHEAVE_STATUS_ADDRESS if the peer does not
/// have the address `info->destination`; SHEAVE_STATUS_NOT_AGREED without keys.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_association_send(
    association: Option<&Association>,
    bytes: *const c_void,
    length: usize,
    info: *const SendInfo,
    timeout: c_int,
) -> Status {
    border::on(association, "association", |association| {
        // SAFETY: as the top of the header asks of the caller.
        let bytes = unsafe { border::array(bytes.cast::<u8>(), length, "bytes") }?;
        // SAFETY: likewise.
        let info = unsafe { SendInfo::read(info) }?;
        let message = info.message(Bytes::copy_from_slice(bytes))?;
        // SAFETY: likewise.
        let destination = unsafe { info.destination() }?;
        if let Some(ip) = destination {
            association.has_peer_address(ip)?;
        }
        let options = info.options(destination)?;
        let outcome = association.send(message, options, border::timeout(timeout));
        association.update();
        outcome
    })
}
