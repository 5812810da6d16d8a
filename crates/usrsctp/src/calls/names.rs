//! Addresses and association ids.

use std::ffi::{c_int, c_void};

use sheave_sockets::Errno;

use crate::addresses;
use crate::border;
use crate::handles::{Half, Number, Socket};
use crate::waiting::with_socket;

/// FreeBSD's options for peer and local addresses.
const PEER_ADDRESSES: c_int = 0x8003;
const LOCAL_ADDRESSES: c_int = 0x8004;
/// The largest id that does not name a single association.
const ALL: u32 = 2;
/// Bytes before a list: association id and count.
const LIST_AT: usize = 8;
/// Largest list, bytes.
const MOST: usize = 64 << 10;

/// Lists the peer's addresses, which `usrsctp_freepaddrs` frees; returns their number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn usrsctp_getpaddrs(
    socket: *mut Socket,
    assoc: u32,
    addresses: *mut *mut c_void,
) -> c_int {
    // SAFETY: as usrsctp.h says.
    unsafe { list(socket, assoc, PEER_ADDRESSES, addresses) }
}

/// Lists the local addresses, which `usrsctp_freeladdrs` frees; returns their number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn usrsctp_getladdrs(
    socket: *mut Socket,
    assoc: u32,
    addresses: *mut *mut c_void,
) -> c_int {
    // SAFETY: as usrsctp.h says.
    unsafe { list(socket, assoc, LOCAL_ADDRESSES, addresses) }
}

/// # Safety
/// The pointer for the list is NULL or valid.
unsafe fn list(
    socket: *mut Socket,
    assoc: u32,
    option: c_int,
    addresses: *mut *mut c_void,
) -> c_int {
    border::call(-1, || {
        let number = Number::of(socket)?;
        if addresses.is_null() {
            return Err(Errno::EFAULT);
        }
        let mut given = vec![0; MOST];
        given[..4].copy_from_slice(&assoc.to_ne_bytes());
        let answer = with_socket(number, |open| {
            let id = open.handle.id;
            open.stack
                .option(open.now, id, libc::IPPROTO_SCTP, option, &given)
        });
        let is_one_to_one = with_socket(number, |open| {
            Ok(open.stack.find(open.id())?.is_one_to_one())
        })?;
        // Like usrsctp, reports a list that cannot be created as lack of memory.
        let answer = answer.map_err(|error| match (error, option) {
            (Errno::EINVAL, PEER_ADDRESSES) if assoc > ALL && !is_one_to_one => Errno::ENOENT,
            (Errno::EINVAL, PEER_ADDRESSES) => Errno::ENOTCONN,
            (Errno::EINVAL, _) => Errno::ENOMEM,
            (other, _) => other,
        })?;
        if answer.is_empty() {
            return Err(Errno::ENOTCONN);
        }
        let count = answer
            .get(4..LIST_AT)
            .and_then(|bytes| bytes.try_into().ok());
        let count = i32::from_ne_bytes(count.unwrap_or_default());
        let list = border::allocate(answer.get(LIST_AT..).unwrap_or_default());
        if list.is_null() {
            return Err(Errno::ENOMEM);
        }
        // SAFETY: as the caller promises.
        unsafe { border::write(addresses, list) };
        Ok(count)
    })
}

/// Frees addresses of a peer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn usrsctp_freepaddrs(addresses: *mut c_void) {
    // SAFETY: as usrsctp.h says.
    unsafe { border::free(addresses) };
}

/// Frees local addresses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn usrsctp_freeladdrs(addresses: *mut c_void) {
    // SAFETY: as usrsctp.h says.
    unsafe { border::free(addresses) };
}

/// The id of the association with a peer; 0 if it does not exist.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn usrsctp_getassocid(socket: *mut Socket, peer: *const c_void) -> u32 {
    border::call(0, || {
        let number = Number::of(socket)?;
        let half = with_socket(number, |open| Ok::<Half, Errno>(open.handle.half))?;
        // SAFETY: as usrsctp.h says.
        let peer = unsafe { addresses::one(peer, half) }?;
        let found = with_socket(number, |open| Ok(open.stack.assoc_at(open.handle.id, peer)))?;
        found.map(i32::cast_unsigned).ok_or(Errno::ENOENT)
    })
}
