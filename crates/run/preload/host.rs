//! The way to the host: connections, each for one call at a time.
//!
//! Nothing in here locks or allocates: signal handlers make calls, too, while a call of their thread
//! waits.

use core::ffi::{c_char, c_int, c_long, c_void};
use core::mem;
use core::sync::atomic::{AtomicI32, AtomicU64, AtomicUsize, Ordering};

use crate::kernel::{self, Next, arg, call, number};
use crate::sockets;
use crate::words::{ANSWER, Answer, Answered, Asked, Request};

const AF_UNIX: u16 = 1;
const SEQPACKET_CLOEXEC: usize = 5 | 0o2_000_000;
const F_DUPFD_CLOEXEC: usize = 1030;
const F_SETFD: usize = 2;
const NO_SIGNAL: usize = 0x4000;
const CLOEXEC_OF_RECEIVED: c_int = 0x4000_0000;
const SOL_SOCKET: c_int = 1;
const SCM_RIGHTS: c_int = 1;
/// Connections get numbers from here on where they may, so that the lowest stay the program's.
const HIGH: usize = 960;
/// Bytes of an abstract name.
const MAX_NAME: usize = 96;

/// `struct sockaddr_un` with an abstract name, and its length; written before the program begins.
static NAME: [AtomicUsize; MAX_NAME / 8] = [const { AtomicUsize::new(0) }; MAX_NAME / 8];
static NAME_LENGTH: AtomicUsize = AtomicUsize::new(0);
/// The number by which the host knows this program.
static SECRET: AtomicU64 = AtomicU64::new(0);
/// The descriptor that shows the host that somebody runs.
static LIFE: AtomicI32 = AtomicI32::new(-1);

/// Idle connections: inode, 16 bits of the process that made it, number; 0 for none. A child of `fork` has
/// its parent's, and must not use them.
static IDLE: [AtomicU64; 32] = [const { AtomicU64::new(0) }; 32];
static NEXT_ID: AtomicU64 = AtomicU64::new(1);

static RECVMSG: Next = Next::new(c"recvmsg");
static CLEANUP_PUSH: Next = Next::new(c"_pthread_cleanup_push");
static CLEANUP_POP: Next = Next::new(c"_pthread_cleanup_pop");

/// Whether a thread may be cancelled in a call (`pthread_cancel`).
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cancel {
    Here,
    Later,
}

/// Reads where the host is.
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
    // The name is abstract: a zero stands before it.
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

/// Whether this is the descriptor that must stay open.
pub(crate) fn is_life(fd: c_int) -> bool {
    fd >= 0 && LIFE.load(Ordering::Relaxed) == fd
}

/// The number of that descriptor.
pub(crate) fn life() -> Option<c_int> {
    let life = LIFE.load(Ordering::Relaxed);
    (life >= 0).then_some(life)
}

fn process_mark() -> u64 {
    let process = call(number::GETPID, [0; 6]).unwrap_or(0);
    process as u64 & 0xffff
}

/// The word for a connection that is put down; 0 for one whose number is too large to be.
fn idle_of(fd: c_int) -> u64 {
    match u64::try_from(fd) {
        Ok(number) if number <= 0xffff => {
            kernel::inode_of(fd) << 32 | process_mark() << 16 | number
        }
        _ => 0,
    }
}

fn number_in(idle: u64) -> c_int {
    c_int::try_from(idle & 0xffff).unwrap_or(-1)
}

/// Whether the descriptor still is what was put down.
fn is_same(idle: u64) -> bool {
    kernel::inode_of(number_in(idle)) & 0xffff_ffff == idle >> 32
}

/// A connection for one call.
#[derive(Clone, Copy)]
struct Connection {
    fd: c_int,
    /// The word for it when it is put down.
    idle: u64,
}

/// An idle connection, or a new one.
fn take() -> Option<Connection> {
    let mark = process_mark();
    for place in &IDLE {
        let idle = place.load(Ordering::Relaxed);
        let mine = idle != 0 && (idle >> 16) & 0xffff == mark;
        let taken = || place.compare_exchange(idle, 0, Ordering::Acquire, Ordering::Relaxed);
        if mine && taken().is_ok() && is_same(idle) {
            let fd = number_in(idle);
            return Some(Connection { fd, idle });
        }
    }
    connect()
}

/// Puts a connection down for the next call.
fn put_back(connection: Connection) {
    let Connection { fd, idle } = connection;
    if idle != 0 {
        for place in &IDLE {
            let put = place.compare_exchange(0, idle, Ordering::Release, Ordering::Relaxed);
            if put.is_ok() {
                return;
            }
        }
        // What a fork has left is of no use.
        for place in &IDLE {
            let old = place.load(Ordering::Relaxed);
            let stale = (old >> 16) & 0xffff != (idle >> 16) & 0xffff;
            let put = || place.compare_exchange(old, idle, Ordering::Release, Ordering::Relaxed);
            if stale && put().is_ok() {
                if is_same(old) {
                    close(number_in(old));
                }
                return;
            }
        }
    }
    close(fd);
}

fn close(fd: c_int) {
    let _ = call(number::CLOSE, [arg(fd), 0, 0, 0, 0, 0]);
}

fn connect() -> Option<Connection> {
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
    let number = c_int::try_from(socket).ok()?;
    if connected.is_err() {
        close(number);
        return None;
    }
    let high = call(number::FCNTL, [socket, F_DUPFD_CLOEXEC, HIGH, 0, 0, 0]);
    let fd = match high.ok().and_then(|high| c_int::try_from(high).ok()) {
        Some(high) => {
            close(number);
            high
        }
        None => number,
    };
    let idle = idle_of(fd);
    Some(Connection { fd, idle })
}

fn say(connection: c_int, request: Request) -> Result<(), c_int> {
    let bytes = request.to_bytes();
    let at = bytes.as_ptr() as usize;
    loop {
        match call(
            number::SENDTO,
            [arg(connection), at, bytes.len(), NO_SIGNAL, 0, 0],
        ) {
            Err(kernel::EINTR) => {}
            said => return said.map(|_| ()),
        }
    }
}

/// `struct iovec`.
#[repr(C)]
struct Part {
    at: *mut u8,
    length: usize,
}

/// `struct msghdr`.
#[repr(C)]
struct Header {
    name: usize,
    name_length: u32,
    parts: *mut Part,
    count: usize,
    control: *mut Rights,
    control_length: usize,
    flags: c_int,
}

/// `struct cmsghdr` with one descriptor.
#[repr(C)]
struct Rights {
    length: usize,
    level: c_int,
    kind: c_int,
    fd: c_int,
    padding: c_int,
}

type Recvmsg = unsafe extern "C-unwind" fn(c_int, *mut Header, c_int) -> isize;
type Routine = unsafe extern "C" fn(*mut c_void);
type Push = unsafe extern "C" fn(*mut c_void, Routine, *mut c_void);
type Pop = unsafe extern "C" fn(*mut c_void, c_int);

/// Closes the connection of a cancelled thread: the host forgets the call.
unsafe extern "C" fn cancelled(connection: *mut c_void) {
    close(c_int::try_from(connection as usize).unwrap_or(-1));
}

/// Waits for something on the connection. No value here needs to be dropped: a thread that is
/// cancelled leaves without.
extern "C-unwind" fn wait(connection: c_int, header: &mut Header, cancel: Cancel) -> isize {
    let functions = (
        RECVMSG.address(),
        CLEANUP_PUSH.address(),
        CLEANUP_POP.address(),
    );
    let (Cancel::Here, (Some(recvmsg), Some(push), Some(pop))) = (cancel, functions) else {
        let at = &raw mut *header as usize;
        let flags = arg(CLOEXEC_OF_RECEIVED);
        // SAFETY: the header names live room.
        let received = unsafe { kernel::syscall(number::RECVMSG, connection, at, flags) };
        return received as isize;
    };
    // SAFETY: these are the C library's functions of those names.
    let (recvmsg, push, pop) = unsafe {
        (
            mem::transmute::<usize, Recvmsg>(recvmsg),
            mem::transmute::<usize, Push>(push),
            mem::transmute::<usize, Pop>(pop),
        )
    };
    // More than any C library's own struct for this.
    let mut cleanup = [0_usize; 16];
    let at = cleanup.as_mut_ptr().cast::<c_void>();
    // SAFETY: the struct lives until it is popped, or until the thread has ended.
    unsafe {
        push(
            at,
            cancelled,
            core::ptr::without_provenance_mut(arg(connection)),
        );
    };
    // SAFETY: the header names live room.
    let received = unsafe { recvmsg(connection, header, CLOEXEC_OF_RECEIVED) };
    let code = kernel::errno();
    // SAFETY: pushed above.
    unsafe { pop(at, 0) };
    kernel::set_errno(code);
    received
}

/// The next answer, with its descriptor; an error's code, or 0 where the host has gone.
extern "C-unwind" fn hear(connection: c_int, cancel: Cancel) -> Heard {
    let mut bytes = [0_u8; ANSWER];
    let mut part = Part {
        at: bytes.as_mut_ptr(),
        length: ANSWER,
    };
    let mut rights = Rights {
        length: 0,
        level: 0,
        kind: 0,
        fd: -1,
        padding: 0,
    };
    let mut header = Header {
        name: 0,
        name_length: 0,
        parts: &raw mut part,
        count: 1,
        control: &raw mut rights,
        control_length: size_of::<Rights>(),
        flags: 0,
    };
    let before = kernel::errno();
    let received = wait(connection, &mut header, cancel);
    if received < 0 {
        let code = kernel::errno();
        kernel::set_errno(before);
        return Heard::Failed(code);
    }
    let with_rights = header.control_length >= size_of::<Rights>() - size_of::<c_int>()
        && (rights.level, rights.kind) == (SOL_SOCKET, SCM_RIGHTS);
    let fd = if with_rights { rights.fd } else { -1 };
    match Answer::of_bytes(&bytes) {
        Some(answer) if received.cast_unsigned() == ANSWER => Heard::Answer(answer, fd),
        _ => Heard::Failed(0),
    }
}

#[repr(C)]
enum Heard {
    Answer(Answer, c_int),
    Failed(c_int),
}

/// Has the host carry out a system call, and returns what the C library's function returns. Where
/// there is no host, the kernel carries it out.
pub(crate) extern "C-unwind" fn carry_out(
    number: c_long,
    args: [usize; 6],
    cancel: Cancel,
) -> isize {
    let request = Request {
        what: Asked::Call,
        secret: SECRET.load(Ordering::Relaxed),
        thread: u32::try_from(call(number::GETTID, [0; 6]).unwrap_or(0)).unwrap_or(0),
        id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
        number,
        args: args.map(|arg| arg as u64),
    };
    let Some(mut connection) = take() else {
        return in_kernel(number, args);
    };
    if say(connection.fd, request).is_err() {
        // It was closed behind our back.
        close(connection.fd);
        match connect() {
            Some(fresh) if say(fresh.fd, request).is_ok() => connection = fresh,
            Some(fresh) => {
                close(fresh.fd);
                return in_kernel(number, args);
            }
            None => return in_kernel(number, args),
        }
    }
    let mut withdrawn = false;
    let (answer, fd) = loop {
        match hear(connection.fd, cancel) {
            Heard::Answer(answer, fd) if answer.id == request.id => break (answer.what, fd),
            Heard::Answer(_, fd) if fd >= 0 => close(fd),
            Heard::Answer(..) => {}
            // A handler ran, and wants waiting calls to end. One that has an effect by now ends
            // with that.
            Heard::Failed(kernel::EINTR) => {
                let withdrawal = Request {
                    what: Asked::Withdraw,
                    ..request
                };
                if !withdrawn && say(connection.fd, withdrawal).is_ok() {
                    withdrawn = true;
                }
            }
            Heard::Failed(_) => {
                close(connection.fd);
                return in_kernel(number, args);
            }
        }
    };
    put_back(connection);
    match answer {
        Answered::Returns(value) if value < 0 => {
            kernel::set_errno(c_int::try_from(-value).unwrap_or(0));
            -1
        }
        Answered::Returns(value) => value as isize,
        Answered::GoesOn => in_kernel(number, args),
        Answered::Descriptor { closes_on_exec, at } => give(fd, closes_on_exec, at),
    }
}

/// Hands the program a descriptor that came.
fn give(fd: c_int, closes_on_exec: bool, at: u64) -> isize {
    let too_many = usize::try_from(fd).map_or(true, |number| number >= sockets::MOST);
    if too_many {
        // None came if the process may not have more.
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
