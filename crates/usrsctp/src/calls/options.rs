//! Socket options.

use std::ffi::{c_int, c_void};

use sheave_sockets::Errno;

use super::setup::RECV_RCV_INFO;
use crate::border;
use crate::handles::{Number, Socket};
use crate::waiting::with_socket;

/// Largest option value, bytes.
const MOST: usize = 1 << 20;

/// Options whose struct does not begin with the association id, and the id's offset.
const ELSEWHERE: [(c_int, usize); 8] = [
    (0x07, 128),  // SCTP_PRIMARY_ADDR
    (0x0a, 128),  // SCTP_PEER_ADDR_PARAMS
    (0x0b, 28),   // SCTP_DEFAULT_SEND_PARAM
    (0x21, 12),   // SCTP_DEFAULT_SNDINFO
    (0x22, 8),    // SCTP_DEFAULT_PRINFO
    (0x23, 128),  // SCTP_PEER_ADDR_THLDS
    (0x24, 128),  // SCTP_REMOTE_UDP_ENCAPS_PORT
    (0x101, 128), // SCTP_GET_PEER_ADDR_INFO
];
/// Options whose struct begins with the association id.
const IN_FRONT: [c_int; 24] = [
    0x01, 0x02, 0x0e, 0x0f, 0x13, 0x15, 0x19, 0x1a, 0x1e, 0x25, 0x26, 0x27, 0x28, 0x29, 0x30, 0x31,
    0x32, 0x100, 0x102, 0x103, 0x106, 0x107, 0x108, 0x900,
];

/// Whether usrsctp supports this `SOL_SOCKET` option.
const fn is_known(name: c_int) -> bool {
    matches!(name, libc::SO_RCVBUF | libc::SO_SNDBUF | libc::SO_LINGER)
}

/// Sets an option of a socket.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn usrsctp_setsockopt(
    socket: *mut Socket,
    level: c_int,
    name: c_int,
    value: *const c_void,
    length: libc::socklen_t,
) -> c_int {
    border::status(|| {
        let number = Number::of(socket)?;
        if length as usize > MOST {
            return Err(Errno::EINVAL);
        }
        // SAFETY: as usrsctp.h says.
        let value = unsafe { border::bytes(value, length as usize) }?;
        check(level, name, value)?;
        with_socket(number, |open| {
            // Receive callbacks always need the description.
            if (level, name) == (libc::IPPROTO_SCTP, RECV_RCV_INFO)
                && open.handle.callbacks.receive.is_some()
            {
                return Ok(());
            }
            open.stack
                .set_option(open.now, open.handle.id, level, name, value)
        })
    })
}

fn check(level: c_int, name: c_int, value: &[u8]) -> Result<(), Errno> {
    match level {
        libc::IPPROTO_SCTP => Ok(()),
        libc::SOL_SOCKET if is_known(name) => {
            let size = value.first_chunk().map(|bytes| i32::from_ne_bytes(*bytes));
            if name != libc::SO_LINGER && size.is_none_or(|size| size < 1) {
                return Err(Errno::EINVAL);
            }
            Ok(())
        }
        libc::SOL_SOCKET => Err(Errno::EINVAL),
        _ => Err(Errno::ENOPROTOOPT),
    }
}

/// Reads an option of a socket.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn usrsctp_getsockopt(
    socket: *mut Socket,
    level: c_int,
    name: c_int,
    value: *mut c_void,
    length: *mut libc::socklen_t,
) -> c_int {
    border::status(|| {
        let number = Number::of(socket)?;
        // SAFETY: as usrsctp.h says.
        let room = unsafe { border::read(length) }.ok_or(Errno::EFAULT)? as usize;
        if room > MOST {
            return Err(Errno::EINVAL);
        }
        match level {
            libc::IPPROTO_SCTP => {}
            libc::SOL_SOCKET if is_known(name) || name == libc::SO_ERROR => {
                let least = match name {
                    libc::SO_LINGER => size_of::<libc::linger>(),
                    _ => size_of::<c_int>(),
                };
                if room < least {
                    return Err(Errno::EINVAL);
                }
            }
            libc::SOL_SOCKET => return Err(Errno::EINVAL),
            _ => return Err(Errno::ENOPROTOOPT),
        }
        // SAFETY: as usrsctp.h says.
        let given = unsafe { border::bytes(value, room) }?.to_vec();
        let answer = with_socket(number, |open| {
            let id = open.id();
            if (level, name) == (libc::SOL_SOCKET, libc::SO_ERROR) {
                // usrsctp reports an error until a read returns it.
                let error = open.stack.readiness(id).error;
                return Ok(error.map_or(0, Errno::code).to_ne_bytes().to_vec());
            }
            open.stack.option(open.now, id, level, name, &given)
        })?;
        // SAFETY: as usrsctp.h says.
        unsafe {
            let laid = border::lay(value, room, &answer);
            border::write(length, u32::try_from(laid).unwrap_or(0));
        }
        Ok(())
    })
}

/// Reads an option of an association.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn usrsctp_opt_info(
    socket: *mut Socket,
    assoc: u32,
    name: c_int,
    value: *mut c_void,
    length: *mut libc::socklen_t,
) -> c_int {
    let checked = border::status(|| {
        // Ids 1 and 2 mean all associations.
        if value.is_null() || matches!(assoc, 1 | 2) {
            return Err(Errno::EINVAL);
        }
        // SAFETY: as usrsctp.h says.
        let room = unsafe { border::read(length) }.ok_or(Errno::EFAULT)? as usize;
        let elsewhere = ELSEWHERE.iter().find(|(option, _)| *option == name);
        let at = elsewhere.map(|(_, at)| *at);
        let at = at.or_else(|| IN_FRONT.contains(&name).then_some(0));
        if let Some(at) = at {
            if room < at + size_of::<u32>() {
                return Err(Errno::EINVAL);
            }
            // SAFETY: as usrsctp.h says, and the struct has room for it.
            unsafe { border::write(value.byte_add(at).cast(), assoc) };
        }
        Ok(())
    });
    match checked {
        // SAFETY: as usrsctp.h says.
        0 => unsafe { usrsctp_getsockopt(socket, libc::IPPROTO_SCTP, name, value, length) },
        failed => failed,
    }
}
