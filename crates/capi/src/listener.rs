//! Listeners.

use std::ffi::c_int;
use std::sync::Arc;
use std::task::Context;

use sheave::handle::wait_until;

use crate::association::Association;
use crate::border::{self, Place};
use crate::endpoint::no_pipe;
use crate::failure::Failure;
use crate::signal::Signal;
use crate::status::Status;

/// Accepts associations on one SCTP port.
pub struct Listener {
    listener: sheave::Listener,
    signal: Arc<Signal>,
}

impl Listener {
    pub(crate) fn new(listener: sheave::Listener) -> Self {
        Self {
            listener,
            signal: Arc::default(),
        }
    }

    fn update(&self) {
        let waits = |context: &Context<'_>| self.listener.poll_acceptable(context).is_ready();
        self.signal.update(waits);
    }
}

/// Accepts the next association within `timeout` milliseconds and stores it in `*association`; free
/// it with sheave_association_free(). Several threads may accept from one listener.
///
/// Errors: SHEAVE_STATUS_AGAIN on timeout; SHEAVE_STATUS_CLOSED after the endpoint was closed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_listener_accept(
    listener: Option<&Listener>,
    timeout: c_int,
    association: *mut *mut Association,
) -> Status {
    border::on(listener, "listener", |listener| {
        // SAFETY: as the top of the header asks of the caller.
        let place = unsafe { Place::new(association, "association") }?;
        let accepted = wait_until(border::timeout(timeout), |context| {
            listener.listener.poll_accept(context)
        });
        listener.update();
        match accepted {
            Some(Some(accepted)) => {
                place.put(border::give(Association::new(accepted)));
                Ok(())
            }
            Some(None) => Err(Failure::new(Status::Closed, "the endpoint is closed")),
            None => Err(Failure::again("association")),
        }
    })
}

/// The listener's SCTP port.
#[unsafe(no_mangle)]
pub extern "C" fn sheave_listener_port(listener: Option<&Listener>) -> u16 {
    border::on_or(0, listener, "listener", |listener| {
        Ok(listener.listener.port())
    })
}

/// A file descriptor for poll(2), readable while an association can be accepted and after the
/// endpoint was closed. Every call returns the same descriptor, which belongs to the listener:
/// neither read nor close it. -1 on errors.
#[unsafe(no_mangle)]
pub extern "C" fn sheave_listener_fd(listener: Option<&Listener>) -> c_int {
    border::on_or(-1, listener, "listener", |listener| {
        let descriptor = listener.signal.open(0).map_err(no_pipe)?;
        listener.update();
        Ok(descriptor)
    })
}

/// Stops listening and frees the handle; does nothing with NULL. Associations in the accept queue
/// are aborted; accepted ones continue.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_listener_free(listener: *mut Listener) {
    // SAFETY: as the top of the header asks of the caller.
    unsafe { border::take_back(listener) };
}
