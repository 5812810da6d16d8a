//! Functions that replace those of the C library.
//!
//! Pointers are plain numbers here; only the host or the next function dereferences them.

use core::ffi::{c_int, c_long};
use core::mem;

use crate::host::{self, carry_out};
use crate::kernel::{Next, arg, call, number, syscall};
use crate::packets::Cancel;
use crate::sockets;

const AF_UNIX: c_int = 1;
const AF_INET: c_int = 2;
const AF_INET6: c_int = 10;
const SOCK_TYPE: c_int = 15;
const SOCK_SEQPACKET: c_int = 5;
const IPPROTO_SCTP: c_int = 132;
const SOL_SOCKET: c_int = 1;
const SO_TYPE: c_int = 3;
const SO_PROTOCOL: c_int = 38;
const SO_DOMAIN: c_int = 39;
const F_DUPFD: c_int = 0;
const F_DUPFD_CLOEXEC: c_int = 1030;
const F_GETFD: usize = 1;
const FIONREAD: usize = 0x541b;
const SIOCOUTQ: usize = 0x5411;
/// Standard input, output and error: the pair carries messages there, as with the listener.
const STANDARD: c_int = 3;
/// Descriptors below this number are checked at the program's start.
const INHERITED: c_int = 1024;

/// A value that can be an argument of a system call.
trait Argument {
    fn word(self) -> usize;
}

impl Argument for usize {
    fn word(self) -> usize {
        self
    }
}

impl Argument for c_int {
    fn word(self) -> usize {
        arg(self)
    }
}

impl Argument for u32 {
    fn word(self) -> usize {
        self as usize
    }
}

/// Calls the next function with this name, or the kernel if there is none.
macro_rules! next {
    ($name:ident, syscall($($word:expr),*), ($($arg:ident: $type:ty),*) -> $returned:ty) => {{
        static NEXT: Next = Next::new({
            const NAME: &str = concat!(stringify!($name), "\0");
            match core::ffi::CStr::from_bytes_with_nul(NAME.as_bytes()) {
                Ok(name) => name,
                Err(_) => c"",
            }
        });
        match NEXT.address() {
            Some(address) => {
                type Function = unsafe extern "C-unwind" fn($($type),*) -> $returned;
                // SAFETY: the C library's function of that name has this signature.
                unsafe { mem::transmute::<usize, Function>(address)($($arg),*) }
            }
            // SAFETY: the program's own call.
            None => unsafe { syscall($($word),*) as $returned },
        }
    }};
    ($name:ident, $number:expr, ($($arg:ident: $type:ty),*) -> $returned:ty) => {
        next!($name, syscall($number, $($arg.word()),*), ($($arg: $type),*) -> $returned)
    };
}

/// Defines functions whose first argument is the socket and that equal a system call.
macro_rules! on_socket {
    ($cancel:ident: $($name:ident = $number:ident ($fd:ident $(, $arg:ident: $type:ty)*) -> $returned:ty;)*) => {$(
        #[unsafe(no_mangle)]
        pub(crate) extern "C-unwind" fn $name($fd: c_int $(, $arg: $type)*) -> $returned {
            if sockets::may_be_ours($fd) {
                let args = words([$fd.word() $(, $arg.word())*]);
                return carry_out(number::$number, args, Cancel::$cancel) as $returned;
            }
            next!($name, number::$number, ($fd: c_int $(, $arg: $type)*) -> $returned)
        }
    )*};
}

fn words<const N: usize>(given: [usize; N]) -> [usize; 6] {
    let mut words = [0; 6];
    words[..N].copy_from_slice(&given);
    words
}

on_socket! { Later:
    bind = BIND(fd, address: usize, length: u32) -> c_int;
    listen = LISTEN(fd, backlog: c_int) -> c_int;
    getsockname = GETSOCKNAME(fd, address: usize, length: usize) -> c_int;
    getpeername = GETPEERNAME(fd, address: usize, length: usize) -> c_int;
    setsockopt = SETSOCKOPT(fd, level: c_int, name: c_int, value: usize, length: u32) -> c_int;
    getsockopt = GETSOCKOPT(fd, level: c_int, name: c_int, value: usize, length: usize) -> c_int;
    shutdown = SHUTDOWN(fd, how: c_int) -> c_int;
}

on_socket! { Here:
    connect = CONNECT(fd, address: usize, length: u32) -> c_int;
    accept = ACCEPT(fd, address: usize, length: usize) -> c_int;
    accept4 = ACCEPT4(fd, address: usize, length: usize, flags: c_int) -> c_int;
    sendto = SENDTO(fd, at: usize, length: usize, flags: c_int, address: usize, address_length: u32) -> isize;
    recvfrom = RECVFROM(fd, at: usize, length: usize, flags: c_int, address: usize, address_length: usize) -> isize;
    sendmsg = SENDMSG(fd, message: usize, flags: c_int) -> isize;
    recvmsg = RECVMSG(fd, message: usize, flags: c_int) -> isize;
    sendmmsg = SENDMMSG(fd, messages: usize, count: u32, flags: c_int) -> c_int;
    recvmmsg = RECVMMSG(fd, messages: usize, count: u32, flags: c_int, patience: usize) -> c_int;
    read = READ(fd, at: usize, length: usize) -> isize;
    write = WRITE(fd, at: usize, length: usize) -> isize;
    readv = READV(fd, parts: usize, count: c_int) -> isize;
    writev = WRITEV(fd, parts: usize, count: c_int) -> isize;
}

/// Defines functions that act on either of two descriptors.
macro_rules! on_two {
    ($($name:ident = $number:ident ($first:ident, $second:ident; $($arg:ident: $type:ty),*);)*) => {$(
        #[unsafe(no_mangle)]
        pub(crate) extern "C-unwind" fn $name($($arg: $type),*) -> isize {
            if sockets::is_ours($first) || sockets::is_ours($second) {
                return carry_out(number::$number, words([$($arg.word()),*]), Cancel::Here);
            }
            next!($name, number::$number, ($($arg: $type),*) -> isize)
        }
    )*};
}

on_two! {
    sendfile = SENDFILE(fd, file; fd: c_int, file: c_int, offset: usize, count: usize);
    sendfile64 = SENDFILE(fd, file; fd: c_int, file: c_int, offset: usize, count: usize);
    splice = SPLICE(from, to; from: c_int, from_at: usize, to: c_int, to_at: usize, count: usize, flags: u32);
}

/// Defines functions with an offset; sockets accept only -1, and the kernel refuses other offsets.
macro_rules! at_offset {
    ($($name:ident = $number:ident;)*) => {$(
        #[unsafe(no_mangle)]
        pub(crate) extern "C-unwind" fn $name(fd: c_int, parts: usize, count: c_int, offset: usize, flags: c_int) -> isize {
            // The system call takes the offset in two words; only the first counts.
            let args = [fd.word(), parts, count.word(), offset, 0, flags.word()];
            if offset == usize::MAX && sockets::is_ours(fd) {
                return carry_out(number::$number, args, Cancel::Here);
            }
            let [a, b, c, d, e, f] = args;
            next!($name, syscall(number::$number, a, b, c, d, e, f), (fd: c_int, parts: usize, count: c_int, offset: usize, flags: c_int) -> isize)
        }
    )*};
}

at_offset! {
    preadv2 = PREADV2;
    preadv64v2 = PREADV2;
    pwritev2 = PWRITEV2;
    pwritev64v2 = PWRITEV2;
}

/// Defines functions that the kernel has only with an address.
macro_rules! without_address {
    ($($name:ident = $number:ident;)*) => {$(
        #[unsafe(no_mangle)]
        pub(crate) extern "C-unwind" fn $name(fd: c_int, at: usize, length: usize, flags: c_int) -> isize {
            let args = words([fd.word(), at, length, flags.word()]);
            if sockets::may_be_ours(fd) {
                return carry_out(number::$number, args, Cancel::Here);
            }
            let [a, b, c, d, e, f] = args;
            next!($name, syscall(number::$number, a, b, c, d, e, f), (fd: c_int, at: usize, length: usize, flags: c_int) -> isize)
        }
    )*};
}

without_address! {
    send = SENDTO;
    recv = RECVFROM;
}

// Variants used by programs compiled with `_FORTIFY_SOURCE`.

#[unsafe(no_mangle)]
pub(crate) extern "C-unwind" fn __read_chk(
    fd: c_int,
    at: usize,
    length: usize,
    room: usize,
) -> isize {
    match length <= room {
        true => read(fd, at, length),
        false => {
            next!(__read_chk, number::READ, (fd: c_int, at: usize, length: usize, room: usize) -> isize)
        }
    }
}

#[unsafe(no_mangle)]
pub(crate) extern "C-unwind" fn __recv_chk(
    fd: c_int,
    at: usize,
    length: usize,
    room: usize,
    flags: c_int,
) -> isize {
    match length <= room {
        true => recv(fd, at, length, flags),
        false => {
            next!(__recv_chk, number::READ, (fd: c_int, at: usize, length: usize, room: usize, flags: c_int) -> isize)
        }
    }
}

#[unsafe(no_mangle)]
pub(crate) extern "C-unwind" fn __recvfrom_chk(
    fd: c_int,
    at: usize,
    length: usize,
    room: usize,
    flags: c_int,
    address: usize,
    address_length: usize,
) -> isize {
    if length <= room {
        return recvfrom(fd, at, length, flags, address, address_length);
    }
    next!(__recvfrom_chk, number::READ, (fd: c_int, at: usize, length: usize, room: usize, flags: c_int, address: usize, address_length: usize) -> isize)
}

#[unsafe(no_mangle)]
pub(crate) extern "C-unwind" fn socket(domain: c_int, kind: c_int, protocol: c_int) -> c_int {
    let internet = domain == AF_INET || domain == AF_INET6;
    // For SOCK_SEQPACKET, protocol 0 also means SCTP.
    let sctp = protocol == IPPROTO_SCTP || (protocol == 0 && kind & SOCK_TYPE == SOCK_SEQPACKET);
    let made = match internet && sctp {
        true => {
            let args = words([arg(domain), arg(kind), arg(protocol)]);
            return carry_out(number::SOCKET, args, Cancel::Later) as c_int;
        }
        false => {
            next!(socket, number::SOCKET, (domain: c_int, kind: c_int, protocol: c_int) -> c_int)
        }
    };
    sockets::forget(made);
    made
}

#[unsafe(no_mangle)]
pub(crate) extern "C-unwind" fn ioctl(fd: c_int, request: usize, value: usize) -> c_int {
    if matches!(request, FIONREAD | SIOCOUTQ) && sockets::is_ours(fd) {
        return carry_out(
            number::IOCTL,
            words([arg(fd), request, value]),
            Cancel::Later,
        ) as c_int;
    }
    next!(ioctl, number::IOCTL, (fd: c_int, request: usize, value: usize) -> c_int)
}

#[unsafe(no_mangle)]
pub(crate) extern "C-unwind" fn fcntl(fd: c_int, command: c_int, value: usize) -> c_int {
    let returned = next!(fcntl, number::FCNTL, (fd: c_int, command: c_int, value: usize) -> c_int);
    copied(fd, command, returned);
    returned
}

#[unsafe(no_mangle)]
pub(crate) extern "C-unwind" fn fcntl64(fd: c_int, command: c_int, value: usize) -> c_int {
    let returned =
        next!(fcntl64, number::FCNTL, (fd: c_int, command: c_int, value: usize) -> c_int);
    copied(fd, command, returned);
    returned
}

/// Registers a copy made by `fcntl`.
fn copied(fd: c_int, command: c_int, copy: c_int) {
    if command == F_DUPFD || command == F_DUPFD_CLOEXEC {
        same_as(fd, copy);
    }
}

/// Registers that `copy` now refers to the file of `fd`.
fn same_as(fd: c_int, copy: c_int) {
    match sockets::is_ours(fd) && copy >= STANDARD {
        true => sockets::add(copy),
        false => sockets::forget(copy),
    }
}

#[unsafe(no_mangle)]
pub(crate) extern "C-unwind" fn dup(fd: c_int) -> c_int {
    let copy = next!(dup, number::DUP, (fd: c_int) -> c_int);
    same_as(fd, copy);
    copy
}

/// Whether a copy of a socket becomes standard input or output, which the host must know.
fn is_handed_over(fd: c_int, to: c_int) -> bool {
    fd != to && (0..STANDARD).contains(&to) && sockets::is_ours(fd)
}

#[unsafe(no_mangle)]
pub(crate) extern "C-unwind" fn dup2(fd: c_int, to: c_int) -> c_int {
    if is_handed_over(fd, to) {
        // Some architectures lack the system call `dup2`.
        let copy = carry_out(number::DUP3, words([arg(fd), arg(to), 0]), Cancel::Later);
        sockets::forget(to);
        return copy as c_int;
    }
    if fd == to {
        // Copies nothing; `dup3` would refuse equal numbers.
        // SAFETY: the call takes no pointer.
        let flags = unsafe { syscall(number::FCNTL, arg(fd), F_GETFD) };
        return if flags < 0 { -1 } else { fd };
    }
    let copy = next!(dup2, syscall(number::DUP3, arg(fd), arg(to), 0_usize), (fd: c_int, to: c_int) -> c_int);
    if copy >= 0 {
        same_as(fd, copy);
    }
    copy
}

#[unsafe(no_mangle)]
pub(crate) extern "C-unwind" fn dup3(fd: c_int, to: c_int, flags: c_int) -> c_int {
    if is_handed_over(fd, to) {
        let args = words([arg(fd), arg(to), arg(flags)]);
        let copy = carry_out(number::DUP3, args, Cancel::Later);
        sockets::forget(to);
        return copy as c_int;
    }
    let copy = next!(dup3, number::DUP3, (fd: c_int, to: c_int, flags: c_int) -> c_int);
    if copy >= 0 {
        same_as(fd, copy);
    }
    copy
}

#[unsafe(no_mangle)]
pub(crate) extern "C-unwind" fn close(fd: c_int) -> c_int {
    if host::is_life(fd) {
        // Daemons close all unknown descriptors.
        return 0;
    }
    if sockets::is_ours(fd) {
        sockets::forget(fd);
        return carry_out(number::CLOSE, words([arg(fd)]), Cancel::Later) as c_int;
    }
    next!(close, number::CLOSE, (fd: c_int) -> c_int)
}

#[unsafe(no_mangle)]
pub(crate) extern "C-unwind" fn close_range(first: u32, last: u32, flags: c_int) -> c_int {
    let life = host::life().and_then(|life| u32::try_from(life).ok());
    match life {
        Some(life) if (first..=last).contains(&life) => {
            let below = match life.checked_sub(1) {
                Some(end) if first <= end => range(first, end, flags),
                _ => 0,
            };
            match last.checked_sub(1) {
                Some(_) if below == 0 && life < last => range(life + 1, last, flags),
                _ => below,
            }
        }
        _ => range(first, last, flags),
    }
}

fn range(first: u32, last: u32, flags: c_int) -> c_int {
    // SAFETY: the call takes no pointer.
    let closed: c_long =
        unsafe { syscall(number::CLOSE_RANGE, first.word(), last.word(), arg(flags)) };
    closed as c_int
}

#[unsafe(no_mangle)]
pub(crate) extern "C-unwind" fn closefrom(first: c_int) {
    let first = u32::try_from(first).unwrap_or(0);
    if close_range(first, u32::MAX, 0) < 0 {
        // Linux before 5.9 has no `close_range`.
        for fd in first..1 << 16 {
            close(fd.cast_signed());
        }
    }
}

/// Finds SCTP sockets that the program inherited.
pub(crate) fn take_over() {
    for fd in STANDARD..INHERITED {
        if call(number::FCNTL, words([arg(fd), F_GETFD])).is_err() {
            continue;
        }
        let is = |name, wanted| option(fd, name) == Some(wanted);
        if is(SO_DOMAIN, AF_UNIX) && is(SO_TYPE, SOCK_SEQPACKET) {
            let mut protocol: c_int = 0;
            let mut length: u32 = 4;
            let [value, length] = [(&raw mut protocol) as usize, (&raw mut length) as usize];
            let args = words([arg(fd), arg(SOL_SOCKET), arg(SO_PROTOCOL), value, length]);
            carry_out(number::GETSOCKOPT, args, Cancel::Later);
            // SAFETY: the host or the kernel has written it.
            if unsafe { (&raw const protocol).read_volatile() } == IPPROTO_SCTP {
                sockets::add(fd);
            }
        }
    }
}

/// A socket option, read from the kernel.
fn option(fd: c_int, name: c_int) -> Option<c_int> {
    let mut value: c_int = 0;
    let mut length: u32 = 4;
    let [value_at, length_at] = [(&raw mut value) as usize, (&raw mut length) as usize];
    let args = words([arg(fd), arg(SOL_SOCKET), arg(name), value_at, length_at]);
    call(number::GETSOCKOPT, args).ok()?;
    // SAFETY: the kernel has written it.
    Some(unsafe { (&raw const value).read_volatile() })
}
