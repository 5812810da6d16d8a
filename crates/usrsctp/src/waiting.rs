//! Runs calls on the host and on sockets, blocking if needed.

use std::time::{Duration, Instant};

use sheave_sockets::Errno;

use crate::delivery::{self, WOULD_BLOCK};
use crate::handles::{Blocking, Number};
use crate::host::{self, Host, Open};

/// Runs a call on the host without blocking.
///
/// # Errors
/// `EBADF` before initialisation, and the errors of the call.
pub(crate) fn with_host<T>(call: impl FnOnce(&mut Host) -> Result<T, Errno>) -> Result<T, Errno> {
    let outcome = settled(call);
    delivery::deliver_after_call();
    outcome
}

/// Runs a call that handles packets or timers, and then the pending callbacks.
///
/// # Errors
/// The errors of [`with_host`].
pub(crate) fn with_events(call: impl FnOnce(&mut Host) -> Result<(), Errno>) -> Result<(), Errno> {
    let outcome = settled(call);
    delivery::deliver();
    outcome
}

fn settled<T>(call: impl FnOnce(&mut Host) -> Result<T, Errno>) -> Result<T, Errno> {
    let mut guard = host::lock();
    let host = guard.as_mut().ok_or(Errno::EBADF)?;
    let outcome = call(host);
    host.settle(None);
    outcome
}

/// Runs a call on a socket without blocking.
///
/// # Errors
/// `EBADF` for an unknown socket, and the errors of the call.
pub(crate) fn with_socket<T>(
    number: Number,
    call: impl FnOnce(Open<'_>) -> Result<T, Errno>,
) -> Result<T, Errno> {
    with_host(|host| call(host.open(number)?))
}

/// Repeats a call after each change of its socket while the call fails with `EAGAIN`; only once if
/// `blocking` says so.
///
/// # Errors
/// The errors of [`with_socket`]; `EAGAIN` after `limit`.
pub(crate) fn repeat<T>(
    number: Number,
    blocking: Blocking,
    limit: Option<Duration>,
    mut call: impl FnMut(&mut Host) -> Result<T, Errno>,
) -> Result<T, Errno> {
    let began = Instant::now();
    loop {
        let (outcome, seen) = {
            let mut guard = host::lock();
            let host = guard.as_mut().ok_or(Errno::EBADF)?;
            let outcome = call(host);
            let waits = matches!(outcome, Err(WOULD_BLOCK));
            host.settle(waits.then_some(number));
            (
                outcome,
                host.handles.get(number).map(|handle| handle.changes),
            )
        };
        delivery::deliver_after_call();
        match outcome {
            Err(WOULD_BLOCK) if blocking == Blocking::Waits => {}
            other => return other,
        }
        let mut guard = host::lock();
        loop {
            let handle = guard.as_ref().and_then(|host| host.handles.get(number));
            match handle {
                Some(handle) if Some(handle.changes) == seen => {}
                Some(_) => break,
                None => return Err(Errno::EBADF),
            }
            guard = match limit {
                None => host::changed()
                    .wait(guard)
                    .unwrap_or_else(std::sync::PoisonError::into_inner),
                Some(limit) => {
                    let left = limit.saturating_sub(began.elapsed());
                    if left.is_zero() {
                        return Err(WOULD_BLOCK);
                    }
                    match host::changed().wait_timeout(guard, left) {
                        Ok((guard, _)) => guard,
                        Err(poisoned) => poisoned.into_inner().0,
                    }
                }
            };
        }
    }
}
