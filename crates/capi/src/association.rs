//! Associations: stages, descriptor and end.

use std::collections::VecDeque;
use std::ffi::{c_char, c_int};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use sheave::error::ConnectError;
use sheave::handle::wait_until;
use sheave::{CloseReason, Events, Received};

use crate::border::{self, Outcome};
use crate::endpoint::no_pipe;
use crate::failure::Failure;
use crate::settings;
use crate::signal::Signal;
use crate::status::Status;

/// A receive call would return a message, part of one, or the end.
pub const SHEAVE_READY_READABLE: u32 = 1;
/// A send call may have room: no message was refused since room last became free.
pub const SHEAVE_READY_WRITABLE: u32 = 2;
/// An event is pending, or the last event was taken.
pub const SHEAVE_READY_EVENT: u32 = 4;
/// The association is established, or establishing it failed.
pub const SHEAVE_READY_ESTABLISHED: u32 = 8;

const ALL: u32 =
    SHEAVE_READY_READABLE | SHEAVE_READY_WRITABLE | SHEAVE_READY_EVENT | SHEAVE_READY_ESTABLISHED;

/// An association: sends and receives messages on streams, over one path or several.
///
/// Several threads may use an association at the same time.
pub struct Association {
    pub(crate) association: sheave::Association,
    pub(crate) events: Events,
    /// Remainders of messages that exceeded the caller's buffer.
    rest: Mutex<VecDeque<Received>>,
    /// Whether the event "established" was taken.
    announced: AtomicBool,
    pub(crate) room: Arc<Room>,
    signal: Arc<Signal>,
}

/// The send room: whether a message was refused for lack of it.
#[derive(Debug)]
pub(crate) struct Room {
    refused: AtomicBool,
    signal: Arc<Signal>,
}

impl Room {
    pub(crate) fn refuse(&self) {
        self.refused.store(true, Ordering::SeqCst);
    }

    pub(crate) fn admit(&self) {
        self.refused.store(false, Ordering::SeqCst);
    }
}

impl Wake for Room {
    fn wake(self: Arc<Self>) {
        self.admit();
        if self.signal.interest() & SHEAVE_READY_WRITABLE != 0 {
            self.signal.raise();
        }
    }
}

impl Association {
    pub(crate) fn new(association: sheave::Association) -> Self {
        let signal = Arc::<Signal>::default();
        Self {
            events: association.events(),
            association,
            rest: Mutex::default(),
            announced: AtomicBool::new(false),
            room: Arc::new(Room {
                refused: AtomicBool::new(false),
                signal: Arc::clone(&signal),
            }),
            signal,
        }
    }

    /// Waits until the association is established.
    fn established(&self, timeout: Option<Duration>) -> Outcome {
        set_up(timeout, |context| {
            self.association.poll_established(context)
        })
    }

    /// Waits until the peer has answered.
    pub(crate) fn answered(&self, timeout: Option<Duration>) -> Outcome {
        set_up(timeout, |context| self.association.poll_answered(context))
    }

    /// Ready once the event "established" can be taken.
    pub(crate) fn poll_announcement(&self, context: &Context<'_>) -> Poll<()> {
        if self.announced.load(Ordering::SeqCst) {
            return Poll::Pending;
        }
        match self.association.poll_established(context) {
            Poll::Ready(Ok(())) => Poll::Ready(()),
            Poll::Ready(Err(_)) | Poll::Pending => Poll::Pending,
        }
    }

    /// Marks the event "established" as taken; returns whether it was still pending.
    pub(crate) fn announce(&self) -> bool {
        !self.announced.swap(true, Ordering::SeqCst)
    }

    pub(crate) fn rest(&self) -> MutexGuard<'_, VecDeque<Received>> {
        self.rest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The conditions among `wanted` that hold; registers the context's waker for the others.
    fn ready(&self, wanted: u32, context: &Context<'_>) -> u32 {
        let mut ready = 0;
        let mut look = |condition: u32, holds: &dyn Fn() -> bool| {
            if wanted & condition != 0 && holds() {
                ready |= condition;
            }
        };
        look(SHEAVE_READY_READABLE, &|| {
            !self.rest().is_empty() || self.association.poll_readable(context).is_ready()
        });
        look(SHEAVE_READY_WRITABLE, &|| {
            !self.room.refused.load(Ordering::SeqCst)
        });
        look(SHEAVE_READY_EVENT, &|| {
            self.poll_announcement(context).is_ready()
                || self.events.poll_waiting(context).is_ready()
        });
        look(SHEAVE_READY_ESTABLISHED, &|| {
            self.association.poll_established(context).is_ready()
        });
        ready
    }

    /// Updates the descriptor.
    pub(crate) fn update(&self) {
        let interest = self.signal.interest();
        self.signal
            .update(|context| self.ready(interest, context) != 0);
    }
}

fn set_up(
    timeout: Option<Duration>,
    poll: impl FnMut(&Context<'_>) -> Poll<Result<(), ConnectError>>,
) -> Outcome {
    match wait_until(timeout, poll) {
        Some(outcome) => Ok(outcome?),
        None => Err(Failure::again("answer of the peer")),
    }
}

/// Waits at most `timeout` milliseconds until the association is established.
///
/// Errors: SHEAVE_STATUS_AGAIN on timeout; SHEAVE_STATUS_CONNECT_FAILED, with the reason in the
/// message.
#[unsafe(no_mangle)]
pub extern "C" fn sheave_association_established(
    association: Option<&Association>,
    timeout: c_int,
) -> Status {
    border::on(association, "association", |association| {
        association.established(border::timeout(timeout))
    })
}

/// A file descriptor for poll(2), readable while one of `conditions` holds, a sum of SHEAVE_READY_
/// constants. The descriptor stays readable until a call that takes the pending items finds nothing
/// more; it may be readable once too often, and the call then returns SHEAVE_STATUS_AGAIN.
///
/// Every call returns the same descriptor, with the conditions of the last call. The descriptor
/// belongs to the association: neither read nor close it. -1 on errors.
#[unsafe(no_mangle)]
pub extern "C" fn sheave_association_fd(
    association: Option<&Association>,
    conditions: u32,
) -> c_int {
    border::on_or(-1, association, "association", |association| {
        if conditions & !ALL != 0 {
            let message = format_args!("conditions {conditions:#x}: there are no such ones");
            return Err(Failure::argument(message));
        }
        let descriptor = association.signal.open(conditions).map_err(no_pipe)?;
        association.update();
        Ok(descriptor)
    })
}

/// The conditions that hold now, a sum of SHEAVE_READY_ constants, out of every condition. 0 on
/// errors.
#[unsafe(no_mangle)]
pub extern "C" fn sheave_association_ready(association: Option<&Association>) -> u32 {
    border::on_or(0, association, "association", |association| {
        association.update();
        Ok(association.ready(ALL, &Context::from_waker(Waker::noop())))
    })
}

/// Makes this peer address the primary one while it is reachable (RFC 9260 §11.1.4).
///
/// Errors: SHEAVE_STATUS_ADDRESS if the peer does not have this address or has not confirmed it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_association_set_primary(
    association: Option<&Association>,
    remote: *const c_char,
) -> Status {
    border::on(association, "association", |association| {
        // SAFETY: as the top of the header asks of the caller.
        let remote = settings::ip(unsafe { border::text(remote, "remote") }?)?;
        Ok(association.association.set_primary(remote)?)
    })
}

/// Sends a heartbeat to this peer address now (RFC 9260 §11.1.8).
///
/// Errors: SHEAVE_STATUS_ADDRESS if the peer does not have this address.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_association_request_heartbeat(
    association: Option<&Association>,
    remote: *const c_char,
) -> Status {
    border::on(association, "association", |association| {
        // SAFETY: as the top of the header asks of the caller.
        let remote = settings::ip(unsafe { border::text(remote, "remote") }?)?;
        Ok(association.association.request_heartbeat(remote)?)
    })
}

/// Starts a graceful shutdown and waits at most `timeout` milliseconds for its end: the peer then
/// has received everything. Messages from the peer can still be received. If the peer sends more
/// than the receive buffer holds, the program must keep receiving.
///
/// Errors: SHEAVE_STATUS_AGAIN on timeout: the shutdown continues, and the program may call this
/// function again, or sheave_association_abort(); SHEAVE_STATUS_CLOSED if the association ended
/// otherwise.
#[unsafe(no_mangle)]
pub extern "C" fn sheave_association_shutdown(
    association: Option<&Association>,
    timeout: c_int,
) -> Status {
    border::on(association, "association", |association| {
        association.association.start_shutdown();
        let poll = |context: &Context<'_>| association.association.poll_ended(context);
        let ended = wait_until(border::timeout(timeout), poll);
        association.update();
        match ended {
            Some(CloseReason::Graceful) => Ok(()),
            Some(reason) => Err(reason.into()),
            None => Err(Failure::again("end of the shutdown")),
        }
    })
}

/// Aborts the association and sends `length` bytes of `reason` to the peer (RFC 9260 §9.1);
/// `reason` may be NULL. Undelivered data is lost.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_association_abort(
    association: Option<&Association>,
    reason: *const u8,
    length: usize,
) -> Status {
    border::on(association, "association", |association| {
        // SAFETY: as the top of the header asks of the caller.
        let reason = unsafe { border::array(reason, length, "reason") }?;
        association.association.abort(reason.to_vec());
        association.update();
        Ok(())
    })
}

/// Frees the handle; does nothing with NULL. An open association shuts down gracefully in the
/// background: sent data is delivered, received data is discarded. Freeing the last handle of an
/// endpoint waits for that, at most for the endpoint's `linger`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_association_free(association: *mut Association) {
    // SAFETY: as the top of the header asks of the caller.
    unsafe { border::take_back(association) };
}
