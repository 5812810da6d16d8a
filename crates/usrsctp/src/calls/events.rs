//! Events and upcalls.

use std::ffi::{c_int, c_void};

use crate::border::{self, Opaque};
use crate::handles::{Number, Socket, Upcall};
use crate::waiting::{with_host, with_socket};

/// Bits of `usrsctp_get_events`.
const READ: c_int = 1;
const WRITE: c_int = 2;
const ERROR: c_int = 4;

/// The pending events of a socket: readable, writable, error.
#[unsafe(no_mangle)]
pub extern "C" fn usrsctp_get_events(socket: *mut Socket) -> c_int {
    border::call(-1, || {
        let number = Number::of(socket)?;
        let readiness = with_socket(number, |open| Ok(open.stack.readiness(open.handle.id)))?;
        let failed = readiness.error.is_some();
        let bits = [
            (readiness.readable > 0 || failed, READ),
            (readiness.writable || failed, WRITE),
            (failed, ERROR),
        ];
        Ok(bits.iter().filter_map(|(is, bit)| is.then_some(bit)).sum())
    })
}

/// Sets the callback for changes of a socket.
#[unsafe(no_mangle)]
pub extern "C" fn usrsctp_set_upcall(
    socket: *mut Socket,
    upcall: Option<Upcall>,
    argument: *mut c_void,
) -> c_int {
    border::status(|| {
        let number = Number::of(socket)?;
        with_host(|host| {
            let open = host.open(number)?;
            open.handle.upcall = upcall.map(|upcall| (upcall, Opaque::of(argument)));
            // Data that is already readable also triggers the callback.
            if open.stack.readiness(open.id()).readable > 0 {
                host.announce(number);
            }
            Ok(())
        })
    })
}

/// Sets the pointer passed to callbacks: 1, or 0 for an invalid socket.
#[unsafe(no_mangle)]
pub extern "C" fn usrsctp_set_ulpinfo(socket: *mut Socket, ulp_info: *mut c_void) -> c_int {
    border::call(0, || {
        let number = Number::of(socket)?;
        with_socket(number, |open| {
            open.handle.callbacks.ulp_info = Opaque::of(ulp_info);
            Ok(1)
        })
    })
}

/// Returns the pointer passed to callbacks: 1, or 0 for an invalid socket.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn usrsctp_get_ulpinfo(
    socket: *mut Socket,
    ulp_info: *mut *mut c_void,
) -> c_int {
    border::call(0, || {
        let number = Number::of(socket)?;
        let found = with_socket(number, |open| Ok(open.handle.callbacks.ulp_info))?;
        if ulp_info.is_null() {
            return Ok(0);
        }
        // SAFETY: as usrsctp.h says.
        unsafe { border::write(ulp_info, found.pointer()) };
        Ok(1)
    })
}
