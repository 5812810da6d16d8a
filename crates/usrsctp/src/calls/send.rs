//! Sending.

use std::ffi::{c_int, c_uint, c_void};

use bytes::Bytes;
use sheave_sockets::{Errno, SendCall};

use super::sent::Info;
use crate::addresses;
use crate::border;
use crate::handles::{Blocking, Number, Socket};
use crate::waiting::{repeat, with_socket};

/// Sends a message or, depending on its flags, ends associations; returns the bytes taken.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn usrsctp_sendv(
    socket: *mut Socket,
    data: *const c_void,
    length: usize,
    to: *const c_void,
    address_count: c_int,
    info: *mut c_void,
    info_length: libc::socklen_t,
    info_type: c_uint,
    flags: c_int,
) -> isize {
    border::call(-1, || {
        let number = Number::of(socket)?;
        if data.is_null() {
            return Err(Errno::EFAULT);
        }
        // SAFETY: as usrsctp.h says.
        let given = unsafe { border::bytes(info, info_length as usize) }?;
        // A description without a type is invalid, even an empty one.
        if info_type == 0 && !info.is_null() {
            return Err(Errno::EINVAL);
        }
        let parsed = Info::parse(given, info_type)?;
        if address_count > 1 {
            return Err(Errno::EINVAL);
        }
        // SAFETY: as usrsctp.h says.
        let payload = Bytes::copy_from_slice(unsafe { border::bytes(data, length) }?);
        let (half, blocking) =
            with_socket(number, |open| Ok((open.handle.half, open.handle.sending())))?;
        let destination = match to.is_null() {
            true => None,
            // SAFETY: as usrsctp.h says.
            false => Some(unsafe { addresses::one(to, half) }?),
        };
        let blocking = match flags & libc::MSG_DONTWAIT {
            0 => blocking,
            _ => Blocking::ReturnsAtOnce,
        };
        for part in parsed.parts(payload) {
            repeat(number, blocking, None, |host| {
                let open = host.open(number)?;
                let call = SendCall {
                    destination,
                    control: &part.control,
                    flags,
                    payload: part.payload.clone(),
                };
                open.stack.send(open.now, open.handle.id, call)
            })?;
        }
        if let (Some(destination), Some(at)) = (destination, parsed.assoc_at) {
            let found = with_socket(number, |open| {
                Ok(open.stack.assoc_at(open.handle.id, destination))
            })?;
            let found = found.map_or(0, i32::cast_unsigned);
            // SAFETY: as usrsctp.h says; the id lies within the bytes that were read.
            unsafe { border::write(info.byte_add(at).cast(), found) };
        }
        Ok(length.cast_signed())
    })
}
