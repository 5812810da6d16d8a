//! Functions of the C library, declared here because nothing is linked; the loader resolves them in
//! the program.

use core::ffi::{c_char, c_int, c_long, c_void};
use core::sync::atomic::{AtomicUsize, Ordering};
use core::{mem, ptr};

core::arch::global_asm!(".weak dlsym");

unsafe extern "C" {
    /// Makes a system call; returns -1 and sets `errno` on error.
    pub(crate) fn syscall(number: c_long, ...) -> c_long;
    pub(crate) fn getenv(name: *const c_char) -> *const c_char;
    fn __errno_location() -> *mut c_int;
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
}

type Look = unsafe extern "C" fn(*mut c_void, *const c_char) -> *mut c_void;

/// Numbers of system calls (`asm/unistd.h`).
#[cfg(target_arch = "x86_64")]
pub(crate) mod number {
    use core::ffi::c_long;
    pub(crate) const READ: c_long = 0;
    pub(crate) const WRITE: c_long = 1;
    pub(crate) const CLOSE: c_long = 3;
    pub(crate) const FSTAT: c_long = 5;
    pub(crate) const MMAP: c_long = 9;
    pub(crate) const MUNMAP: c_long = 11;
    pub(crate) const RT_SIGPROCMASK: c_long = 14;
    pub(crate) const IOCTL: c_long = 16;
    pub(crate) const READV: c_long = 19;
    pub(crate) const WRITEV: c_long = 20;
    pub(crate) const DUP: c_long = 32;
    pub(crate) const NANOSLEEP: c_long = 35;
    pub(crate) const GETPID: c_long = 39;
    pub(crate) const SENDFILE: c_long = 40;
    pub(crate) const SOCKET: c_long = 41;
    pub(crate) const CONNECT: c_long = 42;
    pub(crate) const ACCEPT: c_long = 43;
    pub(crate) const SENDTO: c_long = 44;
    pub(crate) const RECVFROM: c_long = 45;
    pub(crate) const SENDMSG: c_long = 46;
    pub(crate) const RECVMSG: c_long = 47;
    pub(crate) const SHUTDOWN: c_long = 48;
    pub(crate) const BIND: c_long = 49;
    pub(crate) const LISTEN: c_long = 50;
    pub(crate) const GETSOCKNAME: c_long = 51;
    pub(crate) const GETPEERNAME: c_long = 52;
    pub(crate) const SETSOCKOPT: c_long = 54;
    pub(crate) const GETSOCKOPT: c_long = 55;
    pub(crate) const FCNTL: c_long = 72;
    pub(crate) const GETTID: c_long = 186;
    pub(crate) const FUTEX: c_long = 202;
    pub(crate) const SPLICE: c_long = 275;
    pub(crate) const PREADV2: c_long = 327;
    pub(crate) const PWRITEV2: c_long = 328;
    pub(crate) const ACCEPT4: c_long = 288;
    pub(crate) const DUP3: c_long = 292;
    pub(crate) const RECVMMSG: c_long = 299;
    pub(crate) const SENDMMSG: c_long = 307;
    pub(crate) const CLOSE_RANGE: c_long = 436;
    #[cfg(freestanding)]
    pub(crate) const EXIT_GROUP: c_long = 231;
}

/// Numbers of system calls (`asm-generic/unistd.h`).
#[cfg(target_arch = "aarch64")]
pub(crate) mod number {
    use core::ffi::c_long;
    pub(crate) const DUP: c_long = 23;
    pub(crate) const DUP3: c_long = 24;
    pub(crate) const FCNTL: c_long = 25;
    pub(crate) const IOCTL: c_long = 29;
    pub(crate) const CLOSE: c_long = 57;
    pub(crate) const READ: c_long = 63;
    pub(crate) const WRITE: c_long = 64;
    pub(crate) const READV: c_long = 65;
    pub(crate) const WRITEV: c_long = 66;
    pub(crate) const SENDFILE: c_long = 71;
    pub(crate) const SPLICE: c_long = 76;
    pub(crate) const FSTAT: c_long = 80;
    pub(crate) const FUTEX: c_long = 98;
    pub(crate) const NANOSLEEP: c_long = 101;
    pub(crate) const RT_SIGPROCMASK: c_long = 135;
    pub(crate) const GETPID: c_long = 172;
    pub(crate) const GETTID: c_long = 178;
    pub(crate) const SOCKET: c_long = 198;
    pub(crate) const BIND: c_long = 200;
    pub(crate) const LISTEN: c_long = 201;
    pub(crate) const ACCEPT: c_long = 202;
    pub(crate) const CONNECT: c_long = 203;
    pub(crate) const GETSOCKNAME: c_long = 204;
    pub(crate) const GETPEERNAME: c_long = 205;
    pub(crate) const SENDTO: c_long = 206;
    pub(crate) const RECVFROM: c_long = 207;
    pub(crate) const SETSOCKOPT: c_long = 208;
    pub(crate) const GETSOCKOPT: c_long = 209;
    pub(crate) const SHUTDOWN: c_long = 210;
    pub(crate) const SENDMSG: c_long = 211;
    pub(crate) const RECVMSG: c_long = 212;
    pub(crate) const MUNMAP: c_long = 215;
    pub(crate) const MMAP: c_long = 222;
    pub(crate) const ACCEPT4: c_long = 242;
    pub(crate) const RECVMMSG: c_long = 243;
    pub(crate) const SENDMMSG: c_long = 269;
    pub(crate) const PREADV2: c_long = 286;
    pub(crate) const PWRITEV2: c_long = 287;
    pub(crate) const CLOSE_RANGE: c_long = 436;
    #[cfg(freestanding)]
    pub(crate) const EXIT_GROUP: c_long = 94;
}

pub(crate) const EINTR: c_int = 4;
const EINVAL: c_int = 22;
pub(crate) const EMFILE: c_int = 24;

/// The thread's `errno`.
pub(crate) fn errno() -> c_int {
    // SAFETY: the C library returns the address of this thread's error.
    unsafe { *__errno_location() }
}

pub(crate) fn set_errno(code: c_int) {
    // SAFETY: as above.
    unsafe { *__errno_location() = code };
}

/// Makes a system call; returns its value or error code and preserves `errno`.
pub(crate) fn call(number: c_long, args: [usize; 6]) -> Result<usize, c_int> {
    let [a, b, c, d, e, f] = args;
    let before = errno();
    // SAFETY: those who call this hand over arguments that suit the system call.
    let returned = unsafe { syscall(number, a, b, c, d, e, f) };
    match usize::try_from(returned) {
        Ok(value) => Ok(value),
        Err(_) => {
            let code = errno();
            set_errno(before);
            Err(code)
        }
    }
}

/// The inode of a descriptor's file; 0 if there is none.
pub(crate) fn inode_of(fd: c_int) -> u64 {
    // `struct stat`: the inode is its second word on both architectures.
    let mut stat = [0_u64; 32];
    let at = stat.as_mut_ptr() as usize;
    match call(number::FSTAT, [arg(fd), at, 0, 0, 0, 0]) {
        Ok(_) => stat[1],
        Err(_) => 0,
    }
}

/// Whether the process may read address `at`; probed by a call that reads there and then fails on
/// its other arguments.
pub(crate) fn is_readable(at: usize) -> bool {
    const NO_SUCH_CHANGE: usize = usize::MAX;
    // An aligned word lies within one page.
    let word = at & !7;
    call(number::RT_SIGPROCMASK, [NO_SUCH_CHANGE, word, 0, 8, 0, 0]) == Err(EINVAL)
}

/// Whether the process may write to address `at`; probed by a futex call that changes no bit and at
/// most wakes a waiter spuriously.
pub(crate) fn is_writable(at: usize) -> bool {
    /// `FUTEX_WAKE_OP` within this process.
    const WAKE_OP: usize = 5 | 128;
    /// Sets no bits (`FUTEX_OP_OR`).
    const SET_NONE: usize = 2 << 28;
    let nobody = 0_u32;
    let own = (&raw const nobody) as usize;
    call(number::FUTEX, [own, WAKE_OP, 0, 0, at & !3, SET_NONE]).is_ok()
}

/// The current processor's number plus 1, or 0 if unknown.
pub(crate) fn processor() -> u64 {
    static GETCPU: Next = Next::new(c"sched_getcpu");
    type Function = unsafe extern "C" fn() -> c_int;
    let before = errno();
    let number = match GETCPU.address() {
        // SAFETY: the C library's function of that name.
        Some(address) => unsafe { mem::transmute::<usize, Function>(address)() },
        None => -1,
    };
    set_errno(before);
    u64::try_from(number).map_or(0, |number| number + 1)
}

/// Converts an `int` to the argument of a system call.
pub(crate) fn arg(value: c_int) -> usize {
    value.cast_unsigned() as usize
}

/// The next definition of a function after this library's, looked up once.
pub(crate) struct Next {
    name: &'static core::ffi::CStr,
    address: AtomicUsize,
}

/// Marks a function that was not found.
const ABSENT: usize = 1;

impl Next {
    pub(crate) const fn new(name: &'static core::ffi::CStr) -> Self {
        Self {
            name,
            address: AtomicUsize::new(0),
        }
    }

    /// The function's address.
    pub(crate) fn address(&self) -> Option<usize> {
        let known = self.address.load(Ordering::Relaxed);
        let address = match known {
            0 => self.look(),
            known => known,
        };
        (address != ABSENT).then_some(address)
    }

    fn look(&self) -> usize {
        const NEXT: *mut c_void = ptr::without_provenance_mut(usize::MAX);
        let dlsym: Look = dlsym;
        let place = &raw const dlsym;
        // Old C libraries define `dlsym` elsewhere, so the weak symbol is null.
        // SAFETY: the place is that of a live pointer, of the size of a number.
        let is_there = unsafe { ptr::read_volatile(place.cast::<usize>()) } != 0;
        let found = match is_there {
            // SAFETY: the name is a C string.
            true => unsafe { dlsym(NEXT, self.name.as_ptr()) },
            false => ptr::null_mut(),
        };
        let address = if found.is_null() {
            ABSENT
        } else {
            found as usize
        };
        self.address.store(address, Ordering::Relaxed);
        address
    }
}
