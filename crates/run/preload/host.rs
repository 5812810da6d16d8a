//! The host and the calls that it executes.
//!
//! This module neither locks nor allocates, because signal handlers may make calls during another
//! call of their thread.

use core::ffi::{c_char, c_int, c_long};
use core::sync::atomic::{AtomicI32, AtomicU64, AtomicUsize, Ordering};

use crate::connection::Connection;
use crate::kernel::{self, arg, call, number};
use crate::packets::say;
use crate::packets::{Cancel, test_cancel};
use crate::sockets;
use crate::words::{Answered, Request, Said};

const AF_UNIX: u16 = 1;
const SEQPACKET_CLOEXEC: usize = 5 | 0o2_000_000;
const F_SETFD: usize = 2;
/// Longest abstract socket name, bytes.
const MAX_NAME: usize = 96;

/// `struct sockaddr_un` with an abstract name, and its length; written before the program starts.
static NAME: [AtomicUsize; MAX_NAME / 8] = [const { AtomicUsize::new(0) }; MAX_NAME / 8];
static NAME_LENGTH: AtomicUsize = AtomicUsize::new(0);
/// The secret that identifies this program to the host.
static SECRET: AtomicU64 = AtomicU64::new(0);
/// The pipe descriptor that shows the host that the program runs.
static LIFE: AtomicI32 = AtomicI32::new(-1);
static NEXT_ID: AtomicU64 = AtomicU64::new(1);

/// Parses the address of the host.
///
/// # Safety
/// `value` is a C string.
pub(crate) unsafe fn set(value: *const c_char) {
    let mut at = value.cast::<u8>();
    let mut numbers = [0_u64; 2];
    for number in &mut numbers {
        // SAFETY: all that is read lies before the string's end.
        unsafe {
            while (*at).is_ascii_digit() {
                *number = number.wrapping_mul(10).wrapping_add(u64::from(*at - b'0'));
                at = at.add(1);
            }
            if *at != b':' {
                return;
            }
            at = at.add(1);
        }
    }
    let [life, secret] = numbers;
    LIFE.store(c_int::try_from(life).unwrap_or(-1), Ordering::Relaxed);
    SECRET.store(secret, Ordering::Relaxed);
    let mut bytes = [0_u8; MAX_NAME];
    bytes[..2].copy_from_slice(&AF_UNIX.to_ne_bytes());
    // The name is abstract, so a zero byte precedes it.
    let mut length = 3;
    while length < MAX_NAME {
        // SAFETY: as above.
        let byte = unsafe { *at };
        if byte == 0 {
            break;
        }
        bytes[length] = byte;
        length += 1;
        at = at.wrapping_add(1);
    }
    for (index, word) in NAME.iter().enumerate() {
        let mut part = [0; 8];
        part.copy_from_slice(&bytes[8 * index..8 * index + 8]);
        word.store(usize::from_ne_bytes(part), Ordering::Relaxed);
    }
    NAME_LENGTH.store(length, Ordering::Release);
}

/// Whether this is the life pipe, which must stay open.
pub(crate) fn is_life(fd: c_int) -> bool {
    fd >= 0 && LIFE.load(Ordering::Relaxed) == fd
}

/// The descriptor of the life pipe.
pub(crate) fn life() -> Option<c_int> {
    let life = LIFE.load(Ordering::Relaxed);
    (life >= 0).then_some(life)
}

/// Opens a connection and sends the secret.
pub(crate) fn connect() -> Option<c_int> {
    let length = NAME_LENGTH.load(Ordering::Acquire);
    if length == 0 {
        return None;
    }
    let domain = usize::from(AF_UNIX);
    let socket = call(number::SOCKET, [domain, SEQPACKET_CLOEXEC, 0, 0, 0, 0]).ok()?;
    let name = NAME.each_ref().map(|word| word.load(Ordering::Relaxed));
    let name = name.as_ptr() as usize;
    let connected = loop {
        match call(number::CONNECT, [socket, name, length, 0, 0, 0]) {
            Err(kernel::EINTR) => {}
            connected => break connected,
        }
    };
    let fd = c_int::try_from(socket).ok()?;
    let secret = SECRET.load(Ordering::Relaxed);
    if connected.is_err() || say(fd, Said::Hello { secret }).is_err() {
        close(fd);
        return None;
    }
    Some(fd)
}

/// Makes the host execute a system call and returns the C function's result. Without a host, the
/// kernel executes the call.
pub(crate) extern "C-unwind" fn carry_out(
    number: c_long,
    args: [usize; 6],
    cancel: Cancel,
) -> isize {
    if cancel == Cancel::Here {
        test_cancel();
    }
    let thread = u32::try_from(call(number::GETTID, [0; 6]).unwrap_or(0)).unwrap_or(0);
    let request = Request {
        id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
        thread,
        number,
        args: args.map(|arg| arg as u64),
        seen: sockets::seen(args[0] as c_int),
    };
    let connection = Connection::take(thread).and_then(|taken| taken.ask(&request));
    let Some((connection, host)) = connection else {
        return in_kernel(number, args);
    };
    let (answer, fd) = match connection.answer(&request, host, cancel) {
        Outcome::Answered(answer, fd) => {
            connection.put_back(thread);
            (answer, fd)
        }
        Outcome::Unheard => match again(&request, cancel) {
            Some(answered) => answered,
            None => return in_kernel(number, args),
        },
        Outcome::Lost => return in_kernel(number, args),
    };
    match answer {
        Answered::Returns(value) if value < 0 => {
            kernel::set_errno(c_int::try_from(-value).unwrap_or(0));
            -1
        }
        Answered::Returns(value) => value as isize,
        Answered::GoesOn => {
            // The program may have closed the socket without the library's knowledge.
            sockets::is_ours(args[0] as c_int);
            in_kernel(number, args)
        }
        Answered::Descriptor { closes_on_exec, at } => give(fd, closes_on_exec, at),
    }
}

/// The outcome of a call on a connection.
#[repr(C)]
pub(crate) enum Outcome {
    /// The answer and the descriptor that came with it, or -1.
    Answered(Answered, c_int),
    /// The connection was lost before the call had an effect.
    Unheard,
    /// The connection was lost.
    Lost,
}

/// Repeats a call that had no effect on a new connection.
extern "C-unwind" fn again(request: &Request, cancel: Cancel) -> Option<(Answered, c_int)> {
    let (connection, host) = Connection::new()?.ask(request)?;
    match connection.answer(request, host, cancel) {
        Outcome::Answered(answer, fd) => {
            connection.put_back(request.thread);
            Some((answer, fd))
        }
        Outcome::Unheard | Outcome::Lost => None,
    }
}

pub(crate) fn close(fd: c_int) {
    let _ = call(number::CLOSE, [arg(fd), 0, 0, 0, 0, 0]);
}

/// Passes a received descriptor to the program.
fn give(fd: c_int, closes_on_exec: bool, at: u64) -> isize {
    let too_many = usize::try_from(fd).map_or(true, |number| number >= sockets::MOST);
    if too_many {
        // No descriptor came if the process has reached its limit.
        if fd >= 0 {
            close(fd);
        }
        kernel::set_errno(kernel::EMFILE);
        return -1;
    }
    if !closes_on_exec {
        let _ = call(number::FCNTL, [arg(fd), F_SETFD, 0, 0, 0, 0]);
    }
    sockets::add(fd);
    let at = at as usize as *mut c_int;
    if !at.is_null() {
        // SAFETY: the program named this room when it made the call, and the host has just written
        // around it.
        unsafe { at.write_unaligned(fd) };
    }
    fd as isize
}

fn in_kernel(number: c_long, args: [usize; 6]) -> isize {
    let [a, b, c, d, e, f] = args;
    // SAFETY: the program's own call.
    unsafe { kernel::syscall(number, a, b, c, d, e, f) as isize }
}
