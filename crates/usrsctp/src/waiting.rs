//! Calls on sockets, and how they wait.

use std::time::{Duration, Instant};

use sheave_sockets::Errno;

use crate::delivery::{self, WOULD_BLOCK};
use crate::handles::{Blocking, Number};
use crate::host::{self, Host, Open};

/// Makes a call of the host that never waits.
///
/// # Errors
/// `EBADF` while there is no host, and those of the call.
pub(crate) fn with_host<T>(call: impl FnOnce(&mut Host) -> Result<T, Errno>) -> Result<T, Errno> {
    let outcome = settled(call);
    delivery::deliver_after_call();
    outcome
}

/// Makes a call of the host that takes in packets or runs timers, and the callbacks that are due by then.
///
/// # Errors
/// As [`with_host`].
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

/// Makes a call on a socket that never waits.
///
/// # Errors
/// `EBADF` where there is no such socket, and those of the call.
pub(crate) fn with_socket<T>(
    number: Number,
    call: impl FnOnce(Open<'_>) -> Result<T, Errno>,
) -> Result<T, Errno> {
    with_host(|host| call(host.open(number)?))
}

/// Makes a call on a socket, again and again after each change of the socket, until it no longer fails
/// with `EAGAIN`; once where it must not wait.
///
/// # Errors
/// As [`with_socket`]; `EAGAIN` after `limit`.
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
