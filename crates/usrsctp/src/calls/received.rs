//! Receiving messages and their descriptions.

use std::ffi::{c_int, c_uint, c_void};

use sheave_sockets::{Errno, Incoming, Limits};

use super::setup::put_name;
use crate::addresses::abi;
use crate::border;
use crate::handles::{Blocking, Number, RcvInfo, Socket};
use crate::waiting::{repeat, with_socket};

/// Bytes of `cmsghdr` on a 64-bit machine.
const HEADER: usize = 16;
const IPPROTO_SCTP: i32 = libc::IPPROTO_SCTP;
/// Types of ancillary data in FreeBSD's headers.
const RCV_INFO: i32 = 5;
const NXT_INFO: i32 = 6;
/// Sizes of `struct sctp_rcvinfo` and `sctp_nxtinfo`, bytes.
const RCV_INFO_SIZE: usize = 28;
const NXT_INFO_SIZE: usize = 16;
/// Size of the buffer for the descriptions of a message and the next one, bytes.
const ROOM: usize = 256;

/// Receives a message, part of one, or a notification; returns its length, 0 at end of stream.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn usrsctp_recvv(
    socket: *mut Socket,
    buffer: *mut c_void,
    length: usize,
    from: *mut c_void,
    from_length: *mut libc::socklen_t,
    info: *mut c_void,
    info_length: *mut libc::socklen_t,
    info_type: *mut c_uint,
    flags: *mut c_int,
) -> isize {
    border::call(-1, || {
        let number = Number::of(socket)?;
        if length > isize::MAX as usize {
            return Err(Errno::EINVAL);
        }
        if buffer.is_null() && length > 0 {
            return Err(Errno::EFAULT);
        }
        // SAFETY: as usrsctp.h says.
        let asked = unsafe { border::read(flags) }.unwrap_or(0);
        let blocking = with_socket(number, |open| Ok(open.handle.blocking))?;
        let blocking = match asked & libc::MSG_DONTWAIT {
            0 => blocking,
            _ => Blocking::ReturnsAtOnce,
        };
        let wait = match blocking {
            Blocking::Waits => 0,
            Blocking::ReturnsAtOnce => libc::MSG_DONTWAIT,
        };
        let limits = Limits {
            payload: length,
            control: ROOM,
            flags: asked & libc::MSG_PEEK | wait,
        };
        let (half, incoming) = repeat(number, blocking, None, |host| {
            let open = host.open(number)?;
            let incoming = open.stack.peek(open.now, open.handle.id, limits)?;
            open.stack.consume(open.now, open.handle.id, incoming.token);
            Ok((open.handle.half, incoming))
        })?;
        let Incoming {
            payload,
            name,
            control,
            flags: told,
            ..
        } = incoming;
        // SAFETY: as usrsctp.h says.
        unsafe {
            border::lay(buffer, length, &payload);
            border::write(flags, told);
        }
        if let Some(name) = name {
            let name = abi(half).address_bytes(name);
            // SAFETY: as usrsctp.h says.
            unsafe { put_name(from, from_length, &name) };
        }
        // SAFETY: as usrsctp.h says.
        unsafe { describe(&control, info, info_length, info_type) };
        Ok(payload.len().cast_signed())
    })
}

/// Writes the description to the program's memory.
///
/// # Safety
/// The pointers are NULL, or point to this much memory, a length and a type.
unsafe fn describe(
    described: &[u8],
    info: *mut c_void,
    info_length: *mut libc::socklen_t,
    info_type: *mut c_uint,
) {
    // SAFETY: as the caller promises.
    let room = unsafe { border::read(info_length) }.unwrap_or(0) as usize;
    let (mut own, mut next) = (None, None);
    for (kind, body) in controls(described) {
        match kind {
            RCV_INFO => own = Some(body),
            NXT_INFO => next = Some(body),
            _ => {}
        }
    }
    let (kind, bytes) = match (own, next) {
        (Some(own), Some(next)) if room >= RCV_INFO_SIZE + NXT_INFO_SIZE => {
            (3, [own, next].concat())
        }
        (Some(own), _) if room >= RCV_INFO_SIZE => (1, own.to_vec()),
        (None, Some(next)) if room >= NXT_INFO_SIZE => (2, next.to_vec()),
        _ => (0, Vec::new()),
    };
    // SAFETY: as the caller promises.
    let laid = unsafe { border::lay(info, room, &bytes) };
    // SAFETY: as the caller promises.
    unsafe {
        border::write(info_length, u32::try_from(laid).unwrap_or(0));
        border::write(info_type, kind);
    }
}

/// The `struct sctp_rcvinfo` in ancillary data; zeros if missing.
pub(crate) fn info(described: &[u8]) -> RcvInfo {
    let found = controls(described).find(|(kind, _)| *kind == RCV_INFO);
    let body = found.map_or(&[][..], |(_, body)| body);
    let short = |at: usize| {
        let bytes = body.get(at..at + 2).and_then(|bytes| bytes.try_into().ok());
        u16::from_ne_bytes(bytes.unwrap_or_default())
    };
    let word = |at: usize| {
        let bytes = body.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
        u32::from_ne_bytes(bytes.unwrap_or_default())
    };
    RcvInfo {
        stream: short(0),
        ssn: short(2),
        flags: short(4),
        ppid: word(8),
        tsn: word(12),
        cumulative_tsn: word(16),
        context: word(20),
        assoc: word(24),
    }
}

/// Iterates over ancillary data: type and body.
fn controls(bytes: &[u8]) -> impl Iterator<Item = (i32, &[u8])> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let length = usize::from_ne_bytes(rest.get(..8)?.try_into().ok()?);
        let kind = i32::from_ne_bytes(rest.get(12..HEADER)?.try_into().ok()?);
        let body = rest.get(HEADER..length)?;
        rest = rest.get(length.next_multiple_of(8)..).unwrap_or_default();
        Some((kind, body))
    })
}

/// Appends an item of ancillary data.
pub(super) fn control(bytes: &mut Vec<u8>, kind: i32, body: &[u8]) {
    bytes.extend((HEADER + body.len()).to_ne_bytes());
    bytes.extend(IPPROTO_SCTP.to_ne_bytes());
    bytes.extend(kind.to_ne_bytes());
    bytes.extend_from_slice(body);
    bytes.resize(bytes.len().next_multiple_of(8), 0);
}
