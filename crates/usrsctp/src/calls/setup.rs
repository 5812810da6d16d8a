//! Creating, connecting and closing sockets.

use std::ffi::{c_int, c_void};

use sheave_sockets::{ConnectState, Domain, Errno, How, Style};

use crate::addresses::{self, AF_CONN, abi};
use crate::border::{self, Opaque};
use crate::delivery::{self, About};
use crate::handles::{
    Blocking, Callbacks, Half, Handle, Number, ReceiveCallback, SendCallback, Socket,
};
use crate::host;
use crate::internet::Way;
use crate::waiting::{repeat, with_host, with_socket};

/// Flags of `usrsctp_bindx`.
const ADD: c_int = 0x8001;
const REMOVE: c_int = 0x8002;

/// The option that enables `sctp_rcvinfo` for received messages.
pub(super) const RECV_RCV_INFO: c_int = 0x1f;

/// Creates a socket.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn usrsctp_socket(
    domain: c_int,
    kind: c_int,
    protocol: c_int,
    receive: Option<ReceiveCallback>,
    send: Option<SendCallback>,
    threshold: u32,
    ulp_info: *mut c_void,
) -> *mut Socket {
    let callbacks = Callbacks {
        receive,
        send,
        threshold,
        ulp_info: Opaque::of(ulp_info),
    };
    border::call(std::ptr::null_mut(), || {
        if protocol == libc::IPPROTO_SCTP && host::lock().is_none() {
            return Err(Errno::EPROTONOSUPPORT);
        }
        if receive.is_none() && (send.is_some() || threshold != 0 || !ulp_info.is_null()) {
            return Err(Errno::EINVAL);
        }
        let style = match kind {
            libc::SOCK_STREAM => Style::OneToOne,
            libc::SOCK_SEQPACKET => Style::OneToMany,
            _ => return Err(Errno::EINVAL),
        };
        if protocol != libc::IPPROTO_SCTP {
            return Err(Errno::EINVAL);
        }
        let opened = with_host(|host| {
            let (half, family) = match domain {
                libc::AF_INET => (Half::Internet, Domain::V4),
                libc::AF_INET6 => (Half::Internet, Domain::V6),
                family if family == c_int::from(AF_CONN) => {
                    host.connections.output.ok_or(Errno::EAFNOSUPPORT)?;
                    (Half::Connections, Domain::V6)
                }
                _ => return Err(Errno::EINVAL),
            };
            if half == Half::Internet {
                host.carry_by(Way::RawIp);
            }
            let (stack, now) = host.stack(half);
            let id = stack.socket(family, style);
            if receive.is_some() {
                // The receive callback gets the description of each message.
                let on = 1_i32.to_ne_bytes();
                stack.set_option(now, id, libc::IPPROTO_SCTP, RECV_RCV_INFO, &on)?;
            }
            let room = stack.send_room(id);
            let mut handle = Handle::new(half, id, callbacks);
            handle.room = room;
            Ok(host.handles.insert(handle))
        });
        // Before initialisation the protocol does not exist.
        opened.map(Number::pointer).map_err(|error| match error {
            Errno::EBADF => Errno::EPROTONOSUPPORT,
            other => other,
        })
    })
}

/// Binds a socket to an address.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn usrsctp_bind(
    socket: *mut Socket,
    name: *const c_void,
    length: libc::socklen_t,
) -> c_int {
    border::status(|| {
        let number = Number::of(socket)?;
        // SAFETY: as usrsctp.h says.
        let bytes = unsafe { border::bytes(name, length as usize) }?;
        with_socket(number, |open| {
            let address = abi(open.handle.half).address(bytes)?;
            open.stack.bind(open.now, open.handle.id, &[address])
        })
    })
}

/// Adds or removes addresses of a socket.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn usrsctp_bindx(
    socket: *mut Socket,
    addresses: *const c_void,
    count: c_int,
    flags: c_int,
) -> c_int {
    border::status(|| {
        let number = Number::of(socket)?;
        if flags != ADD && flags != REMOVE {
            return Err(Errno::EFAULT);
        }
        if addresses.is_null() {
            return Err(Errno::EINVAL);
        }
        let count = usize::try_from(count).unwrap_or(0);
        // SAFETY: as usrsctp.h says.
        let bytes = unsafe { addresses::list(addresses, count) }?;
        with_socket(number, |open| {
            let addresses = abi(open.handle.half).addresses(bytes)?;
            let id = open.handle.id;
            if flags == ADD {
                open.stack.add_addresses(open.now, id, &addresses)
            } else {
                open.stack.remove_addresses(open.now, id, &addresses)
            }
        })
    })
}

/// Accepts associations from now on.
#[unsafe(no_mangle)]
pub extern "C" fn usrsctp_listen(socket: *mut Socket, backlog: c_int) -> c_int {
    border::status(|| {
        let number = Number::of(socket)?;
        // A negative backlog means the maximum.
        let backlog = u32::try_from(backlog).unwrap_or(MOST_WAITING);
        with_socket(number, |open| {
            open.stack.listen(open.now, open.handle.id, backlog)
        })
    })
}

/// Accept-queue length without a limit from the program.
const MOST_WAITING: u32 = 128;

/// Accepts an association and returns its socket.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn usrsctp_accept(
    socket: *mut Socket,
    name: *mut c_void,
    length: *mut libc::socklen_t,
) -> *mut Socket {
    border::call(std::ptr::null_mut(), || {
        let number = Number::of(socket)?;
        let blocking = with_socket(number, |open| Ok(open.handle.blocking))?;
        let (accepted, peer) = repeat(number, blocking, None, |host| {
            let open = host.open(number)?;
            let half = open.handle.half;
            let (_, peer) = open.stack.pending(open.handle.id)?;
            let id = open.stack.accept(open.handle.id)?;
            let mut handle = open.handle.offspring(id);
            handle.room = open.stack.send_room(id);
            let accepted = match host.handles.number(half, id) {
                Some(known) => known,
                None => host.handles.insert(handle),
            };
            if let Some(handle) = host.handles.get_mut(accepted) {
                handle.waits_at = None;
            }
            host.announce(accepted);
            Ok((accepted, abi(half).address_bytes(peer)))
        })?;
        // SAFETY: as usrsctp.h says.
        unsafe { put_name(name, length, &peer) };
        Ok(accepted.pointer())
    })
}

/// Writes a socket address to the program's memory and its size to `length`.
///
/// # Safety
/// The pointers are NULL, or point to a length and to this much memory.
pub(super) unsafe fn put_name(name: *mut c_void, length: *mut libc::socklen_t, bytes: &[u8]) {
    // SAFETY: as the caller promises.
    let Some(room) = (unsafe { border::read(length) }) else {
        return;
    };
    // SAFETY: as the caller promises.
    let laid = unsafe { border::lay(name, room as usize, bytes) };
    // SAFETY: as the caller promises.
    unsafe { border::write(length, u32::try_from(laid).unwrap_or(0)) };
}

/// Moves an association of a one-to-many socket to a new socket.
#[unsafe(no_mangle)]
pub extern "C" fn usrsctp_peeloff(socket: *mut Socket, assoc: u32) -> *mut Socket {
    border::call(std::ptr::null_mut(), || {
        let number = Number::of(socket)?;
        let peeled = with_host(|host| {
            let open = host.open(number)?;
            let id = open
                .stack
                .peel_off(open.now, open.handle.id, assoc.cast_signed())?;
            let mut handle = open.handle.offspring(id);
            handle.room = open.stack.send_room(id);
            let peeled = host.handles.insert(handle);
            host.announce(peeled);
            Ok(peeled)
        })?;
        Ok(peeled.pointer())
    })
}

/// Starts an association and, on a blocking socket, waits until it is established.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn usrsctp_connect(
    socket: *mut Socket,
    name: *const c_void,
    length: libc::socklen_t,
) -> c_int {
    border::status(|| {
        let number = Number::of(socket)?;
        // SAFETY: as usrsctp.h says.
        let bytes = unsafe { border::bytes(name, length as usize) }?;
        if bytes.is_empty() {
            return Err(Errno::EINVAL);
        }
        connect(number, |half| Ok(vec![abi(half).address(bytes)?])).map(|_| ())
    })
}

/// Starts an association with a peer that has several addresses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn usrsctp_connectx(
    socket: *mut Socket,
    addresses: *const c_void,
    count: c_int,
    assoc: *mut u32,
) -> c_int {
    border::status(|| {
        let number = Number::of(socket)?;
        if addresses.is_null() {
            return Err(Errno::EINVAL);
        }
        let count = usize::try_from(count).unwrap_or(0);
        // SAFETY: as usrsctp.h says.
        let bytes = unsafe { addresses::list(addresses, count) }?;
        let made = connect(number, |half| abi(half).addresses(bytes))?;
        // SAFETY: as usrsctp.h says.
        unsafe { border::write(assoc, made) };
        Ok(())
    })
}

fn connect(
    number: Number,
    addresses: impl Fn(Half) -> Result<Vec<std::net::SocketAddr>, Errno>,
) -> Result<u32, Errno> {
    let (blocking, assoc) = with_host(|host| {
        let open = host.open(number)?;
        let (half, id) = (open.handle.half, open.handle.id);
        let addresses = addresses(half)?;
        let first = addresses.first().copied();
        // Both ends of a connection use the same pointer as their address.
        if half == Half::Connections
            && open.stack.find(id)?.local_name().port() == 0
            && let Some(mut own) = first
        {
            own.set_port(0);
            open.stack.bind(open.now, id, &[own])?;
        }
        let assoc = open.stack.connect(open.now, id, &addresses)?;
        Ok((open.handle.blocking, assoc.cast_unsigned()))
    })?;
    let made = repeat(number, blocking, None, |host| {
        let open = host.open(number)?;
        let socket = open.stack.find(open.handle.id)?;
        match socket.connect_state() {
            ConnectState::InProgress if !socket.is_one_to_one() => Ok(()),
            ConnectState::InProgress => Err(Errno::EAGAIN),
            ConnectState::Failed(error) => {
                open.stack.take_error(open.handle.id);
                Err(error)
            }
            ConnectState::Idle | ConnectState::Established => Ok(()),
        }
    });
    match made {
        Err(Errno::EAGAIN) => Err(Errno::EINPROGRESS),
        other => other.map(|()| assoc),
    }
}

/// Closes halves of a connected socket.
#[unsafe(no_mangle)]
pub extern "C" fn usrsctp_shutdown(socket: *mut Socket, how: c_int) -> c_int {
    border::status(|| {
        let how = How::from_number(how)?;
        let number = Number::of(socket)?;
        with_socket(number, |open| {
            open.stack.shutdown(open.now, open.handle.id, how)
        })
    })
}

/// Closes a socket; its associations end in the background.
#[unsafe(no_mangle)]
pub extern "C" fn usrsctp_close(socket: *mut Socket) {
    border::status(|| {
        let number = Number::of(socket)?;
        with_host(|host| {
            let open = host.open(number)?;
            open.stack.close(open.now, open.handle.id);
            host.handles.remove(number);
            host.handles.remove_waiting_at(number);
            Ok(())
        })?;
        host::changed().notify_all();
        delivery::await_end_of_calls(About::Socket(number));
        Ok(())
    });
}

/// Makes calls on a socket non-blocking or blocking.
#[unsafe(no_mangle)]
pub extern "C" fn usrsctp_set_non_blocking(socket: *mut Socket, on: c_int) -> c_int {
    border::status(|| {
        let number = Number::of(socket)?;
        with_socket(number, |open| {
            open.handle.blocking = match on {
                0 => Blocking::Waits,
                _ => Blocking::ReturnsAtOnce,
            };
            Ok(())
        })
    })
}

/// Whether a socket is non-blocking: 1 or 0.
#[unsafe(no_mangle)]
pub extern "C" fn usrsctp_get_non_blocking(socket: *mut Socket) -> c_int {
    border::call(-1, || {
        let number = Number::of(socket)?;
        let blocking = with_socket(number, |open| Ok(open.handle.blocking))?;
        Ok((blocking == Blocking::ReturnsAtOnce).into())
    })
}
