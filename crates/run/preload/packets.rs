//! Packets between the library and the host.

use core::ffi::{c_int, c_void};
use core::mem;

use crate::kernel::{self, Next, arg, call, number};
use crate::region::SIZE;
use crate::words::{Said, TOLD, Told};

const NO_SIGNAL: usize = 0x4000;
const CLOEXEC_OF_RECEIVED: c_int = 0x4000_0000;
const SOL_SOCKET: c_int = 1;
const SCM_RIGHTS: c_int = 1;

static RECVMSG: Next = Next::new(c"recvmsg");
static CLEANUP_PUSH: Next = Next::new(c"_pthread_cleanup_push");
static CLEANUP_POP: Next = Next::new(c"_pthread_cleanup_pop");
static TEST_CANCEL: Next = Next::new(c"pthread_testcancel");

/// Whether the call is a cancellation point (`pthread_cancel`).
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cancel {
    Here,
    Later,
}

/// Ends this thread if it was cancelled; a call that does not sleep is also a cancellation point.
pub(crate) extern "C-unwind" fn test_cancel() {
    type Test = unsafe extern "C-unwind" fn();
    if let Some(test) = TEST_CANCEL.address() {
        // SAFETY: the C library's function of that name.
        unsafe { mem::transmute::<usize, Test>(test)() };
    }
}

/// Sends a packet.
pub(crate) fn say(connection: c_int, said: Said) -> Result<(), c_int> {
    let bytes = said.to_bytes();
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

/// Cleanup of a cancelled thread: closes the connection and unmaps its region, so that the host
/// drops the call.
unsafe extern "C" fn cancelled(connection: *mut c_void) {
    // SAFETY: `wait` hands over a live pair.
    let [fd, region] = unsafe { *connection.cast::<[usize; 2]>() };
    let _ = call(number::CLOSE, [fd, 0, 0, 0, 0, 0]);
    let _ = call(number::MUNMAP, [region, SIZE, 0, 0, 0, 0]);
}

/// Waits for a packet. No value here needs to be dropped, because cancellation unwinds without
/// dropping.
extern "C-unwind" fn wait(
    connection: c_int,
    region: usize,
    header: &mut Header,
    cancel: Cancel,
) -> isize {
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
    // Larger than any C library's cleanup struct.
    let mut cleanup = [0_usize; 16];
    let at = cleanup.as_mut_ptr().cast::<c_void>();
    let mut pair = [arg(connection), region];
    // SAFETY: both live until the struct is popped, or until the thread has ended.
    unsafe { push(at, cancelled, (&raw mut pair).cast()) };
    // SAFETY: the header names live room.
    let received = unsafe { recvmsg(connection, header, CLOEXEC_OF_RECEIVED) };
    let code = kernel::errno();
    // SAFETY: pushed above.
    unsafe { pop(at, 0) };
    kernel::set_errno(code);
    received
}

/// An event of a connection.
#[repr(C)]
pub(crate) enum Heard {
    /// A packet and the descriptor that came with it, or -1.
    Packet(Told, c_int),
    /// An error code, or 0 if the host has closed the connection.
    Failed(c_int),
}

/// Receives the next packet. Cancelling the thread closes the connection and unmaps its region.
pub(crate) extern "C-unwind" fn hear(connection: c_int, region: usize, cancel: Cancel) -> Heard {
    let mut bytes = [0_u8; TOLD];
    let mut part = Part {
        at: bytes.as_mut_ptr(),
        length: TOLD,
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
    let received = wait(connection, region, &mut header, cancel);
    if received < 0 {
        let code = kernel::errno();
        kernel::set_errno(before);
        return Heard::Failed(code);
    }
    let with_rights = header.control_length >= size_of::<Rights>() - size_of::<c_int>()
        && (rights.level, rights.kind) == (SOL_SOCKET, SCM_RIGHTS);
    let fd = if with_rights { rights.fd } else { -1 };
    match Told::of_bytes(&bytes) {
        Some(told) if received.cast_unsigned() == TOLD => Heard::Packet(told, fd),
        _ => Heard::Failed(0),
    }
}
