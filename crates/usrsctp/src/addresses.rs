//! Socket addresses passed by the program.

use std::ffi::c_void;
use std::net::SocketAddr;

use sheave_sockets::{Abi, Errno};

use crate::border;
use crate::handles::Half;

const AF_INET: u16 = 2;
const AF_INET6: u16 = 10;
/// `AF_CONN`.
pub(crate) const AF_CONN: u16 = 123;

/// `union sctp_sockstore`.
#[repr(C, align(8))]
#[derive(Clone, Copy, Debug)]
pub struct SockStore([u8; 32]);

impl SockStore {
    /// The absent address: all zero.
    pub(crate) const NONE: Self = Self([0; 32]);

    pub(crate) fn of(bytes: &[u8]) -> Self {
        let mut store = [0; 32];
        for (to, from) in store.iter_mut().zip(bytes) {
            *to = *from;
        }
        Self(store)
    }
}

/// The ABI of a half.
pub(crate) const fn abi(half: Half) -> Abi {
    match half {
        Half::Internet => Abi::USRSCTP,
        Half::Connections => Abi::USRSCTP_CONNECTIONS,
    }
}

/// Size of an address of this family; 0 if unknown.
const fn length(family: u16) -> usize {
    match family {
        AF_INET | AF_CONN => 16,
        AF_INET6 => 28,
        _ => 0,
    }
}

/// The bytes of `count` consecutive addresses.
///
/// # Errors
/// `EFAULT` for NULL, `EINVAL` for an unknown family or an empty list.
///
/// # Safety
/// The pointer is NULL, or points to `count` complete addresses.
pub(crate) unsafe fn list<'a>(pointer: *const c_void, count: usize) -> Result<&'a [u8], Errno> {
    /// More addresses than any host has.
    const MOST: usize = 1024;
    if pointer.is_null() {
        return Err(Errno::EFAULT);
    }
    if count == 0 || count > MOST {
        return Err(Errno::EINVAL);
    }
    let mut total = 0;
    for _ in 0..count {
        // SAFETY: the addresses before have `total` bytes, and another one follows.
        let family = unsafe { border::read(pointer.byte_add(total).cast::<u16>()) };
        match family.map_or(0, length) {
            0 => return Err(Errno::EINVAL),
            length => total += length,
        }
    }
    // SAFETY: the addresses have `total` bytes.
    unsafe { border::bytes(pointer, total) }
}

/// Parses one address, whose size depends on its family.
///
/// # Errors
/// `EFAULT` for NULL, `EAFNOSUPPORT` for a family that the half does not support.
///
/// # Safety
/// The pointer is NULL, or points to a complete address.
pub(crate) unsafe fn one(pointer: *const c_void, half: Half) -> Result<SocketAddr, Errno> {
    if pointer.is_null() {
        return Err(Errno::EFAULT);
    }
    // SAFETY: an address begins with its family.
    let family = unsafe { border::read(pointer.cast::<u16>()) }.unwrap_or(0);
    let length = length(family);
    if length == 0 {
        return Err(Errno::EAFNOSUPPORT);
    }
    // SAFETY: an address of this family has this size.
    abi(half).address(unsafe { border::bytes(pointer, length) }?)
}
